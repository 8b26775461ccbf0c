#!/usr/bin/env python3
"""extend.py ROOT BUILD_DIR CMAKE CC GENERATOR: applies the worked examples of docs/extend/ to a copy of the repository, counts
the files they touch, builds the program and runs their commands. docs/extend/README.md describes the format of a page.
extend.py ROOT --apply DIR [PAGE...] only writes the copy with the pages applied: what a page looks like in place."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys

# What each page may touch: new files, changed files, lines in changed files (None: as many as it takes).
PROMISES = {
    "solver": (1, 1, 1),
    "row_source": (1, 2, 2),
    "joint_type": (3, 3, None),
    "shape": (1, 2, 2),
    "scene": (1, 1, 1),
    "experiment": (1, 1, 1),
    "benchmark": (1, 2, 2),
}
# New and changed files together, where the promise is about their sum.
MOST_FILES = {"joint_type": 3}

NEW_FILE = re.compile(r"^New file `([^`]+)`:\s*$")
CHANGE = re.compile(r"^In `([^`]+)`, (after|before|instead of) `([^`]+)`:\s*$")
TRIAL = re.compile(r"^To try it, `([^`]+)`:\s*$")
FENCE = re.compile(r"^(`{3,})(\S*)\s*$")


class Wrong(Exception):
    """What is wrong with a page, for its reader."""


class Page:
    """What the test reads of a page: new files, changes, files to try it with, commands."""

    def __init__(self, name, text):
        self.name = name
        self.new_files = []  # (path, text)
        self.changes = []  # (path, where, anchor, lines)
        self.trials = []  # (path, text)
        self.commands = []  # (command, expected lines)
        self.read(text.split("\n"))

    def read(self, lines):
        waiting = None  # the line that says what the next block is
        at = 0
        while at < len(lines):
            fence = FENCE.match(lines[at])
            if not fence:
                if lines[at].strip():
                    if waiting:
                        raise Wrong(f"line {at + 1}: a fenced block should follow: {waiting[0]}")
                    waiting = self.directive(lines[at])
                at += 1
                continue
            end = at + 1
            while end < len(lines) and lines[end].rstrip() != fence[1]:
                end += 1
            if end == len(lines):
                raise Wrong(f"line {at + 1}: this block never ends")
            self.take(waiting, fence[2], lines[at + 1 : end])
            waiting = None
            at = end + 1
        if waiting:
            raise Wrong(f"the page ends before the block of: {waiting[0]}")

    @staticmethod
    def directive(line):
        for pattern in (NEW_FILE, CHANGE, TRIAL):
            found = pattern.match(line)
            if found:
                return line, pattern, found.groups()
        if line.startswith(("New file `", "To try it, `")) or re.match(r"In `[^`]+`, ", line):
            raise Wrong(f"meant for the test? Not understood: {line}")
        return None

    def take(self, waiting, kind, body):
        if waiting:
            _, pattern, groups = waiting
            text = "\n".join(body) + "\n"
            if pattern is NEW_FILE:
                self.new_files.append((groups[0], text))
            elif pattern is TRIAL:
                self.trials.append((groups[0], text))
            else:
                self.changes.append((*groups, body))
        elif kind == "console":
            if not body or not body[0].startswith("$ "):
                raise Wrong("a block of commands begins with '$ '")
            for line in body:
                if line.startswith("$ "):
                    self.commands.append((line[2:], []))
                elif line.strip():
                    self.commands[-1][1].append(line)

    def count(self):
        """Number of new files, of changed files, of lines in changed files."""
        changed = {path for path, _, _, _ in self.changes}
        return len(self.new_files), len(changed), sum(sum(1 for x in c[3] if x.strip()) for c in self.changes)

    def check_promise(self):
        if self.name not in PROMISES:
            raise Wrong("PROMISES in tests/extend/extend.py does not say how many files this may touch")
        if not self.commands:
            raise Wrong("no command shows that it works")
        new, changed, lines = self.count()
        most_new, most_changed, most_lines = PROMISES[self.name]
        found = f"{new} new file(s), {changed} changed, {lines} line(s) in them"
        if new > most_new or changed > most_changed or (most_lines is not None and lines > most_lines):
            raise Wrong(f"touches more than promised: {found}")
        if new + changed > MOST_FILES.get(self.name, new + changed):
            raise Wrong(f"touches more than {MOST_FILES[self.name]} files: {found}")
        return found


def inside(root, path):
    """The path below root; a page must not write elsewhere."""
    full = os.path.normpath(os.path.join(root, path))
    if os.path.isabs(path) or not full.startswith(os.path.join(root, "")):
        raise Wrong(f"not a path of the repository: {path}")
    return full


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def apply_page(page, files):
    """Applies a page to `files`, a dictionary of paths and texts (bytes where nothing was changed yet)."""
    for path, text in page.new_files:
        inside("/tree", path)
        if path in files:
            raise Wrong(f"new file that is there already: {path}")
        files[path] = text.encode()
    for path, where, anchor, body in page.changes:
        if path not in files:
            raise Wrong(f"no such file to change: {path}")
        lines = files[path].decode().split("\n")
        found = [i for i, line in enumerate(lines) if anchor in line]
        if len(found) != 1:
            raise Wrong(f"{path}: {len(found)} lines hold '{anchor}', not one")
        first = found[0] + (where == "after")
        lines[first : found[0] + (where != "before")] = body
        files[path] = "\n".join(lines).encode()


def repository_files(root):
    """All files git tracks or would track; without git, all but build folders."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
            listed += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    files = {}
    for path in listed:
        full = os.path.join(root, path)
        if path and os.path.isfile(full):
            with open(full, "rb") as file:
                files[path] = file.read()
    if not files:
        raise Wrong(f"no files in {root}")
    return files


