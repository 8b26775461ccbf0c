// Bad input: every mistake ends in a message with file and line, quickly, whatever its size.
#include "tests/engine/read/mjcf_sample.h"

#include <unistd.h>

// Contents of a worldbody, from line 2 on.
static void refuse_in_world(const char* contents, int line, const char* wanted) {
    char text[3000];
    snprintf(text, sizeof text, "<mujoco><worldbody>\n%s</worldbody></mujoco>", contents);
    mjcf_refuse(text, line, wanted);
}

Test(mjcf_errors, broken_xml) {
    mjcf_refuse("", 1, "empty");
    mjcf_refuse("not xml", 1, "");
    mjcf_refuse("<mujoco>\n<worldbody>\n<body name='a'>\n<geom size='1'", 4, "the file ends inside of <body>");
    mjcf_refuse("<mujoco>\n<worldbody>\n", 2, "the file ends inside of <worldbody>");
    mjcf_refuse("<mujoco>\n<worldbody>\n</mujoco>", 3, "mismatch");
    mjcf_refuse("<mujoco>\n<geom size='1' size='2'/></mujoco>", 2, "redefined");
    mjcf_refuse("<mujoco model='&what;'/>", 1, "what");
    mjcf_refuse("<robot name='r'/>", 1, "MJCF begins with <mujoco>");
    mjcf_refuse("<mujoco/>\n<mujoco/>", 2, "");
}

// libxml2 likes to say on standard error what it thinks of bytes it cannot convert.
Test(mjcf_errors, nothing_is_printed) {
    static const char text[] =
        "<?xml version='1.0' encoding='EUC-JP'?><mujoco model='\xff\xfe\xff\xfe\xff\xfe\xff\xfe\xff\xfe'/>";
    FILE* printed = tmpfile();
    cr_assert_not_null(printed);
    fflush(stderr);
    int kept = dup(2);
    cr_assert(kept >= 0 && dup2(fileno(printed), 2) >= 0);
    ts_model* model = NULL;
    ts_status status;
    ts_code code = ts_mjcf_parse(text, sizeof text - 1, "bytes.xml", NULL, NULL, &model, &status);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    cr_expect_neq(code, TS_OK);
    cr_expect_null(model);
    cr_expect_not_null(strstr(status.message, "encoding"), "%s", status.message);
    fseek(printed, 0, SEEK_END);
    cr_expect_eq(ftell(printed), 0, "something was printed");
    fclose(printed);
}

Test(mjcf_errors, entities_are_refused_unexpanded) {
    char text[2000] = "<?xml version='1.0'?>\n<!DOCTYPE lolz [\n<!ENTITY lol0 'lol'>\n";
    size_t used = strlen(text);
    for (int i = 1; i < 10; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "<!ENTITY lol%d '", i);
        for (int k = 0; k < 10; ++k) used += (size_t)snprintf(text + used, sizeof text - used, "&lol%d;", i - 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "'>\n");
    }
    snprintf(text + used, sizeof text - used, "]>\n<mujoco model='&lol9;'/>");
    mjcf_refuse(text, 2, "DOCTYPE is not allowed");
    mjcf_refuse("<!DOCTYPE m SYSTEM 'file:///etc/passwd'>\n<mujoco/>", 1, "DOCTYPE is not allowed");
    mjcf_refuse("<!DOCTYPE m [<!ENTITY x SYSTEM 'http://nowhere.invalid/x'>]>\n<mujoco model='&x;'/>", 1, "DOCTYPE");
    // Predefined entities and character references are not entities in that sense.
    ts_model* m = mjcf_read("<mujoco model='&lt;&amp;&#65;&#x42;&gt;'/>");
    cr_assert_str_eq(m->name, "<&AB>");
    ts_model_free(m);
}

Test(mjcf_errors, a_million_nested_bodies) {
    const int depth = 1000000;
    const char open[] = "<body>", close[] = "</body>";
    char* text = (char*)malloc((size_t)depth * 13 + 100);
    char* p = text + sprintf(text, "<mujoco>\n<worldbody>\n");
    for (int i = 0; i < depth; ++i, p += sizeof open - 1) memcpy(p, open, sizeof open - 1);
    for (int i = 0; i < depth; ++i, p += sizeof close - 1) memcpy(p, close, sizeof close - 1);
    strcpy(p, "</worldbody></mujoco>");
    mjcf_refuse(text, 3, "nested deeper than 100");
    free(text);
}

