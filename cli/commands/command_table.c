// Every command: what it is called, what it does, its flags, its file's function. A command is a file beside this one and a row here.
#include "cli/commands/commands.h"

#include <stddef.h>

#define OFFSET(field) offsetof(ts_args, field)

#define FLAG_TIME \
    { "--time", "S", TS_FLAG_NUMBER, OFFSET(time), 0.0, 1e9, "simulated seconds (default: the scene's own)" }
#define FLAG_DT \
    { "--dt", "S", TS_FLAG_NUMBER, OFFSET(dt), 1e-9, 1.0, "time step in seconds (default: the model's own)" }
#define FLAGS_STEP                                                                \
    FLAG_DT, {                                                                    \
        "--substeps", "N", TS_FLAG_INTEGER, OFFSET(substeps), 1.0, 1000.0,        \
            "parts of a step: contacts are found once (default: the model's own)" \
    }
#define FLAG_KEY                                                                 \
    {                                                                            \
        "--key", "NAME|none", TS_FLAG_TEXT, OFFSET(key), 0.0, 0.0,               \
            "keyframe to start from (default: the model's own choice or 'home')" \
    }
#define FLAGS_URDF                                                                                           \
    {"--package-path",                                                                                       \
     "DIR:..",                                                                                               \
     TS_FLAG_TEXT,                                                                                           \
     OFFSET(package_path),                                                                                   \
     0.0,                                                                                                    \
     0.0,                                                                                                    \
     "URDF: folders with packages (default: ROS_PACKAGE_PATH, and above the file)"},                         \
        {"--srdf", "FILE", TS_FLAG_TEXT, OFFSET(srdf), 0.0, 0.0, "URDF: its SRDF (default: one beside it)"}, \
        {"--root",                                                                                           \
         "fixed|floating",                                                                                   \
         TS_FLAG_TEXT,                                                                                       \
         OFFSET(root),                                                                                       \
         0.0,                                                                                                \
         0.0,                                                                                                \
         "URDF: whether the root link moves (default: as the SRDF says, else fixed)"},                       \
    {                                                                                                        \
        "--overlaps", "KIND", TS_FLAG_TEXT, OFFSET(overlaps), 0.0, 0.0,                                      \
            "URDF without SRDF: links that overlap at zero never touch ('exclude', default) or do ('keep')"  \
    }
#define FLAG_FROM                                                                       \
    {                                                                                   \
        "--from", "FILE[@S]", TS_FLAG_TEXT, OFFSET(from), 0.0, 0.0,                     \
            "start from the last state of a recording (.h5), or from that at S seconds" \
    }
#define FLAG_SET \
    { "--set", "KEY=VALUE", TS_FLAG_PAIR, 0, 0.0, 0.0, "an option, or solver.NAME=VALUE; may be repeated" }
#define FLAG_CONTROLLER                                                              \
    {                                                                                \
        "--controller", "NAME|none", TS_FLAG_TEXT, OFFSET(controller), 0.0, 0.0,     \
            "what drives it (default: the scene's own); --set controller.NAME=VALUE" \
    }
#define FLAGS_CONTROL                                                                                        \
    {"--ctrl", "NAME=VALUE", TS_FLAG_CONTROL, 0, 0.0, 0.0, "the control of an actuator; may be repeated"}, { \
        "--ctrl-file", "FILE.csv", TS_FLAG_TEXT, OFFSET(ctrl_file), 0.0, 0.0,                                \
            "controls over time: a line 'time,NAME,...', and rows that hold until the next"                  \
    }
#define FLAGS_VIDEO                                                                                                 \
    {"--video",                                                                                                     \
     "FILE",                                                                                                        \
     TS_FLAG_VIDEO,                                                                                                 \
     OFFSET(video),                                                                                                 \
     0.0,                                                                                                           \
     0.0,                                                                                                           \
     "write a film: .gif, .png, or by ffmpeg .mp4, .webm, .mkv, .mov"},                                             \
        {"--fps", "N", TS_FLAG_NUMBER, OFFSET(rate), 0.1, 240.0, "pictures of the film per second (default 25)"}, { \
        "--slow", "X", TS_FLAG_NUMBER, OFFSET(slow), 1e-3, 1e4,                                                     \
            "the film is so many times slower than life (default 1)"                                                \
    }
#define FLAG_THREADS                                                    \
    {                                                                   \
        "--threads", "N", TS_FLAG_INTEGER, OFFSET(threads), 1.0, 256.0, \
            "worker threads (default 1; results are the same)"          \
    }
