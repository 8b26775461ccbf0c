// Colours of panels and charts, on a light page and on a dark one.
#ifndef TS_VIEWER_SESSION_THEME_INTERNAL_H
#define TS_VIEWER_SESSION_THEME_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// A theme; colours are sRGB with alpha.
typedef struct ts_theme {
    float page[4];    // behind everything
    float paper[4];   // behind charts and in fields
    float shade[4];   // over curves, behind words
    float rule[4];    // lines of a grid
    float plain[4];   // words
    float dim[4];     // words that matter less
    float marked[4];  // values that are not as they were; the cursor
    float past[4];    // of the timeline; the chosen item
    float button[4];  //
    float header[4];  //
    float curve;      // times the colours of curves
} ts_theme;

/// Colours of curves, well apart also for eyes that do not see red and green as others do.
typedef enum ts_ink {
    TS_INK_BLUE,
    TS_INK_ORANGE,
    TS_INK_GREEN,
    TS_INK_PINK,
    TS_INK_WHITE,
    TS_INK_YELLOW,
    TS_INK_LILAC,
    TS_INK_RED,
    TS_INK_GREY,
    TS_INK_COUNT
} ts_ink;

/// The light theme, or the dark one.
const ts_theme* ts_theme_of(int dark);

/// The colour of a curve on the page of a theme; beyond the last ink they begin anew.
void ts_theme_ink(const ts_theme* theme, int ink, float out_color[4]);

#ifdef __cplusplus
}
#endif
#endif