Test(mjcf_errors, depth_just_within_the_limit) {
    char text[3000] = "<mujoco><worldbody>";
    for (int i = 0; i < 98; ++i) strcat(text, "<body>");
    for (int i = 0; i < 98; ++i) strcat(text, "</body>");
    strcat(text, "</worldbody></mujoco>");
    ts_model* m = mjcf_read(text);
    cr_assert_eq(m->body_count, 99);
    ts_model_free(m);
}

Test(mjcf_errors, replicas_cannot_explode) {
    refuse_in_world("<replicate count='100000'><replicate count='100000'>\n<geom size='1'/></replicate></replicate>", 2,
                    "replicate and attach make more");
    refuse_in_world("<replicate count='0'><geom size='1'/></replicate>", 2, "count");
    refuse_in_world("<replicate count='2000000000'/>", 2, "count");
    refuse_in_world("<replicate count='100000'><replicate count='100000'/></replicate>", 2,
                    "replicate and attach make more");
    refuse_in_world("<replicate count='2.5'/>", 2, "whole number");
}

Test(mjcf_errors, bad_numbers) {
    refuse_in_world("<geom size='nan'/>", 2, "'nan' is not a finite number");
    refuse_in_world("<geom size='inf'/>", 2, "not a finite number");
    refuse_in_world("<geom size='1e999'/>", 2, "not a finite number");
    refuse_in_world("<geom size='1x'/>", 2, "'1x' is not a number");
    refuse_in_world("<geom size='0x10'/>", 2, "is not a number");
    refuse_in_world("<geom size='1,5'/>", 2, "is not a number");
    refuse_in_world("<geom size='1 2 3 4'/>", 2, "more than 3 numbers");
    refuse_in_world("<geom size=''/>", 2, "needs a size");
    refuse_in_world("<geom type='box' size='1 2'/>", 2, "needs 3 numbers, not 2");
    refuse_in_world("<geom size='1' pos='1 2'/>", 2, "needs 3 numbers");
    refuse_in_world("<geom size='1' pos='1 2 3 4'/>", 2, "more than 3 numbers");
    refuse_in_world("<geom size='1' condim='3.5'/>", 2, "whole number");
    refuse_in_world("<geom size='1' contype='99999999999'/>", 2, "whole number");
}

Test(mjcf_errors, impossible_values) {
    refuse_in_world("<geom size='0'/>", 2, "");
    refuse_in_world("<geom size='-1'/>", 2, "");
    refuse_in_world("<geom type='capsule' size='1 0'/>", 2, "");
    refuse_in_world("<geom type='box' size='1 0 1'/>", 2, "");
    refuse_in_world("<geom/>", 2, "needs a size");
    refuse_in_world("<geom size='1' mass='-1'/>", 2, "mass of geom is negative");
    refuse_in_world("<geom size='1' density='-1'/>", 2, "density of geom is negative");
    refuse_in_world("<geom size='1' friction='-1'/>", 2, "friction");
    refuse_in_world("<geom size='1' condim='2'/>", 2, "condim");
    refuse_in_world("<geom size='1' quat='0 0 0 0'/>", 2, "quaternion is zero");
    refuse_in_world("<geom size='1' axisangle='0 0 0 1'/>", 2, "axisangle is zero");
    refuse_in_world("<geom size='1' zaxis='0 0 0'/>", 2, "zaxis is zero");
    refuse_in_world("<geom size='1' xyaxes='1 0 0 2 0 0'/>", 2, "parallel");
    refuse_in_world("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>", 2, "twice: quat and euler");
    refuse_in_world("<geom type='capsule' size='.1' fromto='1 1 1 1 1 1'/>", 2, "are the same");
    refuse_in_world("<geom type='cube' size='1'/>", 2, "must be one of sphere, plane, capsule");
    refuse_in_world("<geom type='mesh' mesh='m'/>", 2, "there is no mesh 'm'");
    refuse_in_world("<geom type='mesh'/>", 2, "needs a mesh");
    refuse_in_world("<geom size='1' material='m'/>", 2, "there is no material 'm'");
    refuse_in_world("<body><inertial pos='0 0 0' mass='-1'/></body>", 2, "mass of inertial is negative");
    refuse_in_world("<body><inertial pos='0 0 0'/></body>", 2, "needs a mass");
    refuse_in_world("<body>\n<inertial mass='1' diaginertia='-1 1 1'/></body>", 3, "negative");
    refuse_in_world("<body>\n<inertial mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/></body>", 3, "both");
    refuse_in_world("<body>\n<inertial mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/></body>", 3,
                    "no orientation");
    refuse_in_world("<body>\n<inertial mass='1'/>\n<inertial mass='1'/></body>", 4, "second <inertial>");
    refuse_in_world("<body name='b'><freejoint/>\n<inertial mass='1' diaginertia='1 1 3'/></body>", 2,
                    "triangle inequality");
    refuse_in_world("<inertial mass='1'/>", 2, "no element <inertial>");
}

