// Words on paper have a contrast of at least seven to one, curves and dim words of at least three to one, on either page.
#include "viewer/session/theme_internal.h"

const ts_theme* ts_theme_of(int dark) {
    static const ts_theme light = {
        .page = {0.93f, 0.94f, 0.95f, 1.0f},
        .paper = {0.99f, 0.99f, 0.99f, 1.0f},
        .shade = {0.99f, 0.99f, 0.99f, 0.78f},
        .rule = {0.0f, 0.0f, 0.0f, 0.10f},
        .plain = {0.10f, 0.12f, 0.15f, 1.0f},
        .dim = {0.37f, 0.41f, 0.46f, 1.0f},
        .marked = {0.69f, 0.42f, 0.0f, 1.0f},
        .past = {0.62f, 0.76f, 0.91f, 1.0f},
        .button = {0.76f, 0.83f, 0.91f, 1.0f},
        .header = {0.83f, 0.87f, 0.92f, 1.0f},
        .curve = 0.55f,
    };
    static const ts_theme night = {
        .page = {0.09f, 0.11f, 0.14f, 1.0f},
        .paper = {0.14f, 0.17f, 0.21f, 1.0f},
        .shade = {0.12f, 0.14f, 0.18f, 0.72f},
        .rule = {1.0f, 1.0f, 1.0f, 0.10f},
        .plain = {0.90f, 0.92f, 0.94f, 1.0f},
        .dim = {0.62f, 0.67f, 0.73f, 1.0f},
        .marked = {1.0f, 0.80f, 0.28f, 1.0f},
        .past = {0.24f, 0.42f, 0.62f, 1.0f},
        .button = {0.22f, 0.32f, 0.45f, 1.0f},
        .header = {0.18f, 0.26f, 0.36f, 1.0f},
        .curve = 1.0f,
    };
    return dark ? &night : &light;
}

void ts_theme_ink(const ts_theme* theme, int ink, float out_color[4]) {
    // Okabe and Ito's palette, lightened for a dark page, and two more.
    static const float palette[TS_INK_COUNT][3] = {
        [TS_INK_BLUE] = {0.34f, 0.71f, 0.91f},  [TS_INK_ORANGE] = {0.95f, 0.65f, 0.20f},
        [TS_INK_GREEN] = {0.10f, 0.75f, 0.55f}, [TS_INK_PINK] = {0.85f, 0.55f, 0.72f},
        [TS_INK_WHITE] = {0.88f, 0.90f, 0.93f}, [TS_INK_YELLOW] = {0.90f, 0.85f, 0.30f},
        [TS_INK_LILAC] = {0.66f, 0.60f, 0.95f}, [TS_INK_RED] = {0.92f, 0.45f, 0.30f},
        [TS_INK_GREY] = {0.62f, 0.62f, 0.62f}};
    for (int c = 0; c < 3; ++c) out_color[c] = palette[ink % TS_INK_COUNT][c] * theme->curve;
    out_color[3] = 1.0f;
}
