// The paper's cube as MJCF, for experiments that vary its mass, friction or number.
#include "scenes/experiments/paper_cube_internal.h"

void ts_paper_cube_floor(double mu, ts_text* mjcf) {
    ts_text_add(mjcf,
                "<geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\" friction=\"%.17g\" rgba=\"0.75 0.77 0.8 1\"/>\n",
                mu);
}

void ts_paper_cube_add(const char* name, double z, double mass, double mu_below, double mu_above, ts_text* mjcf) {
    double inertia = mass * 0.2 * 0.2 / 6.0;
    ts_text_add(mjcf,
                "<body name=\"%s\" pos=\"0 0 %.17g\"><freejoint/><inertial pos=\"0 0 0\" mass=\"%.17g\" "
                "diaginertia=\"%.17g %.17g %.17g\"/>\n"
                "<geom type=\"box\" size=\"0.1 0.1 0.1\" contype=\"0\" conaffinity=\"0\" rgba=\"0.93 0.55 0.18 1\"/>\n",
                name, z, mass, inertia, inertia, inertia);
    for (int i = 0; i < 8; ++i)
        ts_text_add(
            mjcf,
            "<geom type=\"sphere\" size=\"0.004\" pos=\"%g %g %g\" friction=\"%.17g\" rgba=\"0.15 0.17 0.2 1\"/>\n",
            i & 4 ? -0.1 : 0.1, i & 2 ? 0.1 : -0.1, i & 1 ? 0.1 : -0.1, i & 1 ? mu_above : mu_below);
    ts_text_add(mjcf, "</body>\n");
}