def write_tree(files, tree):
    """Makes `tree` hold exactly these files; those that are equal keep their time, so that they are not built again."""
    for folder, _, names in os.walk(tree):
        for name in names:
            full = os.path.join(folder, name)
            if os.path.relpath(full, tree) not in files:
                os.remove(full)
    for path, data in files.items():
        full = inside(tree, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        if os.path.isfile(full):
            with open(full, "rb") as file:
                if file.read() == data:
                    continue
        with open(full, "wb") as file:
            file.write(data)
    os.chmod(os.path.join(tree, "ts"), 0o755) if "ts" in files else None


def run(command, what, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        raise Wrong(f"{what}\n{done.stdout[-6000:]}")
    return done.stdout


def squeezed(line):
    return " ".join(line.split())


def check_output(command, output, expected):
    lines = [squeezed(line) for line in output.split("\n")]
    at = 0
    for wanted in map(squeezed, expected):
        # fnmatch without its own wildcards: only '...' is one.
        pattern = "*".join(re.sub(r"([*?[])", r"[\1]", part) for part in wanted.split("..."))
        while at < len(lines) and not fnmatch.fnmatchcase(lines[at], pattern):
            at += 1
        if at == len(lines):
            raise Wrong(f"$ {command}\ndoes not say: {wanted}\nbut:\n{output[-3000:]}")
        at += 1


def run_commands(page, program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path, text in page.trials:
        full = inside(folder, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
    environment = dict(os.environ, PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"])
    for command, expected in page.commands:
        output = run(["sh", "-c", command], f"$ {command}\nfailed:", cwd=folder, env=environment, timeout=100)
        check_output(command, output, expected)


def check_structure(tree, pages):
    checks = os.path.join(tree, "tests", "structure")
    for check in ("includes", "docs", "sizes", "umbrella"):
        run(["sh", os.path.join(checks, f"check_{check}.sh"), tree], f"check_{check} on the tree with the pages' code:")
    touched = {path for page in pages for path, _ in page.new_files}
    touched |= {path for page in pages for path, _, _, _ in page.changes}
    sources = [path for path in sorted(touched) if path.endswith((".c", ".h"))]
    if sources and shutil.which("clang-format"):
        run(["clang-format", "--dry-run", "-Werror", *sources], "clang-format:", cwd=tree)


def build(tree, folder, cmake, cc, generator):
    off = [f"-D{name}=OFF" for name in ("TS_VIEWER", "TS_HDF5", "TS_PYTHON", "TS_MPI", "TS_PEERS", "BUILD_TESTING")]
    # -O1: half the time of -O2, and the commands need no speed.
    run([cmake, "-S", tree, "-B", folder, "-G", generator, f"-DCMAKE_C_COMPILER={cc}", "-DCMAKE_BUILD_TYPE=Release",
         "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", *off], "configuring:")
    run([cmake, "--build", folder, "--target", "touchstone", "--parallel", "2"], "building:")
    return os.path.join(folder, "touchstone")


def check_all_there(names):
    """A page that is promised must not go missing unseen."""
    missing = [name for name in PROMISES if name not in names]
    if missing:
        raise Wrong(f"docs/extend has no page for: {', '.join(missing)}")


def read_pages(root, names):
    folder = os.path.join(root, "docs", "extend")
    if not names:
        names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".md") and name != "README.md")
        check_all_there(names)
    pages = []
    for name in names:
        try:
            pages.append(Page(name, read_file(os.path.join(folder, name + ".md"))))
        except Wrong as wrong:
            raise Wrong(f"docs/extend/{name}.md: {wrong}") from wrong
    return pages


def each(pages, what):
    for page in pages:
        try:
            said = what(page)
            if said:
                print(f"{page.name}: {said}", flush=True)
        except Wrong as wrong:
            raise Wrong(f"docs/extend/{page.name}.md: {wrong}") from wrong


def main(arguments):
    root = os.path.abspath(arguments[0])
    only_apply = arguments[1] == "--apply"
    pages = read_pages(root, arguments[3:] if only_apply else [])
    files = repository_files(root)
    each(pages, Page.check_promise)
    each(pages, lambda page: apply_page(page, files))
    if only_apply:
        write_tree(files, os.path.abspath(arguments[2]))
        return
    work = os.path.abspath(arguments[1])
    tree = os.path.join(work, "tree")
    os.makedirs(tree, exist_ok=True)
    write_tree(files, tree)
    check_structure(tree, pages)
    program = build(tree, os.path.join(work, "build"), *arguments[2:5])
    each(pages, lambda page: run_commands(page, program, os.path.join(work, "try", page.name)))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except Wrong as wrong:
        sys.exit(f"extend: {wrong}")
