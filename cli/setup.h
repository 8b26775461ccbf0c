// From what was asked on the command line to a loaded scene and a configured simulation. Everything is checked here,
// before any output is created.
#ifndef TS_CLI_SETUP_H
#define TS_CLI_SETUP_H

#include "cli/args.h"
#include "scenes/scene_table.h"

/// Loads a scene by name or path, a URDF as --package-path, --srdf and --root say, with its controller as
/// --controller and --set controller.NAME=VALUE say. Returns TS_EXIT_DONE, TS_EXIT_FAILED for a bad file, TS_EXIT_USAGE for an unknown
/// name (with the nearest one).
int ts_setup_load(const ts_args* args, const char* name_or_path, ts_import_report* report, ts_loaded_scene* out_scene,
                  ts_status* out_status);

/// The same of what a recording is of; --model says where its model is, if not where it was.
int ts_setup_load_recorded(const ts_args* args, const ts_recording* recording, ts_import_report* report,
                           ts_loaded_scene* out_scene, ts_status* out_status);

/// The same as ts_setup_load for a recording that is to be shown. What would change the run is refused: it has been made.
int ts_setup_load_recording(const ts_args* args, const char* path, ts_import_report* report, ts_loaded_scene* out_scene,
                            ts_status* out_status);

/// Refuses what would change a run that has been recorded.
ts_code ts_setup_only_shown(const ts_args* args, ts_status* out_status);

/// Nonzero for a file that HDF5 wrote, by its first bytes.
int ts_setup_is_recording(const char* path);

/// Nonzero for that, and for what has the name of a recording, so that a file that is not there or is broken is missed as one.
int ts_setup_looks_recorded(const char* path);

/// The solver of that name. NULL, and the nearest known one in the message, when there is none.
const ts_solver* ts_setup_solver(const char* name, ts_status* out_status);

/// Solvers that a command is to run, in the order they were named.
enum { TS_SETUP_SOLVERS = 64 };

/// See TS_SETUP_SOLVERS.
typedef struct ts_solver_choice {
    int count;
    const ts_solver* solver[TS_SETUP_SOLVERS];
} ts_solver_choice;

/// Those of a list "a,b,c", or of "all". TS_ERROR_VALUE for an unknown one, none, or one named twice.
ts_code ts_setup_solvers(const char* names, ts_solver_choice* out_choice, ts_status* out_status);

/// Integrators to compare, by name.
typedef struct ts_integrator_choice {
    int count;
    const char* name[16];
} ts_integrator_choice;

/// Reads a list of names like "midpoint,rk4", or "all". TS_ERROR_VALUE for unknown names, and the message lists the known ones.
ts_code ts_setup_integrators(const char* names, ts_integrator_choice* out_choice, ts_status* out_status);

/// Refuses a key of --set, with the nearest setting of these solvers (and option of a simulation).
ts_code ts_setup_unknown_key(const char* key, int with_options, const ts_solver_choice* among, ts_status* out_status);

/// Applies --set pairs, --dt and the solver (NULL: the scene's own) to a fresh simulation. `skip_foreign` nonzero
/// passes over solver settings that this solver does not have, but another one does. TS_ERROR_VALUE is wrong use.
ts_code ts_setup_configure(ts_sim* sim, const ts_args* args, const char* solver, int skip_foreign,
                           ts_status* out_status);

/// With --from RECORDING[@S]: takes a configured simulation there, and says in out_recording (size bytes) which file it was; ""
/// without that flag.
ts_code ts_setup_from(const ts_args* args, ts_sim* sim, char* out_recording, size_t size, ts_status* out_status);

/// With --strict: TS_ERROR_UNSUPPORTED when something that affects the physics was ignored or approximated.
ts_code ts_setup_strict(const ts_args* args, const ts_import_report* report, const char* file, ts_status* out_status);

/// Says on standard error, in one line, what of a file was not taken over exactly (silent when all of it was).
void ts_setup_note_report(const char* subject, const ts_import_report* report);

/// Makes a directory with its parents, and makes sure files can be written in it. *out_created says whether its last
/// part was made now.
ts_code ts_setup_directory(const char* path, int* out_created, ts_status* out_status);

/// Nonzero when both paths mean the same file, or would once it exists.
int ts_setup_same_file(const char* a, const char* b);

/// Makes sure that a file of this name can be written; what exists there stays as it is.
ts_code ts_setup_writable(const char* path, ts_status* out_status);

#endif
