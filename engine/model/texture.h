// What surfaces look like beyond one colour: textures, as they are described, and the materials that wear them. Nothing of this
// changes how anything moves. Pixels are made when somebody wants to see them.
#ifndef TS_ENGINE_TEXTURE_H
#define TS_ENGINE_TEXTURE_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a texture lies on what wears it.
typedef enum ts_texture_kind {
    TS_TEXTURE_FLAT,  // thrown along z of the shape's frame, again and again
    TS_TEXTURE_CUBE,  // six faces, seen from the middle of the shape
    TS_TEXTURE_SKY,   // six faces, far behind everything
    TS_TEXTURE_KIND_COUNT
} ts_texture_kind;

/// Where its pixels come from.
typedef enum ts_texture_pattern {
    TS_TEXTURE_FILE,      // PNG
    TS_TEXTURE_GRADIENT,  // from the first colour to the second: outwards, or of six faces downwards (y is up)
    TS_TEXTURE_CHECKER,   // two by two
    TS_TEXTURE_PLAIN,     // the first colour; the lower one of six faces has the second
    TS_TEXTURE_PATTERN_COUNT
} ts_texture_pattern;

/// What is drawn on top, on every face.
typedef enum ts_texture_mark {
    TS_TEXTURE_NO_MARK,
    TS_TEXTURE_EDGE,    // the outermost pixels
    TS_TEXTURE_CROSS,   // the middle row and column
    TS_TEXTURE_RANDOM,  // here and there, always in the same places
    TS_TEXTURE_MARK_COUNT
} ts_texture_mark;

/// Faces of a cube, in the order of OpenGL: +x, -x, +y, -y, +z, -z.
enum { TS_TEXTURE_FACES = 6, TS_TEXTURE_CELLS = 12 };

/// A texture.
typedef struct ts_texture {
    const char* name;  // never NULL in a model
    ts_texture_kind kind;
    ts_texture_pattern pattern;
    ts_texture_mark mark;
    float color[2][3];                   // sRGB, of patterns
    float mark_color[3];                 // sRGB
    double random;                       // share of the pixels that TS_TEXTURE_RANDOM marks
    int width;                           // pixels of a pattern, of one face; those of a cube are square
    int height;                          // pixels
    const char* file[TS_TEXTURE_FACES];  // "" or NULL: none. The first alone is for all faces, or a grid of them
    int grid[2];                         // rows and columns of faces in that file; 1 and 1: it is one
    char layout[TS_TEXTURE_CELLS + 1];   // a letter for each cell of the grid: R L U D F B, or '.' for none
    int flip[2];                         // nonzero: a file's picture is turned left to right, upside down
    const char* source;                  // file that describes it, for messages; "" or NULL: none
    int line;
} ts_texture;

/// A material.
typedef struct ts_visual_material {
    const char* name;  // never NULL in a model
    int texture;       // -1: none
    int uniform;  // nonzero: `repeat` is per two metres, and a cube's faces are seen from a shape in its true proportions
    double repeat[2];  // how often the texture lies along x and y of the shape
    double emission;   // light of its own, as a share of its colour
    double specular;   // strength of highlights, 0 to 1
    double shininess;  // how small they are, 0 to 1
} ts_visual_material;

/// Pixels of a texture.
typedef struct ts_texture_picture {
    int width;
    int height;
    int faces;           // 1, or 6 squares
    unsigned char* rgb;  // (faces x height x width x 3) sRGB, owned; face after face, rows from the top
} ts_texture_picture;

/// MJCF's defaults: a cube of black patterns without marks.
ts_texture ts_texture_default(void);

/// No texture, once over the shape, not glowing, half shiny.
ts_visual_material ts_visual_material_default(void);

/// What is wrong with a texture's description, or NULL. Files are not looked at.
const char* ts_texture_fault(const ts_texture* texture);

/// Makes the pixels, or reads them. Free with ts_texture_picture_free. TS_ERROR_FILE, TS_ERROR_PARSE or TS_ERROR_VALUE at the place where the
/// texture is described when a file is missing, no PNG, or of a shape that does not fit; TS_ERROR_UNSUPPORTED without libpng.
ts_code ts_texture_paint(const ts_texture* texture, ts_texture_picture* out_picture, ts_status* out_status);

/// The mean colour of all pixels, 0 to 1, sRGB.
void ts_texture_picture_mean(const ts_texture_picture* picture, float out_color[3]);

/// Releases the pixels.
void ts_texture_picture_free(ts_texture_picture* picture);

#ifdef __cplusplus
}
#endif
#endif
