// Accelerations and forces, under every solver and integrator where that makes sense: free fall, rest, chains that hang, loops, ropes, welds,
// and the balance of what acts along joints with what sensors show.
#include "contact/solver.h"
#include "engine/step/integrate/integrator.h"
#include "tests/engine/sensor/sensor_sample.h"

static const double g = 9.81;

static void use(const sensed* s, const char* what, const char* name) {
    ts_status status;
    cr_assert_eq(ts_sim_set(s->sim, what, name, &status), TS_OK, "%s", status.message);
}

// Nothing while it falls, whatever the integrator.
Test(sensor_force, an_accelerometer_shows_nothing_in_free_fall) {
    for (int i = 0; i < ts_integrator_count(); ++i) {
        sensed s = sensed_start("<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 5'><freejoint/><geom "
                                "type='box' size='0.1 0.2 0.3' mass='2'/><site name='s' pos='0.1 0.2 0.3' euler='10 20 "
                                "30'/></body></worldbody><sensor><accelerometer name='a' site='s'/></sensor>");
        const double nothing[] = {0.0, 0.0, 0.0};
        use(&s, "integrator", ts_integrator_at(i)->name);
        s.sim->qvel[0] = 1.0;
        for (int k = 0; k < 10; ++k) {
            sensed_run(&s, 1);
            sensed_expect(&s, "a", nothing, 3, 1e-10);
        }
        sensed_end(&s);
    }
}

#define RESTING                                                                                                   \
    "<option timestep='0.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='box' pos='0 " \
    "0 0.1'><freejoint/><geom type='box' size='0.2 0.1 0.1' mass='3'/><site name='tilted' pos='0 0 0.1' "         \
    "euler='30 0 0'/><site name='sole' type='box' size='0.3 0.2 0.02' pos='0 0 -0.1'/><site name='half' "         \
    "type='box' size='0.1 0.2 0.02' pos='0.15 0 -0.1'/><site name='top' type='box' size='0.3 0.2 0.02' "          \
    "pos='0 0 0.1'/><site name='under' type='box' size='0.3 0.2 0.01' pos='0 0 -0.15'/></body></worldbody>"       \
    "<sensor><accelerometer name='a' site='tilted'/><touch name='sole' site='sole'/><touch name='half' "          \
    "site='half'/><touch name='top' site='top'/><touch name='under' site='under'/><touch name='cut' "             \
    "site='sole' cutoff='10'/></sensor>"

// At rest on the floor: g upwards in the site's axes, the weight in a touch zone below, half of it in each half of the zone.
Test(sensor_force, a_box_at_rest_under_every_solver) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        sensed s = sensed_start(RESTING);
        use(&s, "solver", ts_solver_at(i)->name);
        sensed_run(&s, 1500);
        double near = 1e-4 * 3.0 * g;
        const double up[] = {0.0, 0.5 * g, sqrt(0.75) * g};
        sensed_expect(&s, "a", up, 3, 1e-4 * g);
        sensed_expect_one(&s, "sole", 3.0 * g, near);
        // How four corners share a weight is the solver's to choose, but for its moment.
        sensed_expect_one(&s, "half", 1.5 * g, near);
        sensed_expect_one(&s, "top", 0.0, 0.0);
        // Points above a zone count where their normals pass through it.
        sensed_expect_one(&s, "under", 3.0 * g, near);
        sensed_expect_one(&s, "cut", 10.0, 0.0);
        sensed_end(&s);
    }
}

