// Problem: a list of sixty scenes with a picture each, some of which take a second to load, in a window that answers at once. Rule: only pictures that
// somebody looks at are asked for; a thread loads one scene at a time, and the window draws it small, between two pictures of its own, on a
// device of its own. Guaranteed: what fails to load or to draw has no picture, and is not tried again. Known to fail: closing the window waits for the
// scene that is being loaded.
#include "viewer/session/thumbs_internal.h"

#include "viewer/session/world_internal.h"
#include "viewer/view.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct thumb {
    int asked;
    char subject[128];
    unsigned char* pixels;  // NULL: none yet, or never
} thumb;

struct ts_thumbs {
    ts_device* device;
    thumb* thumb;  // (count)
    int count;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    // under the lock
    int* queue;       // (count) numbers that were asked for, in that order
    int head, tail;   // of the queue
    ts_world* ready;  // loaded and to be drawn, or NULL
    int ready_number;
    int quit;
};

// The next number to be loaded, when there is room for another scene; -1: no more.
static int next_number(ts_thumbs* t) {
    pthread_mutex_lock(&t->lock);
    while (!t->quit && (t->ready || t->head == t->tail)) pthread_cond_wait(&t->wake, &t->lock);
    int number = t->quit ? -1 : t->queue[t->head++];
    pthread_mutex_unlock(&t->lock);
    return number;
}

static void* load_all(void* argument) {
    ts_thumbs* t = argument;
    for (int number = next_number(t); number >= 0; number = next_number(t)) {
        ts_status status;
        ts_world* world = NULL;
        if (ts_world_load(t->thumb[number].subject, 1, &world, &status)) continue;
        pthread_mutex_lock(&t->lock);
        t->ready = world;
        t->ready_number = number;
        pthread_mutex_unlock(&t->lock);
    }
    return NULL;
}

ts_thumbs* ts_thumbs_create(ts_device* device, int count) {
    ts_thumbs* t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->device = device;
    t->count = count;
    t->thumb = calloc((size_t)count + 1, sizeof *t->thumb);
    t->queue = calloc((size_t)count + 1, sizeof *t->queue);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    if (t->thumb && t->queue && !pthread_create(&t->thread, NULL, load_all, t)) return t;
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t->thumb);
    free(t->queue);
    free(t);
    return NULL;
}

void ts_thumbs_ask(ts_thumbs* thumbs, int i, const char* subject) {
    if (!thumbs || i < 0 || i >= thumbs->count || thumbs->thumb[i].asked) return;
    thumb* it = &thumbs->thumb[i];
    it->asked = 1;
    if (strlen(subject) >= sizeof it->subject) return;
    memcpy(it->subject, subject, strlen(subject) + 1);
    pthread_mutex_lock(&thumbs->lock);
    thumbs->queue[thumbs->tail++] = i;
    pthread_cond_signal(&thumbs->wake);
    pthread_mutex_unlock(&thumbs->lock);
}

const unsigned char* ts_thumbs_at(const ts_thumbs* thumbs, int i) {
    return thumbs && i >= 0 && i < thumbs->count ? thumbs->thumb[i].pixels : NULL;
}

static ts_code draw(ts_thumbs* t, const ts_world* world, unsigned char* out_pixels) {
    ts_view view;
    ts_status status;
    ts_code code = ts_view_open_within(&view, world->sim, world->reach, t->device, &status);
    if (code) return code;
    // Forces and contacts are specks here.
    view.show = ts_view_default_show() & ~(unsigned)(TS_SHOW_CONTACTS | TS_SHOW_FORCES);
    ts_view_frame_scene(&view, TS_THUMB_WIDTH, TS_THUMB_HEIGHT, 0);
    code = ts_view_draw(&view, TS_THUMB_WIDTH, TS_THUMB_HEIGHT, NULL, &status);
    if (!code) code = ts_device_read(t->device, 3, out_pixels, &status);
    ts_view_close(&view);
    return code;
}

int ts_thumbs_draw(ts_thumbs* thumbs) {
    if (!thumbs) return 0;
    pthread_mutex_lock(&thumbs->lock);
    ts_world* world = thumbs->ready;
    int number = thumbs->ready_number;
    thumbs->ready = NULL;
    pthread_cond_signal(&thumbs->wake);
    pthread_mutex_unlock(&thumbs->lock);
    if (!world) return 0;
    unsigned char* pixels = malloc((size_t)3 * TS_THUMB_WIDTH * TS_THUMB_HEIGHT);
    if (pixels && draw(thumbs, world, pixels)) {
        free(pixels);
        pixels = NULL;
    }
    thumbs->thumb[number].pixels = pixels;
    ts_world_free(world);
    return pixels != NULL;
}

void ts_thumbs_destroy(ts_thumbs* thumbs) {
    if (!thumbs) return;
    pthread_mutex_lock(&thumbs->lock);
    thumbs->quit = 1;
    pthread_cond_signal(&thumbs->wake);
    pthread_mutex_unlock(&thumbs->lock);
    pthread_join(thumbs->thread, NULL);
    ts_world_free(thumbs->ready);
    for (int i = 0; i < thumbs->count; ++i) free(thumbs->thumb[i].pixels);
    pthread_cond_destroy(&thumbs->wake);
    pthread_mutex_destroy(&thumbs->lock);
    free(thumbs->thumb);
    free(thumbs->queue);
    free(thumbs);
}
