// Piles in substeps: held to the general path, to closed forms, to what a step leaves behind, and to the same bits.
#include "engine/step/certify.h"
#include "engine/sim_internal.h"
#include "engine/step/pile_internal.h"
#include "engine/step/sleep_internal.h"
#include "tests/engine/step/pile_fixture.h"

static const double g = 9.81;

// What is soft takes the general path, to the same answer: this is no softness that numbers have room for.
static void go_generally(fixture* f) { f->sim->options.compliance_normal = 1e-300; }

static void solve_well(fixture* f) {
    ts_status status;
    cr_assert_eq(ts_sim_set(f->sim, "iterations", "2000", &status), TS_OK);
    cr_assert_eq(ts_sim_set(f->sim, "tolerance", "1e-12", &status), TS_OK);
}

// What is put together of a contact is what another step writes down.
static void expect_same_contacts(const ts_sim* pile, const ts_sim* plain) {
    cr_assert_eq(pile->contact_count, plain->contact_count);
    cr_assert_null(pile->contact, "nobody writes them down");
    ts_vec3 sum = ts_vec3_zero();
    for (int k = 0; k < pile->contact_count; ++k) {
        const ts_contact a = ts_sim_contact(pile, k), b = ts_sim_contact(plain, k);
        cr_expect(a.geom_a == b.geom_a && a.geom_b == b.geom_b && a.body_a == b.body_a && a.body_b == b.body_b);
        cr_expect_eq(a.key, b.key, "%d", k);
        cr_expect_eq(a.persistent, b.persistent, "%d", k);
        cr_expect(a.block == k && !a.asleep);
        cr_expect(a.surface.friction == b.surface.friction && a.surface.restitution == b.surface.restitution);
        cr_expect_eq(a.surface.dimension, b.surface.dimension);
        for (int i = 0; i < 9; ++i) cr_expect_float_eq((&a.frame.m[0][0])[i], (&b.frame.m[0][0])[i], 1e-12, "%d", k);
        cr_expect_float_eq(a.gap, b.gap, 1e-9, "%d", k);
        cr_expect_float_eq(ts_vec3_distance(a.position, b.position), 0.0, 1e-9, "%d", k);
        // How four points share what a box presses is not for anyone to say.
        sum = ts_vec3_add(sum, ts_vec3_sub(a.impulse, b.impulse));
        if (k % 4 == 3) cr_expect_float_eq(ts_vec3_norm(sum), 0.0, 1e-8, "%d: %g", k, ts_vec3_norm(sum));
        cr_expect_float_eq(ts_vec3_distance(a.velocity, b.velocity), 0.0, 1e-9, "%d", k);
        cr_expect_float_eq(ts_vec3_distance(a.velocity_before, b.velocity_before), 0.0, 1e-9, "%d", k);
    }
}

// Boxes that slide flat do not turn: levers and inertias that stay are exact.
static void slide_flat(ts_vec3 centre) {
    fixture pile = fixture_start(boxes_about(3, 1, 0.1, 0.0, centre), 1);
    fixture plain = fixture_start(boxes_about(3, 1, 0.1, 0.0, centre), 1);
    solve_well(&pile);
    solve_well(&plain);
    go_generally(&plain);
    for (int c = 0; c < 3; ++c) pile.sim->qvel[6 * c] = plain.sim->qvel[6 * c] = 0.3 * c;
    for (int i = 0; i < 20; ++i) {
        fixture_run(&pile, 1);
        fixture_run(&plain, 1);
        cr_assert_eq(pile.sim->info.solve.status, TS_SOLVE_CONVERGED);
        for (int d = 0; d < pile.model->nv; ++d)
            cr_expect_float_eq(pile.sim->qvel[d], plain.sim->qvel[d], 1e-9, "%d: %d", i, d);
        for (int q = 0; q < pile.model->nq; ++q)
            cr_expect_float_eq(pile.sim->qpos[q], plain.sim->qpos[q], 1e-9, "%d: %d", i, q);
        cr_expect_eq(pile.sim->info.islands.islands, 3);
        for (int d = 0; d < pile.model->nv; ++d)
            cr_expect_float_eq(pile.sim->bias[d], plain.sim->bias[d], 1e-9, "%d: %d", i, d);
        for (int k = 0; k < pile.sim->mass_start[pile.model->tree_count]; ++k)
            cr_expect_float_eq(pile.sim->mass_matrix[k], plain.sim->mass_matrix[k], 1e-9, "%d: %d", i, k);
        cr_expect_float_eq(pile.sim->info.worst_penetration, plain.sim->info.worst_penetration, 1e-9);
        expect_same_contacts(pile.sim, plain.sim);
    }
    fixture_end(&pile);
    fixture_end(&plain);
}

