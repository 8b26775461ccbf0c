// The velocity form cut into islands.
//
// Problem: one operator for each island of blocks that share no columns, so that islands can be solved by themselves and side by side.
// Rule: rows, Jacobians and diagonal blocks stay where they are; an island's part has its own list of them, its own numbers of columns, ascending,
// and so a V as short as the island. The order of blocks within an island, and with it every sum, is that of the whole.
// Source: none.
// Guarantee: the parts' answers together are the whole's, bit for bit; two parts' V share no line of the cache.
// Known failure: none; an arena without room makes it return 0.
#include "contact/operator/delassus_velocity_internal.h"

// Numbers the columns of every island afresh, ascending, so that its V is short. A column belongs to one island at
// most.
static void number_columns(const ts_velocity_form* self, const ts_islands* islands, int* owner, int* renamed,
                           int* out_count) {
    for (int j = 0; j < self->velocity_count; ++j) owner[j] = -1;
    for (int i = 0; i < islands->count; ++i) {
        out_count[i] = 0;
        for (int k = islands->start[i]; k < islands->start[i + 1]; ++k) {
            int b = islands->block[k];
            for (int s = self->segment_start[b]; s < self->segment_start[b + 1]; ++s)
                for (int j = 0; j < self->segment[s].count; ++j) owner[self->segment[s].column + j] = i;
        }
    }
    for (int j = 0; j < self->velocity_count; ++j)
        if (owner[j] >= 0) renamed[j] = out_count[owner[j]]++;
}

// V of two islands never share a line of the cache: two threads may be at work on them.
static int padded_columns(int columns) { return (columns + 7) & ~7; }

// What all islands' parts are cut from, one allocation each.
typedef struct part_room {
    ts_velocity_form* form;        // (islands)
    ts_velocity_block* block;      // (blocks)
    size_t* diagonal_start;        // (blocks)
    int* block_row;                // (blocks + islands)
    int* segment_start;            // (blocks + islands)
    ts_delassus_segment* segment;  // (segments)
    double* V;                     // (columns, padded), zero
    double* V_apply;               // (columns, padded)
} part_room;

static int take_room(const ts_velocity_form* self, ts_arena* arena, int islands, part_room* room) {
    int blocks = self->base.block_count;
    room->form = TS_ARENA_ARRAY(arena, ts_velocity_form, islands);
    room->block = TS_ARENA_ARRAY(arena, ts_velocity_block, blocks);
    room->diagonal_start = TS_ARENA_ARRAY(arena, size_t, blocks);
    room->block_row = TS_ARENA_ARRAY(arena, int, blocks + islands);
    room->segment_start = TS_ARENA_ARRAY(arena, int, blocks + islands);
    room->segment = TS_ARENA_ARRAY(arena, ts_delassus_segment, self->segment_start[blocks]);
    size_t columns = (size_t)self->velocity_count + 8 * (size_t)islands;
    room->V = (double*)ts_arena_alloc_zeroed(arena, columns, sizeof(double));
    room->V_apply = TS_ARENA_ARRAY(arena, double, columns);
    return room->form && room->block && room->diagonal_start && room->block_row && room->segment_start &&
           room->segment && room->V && room->V_apply;
}

// One island's operator, cut from the front of the room. Rows, their Jacobians and the diagonal blocks are G's own.
static ts_delassus* cut_part(const ts_velocity_form* self, part_room* room, const int* list, int count, int columns,
                             const int* renamed) {
    ts_velocity_form* part = room->form++;
    int row = 0, at = 0;
    *part = *self;
    part->known = part->known_rows = NULL;
    part->is_known = part->are_rows_known = 0;
    part->order = NULL;
    part->tasks = NULL;
    part->base.block_count = count;
    part->base.block_row = room->block_row;
    part->base.row_sum = part->base.bound = NULL;
    part->velocity_count = columns;
    part->V = room->V;
    part->V_apply = room->V_apply;
    part->block = room->block;
    part->segment = room->segment;
    part->segment_start = room->segment_start;
    part->diagonal_start = room->diagonal_start;
    for (int k = 0; k < count; ++k) {
        int b = list[k];
        room->block_row[k] = row;
        room->segment_start[k] = at;
        room->diagonal_start[k] = self->diagonal_start[b];
        room->block[k] = self->block[b];
        row += self->block[b].rows;
        for (int s = self->segment_start[b], side = 0; s < self->segment_start[b + 1]; ++s, ++side, ++at) {
            room->segment[at] = self->segment[s];
            room->segment[at].column = renamed[self->segment[s].column];
            if (side < 2) room->block[k].column[side] = room->segment[at].column;
        }
    }
    room->block_row[count] = row;
    room->segment_start[count] = at;
    part->base.row_count = row;
    room->block_row += count + 1;
    room->segment_start += count + 1;
    room->diagonal_start += count;
    room->block += count;
    room->segment += at;
    room->V += padded_columns(columns);
    room->V_apply += padded_columns(columns);
    return &part->base;
}

int ts_velocity_form_split(ts_delassus* G, ts_arena* arena, const ts_islands* islands, ts_delassus** out_part) {
    const ts_velocity_form* self = (const ts_velocity_form*)G;
    int* owner = TS_ARENA_ARRAY(arena, int, self->velocity_count);
    int* renamed = TS_ARENA_ARRAY(arena, int, self->velocity_count);
    int* columns = TS_ARENA_ARRAY(arena, int, islands->count);
    part_room room;
    if (!owner || !renamed || !columns || !take_room(self, arena, islands->count, &room)) return 0;
    number_columns(self, islands, owner, renamed, columns);
    for (int i = 0; i < islands->count; ++i) {
        int first = islands->start[i];
        out_part[i] = cut_part(self, &room, islands->block + first, islands->start[i + 1] - first, columns[i], renamed);
    }
    return 1;
}
