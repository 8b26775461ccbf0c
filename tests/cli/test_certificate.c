// `touchstone run --certificate`: of one step, of the worst, and what is refused.
#include "tests/cli/cli_fixture.h"

TestSuite(certificate, .init = make_folder, .fini = remove_folder, .timeout = 240);

// The certificate of one step: the sliding cube slides on all four corners, and the exact law holds but the relaxed one
// does not; under the relaxed law it is the other way round.
Test(certificate, certifies_a_step) {
    outcome result = run("run sliding-cube --time 0.05 --solver ncp --certificate 20:ncp.json --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    cr_expect(json_holds(&result.out, "assert d['certificate'] == 'ncp.json', d\n"
                                      "s = d['last_step']\n"
                                      "assert s['ncp'] and not s['ccp'] and s['contacts'] == 4, s\n"
                                      "assert s['modes'] == {'open': 0, 'stick': 0, 'slide': 4, 'violated': 0}, s\n"
                                      "assert s['step'] == d['steps'], d\n"
                                      "assert sum(d['stages'].values()) == d['steps'], d['stages']\n"
                                      "assert set(d['stages']) <= {'small', 'sweeps', 'newton'}, d['stages']\n"));
    outcome_free(&result);
    ts_text text = read_text("ncp.json");
    cr_expect(json_holds(&text,
                         "assert d['step'] == 20 and d['solver'] == 'ncp' and d['status'] == 'converged', d\n"
                         "assert d['stage'] in ('small', 'sweeps', 'newton'), d\n"
                         "c = d['certificate']\n"
                         "assert len(d['contacts']) == len(c['blocks']) == len(d['rows']) == 4\n"
                         "assert all(r.startswith('contact: geom 0 ') for r in d['rows']), d['rows']\n"
                         "for k in d['contacts']:\n"
                         "    assert {k['body_a'], k['body_b']} == {'world', 'cube'} or 'world' in k.values(), k\n"
                         "    b = c['blocks'][k['block']]\n"
                         "    assert b['block'] == k['block'] and b['mode'] == 'slide' and b['slip'] > 0, b\n"
                         "    assert abs(b['friction_force'] - b['mu'] * b['normal_force']) < 1e-6, b\n"));
    ts_text_free(&text);
    result = run("run sliding-cube --time 0.05 --solver ccp-pgs --certificate 1:ccp.json");
    cr_expect_eq(result.code, 0);
    cr_expect(has(&result.out, "certificate  ccp.json"), "%s", ts_text_get(&result.out));
    outcome_free(&result);
    text = read_text("ccp.json");
    cr_expect(json_holds(&text, "c = d['certificate']\n"
                                "assert c['ccp']['holds'] and not c['ncp']['holds'], c\n"
                                "assert c['modes']['violated'] > 0, c\n"));
    ts_text_free(&text);
}

// The worst step is the one with the largest natural map, which the statistics of the run know, too.
Test(certificate, certifies_the_worst_step) {
    outcome result = run("run stack-10 --time 0.03 --solver ncp-pgs --set solver.iteration_limit=20 "
                         "--certificate worst:worst.json --json");
    cr_expect_eq(result.code, 0, "%s", ts_text_get(&result.err));
    ts_text text = read_text("worst.json"), both = {0};
    ts_text_add(&both, "[%s, %s]", ts_text_get(&result.out), ts_text_get(&text));
    cr_expect(json_holds(&both, "run, worst = d\n"
                                "a, b = run['residual_natural_max'], worst['certificate']['natural']\n"
                                "assert a > 1e-9 and abs(a - b) <= 1e-6 * a, (a, b)\n"
                                "assert worst['certificate']['modes']['violated'] > 0\n"));
    ts_text_free(&both);
    ts_text_free(&text);
    outcome_free(&result);
}

Test(certificate, certificates_that_cannot_be_say_why) {
    expect_refusal("run stack-10 --certificate why.json", 2, "worst:why.json");
    expect_refusal("run stack-10 --certificate best:why.json", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate 0:why.json", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate last:", 2, "STEP:FILE");
    expect_refusal("run stack-10 --certificate last:/nonexistent/a.json", 1, "/nonexistent/a.json");
    expect_refusal("run stack-10 --out a.csv --certificate last:a.csv", 2, "two outputs would go to a.csv");
    expect_refusal("run stack-10 --out a.csv --dump-problem 1:./a.csv", 2, "two outputs would go to ./a.csv");
    write_text("small.xml", small_model);
    expect_refusal("run small.xml --certificate last:./small.xml", 2, "is the model");
    ts_text text = read_text("small.xml");
    cr_expect_str_eq(ts_text_get(&text), small_model);
    ts_text_free(&text);
}