// Links of 1, 2 and 6 kg below each other: each carries what is below it, and the torque of its offset load.
Test(sensor_force, a_chain_that_hangs) {
    sensed s = sensed_start(
        "<option timestep='0.001'/><worldbody><body pos='0 0 5'><joint axis='0 1 0'/><geom size='0.1' pos='0 0 -0.5' "
        "mass='1'/><site name='s1' euler='0 90 0'/><body pos='0 0 -1'><joint axis='0 1 0'/><geom size='0.1' pos='0 0 "
        "-0.5' mass='2'/><site name='s2'/><body pos='0 0 -1'><geom size='0.1' pos='0.2 0 -0.5' mass='3'/><geom "
        "size='0.1' pos='-0.2 0 -0.5' mass='3'/><site name='s3'/><site name='s4' pos='0.1 0 0'/></body></body></body>"
        "</worldbody><sensor><force name='f1' site='s1'/><force name='f2' site='s2'/><force name='f3' site='s3'/>"
        "<torque name='t3' site='s3'/><torque name='t4' site='s4'/></sensor>");
    const double f1[] = {-9.0 * g, 0.0, 0.0}, f2[] = {0.0, 0.0, 8.0 * g}, f3[] = {0.0, 0.0, 6.0 * g};
    const double t3[] = {0.0, 0.0, 0.0}, t4[] = {0.0, 0.1 * 6.0 * g, 0.0};
    sensed_run(&s, 2);
    sensed_expect(&s, "f1", f1, 3, 1e-9);
    sensed_expect(&s, "f2", f2, 3, 1e-9);
    sensed_expect(&s, "f3", f3, 3, 1e-9);
    sensed_expect(&s, "t3", t3, 3, 1e-9);
    // The pull is 0.1 m to the left of that site: (-0.1, 0, 0) x (0, 0, F).
    sensed_expect(&s, "t4", t4, 3, 1e-9);
    sensed_end(&s);
}

// A plate on scales that cannot move: what stands on them, and their own weight.
Test(sensor_force, scales) {
    sensed s = sensed_start("<worldbody><body name='scales'><geom type='box' size='0.5 0.5 0.05' mass='4'/><site "
                            "name='s'/></body><body pos='0.3 0 0.15'><freejoint/><geom type='box' size='0.1 0.1 0.1' "
                            "mass='2'/></body></worldbody><sensor><force name='f' site='s'/><torque name='t' "
                            "site='s'/></sensor>");
    const double force[] = {0.0, 0.0, 6.0 * g}, torque[] = {0.0, -0.3 * 2.0 * g, 0.0};
    sensed_run(&s, 300);
    sensed_expect(&s, "f", force, 3, 1e-5);
    sensed_expect(&s, "t", torque, 3, 1e-5);
    sensed_end(&s);
}

#define BEAM                                                                                                        \
    "<option timestep='0.001'/><worldbody><site name='there' pos='1 0 0'/><site name='above' pos='1 0 2'/><body "   \
    "name='beam'><joint axis='0 1 0'/><inertial pos='0.5 0 0' mass='4' diaginertia='0.1 0.4 0.4'/><site name='s'/>" \
    "<site name='tip' pos='1 0 0'/></body></worldbody><sensor><force name='f' site='s'/></sensor>"

// A beam on a hinge at one end, held at the other by a connection, or by a rope that is as long as it must be: the hinge carries half.
Test(sensor_force, loops_and_ropes_carry_their_share) {
    static const char rope[] =
        "<tendon><spatial stiffness='19.62' springlength='1'><site site='tip'/><site site='above'/></spatial></tendon>";
    static const char* const holds[] = {"<equality><connect body1='beam' anchor='1 0 0'/></equality>",
                                        "<equality><connect site1='tip' site2='there'/></equality>", rope};
    const double half[] = {0.0, 0.0, 2.0 * g};
    for (int i = 0; i < 3; ++i) {
        char text[2000];
        snprintf(text, sizeof text, BEAM "%s", holds[i]);
        sensed s = sensed_start(text);
        sensed_run(&s, 50);
        sensed_expect(&s, "f", half, 3, i < 2 ? 1e-3 : 1e-9);
        sensed_end(&s);
    }
}