Test(pile, is_the_general_path_where_nothing_turns) {
    slide_flat(ts_vec3_zero());
    slide_flat(ts_vec3_make(0.03, 0.02, -0.01));
}

// One sweep is far from an answer: where it gets to depends on how its steps are relaxed.
static void relax(const char* omega, int generally, ts_vec3* out_velocity) {
    fixture f = fixture_start(boxes(1, 1, 0.1, 0.0), 1);
    ts_status status;
    cr_assert_eq(ts_sim_set(f.sim, "iterations", "1", &status), TS_OK);
    cr_assert_eq(ts_sim_set(f.sim, "solver.omega", omega, &status), TS_OK, "%s", status.message);
    if (generally) go_generally(&f);
    f.sim->qvel[0] = 0.3;
    fixture_run(&f, 1);
    cr_assert_eq(f.sim->problem.block_count > 0, generally);
    *out_velocity = ts_vec3_load(f.sim->qvel);
    fixture_end(&f);
}

Test(pile, sweeps_are_relaxed_as_the_solver_is_told) {
    static const char* const omega[] = {"0.7", "1", "1.4"};
    ts_vec3 pile[3], plain[3];
    for (int k = 0; k < 3; ++k) {
        relax(omega[k], 0, &pile[k]);
        relax(omega[k], 1, &plain[k]);
    }
    // Levers that stay make a small difference.
    for (int k = 0; k < 3; ++k) {
        double apart = ts_vec3_distance(pile[k], pile[k > 0 ? k - 1 : 1]);
        cr_expect_gt(apart, 1e-3, "%s: %g", omega[k], apart);
        cr_expect_lt(ts_vec3_distance(pile[k], plain[k]), 0.05 * apart, "%s", omega[k]);
    }
}

// It topples: turning by a in a step is an error of levers of a. Substeps of a thousandth of a second leave little of it.
static void topple(ts_vec3 centre) {
    fixture pile = fixture_start(boxes_about(1, 1, 0.5, 0.0, centre), 1);
    fixture plain = fixture_start(boxes_about(1, 1, 0.5, 0.0, centre), 1);
    solve_well(&pile);
    solve_well(&plain);
    go_generally(&plain);
    for (int k = 0; k < 2; ++k) {
        ts_sim* sim = k ? pile.sim : plain.sim;
        sim->options.time_step = 2e-3;
        ts_vec3 spin = ts_mat3_mul_vec_transposed(&sim->kinematics.body_pose[1].R, ts_vec3_make(0.0, 5.0, 0.0));
        ts_vec3_store(spin, sim->qvel + 3);
        sim->qvel[0] = 0.3;
    }
    double most = 0.0;
    for (int i = 0; i < 50; ++i) {
        fixture_run(&pile, 1);
        fixture_run(&plain, 1);
        most = fmax(most, fabs(pile.sim->qpos[4] - pile.sim->model->qpos0[4]));
    }
    cr_expect_gt(most, 0.01, "the test shows nothing: %g", most);
    for (int q = 0; q < 7; ++q) cr_expect_float_eq(pile.sim->qpos[q], plain.sim->qpos[q], 0.02 * most, "%d", q);
    fixture_end(&pile);
    fixture_end(&plain);
}

