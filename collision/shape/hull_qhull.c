// The convex hull itself comes from qhull (Barber, Dobkin, Huhdanpaa, ACM TOMS 1996), the reentrant library.
//
// qhull reports trouble by printing and by longjmp. Here its messages go to a memory stream and become a status, and
// every call that may jump runs inside a frame that catches the jump.
#include "collision/shape/hull_internal.h"

#include "base/assert.h"

#include <libqhull_r/qhull_ra.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ts_hull_faces_free(ts_hull_faces* faces) {
    free(faces->start);
    free(faces->corner);
    faces->start = faces->corner = 0;
    faces->count = 0;
}

// Copies qhull's facets out. Runs with qh->errexit set, so it may be left at any qhull call; what it has allocated is
// reachable from `out` at every moment.
static int collect_facets(qhT* qh, const ts_vec3* points, ts_hull_faces* out) {
    facetT* facet;
    vertexT *vertex, **vertexp;
    int face_count = 0, corner_count = 0;
    FORALLfacet_(qh->facet_list) {
        ++face_count;
        corner_count += qh_setsize(qh, facet->vertices);
    }
    out->start = (int*)malloc(((size_t)face_count + 1) * sizeof(int));
    out->corner = (int*)malloc(((size_t)corner_count + 1) * sizeof(int));
    if (!out->start || !out->corner) return 0;
    out->count = 0;
    int filled = 0;
    FORALLfacet_(qh->facet_list) {
        setT* ring = qh_facet3vertex(qh, facet);
        int first = filled;
        out->start[out->count++] = filled;
        FOREACHvertex_(ring) {
            if (filled < corner_count) out->corner[filled++] = qh_pointid(qh, vertex->point);
        }
        qh_settempfree(qh, &ring);
        TS_ASSERT(filled > first);
        // Orientation by the facet's own outward normal rather than by qhull's conventions.
        ts_vec3 turn = ts_vec3_zero(), p0 = points[out->corner[first]];
        for (int k = first + 1; k + 1 < filled; ++k)
            turn = ts_vec3_add(turn, ts_vec3_cross(ts_vec3_sub(points[out->corner[k]], p0),
                                                   ts_vec3_sub(points[out->corner[k + 1]], p0)));
        if (turn.x * facet->normal[0] + turn.y * facet->normal[1] + turn.z * facet->normal[2] < 0.0) {
            for (int i = first, j = filled - 1; i < j; ++i, --j) {
                int swap = out->corner[i];
                out->corner[i] = out->corner[j];
                out->corner[j] = swap;
            }
        }
    }
    out->start[out->count] = filled;
    return 1;
}

// 0 fine, 1 out of memory, 2 qhull jumped out.
static int collect_safely(qhT* qh, const ts_vec3* points, ts_hull_faces* out) {
    int outcome = 2;
    if (!setjmp(qh->errexit)) {
        qh->NOerrexit = 0;
        outcome = collect_facets(qh, points, out) ? 0 : 1;
    } else {
        outcome = 2;
    }
    qh->NOerrexit = 1;
    return outcome;
}

static ts_code explain(int exitcode, const char* text, ts_status* out_status) {
    if (exitcode == qh_ERRsingular)
        return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: all points lie in one plane (or nearly so)");
    if (exitcode == qh_ERRmem) return ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    int length = text ? (int)strcspn(text, "\n") : 0;
    return ts_status_set(out_status, TS_ERROR_VALUE, 0, 0, "hull: %.*s", length > 300 ? 300 : length,
                         length ? text : "qhull failed");
}

ts_code ts_hull_facets(const ts_vec3* points, int count, ts_hull_faces* out_faces, ts_status* out_status) {
    memset(out_faces, 0, sizeof *out_faces);
    coordT* coordinates = (coordT*)malloc((size_t)count * 3 * sizeof *coordinates);
    qhT* qh = (qhT*)malloc(sizeof *qh);
    char* text = 0;
    size_t text_size = 0;
    FILE* messages = open_memstream(&text, &text_size);
    ts_code code = TS_OK;
    if (!coordinates || !qh || !messages) {
        code = ts_status_set(out_status, TS_ERROR_MEMORY, 0, 0, "hull: out of memory");
    } else {
        for (int i = 0; i < count; ++i) ts_vec3_store(points[i], coordinates + 3 * (size_t)i);
        char command[] = "qhull Pp";
        qh_zero(qh, messages);
        int exitcode = qh_new_qhull(qh, 3, count, coordinates, 0, command, 0, messages);
        if (!exitcode) {
            int outcome = collect_safely(qh, points, out_faces);
            if (outcome) exitcode = outcome == 1 ? qh_ERRmem : qh_ERRqhull;
        }
        qh_freeqhull(qh, !qh_ALL);
        int left = 0, total = 0;
        qh_memfreeshort(qh, &left, &total);
        fflush(messages);
        if (exitcode) code = explain(exitcode, text, out_status);
    }
    if (messages) fclose(messages);
    free(text);
    free(qh);
    free(coordinates);
    if (code) ts_hull_faces_free(out_faces);
    return code;
}
