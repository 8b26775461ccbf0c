#!/usr/bin/env python3
"""Shows that extend.py refuses what it should: a test of worked examples that cannot fail proves nothing."""
import os
import tempfile
import unittest

import extend

GOOD = """# Add a benchmark

New file `bench/new.c`:

```c
int new(void);
```

In `bench/table.c`, after `{"old"`:

```c
    {"new", new},
```

Prose with a block of its own:

```c
this is not read
```

To try it, `sub/word.txt`:

```text
hello
```

```console
$ cat sub/word.txt
hel...
```
"""


def files():
    return {"bench/table.c": b'table = {\n    {"old", old},\n};\n'}


class Format(unittest.TestCase):
    def refuses(self, text, why):
        with self.assertRaisesRegex(extend.Wrong, why):
            page = extend.Page("benchmark", text)
            page.check_promise()
            extend.apply_page(page, files())

    def test_a_good_page_is_read_and_applied(self):
        page = extend.Page("benchmark", GOOD)
        self.assertEqual(page.count(), (1, 1, 1))
        page.check_promise()
        tree = files()
        extend.apply_page(page, tree)
        self.assertEqual(tree["bench/new.c"], b"int new(void);\n")
        self.assertEqual(tree["bench/table.c"], b'table = {\n    {"old", old},\n    {"new", new},\n};\n')

    def test_lines_go_where_the_page_says(self):
        for where, wanted in (("before", b'table = {\n    {"new", new},\n    {"old", old},\n};\n'),
                              ("instead of", b'table = {\n    {"new", new},\n};\n')):
            tree = files()
            extend.apply_page(extend.Page("benchmark", GOOD.replace("after", where)), tree)
            self.assertEqual(tree["bench/table.c"], wanted)

    def test_promises(self):
        more = 'In `bench/list.h`, after `x`:\n\n```c\nint a;\nint b;\n```\n\n'
        self.refuses(more + GOOD, "more than promised: 1 new file.s., 2 changed, 3 line")
        self.refuses("New file `bench/more.c`:\n\n```c\n```\n\n" + GOOD, "more than promised: 2 new")
        self.refuses(GOOD[: GOOD.index("```console")], "no command")
        with self.assertRaisesRegex(extend.Wrong, "PROMISES"):
            extend.Page("unheard-of", GOOD).check_promise()
        three_new = "".join(f"New file `a{i}`:\n\n```c\n```\n\n" for i in range(3))
        with self.assertRaisesRegex(extend.Wrong, "more than 3 files"):
            extend.Page("joint_type", three_new + GOOD[GOOD.index("In `bench") :]).check_promise()

    def test_places_that_do_not_fit(self):
        self.refuses(GOOD.replace('{"old"`', '{"young"`'), "0 lines hold")
        self.refuses(GOOD.replace('`{"old"`', "`l`"), "2 lines hold")
        self.refuses(GOOD.replace("In `bench/table.c`", "In `bench/none.c`"), "no such file to change")
        self.refuses(GOOD.replace("bench/new.c", "bench/table.c"), "there already")
        self.refuses(GOOD.replace("bench/new.c", "../new.c"), "not a path of the repository")

    def test_slips_of_the_pen(self):
        self.refuses(GOOD.replace("New file `bench/new.c`:", "New file `bench/new.c`"), "Not understood")
        self.refuses(GOOD.replace(", after ", ", behind "), "Not understood")
        self.refuses(GOOD.replace("New file `bench/new.c`:\n", "New file `bench/new.c`:\n\nWords.\n"), "should follow")
        self.refuses(GOOD.rstrip()[:-3], "never ends")
        self.refuses(GOOD + "New file `x`:\n", "page ends before")
        self.refuses(GOOD.replace("$ cat", "cat"), "begins with")


    def test_a_page_that_is_gone(self):
        extend.check_all_there(list(extend.PROMISES))
        with self.assertRaisesRegex(extend.Wrong, "no page for: shape"):
            extend.check_all_there([name for name in extend.PROMISES if name != "shape"])


class Commands(unittest.TestCase):
    def page(self, commands):
        return extend.Page("benchmark", GOOD[: GOOD.index("```console")] + "```console\n" + commands + "```\n")

    def runs(self, commands):
        with tempfile.TemporaryDirectory() as folder:
            extend.run_commands(self.page(commands), os.path.join(folder, "touchstone"), os.path.join(folder, "try"))

    def test_output_in_order(self):
        self.runs("$ cat sub/word.txt\nhello\n")
        self.runs("$ printf 'a [1]\\nb\\nc  d\\n'\na [1]\nc d\n")
        self.runs("$ echo problem >&2\npro...\n")

    def test_commands_that_do_not_say_it(self):
        for commands in ("$ cat sub/word.txt\nhullo\n", "$ cat sub/word.txt\nhel\n", "$ printf 'b\\na\\n'\na\nb\n",
                         "$ echo ab\na?\n", "$ true\nword\n"):
            with self.assertRaisesRegex(extend.Wrong, "does not say"):
                self.runs(commands)

    def test_commands_that_fail(self):
        with self.assertRaisesRegex(extend.Wrong, "failed"):
            self.runs("$ exit 3\n")


class Tree(unittest.TestCase):
    def test_the_copy_holds_exactly_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            extend.write_tree({"a/b": b"1", "c": b"2"}, folder)
            before = os.stat(os.path.join(folder, "c")).st_mtime_ns
            extend.write_tree({"c": b"2", "d": b"3"}, folder)
            self.assertEqual(extend.repository_files(folder), {"c": b"2", "d": b"3"})
            self.assertEqual(os.stat(os.path.join(folder, "c")).st_mtime_ns, before)

    def test_a_tree_that_breaks_a_rule(self):
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with tempfile.TemporaryDirectory() as folder:
            tree = {path: data for path, data in extend.repository_files(root).items() if path.startswith(("base/", "tests/str"))}
            tree["base/up.c"] = b'#include "engine/sim.h"\n'
            extend.write_tree(tree, folder)
            with self.assertRaisesRegex(extend.Wrong, "against the arrows"):
                extend.check_structure(folder, [])

    def test_code_that_does_not_compile(self):
        with self.assertRaisesRegex(extend.Wrong, "building:"):
            extend.run(["sh", "-c", "echo error; false"], "building:")


if __name__ == "__main__":
    unittest.main()
