#include <math.h>
#include <stdio.h>
#include <touchstone.h>
int main(void) {  // an outside program: a cube slides, and slows down as friction says
    ts_status status;
    ts_loaded_scene scene;
    ts_sim* sim = NULL;
    if (ts_scene_load("sliding-cube", NULL, &scene, &status) || ts_sim_create(scene.model, 1, &sim, &status)) {
        fprintf(stderr, "%s\n", status.message);
        return 1;
    }
    for (int i = 0; i < 100; ++i) {
        if (ts_sim_step(sim, &status)) return 1;
    }
    double error = sim->qvel[1] - (1.0 - 0.4 * 9.81 * 0.1);  // m/s, against v0 - mu g t
    printf("speed off by %.1e m/s\n", error);
    ts_sim_free(sim);
    ts_loaded_scene_free(&scene);
    return fabs(error) > 1e-8;
}
