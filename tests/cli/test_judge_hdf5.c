// Logs of contacts in HDF5: what was put in is found, ours say the same as CSV, and every way such a file can be wrong is told.
#include "tests/cli/cli_fixture.h"

#include <math.h>

TestSuite(judge_hdf5, .init = make_folder, .fini = remove_folder, .timeout = 240);

#ifndef TS_HAVE_HDF5

Test(judge_hdf5, without_hdf5_says_which_option_is_off) {
    expect_refusal("run stack-10 --time 0.01 --certificates x.h5", 1, "TS_HDF5=ON");
    write_text("x.h5", "anything");
    expect_refusal("judge x.h5", 1, "TS_HDF5=ON");
    write_text("x.log", "\x89HDF\r\n\x1a\nand so on");
    expect_refusal("judge x.log", 1, "TS_HDF5=ON");
}

#else

#include <hdf5.h>

enum { COUNT = 3 };

static const char* const needed[] = {"time", "dt", "nx", "ny", "nz", "gap", "mu", "jx", "jy", "jz", "vx", "vy", "vz"};
enum { NEEDED = sizeof needed / sizeof needed[0] };

static hid_t create(const char* name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(file >= 0);
    return file;
}

static void add_list(hid_t file, const char* name, hid_t stored, hid_t given, int count, const void* data) {
    hsize_t extent = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t list = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(list >= 0 && H5Dwrite(list, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(list);
    H5Sclose(space);
}

static void add_numbers(hid_t file, const char* name, int count, const double* data) {
    add_list(file, name, H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, count, data);
}

// Three steps of one contact: it sticks, it creeps at 2 mm/s, it pulls by 2 N.
static const double* sample(const char* name) {
    static const double time[] = {0.01, 0.02, 0.03}, dt[] = {0.01, 0.01, 0.01}, one[] = {1.0, 1.0, 1.0},
                        zero[] = {0.0, 0.0, 0.0}, mu[] = {0.5, 0.5, 0.5}, push[] = {0.1, 0.1, -0.02},
                        slip[] = {0.0, 0.002, 0.0};
    if (!strcmp(name, "time")) return time;
    if (!strcmp(name, "dt")) return dt;
    if (!strcmp(name, "mu")) return mu;
    if (!strcmp(name, "nz")) return one;
    if (!strcmp(name, "jz")) return push;
    if (!strcmp(name, "vx")) return slip;
    return zero;
}

// A good log in an open file, but for the lists that are not wanted.
static void fill(hid_t file, const char* without) {
    for (int k = 0; k < NEEDED; ++k)
        if (strcmp(needed[k], without) != 0) add_numbers(file, needed[k], COUNT, sample(needed[k]));
}

static void expect_found(const char* command) {
    outcome result = run(command);
    cr_assert_eq(result.code, 0, "%s: %s", command, ts_text_get(&result.err));
    cr_expect(json_holds(&result.out,
                         "j = d['judged']\n"
                         "assert j['steps'] == 3 and j['contacts'] == 3 and j['obeyed_by']['ncp'] == 1, j\n"
                         "by = {f['finding']: f for f in j['findings']}\n"
                         "assert abs(by['creep']['worst'] - 0.002) < 1e-12 and by['creep']['worst_step'] == 2, by\n"
                         "assert abs(by['pull']['worst'] - 2.0) < 1e-9 and by['pull']['worst_step'] == 3, by\n"),
              "%s: %s", command, ts_text_get(&result.out));
    outcome_free(&result);
}

// The least there must be, whatever the file is called and wherever it begins; single precision, whole numbers as steps, names, and
// more than is asked for, whatever that is.
Test(judge_hdf5, finds_what_was_put_in) {
    hid_t file = create("least.h5");
    fill(file, "");
    H5Fclose(file);
    expect_found("judge least.h5 --json");
    char path[256];
    snprintf(path, sizeof path, "%s/behind.bin", folder);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), text = H5Tcopy(H5T_C_S1), fixed = H5Tcopy(H5T_C_S1),
          wide = H5Tcopy(H5T_C_S1);
    cr_assert(H5Pset_userblock(creation, 1024) >= 0 && H5Tset_size(text, H5T_VARIABLE) >= 0 &&
              H5Tset_size(fixed, 4) >= 0 && H5Tset_size(wide, 11) >= 0 && H5Tset_cset(wide, H5T_CSET_UTF8) >= 0);
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    static const float mu[] = {0.5f, 0.5f, 0.5f};
    static const short step[] = {1, 2, 3};
    static const char* const more[] = {"anything", "else", ""};
    fill(file, "mu");
    add_list(file, "mu", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, COUNT, mu);
    add_list(file, "step", H5T_STD_U16BE, H5T_NATIVE_SHORT, COUNT, step);
    add_list(file, "a", wide, wide, COUNT, "left,\"foot\"left,\"foot\"left,\"foot\"");
    add_list(file, "b", fixed, fixed, COUNT, "rockrockrock");
    add_list(file, "more", text, text, COUNT, more);
    H5Fclose(file);
    H5Tclose(text);
    H5Tclose(fixed);
    H5Tclose(wide);
    H5Pclose(creation);
    expect_found("judge behind.bin --json");
    outcome result = run("judge behind.bin --out again.csv");
    cr_expect(has(&result.out, "left__foot_ - rock") && result.code == 0, "%s", ts_text_get(&result.out));
    outcome_free(&result);
    expect_found("judge again.csv --out again.h5 --json");
    expect_found("judge again.h5 --json");
}

// More entries than are read at once, of our own: both formats say the same, to the last digit.
Test(judge_hdf5, says_what_csv_says) {
    outcome csv = run("run stack-10 --solver ccp-pgs --time 0.15 --certificates log.csv --json");
    outcome hdf5 = run("run stack-10 --solver ccp-pgs --time 0.15 --certificates log.h5 --json");
    cr_assert(csv.code == 0 && hdf5.code == 0, "%s%s", ts_text_get(&csv.err), ts_text_get(&hdf5.err));
    outcome_free(&csv);
    outcome_free(&hdf5);
    csv = run("judge log.csv --json --out csv.csv");
    hdf5 = run("judge log.h5 --json --out hdf5.csv");
    cr_expect(json_holds(&csv.out, "assert d['judged']['contacts'] > 5000 and d['judged']['findings'], d\n"));
    const char *a = strstr(ts_text_get(&csv.out), "judged"), *b = strstr(ts_text_get(&hdf5.out), "judged");
    cr_assert(a && b);
    cr_expect_str_eq(a, b);
    ts_text one = read_text("csv.csv"), two = read_text("hdf5.csv");
    cr_expect_str_eq(ts_text_get(&one), ts_text_get(&two));
    ts_text_free(&one);
    ts_text_free(&two);
    outcome_free(&csv);
    outcome_free(&hdf5);
    expect_refusal("judge log.h5 --out log.h5", 1, "the file to judge");
    expect_refusal("run stack-10 --time 0.01 --certificates nowhere/log.h5", 1, "cannot write");
}

// --- broken files ------------------------------------------------------------------------------------------------------

static void expect_told(const char* what, const char* says) {
    outcome result = run("judge x.h5 --json");
    cr_expect_eq(result.code, 1, "%s", what);
    cr_expect(has(&result.err, says) && has(&result.err, "x.h5"), "%s: %s", what, ts_text_get(&result.err));
    outcome_free(&result);
}

Test(judge_hdf5, tells_which_list_is_missing) {
    for (int k = 0; k < NEEDED; ++k) {
        char says[64];
        hid_t file = create("x.h5");
        fill(file, needed[k]);
        H5Fclose(file);
        snprintf(says, sizeof says, "no list is called '/%s'", needed[k]);
        expect_told(needed[k], says);
    }
}

static const struct {
    const char* list;
    double value[COUNT];
    const char* says;
} wrong_numbers[] = {
    {"dt", {0.01, 0.0, 0.01}, "entry 1: dt must be more than 0"},
    {"dt", {0.01, -0.01, 0.01}, "entry 1: dt must be more than 0"},
    {"mu", {0.5, 0.5, -0.5}, "entry 2: mu must not be negative"},
    {"nz", {2.0, 1.0, 1.0}, "entry 0: nx, ny, nz is no unit vector"},
    {"time", {0.01, 0.03, 0.02}, "entry 2: time goes back"},
    {"step", {1.0, 1.5, 2.0}, "entry 1: step must be a whole number"},
    {"step", {1.0, 2.0, 1e300}, "entry 2: step must be a whole number"},
    {"gap", {0.0, (double)NAN, 0.0}, "entry 1: gap is not a finite number"},
    {"jx", {0.0, 0.0, (double)INFINITY}, "entry 2: jx is not a finite number"},
};

Test(judge_hdf5, tells_which_number_is_wrong) {
    for (size_t i = 0; i < sizeof wrong_numbers / sizeof wrong_numbers[0]; ++i) {
        hid_t file = create("x.h5");
        fill(file, wrong_numbers[i].list);
        add_numbers(file, wrong_numbers[i].list, COUNT, wrong_numbers[i].value);
        H5Fclose(file);
        expect_told(wrong_numbers[i].list, wrong_numbers[i].says);
    }
}

// One list of a good log in another shape.
static void make_shape(const char* list, int rank, const hsize_t* extent, hid_t type, hid_t creation) {
    hid_t file = create("x.h5"), space = rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    fill(file, list);
    hid_t made = H5Dcreate2(file, list, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    cr_assert(made >= 0);
    H5Dclose(made);
    H5Sclose(space);
    H5Fclose(file);
}

Test(judge_hdf5, tells_what_is_no_list_of_numbers) {
    static const hsize_t table[] = {COUNT, 2}, none[] = {0}, many[] = {(hsize_t)1 << 50};
    hid_t text = H5Tcopy(H5T_C_S1), file;
    cr_assert(H5Tset_size(text, 8) >= 0);
    make_shape("gap", 2, table, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("a table", "/gap: it is not a plain list");
    make_shape("gap", 0, NULL, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("a number", "/gap: it is not a plain list");
    make_shape("gap", 1, table, text, H5P_DEFAULT);
    expect_told("names", "/gap: it does not hold numbers");
    make_shape("a", 1, table, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("no names", "/a: it does not hold names");
    cr_assert(H5Tset_size(text, H5T_VARIABLE) >= 0);
    make_shape("a", 1, table, text, H5P_DEFAULT);
    expect_told("names of any length", "/a: its names are of variable length");
    make_shape("gap", 1, table, text, H5P_DEFAULT);
    expect_told("texts", "/gap: it does not hold numbers");
    make_shape("gap", 1, table, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("nothing written", "/gap: it claims more entries than the file holds");
    make_shape("time", 1, many, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("a petabyte", "/time: it claims more entries than the file holds");
    make_shape("mu", 1, none, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
    expect_told("no entries", "/mu: it has 0 entries, /time has 3");
    file = create("x.h5");
    fill(file, "vx");
    add_numbers(file, "vx", 2, sample("vx"));
    H5Fclose(file);
    expect_told("one short", "/vx: it has 2 entries, /time has 3");
    file = create("x.h5");
    fill(file, "vx");
    H5Gclose(H5Gcreate2(file, "vx", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    expect_told("a group", "/vx: it is no list, or damaged");
    file = create("x.h5");
    for (int k = 0; k < NEEDED; ++k) add_numbers(file, needed[k], 0, sample(needed[k]));
    H5Fclose(file);
    expect_told("nothing at all", "there are no contacts");
    H5Tclose(text);
}

// A log must not make the program open other files of whoever judges it.
Test(judge_hdf5, stays_within_the_file) {
    static const hsize_t extent[] = {COUNT};
    hid_t file = create("else.h5");
    fill(file, "");
    H5Fclose(file);
    file = create("x.h5");
    fill(file, "vx");
    cr_assert(H5Lcreate_external("else.h5", "/vx", file, "vx", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    expect_told("a link to another file", "/vx: it is kept in another file");
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    cr_assert(H5Pset_external(creation, "else.h5", 0, COUNT * sizeof(double)) >= 0);
    make_shape("vx", 1, extent, H5T_NATIVE_DOUBLE, creation);
    expect_told("numbers of another file", "/vx: its entries are kept in another file");
    H5Pclose(creation);
}

static void write_bytes(const char* name, const char* bytes, size_t length) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
}

// Cut anywhere a file is refused; with a byte turned over it is refused, or the byte does not matter, but nothing else happens.
Test(judge_hdf5, outlives_files_that_are_cut_or_damaged) {
    outcome result = run("run sliding-cube --time 0.02 --certificates x.h5");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    outcome_free(&result);
    ts_text whole = read_text("x.h5");
    size_t step = whole.length / 40 + 1;
    for (size_t length = 0; length < whole.length; length += step) {
        write_bytes("x.h5", whole.data, length);
        expect_told("cut", length == 0 ? "the file is empty" : length < 8 ? "this is no HDF5 file" : "cut short");
    }
    for (size_t at = 3; at < whole.length; at += step / 2 + 1) {
        whole.data[at] = (char)~whole.data[at];
        write_bytes("x.h5", whole.data, whole.length);
        whole.data[at] = (char)~whole.data[at];
        result = run("judge x.h5");
        cr_expect(result.code == 0 || (result.code == 1 && has(&result.err, "x.h5")), "byte %zu: %d, %s", at,
                  result.code, ts_text_get(&result.err));
        outcome_free(&result);
    }
    write_text("x.h5", "step,time\n1,2\n");
    expect_told("CSV", "this is no HDF5 file, whatever its name");
    ts_text_free(&whole);
    outcome recording = run("run sliding-cube --time 0.02 --out x.h5");
    cr_assert_eq(recording.code, 0);
    outcome_free(&recording);
    expect_told("a recording", "no list is called '/time'");
    expect_refusal("judge nowhere.h5", 1, "cannot read");
}

// The old format has no checksums: where a list's layout is said to be of version 1 and is not, HDF5 1.10 divides by zero. Whatever it does, the program
// says which file it was.
Test(judge_hdf5, outlives_what_hdf5_does_not) {
    static const unsigned char layout[] = {8, 0, 24, 0, 0, 0,
                                           0, 0, 3,  2, 2};  // a message: version 3, in pieces, of rank 1
    hsize_t extent = COUNT, piece = 2;
    hid_t file = create("x.h5"), creation = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &extent, NULL);
    cr_assert(H5Pset_chunk(creation, 1, &piece) >= 0 && H5Pset_deflate(creation, 1) >= 0);
    for (int k = 0; k < NEEDED; ++k) {
        hid_t list = H5Dcreate2(file, needed[k], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
        cr_assert(H5Dwrite(list, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, sample(needed[k])) >= 0);
        H5Dclose(list);
    }
    H5Sclose(space);
    H5Pclose(creation);
    H5Fclose(file);
    expect_found("judge x.h5 --json");
    ts_text whole = read_text("x.h5");
    int damaged = 0;
    for (size_t at = 0; at + sizeof layout <= whole.length; ++at) {
        if (memcmp(whole.data + at, layout, sizeof layout) != 0) continue;
        whole.data[at + 8] = 1;
        ++damaged;
    }
    write_bytes("x.h5", whole.data, whole.length);
    ts_text_free(&whole);
    if (damaged == 0) cr_skip("this HDF5 writes another layout");
    // A sanitizer would tell of the crash itself.
    const char* options = getenv("ASAN_OPTIONS");
    char more[512];
    snprintf(more, sizeof more, "%s:handle_sigfpe=0:handle_segv=0:handle_abort=0", options ? options : "");
    setenv("ASAN_OPTIONS", more, 1);
    unsigned major, minor, release;
    H5get_libversion(&major, &minor, &release);
    expect_told("a layout of another version", major == 1 && minor == 10 ? "the HDF5 library failed on it" : "x.h5");
}

#endif
