// `touchstone material`: parameters against their closed forms, predictions against runs, wrong use.
#include "tests/cli/cli_fixture.h"

TestSuite(material, .init = make_folder, .fini = remove_folder, .timeout = 240);

// Springs and dampers from soft to stiffer than the step can show; under every model that we run, what was predicted comes out.
Test(material, runs_confirm_what_is_predicted) {
    static const char* const cases[] = {
        "--stiffness 1e5 --damping 50 --mu 0.8 --dt 0.001", "--stiffness 1e3 --restitution 0.6",
        "--stiffness 1e4 --damping 1000 --dt 0.005 --mass 20", "--stiffness 1e9 --restitution 0.2 --mass 0.1"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char command[160];
        snprintf(command, sizeof command, "material %s --verify --json", cases[i]);
        outcome result = run(command);
        cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
        cr_expect(
            json_holds(
                &result.out,
                "seen = 0\n"
                "for m in d['models']:\n"
                "    if 'measured' not in m: continue\n"
                "    seen += 1\n"
                "    for key, small in ('penetration', 1e-15), ('creep', 1e-12), ('pinch', 1e-12), ('bounce', 1e-9):\n"
                "        p, q = m['predicted'][key], m['measured'][key]\n"
                "        assert abs(p - q) <= 1e-5 * abs(p) + small, (m, key)\n"
                "assert seen == 3\n"),
            "%s", ts_text_get(&result.out));
        outcome_free(&result);
    }
}

// At rest a spring holds m g / k, whoever models it, unless the model cannot be that stiff; e = exp(-pi zeta / sqrt(1 - zeta^2)).
Test(material, parameters_are_the_closed_forms) {
    outcome result = run("material --stiffness 2e4 --restitution 0.5 --mass 2 --mu 0.4 --dt 1e-5 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(
        json_holds(
            &result.out,
            "import math, re\n"
            "k, m, h, c = 2e4, 2, 1e-5, d['damping']\n"
            "zeta = c / (2 * math.sqrt(k * m))\n"
            "assert abs(math.exp(-math.pi * zeta / math.sqrt(1 - zeta * zeta)) - 0.5) < 1e-12\n"
            "by = {x['model']: x for x in d['models']}\n"
            "for x in d['models'][1:]:\n"
            "    assert abs(x['predicted']['penetration'] - m * 9.81 / k) < 1e-12, x\n"
            "    assert abs(x['predicted']['bounce'] - 0.5) < 0.02, x\n"
            "erp, cfm = map(float, re.findall(r'=([-0-9.e]+)', by['Bullet, ODE']['parameters']))\n"
            "assert abs(erp - h * k / (h * k + c)) < 1e-6 * erp and abs(cfm - 1 / (h * k + c)) < 1e-5 * cfm\n"
            "mj = by['mujoco']\n"
            "R = 1 / (h * k * (h + c / k))\n"
            "assert abs(mj['compliance'] - R) < 1e-9 * R\n"
            "assert abs(mj['predicted']['creep'] - R * 0.5 * 0.4 * m * 9.81 * h) < 1e-9 * mj['predicted']['creep']\n"
            "assert abs(mj['predicted']['pinch'] - R * m * 9.81 / 2 * h) < 1e-9 * mj['predicted']['pinch']\n"),
        "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

// Springs have the damper, and what follows from it; the hard law, which has no damper, the restitution.
Test(material, a_damper_and_a_restitution_are_each_for_their_own) {
    outcome result = run("material --stiffness 2e4 --damping 40 --restitution 0.7 --mass 2 --dt 1e-5 --json");
    cr_assert_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "import math\n"
                                      "zeta = 40 / (2 * math.sqrt(2e4 * 2))\n"
                                      "e = math.exp(-math.pi * zeta / math.sqrt(1 - zeta * zeta))\n"
                                      "assert d['damping'] == 40 and d['impact'] == 0.7\n"
                                      "assert abs(d['restitution'] - e) < 1e-12\n"
                                      "assert d['models'][0]['predicted']['bounce'] == 0.7\n"
                                      "for x in d['models'][1:]:\n"
                                      "    assert abs(x['predicted']['bounce'] - e) < 0.02, x\n"),
              "%s", ts_text_get(&result.out));
    outcome_free(&result);
}

Test(material, refuses_what_is_no_material) {
    expect_refusal("material", 2, "needs --stiffness");
    expect_refusal("material --stiffness -1", 2, "out of range");
    expect_refusal("material --stiffness soft", 2, "takes a number");
    expect_refusal("material --stiffness 1e5 --restitution 1.5", 2, "out of range");
    expect_refusal("material --stiffness 1e5 steel", 2, "takes no 'steel'");
}
