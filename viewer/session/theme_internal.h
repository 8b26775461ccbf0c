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

/// The light theme, or the dark one.
const ts_theme* ts_theme_of(int dark);

#ifdef __cplusplus
}
#endif
#endif