Test(pile, stays_near_the_general_path_where_something_turns) {
    topple(ts_vec3_zero());
    topple(ts_vec3_make(0.03, 0.02, -0.01));
}

Test(pile, contacts_carry_the_weight) {
    fixture f = fixture_start(boxes(2, 5, 0.5, 0.0), 1);
    solve_well(&f);
    fixture_run(&f, 10);
    double sum = 0.0;
    for (int i = 0; i < f.sim->contact_count; ++i)
        if (f.model->geom[ts_sim_contact(f.sim, i).geom_a].body == 0) sum += ts_sim_contact(f.sim, i).impulse.z;
    cr_expect_float_eq(sum, 10 * 2.0 * g / 60.0, 1e-6, "%g", sum);
    fixture_end(&f);
}

// What is left is the last substep's problem: with the impulses that are left its velocities are those that contacts report, and nobody
// finds more unmet in it than the step has said.
static void see_problem(ts_vec3 centre) {
    fixture f = fixture_start(boxes_about(2, 6, 0.5, 0.0, centre), 1);
    ts_arena arena = {0};
    f.sim->qvel[6] = 0.5;
    for (int i = 0; i < 20; ++i) {
        double u[512], worst = 0.0;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->problem.block_count, 0, "nobody has asked");
        const ts_contact_problem* problem = ts_sim_problem(f.sim);
        cr_assert_eq(problem, &f.sim->problem);
        cr_assert_eq(problem->block_count, f.sim->contact_count);
        cr_assert_eq(f.sim->info.row_count, problem->row_count);
        cr_assert_leq(problem->row_count, 512);
        cr_assert_eq(ts_contact_problem_validate(problem, NULL), TS_OK);
        ts_contact_problem_velocity(problem, f.sim->impulse, u);
        for (int k = 0; k < f.sim->contact_count; ++k) {
            const ts_contact contact = ts_sim_contact(f.sim, k);
            double h = f.sim->options.time_step / PARTS, most = f.sim->options.push_out_speed;
            double depth = -contact.gap - f.sim->options.slop, push = f.sim->options.baumgarte / PARTS * depth / h;
            double reference = contact.gap > 0.0 ? -contact.gap / h : fmin(fmax(push, 0.0), most);
            const double* at = u + problem->block[contact.block].row;
            cr_expect_float_eq(at[0], contact.velocity.x, 1e-10);
            cr_expect_float_eq(at[1], contact.velocity.y, 1e-10);
            cr_expect_float_eq(at[2] + reference, contact.velocity.z, 1e-10, "%d: gap %g", i, contact.gap);
        }
        ts_contact_certificate certificate;
        cr_assert_eq(ts_certify_step(f.sim, TS_CERTIFICATE_FAST, &arena, &certificate), TS_OK);
        for (int b = 0; b < certificate.block_count; ++b) worst = fmax(worst, certificate.verdict[b].unmet[TS_LAW_NCP]);
        cr_expect_leq(worst, f.sim->info.unmet * (1.0 + 1e-9) + 1e-12, "%d", i);
        cr_expect_gt(worst, 0.0);
        ts_arena_reset(&arena);
    }
    ts_arena_free(&arena);
    fixture_end(&f);
}

Test(pile, leaves_its_problem) {
    see_problem(ts_vec3_zero());
    see_problem(ts_vec3_make(0.03, 0.02, -0.01));
}

// e^2 of the height it fell, to what one substep of gravity is; and once.
Test(pile, restitution_is_done_once) {
    const double drop = 0.8, e = 0.7;
    fixture f = fixture_start(boxes(1, 1, 0.5, e), 1);
    f.sim->qpos[2] += drop;
    fixture_expect_bounce(&f, drop, e);
    fixture_end(&f);
}

