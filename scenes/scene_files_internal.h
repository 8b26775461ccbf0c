// The scene files of this folder and of experiments/ as the build embeds them: cmake/EmbedScenes.cmake writes the definitions.
#ifndef TS_SCENES_SCENE_FILES_INTERNAL_H
#define TS_SCENES_SCENE_FILES_INTERNAL_H

#ifdef __cplusplus
extern "C" {
#endif

/// One embedded file: name without its extension, text with a terminating zero, size in bytes without that zero.
typedef struct ts_scene_file {
    const char* name;
    const char* text;
    unsigned long size;
} ts_scene_file;

/// All embedded files, followed by one entry whose name is NULL.
extern const ts_scene_file ts_scene_files[];

/// How many entries there are, the closing one not counted.
extern const int ts_scene_file_count;

#ifdef __cplusplus
}
#endif
#endif