Test(mjcf_errors, impossible_joints) {
    refuse_in_world("<joint/>", 2, "world cannot have joints");
    refuse_in_world("<body>\n<joint axis='0 0 0'/><geom size='1'/></body>", 3, "axis of joint is zero");
    refuse_in_world("<body>\n<joint limited='true'/><geom size='1'/></body>", 3, "no range");
    refuse_in_world("<body>\n<joint range='1 -1'/><geom size='1'/></body>", 3, "ascending");
    refuse_in_world("<body>\n<joint damping='-1'/><geom size='1'/></body>", 3, "damping is negative");
    refuse_in_world("<body>\n<joint type='screw'/><geom size='1'/></body>", 3,
                    "must be one of free, ball, hinge, slide");
    refuse_in_world("<body><freejoint/><geom size='1'/>\n<body>\n<freejoint/><geom size='1'/></body></body>", 4,
                    "child of the world");
    refuse_in_world("<body>\n<freejoint/>\n<freejoint/><geom size='1'/></body>", 3, "only joint");
    refuse_in_world("<body name='light'>\n<freejoint/></body>", 2, "moves nothing");
    refuse_in_world("<body mocap='true'><joint/><geom size='1'/></body>", 2, "cannot have joints");
}

// The line of a tag is the one it begins on.
Test(mjcf_errors, tags_over_several_lines) {
    refuse_in_world("<geom\nname='a'\nsiez='1'\n/>", 2, "siez");
    refuse_in_world("<geom size='1'/>\n\n<geom\n\n\nsize='x'\n/>", 4, "'x' is not a number");
    // Nothing is allowed to be lost between the pieces the parser is fed with.
    char* text = (char*)malloc(3 << 20);
    size_t used = (size_t)sprintf(text, "<mujoco><worldbody>\n");
    int line = 2;
    for (; used < (5 << 19); ++line)
        used += (size_t)sprintf(text + used, "<site name='s%d' pos='0 0 %d'/>\n", line, line);
    strcpy(text + used, "<geom\nsize='0'/></worldbody></mujoco>");
    mjcf_refuse(text, line, "");
    free(text);
}

Test(mjcf_errors, slips_of_the_pen) {
    refuse_in_world("<geom siez='1'/>", 2, "geom has no attribute 'siez'");
    refuse_in_world("<boddy/>", 2, "<worldbody> has no element <boddy>");
    refuse_in_world("<body>\n<geom size='1'>\n<geom size='1'/></geom></body>", 4, "<geom> has no element <geom>");
    refuse_in_world("<x:geom xmlns:x='u' size='1'/>", 2, "x:geom");
    mjcf_refuse("<mujoco>\n<wordbody/></mujoco>", 2, "<mujoco> has no element <wordbody>");
    mjcf_refuse("<mujoco>\n<option timstep='1'/></mujoco>", 2, "option has no attribute 'timstep'");
    mjcf_refuse("<mujoco>\n<option>\n<flags/></option></mujoco>", 3, "no element <flags>");
    mjcf_refuse("<mujoco>\n<option timestep='0'/></mujoco>", 2, "time_step");
    mjcf_refuse("<mujoco>\n<option timestep='fast'/></mujoco>", 2, "'fast' is not a number");
    mjcf_refuse("<mujoco>\n<option integrator='leapfrog'/></mujoco>", 2, "there are: midpoint, euler");
    mjcf_refuse("<mujoco>\n<compiler angle='grad'/></mujoco>", 2, "must be one of degree, radian");
    mjcf_refuse("<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", 2, "eulerseq");
    mjcf_refuse("<mujoco>\n<compiler eulerseq='xy'/></mujoco>", 2, "eulerseq");
    mjcf_refuse("<mujoco>\n<compiler coordinate='global'/></mujoco>", 2, "global");
    mjcf_refuse("<mujoco><contact>\n<exclude body1='a' body2='b'/></contact></mujoco>", 2, "no body 'a'");
    mjcf_refuse("<mujoco><contact>\n<exclude body1='world'/></contact></mujoco>", 2, "body1 and body2");
    mjcf_refuse("<mujoco><asset>\n<mesh/></asset></mujoco>", 2, "needs a name or a file");
    mjcf_refuse("<mujoco><asset>\n<material/></asset></mujoco>", 2, "needs a name");
    mjcf_refuse("<mujoco><asset>\n<mesh name='a' file='a.obj'/>\n<mesh file='a.obj'/></asset></mujoco>", 3,
                "another mesh");
    mjcf_refuse("<mujoco><keyframe>\n<key qpos='1'/></keyframe></mujoco>", 2,
                "qpos has 1 numbers, but the model takes 0");
    mjcf_refuse("<mujoco><keyframe>\n<kee/></keyframe></mujoco>", 2, "no element <kee>");
    refuse_in_world("<body name='a'/>\n<body name='a'/>", 3, "same name");
    refuse_in_world("<geom name='a' size='1'/>\n<geom name='a' size='1'/>", 3, "same name");
    refuse_in_world("<body name='world'/>", 2, "same name");
}