// A free body welded to the world is held by the weld and by nothing else; what hangs on it, by it.
Test(sensor_force, a_weld_is_no_joint) {
    sensed s = sensed_start(
        "<option timestep='0.001'/><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1' mass='2'/><body "
        "name='b' pos='0.5 0 0'><geom size='0.1' mass='1'/><site name='sb'/></body><site name='sa'/></body></worldbody>"
        "<equality><weld body1='a'/></equality><sensor><force name='a' site='sa'/><torque name='ta' site='sa'/><force "
        "name='b' site='sb'/></sensor>");
    const double nothing[] = {0.0, 0.0, 0.0}, one[] = {0.0, 0.0, g};
    sensed_run(&s, 100);
    sensed_expect(&s, "a", nothing, 3, 1e-9);
    sensed_expect(&s, "ta", nothing, 3, 1e-9);
    sensed_expect(&s, "b", one, 3, 1e-4);
    sensed_end(&s);
}

// Pushed by a wrench from outside, or by a jet: that is no force of its parent's, which keeps it on its way.
Test(sensor_force, what_pushes_from_outside_is_not_the_parents) {
    sensed s = sensed_start("<option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='1 0 0'/><geom "
                            "size='0.1' mass='2'/><site name='s'/></body></worldbody><actuator><motor site='s' gear='0 "
                            "5 0 0 0 0'/></actuator><sensor><force name='f' site='s'/></sensor>");
    const double first[] = {0.0, -7.0, 0.0}, second[] = {0.0, -10.0, 0.0};
    s.sim->wrench_applied[1].force = ts_vec3_make(3.0, 7.0, 0.0);
    sensed_run(&s, 1);
    sensed_expect(&s, "f", first, 3, 1e-12);
    s.sim->wrench_applied[1].force = ts_vec3_zero();
    s.sim->ctrl[0] = 2.0;
    sensed_run(&s, 1);
    sensed_expect(&s, "f", second, 3, 1e-12);
    sensed_end(&s);
}

// An arm of two links that falls on the floor, with a motor on each and a limit: along a hinge's axis its parent can do only what motor,
// limit and nothing else do, whatever the contacts.
Test(sensor_force, torques_along_joints_are_what_acts_there) {
    for (int i = 0; i < ts_solver_count(); ++i) {
        sensed s = sensed_start(
            "<compiler angle='radian'/><option timestep='0.002' integrator='Euler'/><worldbody><geom type='plane' "
            "size='1 1 1'/><body pos='0 0 0.4'><joint name='j1' axis='0 1 0' range='-2 0.5'/><geom type='capsule' "
            "fromto='0 0 0 0.3 0 0' size='0.05' mass='1'/><site name='s1' zaxis='0 1 0'/><body pos='0.4 0 0'><joint "
            "name='j2' axis='0 1 0'/><geom type='capsule' fromto='0.1 0 0 0.4 0 0' size='0.05' mass='1'/><site "
            "name='s2' zaxis='0 1 0'/></body></body></worldbody><actuator><motor joint='j1'/><motor joint='j2'/>"
            "</actuator><sensor><torque name='t1' site='s1'/><torque name='t2' site='s2'/><jointlimitfrc name='l' "
            "joint='j1'/></sensor>");
        int limited = 0, touched = 0;
        use(&s, "solver", ts_solver_at(i)->name);
        s.sim->ctrl[0] = 0.7;
        s.sim->ctrl[1] = -0.4;
        for (int k = 0; k < 300; ++k) {
            sensed_run(&s, 1);
            double limit = sensed_now(&s, "l")[0];
            cr_expect_float_eq(sensed_now(&s, "t1")[2], 0.7 - limit, 1e-7 * (1.0 + limit), "%s, step %d",
                               ts_solver_at(i)->name, k);
            cr_expect_float_eq(sensed_now(&s, "t2")[2], -0.4, 1e-7 * (1.0 + limit));
            limited += limit > 0.1;
            touched += s.sim->contact_count > 0;
        }
        cr_expect(limited > 10 && touched > 10, "%d steps at the limit, %d on the floor", limited, touched);
        sensed_end(&s);
    }
}