Test(pile, bits_depend_on_nothing_else) {
    static const int workers[] = {1, 2, 4};
    uint64_t hash[3] = {0}, again[2] = {0};
    for (int w = 0; w < 3; ++w) {
        fixture f = fixture_start(heap(), workers[w]);
        fixture_run(&f, 60);
        cr_assert_gt(f.sim->contact_count, 60);
        cr_assert_eq(ts_sim_problem(f.sim)->block_count, f.sim->contact_count, "only contacts make it a pile");
        cr_assert_gt(f.sim->info.kept_pairs, 0);
        hash[w] = ts_sim_hash(f.sim);
        fixture_end(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
    cr_expect_eq(hash[0], hash[2]);
    fixture f = fixture_start(heap(), 1);
    ts_snapshot snapshot = {0};
    ts_status status;
    fixture_run(&f, 40);
    cr_assert_eq(ts_sim_snapshot(f.sim, &snapshot, &status), TS_OK);
    for (int k = 0; k < 2; ++k) {
        cr_assert_eq(ts_sim_restore(f.sim, &snapshot, &status), TS_OK);
        fixture_run(&f, 20);
        again[k] = ts_sim_hash(f.sim);
    }
    cr_expect_eq(again[0], again[1]);
    cr_expect_eq(again[0], hash[0]);
    ts_snapshot_free(&snapshot);
    fixture_end(&f);
}

// Columns enough for every thread to have its part.
Test(pile, threads_share_a_pile_to_the_bit) {
    uint64_t hash[3];
    for (int t = 0; t < 3; ++t) {
        fixture f = fixture_start(boxes(60, 3, 0.5, 0.0), 1 << t);
        for (int d = 0; d < f.model->nv; d += 6) f.sim->qvel[d] = 0.02 * (d % 5);
        fixture_run(&f, 8);
        const ts_pile* pile = ts_sim_storage_of(f.sim)->unshown;
        cr_assert_not_null(pile);
        cr_expect_geq(pile->pairs->group_count, 40, "the test shows nothing");
        hash[t] = ts_sim_hash(f.sim);
        fixture_end(&f);
    }
    cr_expect_eq(hash[0], hash[1]);
    cr_expect_eq(hash[0], hash[2]);
}

// What is pulled at its centre of mass does not turn, in no substep, beside boxes that rest.
Test(pile, wrenches_act_in_every_substep) {
    fixture f = fixture_start(boxes_about(3, 1, 0.5, 0.0, ts_vec3_make(0.03, 0.02, 0.01)), 1);
    int last = f.model->tree_count - 1, root = f.model->tree[last].root, dof = f.model->tree[last].dof_first;
    double h = f.sim->options.time_step;
    f.sim->qpos[f.model->joint[f.model->body[root].joint_first].qpos_first + 2] += 3.0;
    f.sim->wrench_applied[root].force = ts_vec3_make(0.0, 5.0, 0.0);
    fixture_run(&f, 1);
    cr_assert_not_null(ts_sim_storage_of(f.sim)->unshown, "the test is of a pile");
    const double wanted[6] = {0.0, h * 5.0 / 2.0, -g * h, 0.0, 0.0, 0.0};
    for (int k = 0; k < 6; ++k) cr_expect_float_eq(f.sim->qvel[dof + k], wanted[k], 1e-12, "%d", k);
    fixture_end(&f);
}

// What has more than contacts of lone bodies goes the general way.
Test(pile, is_one_only_where_it_may) {
    fixture f = fixture_start(boxes(1, 2, 0.5, 0.0), 1);
    fixture_run(&f, 1);
    cr_expect(ts_sim_storage_of(f.sim)->unshown && !f.sim->contact);
    f.sim->options.compliance_normal = 1e-3;
    fixture_run(&f, 1);
    cr_expect(!ts_sim_storage_of(f.sim)->unshown && f.sim->contact);
    fixture_end(&f);
}

// A heap with a box that hangs far away under what it sticks to; from the start or by the last step's law no pile.
static fixture heap_beside_glue(int generally) {
    ts_builder* builder = heap();
    for (int i = 0; i < 2; ++i) {
        int body = fixture_free_body(builder, ts_vec3_make(9.0 + 0.01 * i, 0.0, 0.05 + 0.1 * i), -1.0, ts_mat3_zero());
        fixture_geom(builder, body, ts_shape_box(ts_vec3_make(0.1, 0.1, 0.05)), ts_vec3_zero(), 0.5);
    }
    fixture f = fixture_start(builder, 1);
    ((ts_surface*)&f.model->geom[f.model->geom_count - 1].surface)->adhesion = 1.0;
    if (generally) go_generally(&f);
    return f;
}

// Of two columns one is kept awake. What falls asleep is shown behind the others as it was in the step before.
Test(pile, shows_contacts_of_sleepers_behind) {
    fixture f = fixture_start(boxes(2, 2, 0.5, 0.0), 1);
    ts_contact before[8];
    int checked = 0;
    f.sim->options.sleep = 0.2;
    for (int step = 0; step < 60; ++step) {
        // The first column's.
        for (int i = 0, k = 0; f.sim->asleep_contacts == 0 && i < f.sim->contact_count; ++i)
            if (ts_sim_contact(f.sim, i).body_a <= 2 && ts_sim_contact(f.sim, i).body_b <= 2)
                before[k++] = ts_sim_contact(f.sim, i);
        f.sim->qvel[6 * 3] = step % 2 ? 0.2 : -0.2;
        fixture_run(&f, 1);
        cr_assert_eq(f.sim->contact_count, 16);
        cr_assert_null(f.sim->contact, "the test is of a pile");
        for (int i = ts_sleep_solved(f.sim); i < 16; ++i) {
            const ts_contact contact = ts_sim_contact(f.sim, i), *known = &before[i - ts_sleep_solved(f.sim)];
            cr_expect(contact.asleep && contact.block < 0 && contact.key == known->key);
            cr_expect_float_eq(ts_vec3_distance(contact.position, known->position), 0.0, 1e-3);
            ++checked;
        }
    }
    cr_expect_gt(checked, 80);
    fixture_end(&f);
}

// What was kept for a pile becomes the contacts that another step would have written at once.
Test(pile, what_is_none_after_all_has_the_same_contacts) {
    fixture late = heap_beside_glue(0), soon = heap_beside_glue(1);
    int rare = 0;
    for (int i = 0; i < 40; ++i) {
        fixture_run(&late, 1);
        cr_assert(ts_pile_may_be(soon.sim) == 0 && !ts_sim_storage_of(late.sim)->unshown && late.sim->contact);
        fixture_run(&soon, 1);
        cr_assert_eq(late.sim->contact_count, soon.sim->contact_count);
        for (int k = 0; k < late.sim->contact_count; ++k) {
            const ts_contact a = ts_sim_contact(late.sim, k), b = ts_sim_contact(soon.sim, k);
            cr_assert(a.key == b.key && a.persistent == b.persistent && a.gap == b.gap && a.block == b.block);
            cr_assert_eq(memcmp(&a.position, &b.position, sizeof a.position), 0);
            cr_assert_eq(memcmp(&a.frame, &b.frame, sizeof a.frame), 0);
            cr_assert_eq(memcmp(&a.impulse, &b.impulse, sizeof a.impulse), 0);
            cr_assert_eq(memcmp(&a.velocity, &b.velocity, sizeof a.velocity), 0);
            rare += ts_sim_contact_rare(late.sim, k)->adhesion > 0.0;
        }
    }
    cr_expect_gt(rare, 0, "the test is of glue");
    cr_expect_eq(ts_sim_hash(late.sim), ts_sim_hash(soon.sim));
    fixture_end(&late);
    fixture_end(&soon);
}

// Nor where one of two contacts between geoms does more than rub: the floor's, or that of the boxes.
Test(pile, is_one_only_where_surfaces_merely_rub) {
    for (int kind = 0; kind < 8; ++kind) {
        ts_builder* builder = boxes(1, 2, 0.5, 0.0);
        fixture f = fixture_start(builder, 1);
        ts_surface* surface = (ts_surface*)&f.model->geom[kind % 2 ? f.model->geom_count - 1 : 0].surface;
        if (kind / 2 == 1) surface->dimension = 4, surface->friction_spin = 0.01;
        if (kind / 2 == 2) surface->adhesion = 1.0;
        if (kind / 2 == 3) surface->motion[0] = 0.1;
        fixture_run(&f, 2);
        cr_expect_eq(ts_sim_storage_of(f.sim)->unshown != NULL, kind / 2 == 0, "%d", kind);
        fixture_end(&f);
    }
}

// Of what may be a pile the first substep finds no twists of lone bodies; where it is none they are found after all.
Test(pile, what_is_none_after_all_knows_how_bodies_move) {
    fixture f = fixture_start(boxes(1, 2, 0.5, 0.0), 1);
    ts_sim_storage* storage = ts_sim_storage_of(f.sim);
    fixture_run(&f, 1);
    int root = f.model->tree[0].root, dof = f.model->tree[0].dof_first;
    ts_vec3 stale = ts_vec3_make(99.0, 99.0, 99.0);
    f.sim->qvel[dof] = 0.25;
    f.sim->kinematics.body_velocity[root].linear = stale;
    storage->substep_count = PARTS;
    ts_step_kinematics(f.sim);
    cr_expect_eq(f.sim->kinematics.body_velocity[root].linear.x, 99.0, "the test shows nothing");
    cr_expect(ts_pile_open(f.sim) && !ts_pile_is_on(f.sim), "nothing touches");
    cr_expect_float_eq(f.sim->kinematics.body_velocity[root].linear.x, 0.25, 1e-15);
    storage->substep_count = 0;
    fixture_end(&f);
}

// A pendulum that swings to its end beside the boxes touches nothing, and has rows all the same.
Test(pile, rows_of_other_joints_are_not_forgotten) {
    ts_builder* builder = boxes(2, 2, 0.5, 0.0);
    ts_body_def body = ts_body_def_default();
    body.pose.position = ts_vec3_make(-3.0, 0.0, 5.0);
    ts_joint_def joint = ts_joint_def_default();
    joint.body = ts_builder_add_body(builder, &body);
    joint.axis = ts_vec3_axis(1);
    joint.limited = 1;
    joint.range[0] = -0.2;
    joint.range[1] = 0.2;
    int swinging = ts_builder_add_joint(builder, &joint);
    fixture_geom(builder, joint.body, ts_shape_box(ts_vec3_make(0.05, 0.05, 0.3)), ts_vec3_make(0.3, 0.0, 0.0), 0.5);
    fixture f = fixture_start(builder, 1);
    double most = 0.0;
    for (int i = 0; i < 60; ++i) {
        fixture_run(&f, 1);
        most = fmax(most, fabs(f.sim->qpos[f.model->joint[swinging].qpos_first]));
    }
    cr_expect_float_eq(most, 0.2, 0.03, "%g", most);
    cr_expect_gt(f.sim->contact_count, 8);
    fixture_end(&f);
}

// One sweep from nothing in each substep is far from a solution, and both ways have the same sweep.
Test(pile, starts_from_nothing_where_it_is_told_to) {
    fixture pile = fixture_start(boxes(1, 3, 0.5, 0.0), 1), plain = fixture_start(boxes(1, 3, 0.5, 0.0), 1);
    go_generally(&plain);
    for (int k = 0; k < 2; ++k) {
        ts_status status;
        ts_sim* sim = k ? pile.sim : plain.sim;
        sim->options.warm_start = 0;
        sim->options.gravity.x = 0.5;
        cr_assert_eq(ts_sim_set(sim, "iterations", "1", &status), TS_OK);
    }
    fixture_run(&pile, 1);
    fixture_run(&plain, 1);
    cr_expect_gt(fabs(plain.sim->qvel[14]), 0.01, "the test shows nothing: %g", plain.sim->qvel[14]);
    for (int d = 0; d < pile.model->nv; ++d)
        cr_expect_float_eq(pile.sim->qvel[d], plain.sim->qvel[d], 1e-3, "%d: %g, %g", d, pile.sim->qvel[d],
                           plain.sim->qvel[d]);
    fixture_end(&pile);
    fixture_end(&plain);
}