#define FLAG_STRICT                                                               \
    {                                                                             \
        "--strict", NULL, TS_FLAG_SWITCH, OFFSET(strict), 0.0, 0.0,               \
            "fail when the file contains physics that is ignored or approximated" \
    }
#define FLAG_JSON \
    { "--json", NULL, TS_FLAG_SWITCH, OFFSET(json), 0.0, 0.0, "print JSON instead of text" }
#define FLAG_HELP \
    { "--help", NULL, TS_FLAG_SWITCH, OFFSET(help), 0.0, 0.0, "show this help" }
#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static const ts_flag list_flags[] = {FLAG_JSON, FLAG_HELP};

static const ts_flag run_flags[] = {
    {"--solver", "NAME", TS_FLAG_TEXT, OFFSET(solver), 0.0, 0.0, "contact solver (default: the model's own)"},
    FLAG_TIME,
    FLAGS_STEP,
    FLAG_KEY,
    FLAG_FROM,
    FLAG_SET,
    FLAG_CONTROLLER,
    FLAGS_CONTROL,
    {"--out", "FILE", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0, "record to FILE.h5 (everything) or FILE.csv (plain table)"},
    {"--dump-problem", "STEP:FILE", TS_FLAG_TEXT, OFFSET(dump), 0.0, 0.0,
     "write the contact problem of that step (1 is the first) as FCLIB"},
    {"--certificate", "WHEN:FILE", TS_FLAG_TEXT, OFFSET(certificate), 0.0, 0.0,
     "JSON of which laws hold at every contact of a step (WHEN: a step, last or worst)"},
    {"--certificates", "FILE", TS_FLAG_LOG, OFFSET(certificates), 0.0, 0.0,
     "the certificate of every contact of every step, as FILE.csv or FILE.h5; says what was found"},
    {"--ledger", "FILE.csv", TS_FLAG_SHEET, OFFSET(ledger), 0.0, 0.0,
     "where the energy of every step comes from and goes; says the sums"},
    {"--batch", "N", TS_FLAG_INTEGER, OFFSET(copies), 1.0, 1e6, "run N simulations at once, shared among the threads"},
    {"--spread", "V", TS_FLAG_NUMBER, OFFSET(spread), 0.0, 1e9,
     "standard deviation of what is added to their first velocities, m/s and rad/s (default 0)"},
    {"--seed", "N", TS_FLAG_INTEGER, OFFSET(seed), 0.0, 2147483647.0, "of that spread (default 1)"},
    FLAGS_URDF,
    FLAG_THREADS,
    FLAG_STRICT,
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag compare_flags[] = {
    {"--solvers", "a,b,c|all", TS_FLAG_TEXT, OFFSET(solvers), 0.0, 0.0,
     "which ones (default: the experiment's, else all)"},
    {"--integrators", "a,b|all", TS_FLAG_TEXT, OFFSET(integrators), 0.0, 0.0,
     "run every solver under each of these (default: the scene's own)"},
    FLAG_TIME,
    FLAGS_STEP,
    FLAG_KEY,
    FLAG_SET,
    FLAG_CONTROLLER,
    FLAGS_CONTROL,
    {"--out", "DIR", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0,
     "write report.html, data.csv, summary.json and files of all plots here"},
    {"--png", "FILE", TS_FLAG_PICTURE, OFFSET(png), 0.0, 0.0, "render all solvers side by side in one picture"},
    {"--png-time", "S", TS_FLAG_NUMBER, OFFSET(png_time), 0.0, 1e9,
     "simulated seconds before pictures (default: when the runs are farthest apart)"},
    FLAGS_VIDEO,
    {"--size", "WxH", TS_FLAG_SIZE, 0, 16.0, 16384.0, "size of that picture or film in pixels (default 1200x560)"},
    {"--still", NULL, TS_FLAG_SWITCH, OFFSET(still), 0.0, 0.0,
     "a report without a moving picture, for which all runs are made again"},
    {"--no-pictures", NULL, TS_FLAG_SWITCH, OFFSET(no_pictures), 0.0, 0.0,
     "a report without pictures of the scene (most of its time where no graphics card helps)"},
    FLAGS_URDF,
    FLAG_THREADS,
    FLAG_STRICT,
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag scorecard_flags[] = {
    {"--solvers", "a,b,c|all", TS_FLAG_TEXT, OFFSET(solvers), 0.0, 0.0, "which ones (default: all)"},
    {"--peers", NULL, TS_FLAG_SWITCH, OFFSET(peers), 0.0, 0.0,
     "other engines, too: MuJoCo in three settings, Bullet (a build with -DTS_PEERS=ON)"},
    {"--only", "TEXT", TS_FLAG_TEXT, OFFSET(only), 0.0, 0.0, "only experiments whose name contains this"},
    {"--quick", NULL, TS_FLAG_SWITCH, OFFSET(quick), 0.0, 0.0, "the short form: leaves out what takes long"},
    {"--time-limit", "S", TS_FLAG_NUMBER, OFFSET(time_limit), 1e-3, 1e9,
     "seconds of processor time after which a run is broken off, and named (default 60)"},
    {"--out", "DIR", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0,
     "write scorecard.html, .md and .json, and files of its plots here"},
    {"--threads", "N", TS_FLAG_INTEGER, OFFSET(threads), 1.0, 1024.0, "runs at once (default: one on every core)"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag judge_flags[] = {
    {"--out", "FILE", TS_FLAG_LOG, OFFSET(out), 0.0, 0.0,
     "write every contact's certificate here, as FILE.csv or FILE.h5"},
    {"--strict", NULL, TS_FLAG_SWITCH, OFFSET(strict), 0.0, 0.0, "fail (1) when anything is wrong"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag study_flags[] = {{"--vary", "KEY=A,B,...", TS_FLAG_VARY, 0, 0.0, 0.0,
                                       "dt, solver (or solver=all), an option or solver.NAME; may be repeated"},
                                      FLAG_TIME,
                                      FLAGS_STEP,
                                      FLAG_KEY,
                                      FLAG_SET,
                                      FLAG_CONTROLLER,
                                      {"--out", "DIR", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0,
                                       "write study.html, .csv and .json here, and every run as it ends"},
                                      FLAGS_URDF,
                                      {"--threads", "N", TS_FLAG_INTEGER, OFFSET(threads), 1.0, 1024.0,
                                       "runs at once (default: one on every core; 1 for quiet times)"},
                                      FLAG_STRICT,
                                      FLAG_JSON,
                                      FLAG_HELP};

static const ts_flag material_flags[] = {
    {"--stiffness", "K", TS_FLAG_NUMBER, OFFSET(stiffness), 1e-3, 1e15, "of the spring, N/m"},
    {"--damping", "C", TS_FLAG_NUMBER, OFFSET(damping), 0.0, 1e15, "of the damper beside it, N s/m (default 0)"},
    {"--restitution", "E", TS_FLAG_NUMBER, OFFSET(restitution), 0.0, 1.0,
     "what bounces keep of the speed: in its place, or beside it of hard contacts"},
    {"--mu", "MU", TS_FLAG_NUMBER, OFFSET(mu), 0.0, 1e3, "friction coefficient (default 0.5)"},
    {"--mass", "M", TS_FLAG_NUMBER, OFFSET(mass), 1e-9, 1e9, "what lies on one contact, kg (default 1)"},
    FLAGS_STEP,
    {"--verify", NULL, TS_FLAG_SWITCH, OFFSET(verify), 0.0, 0.0,
     "lay a ball down, pinch and drop it, under each model that we have"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag explain_flags[] = {
    {"--solver", "NAME", TS_FLAG_TEXT, OFFSET(solver), 0.0, 0.0,
     "whose run is to be explained (default: the model's own)"},
    {"--against", "KEY=VALUE", TS_FLAG_VARY, 0, 0.0, 0.0,
     "how the run differs that it is compared with (default: the exact one)"},
    FLAG_TIME,
    FLAGS_STEP,
    FLAG_KEY,
    FLAG_FROM,
    FLAG_SET,
    FLAG_CONTROLLER,
    FLAGS_URDF,
    {"--threads", "N", TS_FLAG_INTEGER, OFFSET(threads), 1.0, 1024.0, "runs at once (default: one on every core)"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag gradient_flags[] = {
    {"--of", "EXPRESSION", TS_FLAG_TEXT, OFFSET(of), 0.0, 0.0,
     "the loss, a number of the state at the end (see below)"},
    {"--wrt", "LIST", TS_FLAG_TEXT, OFFSET(wrt), 0.0, 0.0, "by what: qvel[cube],friction[floor],mass[1] (see below)"},
    {"--method", "NAME", TS_FLAG_TEXT, OFFSET(method), 0.0, 0.0,
     "how steps are differentiated: implicit (default), difference or cascade"},
    {"--span", "X", TS_FLAG_NUMBER, OFFSET(span), 1e-9, 1e6,
     "how far to go along the gradient, to either side (default 0.1)"},
    {"--out", "DIR", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0,
     "write gradient.html, .csv and .json here, and files of its plots"},
    {"--solver", "NAME", TS_FLAG_TEXT, OFFSET(solver), 0.0, 0.0, "contact solver (default: the model's own)"},
    FLAG_TIME,
    FLAG_DT,
    FLAG_KEY,
    FLAG_SET,
    FLAG_CONTROLLER,
    {"--ctrl", "NAME=VALUE", TS_FLAG_CONTROL, 0, 0.0, 0.0, "the control of an actuator; may be repeated"},
    FLAGS_URDF,
    {"--threads", "N", TS_FLAG_INTEGER, OFFSET(threads), 1.0, 256.0,
     "runs at once (default: one on every core; results are the same)"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag forces_flags[] = {
    {"--solver", "NAME", TS_FLAG_TEXT, OFFSET(solver), 0.0, 0.0, "who runs up to that step (default: the model's own)"},
    {"--solvers", "a,b,c|all", TS_FLAG_TEXT, OFFSET(solvers), 0.0, 0.0, "whose forces to show (default: all)"},
    FLAG_TIME,
    FLAGS_STEP,
    FLAG_KEY,
    FLAG_FROM,
    FLAG_SET,
    FLAG_CONTROLLER,
    FLAGS_URDF,
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag check_flags[] = {FLAGS_URDF,
                                      {"--write-srdf", "FILE", TS_FLAG_TEXT, OFFSET(write_srdf), 0.0, 0.0,
                                       "write the pairs of links that never touch as an SRDF"},
                                      FLAG_STRICT,
                                      FLAG_JSON,
                                      FLAG_HELP};

static const ts_flag convert_flags[] = {FLAGS_URDF, FLAG_STRICT, FLAG_HELP};

static const ts_flag bench_flags[] = {
    {"--quick", NULL, TS_FLAG_SWITCH, OFFSET(quick), 0.0, 0.0, "a small part of the work: to see that it runs"},
    {"--json", "FILE", TS_FLAG_TEXT, OFFSET(json_file), 0.0, 0.0,
     "write everything as JSON; '-' is standard output, instead of the tables"},
    {"--svg", "FOLDER", TS_FLAG_TEXT, OFFSET(svg), 0.0, 0.0, "write the figures here, one SVG file each"},
    {"--seed", "N", TS_FLAG_INTEGER, OFFSET(seed), 0.0, 2147483647.0, "of everything random (default 1)"},
    {"--only", "TEXT", TS_FLAG_TEXT, OFFSET(only), 0.0, 0.0, "only parts whose name contains this"},
    {"--model", "FILE", TS_FLAG_TEXT, OFFSET(model), 0.0, 0.0, "robots: this model alone"},
    FLAG_HELP};

static const ts_flag distance_flags[] = {
    {"--pose-a", "X,Y,Z,..", TS_FLAG_TEXT, OFFSET(pose_a), 0.0, 0.0,
     "where A is: x,y,z or x,y,z,qw,qx,qy,qz (default: the origin)"},
    {"--pose-b", "X,Y,Z,..", TS_FLAG_TEXT, OFFSET(pose_b), 0.0, 0.0, "where B is, likewise"},
    {"--method", "NAME", TS_FLAG_TEXT, OFFSET(method), 0.0, 0.0, "how to compute it (default: auto)"},
    {"--explain", NULL, TS_FLAG_SWITCH, OFFSET(explain), 0.0, 0.0,
     "the steps: simplices, portals, polytopes and bounds, in words, with --json and in --png"},
    {"--batch", "FILE", TS_FLAG_TEXT, OFFSET(batch), 0.0, 0.0,
     "answer the pairs of a JSON-lines file; - is standard input"},
    {"--output", "FILE", TS_FLAG_TEXT, OFFSET(out), 0.0, 0.0, "write the answer here, in one piece"},
    {"--png", "FILE", TS_FLAG_PICTURE, OFFSET(png), 0.0, 0.0,
     "render both shapes, their nearest points and the normal"},
    {"--size", "WxH", TS_FLAG_SIZE, 0, 16.0, 16384.0, "size of that picture in pixels (default 1000x700)"},
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag solve_flags[] = {
    {"--solvers", "a,b,c|all", TS_FLAG_TEXT, OFFSET(solvers), 0.0, 0.0, "which ones (default: ncp)"},
    {"--tol", "X", TS_FLAG_NUMBER, OFFSET(tolerance), 1e-15, 1.0,
     "relative error that counts as solved (default 1e-8)"},
    {"--time-limit", "S", TS_FLAG_NUMBER, OFFSET(time_limit), 1e-3, 1e9,
     "seconds of wall clock for each file and solver (default: none)"},
    {"--impulses", "FILE", TS_FLAG_TEXT, OFFSET(impulses), 0.0, 0.0,
     "write the answers as JSON: per contact n, t1, t2 as in the file"},
    {"--set", "KEY=VALUE", TS_FLAG_PAIR, 0, 0.0, 0.0,
     "solver.NAME=VALUE, for every solver that has it; may be repeated"},
    FLAG_THREADS,
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag diff_flags[] = {
    {"--tol", "X", TS_FLAG_NUMBER, OFFSET(tolerance), 0.0, 1e300,
     "differences up to X, each in its unit, are none (default 0: any bit counts)"},
    {"--model", "FILE", TS_FLAG_TEXT, OFFSET(model), 0.0, 0.0, "their model, where it is not where it was"},
    FLAGS_URDF,
    FLAG_JSON,
    FLAG_HELP};

static const ts_flag view_flags[] = {
    {"--solver", "NAME,..", TS_FLAG_TEXT, OFFSET(solver), 0.0, 0.0,
     "contact solver to start with; up to nine of them run side by side"},
    {"--png", "FILE", TS_FLAG_PICTURE, OFFSET(png), 0.0, 0.0, "render one picture without a window"},
    {"--html", "FILE", TS_FLAG_PAGE, OFFSET(html), 0.0, 0.0,
     "write a page that plays in any browser, runs side by side (--fps: default 60)"},
    {"--camera", "WHERE", TS_FLAG_TEXT, OFFSET(camera), 0.0, 0.0,
     "front, left, top, AZIMUTH,ELEVATION[,DISTANCE,X,Y,Z] (degrees, m), or a camera of the model"},
    {"--layers", "LIST", TS_FLAG_TEXT, OFFSET(layers), 0.0, 0.0,
     "what is shown besides the usual, or with a minus is not: cones,-shadows,-words (docs/viewer.md)"},
    {"--charts", "FILE", TS_FLAG_TEXT, OFFSET(charts), 0.0, 0.0,
     "write charts of all steps until --time, and of how the last one was solved: .svg or .csv"},
    {"--watch", "LIST", TS_FLAG_TEXT, OFFSET(watch), 0.0, 0.0,
     "numbers to chart, between blanks: 'qpos[2] contact[box,floor].normal' (docs/viewer.md)"},
    {"--measure", "N", TS_FLAG_INTEGER, OFFSET(measure), 1.0, 1e6, "draw N frames off screen and say what one takes"},
    {"--layout", "KIND", TS_FLAG_TEXT, OFFSET(layout), 0.0, 0.0,
     "several solvers in 'panes' beside each other (default), or 'ghost': over the first"},
    {"--font", "FILE", TS_FLAG_TEXT, OFFSET(font), 0.0, 0.0,
     "letters on pictures: a font, or 'own' for those of the viewer (default: DejaVu Sans, else own)"},
    {"--model", "FILE", TS_FLAG_TEXT, OFFSET(model), 0.0, 0.0,
     "the model of a recording, where it is not where it was"},
    {"--time", "S", TS_FLAG_NUMBER, OFFSET(time), 0.0, 1e9,
     "simulated seconds until the picture or the window (default 0), or to film (all)"},
    FLAGS_VIDEO,
    {"--size", "WxH", TS_FLAG_SIZE, 0, 16.0, 16384.0, "picture, film or window size in pixels (default 1280x720)"},
    FLAGS_URDF,
    FLAG_THREADS,
    FLAGS_STEP,
    FLAG_KEY,
    FLAG_FROM,
    FLAG_SET,
    FLAG_CONTROLLER,
    FLAGS_CONTROL,
    FLAG_JSON,
    FLAG_HELP};

static const ts_command commands[] = {
    {"list", "what there is to run, and with what", "scenes|controllers|solvers|integrators|shapes|experiments",
     "Lists the built-in scenes, the controllers and the contact solvers with their settings, the shapes, or the "
     "experiments.",
     "  touchstone list scenes\n  touchstone list solvers --json\n", list_flags, COUNT(list_flags), ts_cmd_list},
    {"run", "simulate one scene and say how it went", "SCENE",
     "SCENE is a name from 'touchstone list scenes' or the path of an MJCF or URDF file. Prints a summary; with --out "
     "also\n"
     "records every step. Ctrl-C ends the run early: the recording is closed properly and the exit code is 130.",
     "  touchstone run stack-10 --certificate worst:why.json\n  touchstone run sliding-cube\n  touchstone run "
     "sliding-cube --solver ccp-pgs --out cube.h5\n"
     "  touchstone run robot.xml --time 5 --dt 0.001 --set solver.tolerance=1e-6 --out robot.csv\n"
     "  touchstone run robot.xml --batch 256 --spread 0.1 --threads 4 --json\n",
     run_flags, COUNT(run_flags), ts_cmd_run},
    {"compare", "the same scene under several solvers", "SCENE|EXPERIMENT",
     "Runs a scene, or an experiment from 'touchstone list experiments', once per solver and prints a table. With "
     "--out\n"
     "also writes a report with plots that opens in any browser; with --png a picture of all solvers side by side, "
     "with\n"
     "--video a film.\n"
     "A solver that blows up is a result, not an error, as long as another one finished.",
     "  touchstone compare sliding-cube --out report\n"
     "  touchstone compare sliding-cube --solvers ncp-pgs,ccp-pgs,lcp-pgs --dt 0.001 --out report\n"
     "  touchstone compare lcp-anisotropy --out report\n"
     "  touchstone compare three-models --png three-models.png\n"
     "  touchstone compare three-models --video three-models.mp4 --slow 4\n",
     compare_flags, COUNT(compare_flags), ts_cmd_compare},
    {"scorecard", "every experiment under every solver, in one table", NULL,
     "Runs all experiments of 'touchstone list experiments' that measure something, under all solvers, against their "
     "closed\n"
     "forms: what passes, what fails, and whether theory says so of that kind of contact model. The first table is "
     "the\n"
     "conjunction: what should be zero, all at once. Ctrl-C ends it early (130); what was run is kept.",
     "  touchstone scorecard --solvers ncp,ccp-pgs,lcp-pgs,mujoco --out scorecard\n"
     "  touchstone scorecard --only isotropy --json\n"
     "  touchstone scorecard --solvers ncp --peers --quick\n",
     scorecard_flags, COUNT(scorecard_flags), ts_cmd_scorecard},
    {"judge", "certify the contacts of any engine, from a log of them", "FILE",
     "FILE is a CSV file with a line for each contact of each step, whoever has made it; columns by name, in any "
     "order.\n"
     "Or an HDF5 file with a list for each of them, at its root, an entry for each contact of each step:\n"
     "  time, dt                 s; when the step ended, and how long it was (step: its number)\n"
     "  nx, ny, nz               normal, from A to B (tx, ty, tz: the tangent that a friction pyramid is along)\n"
     "  gap, mu                  m, when the step began; friction\n"
     "  jx, jy, jz               N s, impulse on B, world axes\n"
     "  vx, vy, vz               m/s, of B's surface against A's after the step\n"
     "  a, b, x, y, z            names (of fixed length in HDF5), and where; may be missing\n"
     "'touchstone run --certificates FILE' writes such a file, touchstone.ContactLog (Python) writes it from MuJoCo "
     "and others. Says\n"
     "which laws every contact obeys, by how much they are broken, first and worst.",
     "  touchstone judge contacts.csv\n"
     "  touchstone run stack-10 --solver ccp-pgs --certificates stack.csv && touchstone judge stack.csv --json\n",
     judge_flags, COUNT(judge_flags), ts_cmd_judge},
    {"study", "one scene under every combination of settings", "SCENE",
     "Runs every combination of what --vary names, and for each the same with finer settings (an eighth of the least "
     "dt, a\n"
     "thousandth of the least tolerance, ten times the most iterations) to measure it against. Prints error and "
     "observed order of\n"
     "the body in focus, time to an error, and performance profiles. Ctrl-C ends it (130); with --out the same command "
     "goes on.",
     "  touchstone study sliding-cube --vary dt=1e-3,2e-3,4e-3 --vary solver=ncp,ccp-pgs\n"
     "  touchstone study stack-10 --vary solver=all --vary tolerance=1e-4,1e-8 --out study\n"
     "  touchstone study double-pendulum --vary integrator=midpoint,rk4,euler --vary dt=1e-3,2e-3,4e-3\n",
     study_flags, COUNT(study_flags), ts_cmd_study},
    {"material", "a contact's stiffness and damping in every model's parameters", NULL,
     "Translates a spring, a damper and friction under a mass into what each kind of contact model is told: stiffness "
     "and relaxation\n"
     "time, MuJoCo's solref and solimp, Drake's, ERP and CFM; with what each makes of it: penetration at rest, creep, "
     "bounce.",
     "  touchstone material --stiffness 1e5 --damping 50 --mu 0.8 --dt 0.002 --verify\n"
     "  touchstone material --stiffness 1e4 --restitution 0.6 --json\n",
     material_flags, COUNT(material_flags), ts_cmd_material},
    {"explain", "what a run owes its slip, lift, creep or drift to", "SCENE",
     "Runs a scene as it is asked for, and exactly: the exact law, rigid contacts, solved to rounding, no push-out, "
     "all contact\n"
     "points, rk4, an eighth of the step. Then every combination of what differs between them. Prints how much of the "
     "difference each\n"
     "ingredient explains; the shares add up to it. With --against the other run is this one but for what it names: "
     "solver, dt,\n"
     "integrator, tolerance, solver.order, an option of softness, push-out, manifolds or the narrow phase.",
     "  touchstone explain sliding-lift --solver ccp-pgs\n  touchstone explain creep --solver mujoco --against "
     "solver=sap --against dt=1e-4\n  touchstone explain creep --solver mujoco --time 2\n"
     "  touchstone explain isotropy --solver lcp-pgs --json\n",
     explain_flags, COUNT(explain_flags), ts_cmd_explain},
    {"gradient", "the gradient of a loss over a run, and whether to trust it", "SCENE",
     "Differentiates a loss over a run backward and forward through every step, contacts included, and compares with "
     "differences of\n"
     "whole runs over increments from 0.1 to 1e-9, to both sides. Goes along the gradient and names every kink: which "
     "contact or joint\n"
     "row changes its mode, and when. The verdict is exact, one-sided, smoothed or useless, with the reason.",
     "  touchstone gradient sliding-cube --time 0.2 --of 'body[cube].x' --wrt 'qvel[0],friction[floor],mass[cube]'\n"
     "  touchstone gradient robot.xml --time 1 --of 'norm(body[ball].x - 1, body[ball].y)' --wrt qvel --out audit\n"
     "  touchstone gradient stack-10 --time 0.1 --of 'integral(kinetic)' --wrt gravity --json\n",
     gradient_flags, COUNT(gradient_flags), ts_cmd_gradient},
    {"forces", "which contact forces are open, and what each solver picks", "SCENE",
     "At the end of the run (--time): between what each contact's normal force can lie without anything moving "
     "otherwise, in how many\n"
     "directions forces may push against each other, and what every solver picks of that in the same step. With --from "
     "alone it is the\n"
     "step after that moment.",
     "  touchstone forces dragged-cube --time 0.15\n  touchstone forces robot.xml --time 1 --solvers "
     "ncp,ncp-pgs,lcp-lemke --json\n",
     forces_flags, COUNT(forces_flags), ts_cmd_forces},
    {"check", "read a model and say what is in it", "FILE",
     "FILE is the path of an MJCF or URDF file or the name of a scene. Prints what was not taken over exactly, masses, "
     "whether\n"
     "the inertias are possible and plausible, and which geoms touch at the start.",
     "  touchstone check robot.xml\n  touchstone check robot.xml --strict --json\n", check_flags, COUNT(check_flags),
     ts_cmd_check},
    {"convert", "write what was understood of a model as MJCF", "FROM TO",
     "FROM is an MJCF or URDF file, TO the MJCF file to write: no classes, no includes, every number where it counts. "
     "Meshes\n"
     "are named relative to TO, or written into it where their format is not MJCF's. Reading TO gives the same model.",
     "  touchstone convert robot.urdf robot.xml\n  touchstone convert robot.urdf robot.xml --root floating\n",
     convert_flags, COUNT(convert_flags), ts_cmd_convert},
    {"bench", "measure: speed, iterations, accuracy", "[NAME]",
     "Without NAME, lists the benchmarks. A benchmark first checks that answers agree and then measures; it compares\n"
     "with the libraries that the build found (see the list of peers in the JSON). Some also use data in the folder\n"
     "that the environment variable TOUCHSTONE_DATA names. Exit code 1 when an answer of ours was wrong.",
     "  touchstone bench\n  touchstone bench gjk-meshes --json meshes.json --svg figures\n", bench_flags,
     COUNT(bench_flags), ts_cmd_bench},
    {"distance", "signed distance of two shapes, with its proof", "[A B]",
     "A and B are shapes, written as below; the answer is certified by a lower and an upper bound. With --batch FILE "
     "every\n"
     "line of FILE is a pair such as {\"a\": \"box:1,1,1\", \"b\": \"chair.obj\", \"pose_b\": [0,0,1, 1,0,0,0]}; the "
     "answers are JSON\n"
     "lines in the same order, and nothing is written unless every line can be answered.",
     "  touchstone distance sphere:0.5 box:1,1,1 --pose-b 3,0,0\n"
     "  touchstone distance chair.obj capsule:0.1,0.5+0.02 --pose-b 0,0,1,0.7071068,0.7071068,0,0 --json\n"
     "  touchstone distance cone:0.5,1 ellipsoid:1,2,3 --pose-b 0,0,4 --png pair.png\n"
     "  touchstone distance box:1,1,1 sphere:0.5 --pose-b 1.2,0.3,0 --explain --png steps.png\n"
     "  touchstone distance --batch pairs.jsonl --output answers.jsonl\n",
     distance_flags, COUNT(distance_flags), ts_cmd_distance},
    {"solve", "contact problems from files", "FILE...",
     "FILE is a contact problem in the local form of FCLIB (HDF5). Prints per file and solver how the solve ended, "
     "errors\n"
     "recomputed from the answer, iterations and time. Solved means: natural map and the error function of Siconos "
     "within\n"
     "--tol for solvers of the exact law, the residual of their own law for others, all relative to the problem's "
     "size.\n"
     "The last column is the reason, where the status does not say it all. TIME is that of one solve, warm, without "
     "reading.\n"
     "Exit code 1 when a file could not be read or a solver did not get there; Ctrl-C (130) keeps what was done.\n"
     "'touchstone run --dump-problem' writes such files.",
     "  touchstone solve problem.hdf5\n  touchstone solve problems/*.hdf5 --solvers ncp,ncp-nsgs --tol 1e-6\n"
     "  touchstone solve problem.hdf5 --solvers all --set solver.iteration_limit=20000 --json\n"
     "  touchstone solve problem.hdf5 --impulses answer.json\n"
     "  touchstone solve problems/*.hdf5 --solvers all --time-limit 10\n",
     solve_flags, COUNT(solve_flags), ts_cmd_solve},
    {"diff", "where two recordings part", "A B",
     "A and B are recordings (.h5) of one model. Says the first step and quantity in which they differ, which body, "
     "joint or\n"
     "contact, and the largest difference of every quantity over time. Exit code 0: the same, 1: different, 2: "
     "trouble.",
     "  touchstone diff before.h5 after.h5\n  touchstone diff before.h5 after.h5 --tol 1e-9 --json\n", diff_flags,
     COUNT(diff_flags), ts_cmd_diff},
    {"view", "watch a scene or a recording, or make a picture, a film or a page of it", "[SCENE...]",
     "Opens a window; without SCENE, the first of the list. With --png renders one picture, with\n--video a film, with "
     "--html "
     "a page that plays in any browser: these need no display. SCENE may\nalso be a recording (.h5): it is shown as "
     "it was, and --html takes several.",
     "  touchstone view sliding-cube\n  touchstone view stack-10 --solver ncp,ccp-pgs --time 1 --charts stack.svg\n  "
     "touchstone view sliding-cube --html cube.html --solver ncp,ccp-pgs\n  "
     "touchstone view a.h5 b.h5 --html both.html\n  touchstone view arm-push --video arm.gif --size 640x360\n  "
     "touchstone view "
     "stack-10 --png stack.png --time 1 --size 1920x1080\n",
     view_flags, COUNT(view_flags), ts_cmd_view}};

int ts_cli_command_count(void) { return COUNT(commands); }

const ts_command* ts_cli_command_at(int i) { return &commands[i]; }
