// An outside program: a sphere dropped on a plane, by the public interface alone.
#include <stdio.h>
#include <touchstone.h>

int main(void) {
    ts_builder* builder = ts_builder_create("drop");
    ts_geom_def plane = ts_geom_def_default();
    plane.shape = ts_shape_plane();
    ts_builder_add_geom(builder, &plane);

    ts_body_def body = ts_body_def_default();
    body.pose.position.z = 0.5;
    ts_joint_def joint = ts_joint_def_default();
    joint.type = TS_JOINT_FREE;
    joint.body = ts_builder_add_body(builder, &body);
    ts_builder_add_joint(builder, &joint);
    ts_geom_def sphere = ts_geom_def_default();
    sphere.body = joint.body;
    ts_builder_add_geom(builder, &sphere);

    ts_status status = {0};
    ts_model* model = NULL;
    ts_sim* sim = NULL;
    if (ts_builder_finish(builder, &model, &status) || ts_sim_create(model, 1, &sim, &status)) {
        fprintf(stderr, "%s\n", status.message);
        return 1;
    }
    for (int i = 0; i < 1000; i++) {
        if (ts_sim_step(sim, &status)) {
            fprintf(stderr, "%s\n", status.message);
            return 1;
        }
    }
    double height = sim->qpos[2];
    printf("height %.4f m\n", height);
    ts_sim_free(sim);
    ts_model_free(model);
    return height > 0.09 && height < 0.11 ? 0 : 1;  // at rest on its radius of 0.1 m
}
