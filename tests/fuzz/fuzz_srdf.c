// Fuzz target: any bytes as the SRDF of a robot that has a joint of every kind. Whatever comes in, the reader must answer with
// a model or with a message that names a place.
#include "engine/read/urdf/urdf_internal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define LINK(name)                                                                                                \
    "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>" \
    "</inertial></link>"
#define JOINT(name, type, parent, child, contents) \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" contents "</joint>"

static const char robot[] = "<robot name='r'>" LINK("base") LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
    JOINT("ja", "continuous", "base", "a", "") JOINT("jb", "prismatic", "a", "b", "<mimic joint='ja' offset='1'/>")
        JOINT("jc", "planar", "b", "c", "") JOINT("jd", "fixed", "base", "d", "")
            JOINT("je", "continuous", "d", "e", "<mimic joint='jb'/>") "</robot>";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    ts_urdf_input input = {.text = robot, .size = sizeof robot - 1, .name = "robot.urdf", .srdf = (const char*)data};
    input.srdf_size = size;
    ts_status status;
    ts_import_report report;
    ts_model* model = NULL;
    memset(&status, 0, sizeof status);
    memset(&report, 0, sizeof report);
    ts_code code = ts_urdf_parse_input(&input, NULL, &report, &model, &status);
    if (code == TS_OK ? model == NULL : model != NULL || status.message[0] == '\0') abort();
    ts_model_free(model);
    ts_import_report_free(&report);
    return 0;
}