Test(mjcf_errors, names_given_twice) {
    refuse_in_world("<body>\n<site name='s'/>\n<site name='s'/></body>", 4, "another site has the same name");
    refuse_in_world("<body name='b'/>\n<body name='b'/>", 3, "another body has the same name");
    mjcf_refuse("<mujoco><keyframe><key name='k'/>\n<key name='k'/></keyframe></mujoco>", 2, "the same name");
}

Test(mjcf_errors, own_options) {
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.nonsense' data='1'/></custom></mujoco>", 2,
                "unknown option 'nonsense'");
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.baumgarte' data='2'/></custom></mujoco>", 2,
                "out of range");
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.baumgarte'/></custom></mujoco>", 2, "no data");
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.restitution' data='2'/></custom></mujoco>", 2,
                "between 0 and 1");
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.initial_keyframe' data='0'/></custom></mujoco>", 2,
                "0 keyframes");
    mjcf_refuse("<mujoco><custom>\n<numeric name='touchstone.initial_keyframe' data='-1'/></custom></mujoco>", 2,
                "index from 0");
    mjcf_refuse("<mujoco><custom>\n<numeric data='1'/></custom></mujoco>", 2, "needs a name");
}

Test(mjcf_errors, bad_inline_meshes) {
    static const char* const mesh[][2] = {
        {"vertex='0 0 0 1 0 0'", ""},
        {"vertex='0 0 0 1 0 0 0 1'", "threes"},
        {"vertex='0 0 0 1 0 0 0 1 0 1 1 0'", ""},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'", "names vertex 4"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 -1'", "names vertex -1"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 .5'", "names vertex 0.5"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' refquat='0 0 0 0'", "refquat"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='0 1 1'", ""},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 nan'", "not a finite number"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' texcoord='0 0 1 0 1'", "two numbers for each"},
        {"vertex='0 0 0 1 0 0 0 1 0 0 0 1' texcoord='0 0 1 0 1 0 1 x'", "number"},
        {"file='x.obj'", "not read from a file"},
        {"builtin='sphere'", "needs params"}};
    for (size_t i = 0; i < sizeof mesh / sizeof mesh[0]; ++i) {
        char text[500];
        ts_model* model = NULL;
        ts_status status;
        memset(&status, 0, sizeof status);
        snprintf(
            text, sizeof text,
            "<mujoco><asset><mesh name='m' %s/></asset><worldbody>\n<geom type='mesh' mesh='m'/></worldbody></mujoco>",
            mesh[i][0]);
        cr_assert_neq(ts_mjcf_parse(text, strlen(text), "t.xml", NULL, NULL, &model, &status), TS_OK, "%s", mesh[i][0]);
        cr_assert(strstr(status.message, mesh[i][1]), "%s: %s", mesh[i][0], status.message);
        cr_assert(status.message[0] && status.line > 0 && strcmp(status.file, "t.xml") == 0);
    }
}

Test(mjcf_errors, nothing_is_read_from_files_without_a_directory) {
    mjcf_refuse("<mujoco>\n<include file='/etc/hostname'/></mujoco>", 2, "not read from a file");
}

// The message may be unwanted.
Test(mjcf_errors, status_and_report_may_be_null) {
    ts_model* model = NULL;
    cr_assert_eq(ts_mjcf_parse("<mujoco><", 9, "t.xml", NULL, NULL, &model, NULL), TS_ERROR_PARSE);
    cr_assert_eq(ts_mjcf_parse("<mujoco/>", 9, "t.xml", NULL, NULL, &model, NULL), TS_OK);
    ts_model_free(model);
}
