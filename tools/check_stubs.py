"""Checks that ``python/kinetic/_kinetic.pyi`` says what the compiled module offers.

The stubs are generated from the Rust signatures by ``maturin generate-stubs`` and committed. This regenerates them,
compares, and lets ``mypy.stubtest`` compare the result with the module as it is imported. ``--write`` updates the file.
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STUBS = ROOT / "python" / "kinetic" / "_kinetic.pyi"
ALLOWLIST = ROOT / "tools" / "stubtest_allowlist.txt"
BIN = Path(sys.executable).parent

HEADER = "# Generated from the Rust sources; do not edit. `make stubs` writes it anew.\n\n"


def generate() -> str:
    """The stubs of the sources as they are now."""
    with tempfile.TemporaryDirectory() as folder:
        # Profile and interpreter of the wheel, so that nothing is compiled twice.
        options = ["--profile", "release", "--interpreter", sys.executable, "--quiet", "--out", folder]
        command = [str(BIN / "maturin"), "generate-stubs", *options]
        subprocess.run(command, cwd=ROOT, check=True)
        stubs = with_overloads(one_file(Path(folder)).read_text("utf-8"))
        return HEADER + with_typed_keywords(with_literal_keywords(stubs, stub_keywords()))


# What a descriptor returns depends on how it is asked; Rust signatures cannot say that.
DESCRIPTOR = "    def __get__(self, instance: Goal | None, owner: Any | None = None, /) -> Any: ...\n"
OVERLOADS = """\
    @overload
    def __get__(self, instance: None, owner: Any, /) -> GoalJoints: ...
    @overload
    def __get__(self, instance: Goal, owner: Any | None = None, /) -> NDArray[float64] | None: ...
"""
IMPORTED = ", final\n"


# Where a type of a hint comes from; the stubs import its name.
MODULES = re.compile(r"\b(?:_typeshed|builtins|collections\.abc|kinetic|numpy\.typing|numpy|typing)\.(?=\w)")
OWNER = re.compile(r"class (\w+)")
FUNCTION = re.compile(r"( *)def (\w+)\(")
OPTIONS = re.compile(r"(?:\*positions, )?\*\*options\)")


def stub_keywords() -> dict[str, str]:
    """Names of calls whose options are read from ``**options``, with those options as parameters."""
    from kinetic._kinetic import _stub_keywords

    return _stub_keywords()


def with_literal_keywords(stubs: str, calls: dict[str, str]) -> str:
    """The stubs with the options of ``calls`` one by one."""
    lines, owner, missing = [], "", set(calls)
    for line in stubs.splitlines(keepends=True):
        if found := OWNER.match(line):
            owner = f"{found[1]}."
        if found := FUNCTION.match(line):
            name = found[2] if not found[1] else owner + found[2]
            if name in calls and OPTIONS.search(line):
                missing.discard(name)
                line = OPTIONS.sub(f"{MODULES.sub('', calls[name])})", line)
        lines.append(line)
    if missing:
        raise SystemExit(f"check_stubs: no **options in the generated stubs: {', '.join(sorted(missing))}")
    return "".join(lines)


# Keywords of all calls of inverse kinematics stand in one typed dictionary. Where a call has one of them as a parameter
# of its own, type checkers refuse the dictionary.
KEYWORDS = "**options)"
TYPED_KEYWORDS = "**options: Unpack[IKOptions])"
OWN_PARAMETER = " solver: str"
ARGUMENTS = "*arguments,"
IK_IMPORTS = "from kinetic.exceptions import KineticError\n"
TYPED_IMPORTS = IK_IMPORTS + "from kinetic.ik_options import IKOptions\n"
LAST_IMPORT = "from typing import "


def with_typed_keywords(stubs: str) -> str:
    """The stubs with the types of the options of inverse kinematics."""
    if KEYWORDS not in stubs or stubs.count(IK_IMPORTS) != 1:
        raise SystemExit(f"check_stubs: expected in the generated stubs: {KEYWORDS} and {IK_IMPORTS.strip()}")
    lines = stubs.replace(IK_IMPORTS, TYPED_IMPORTS).replace(ARGUMENTS, "*arguments: Any,").splitlines(keepends=True)
    typed = [line.replace(KEYWORDS, "**options: Any)" if OWN_PARAMETER in line else TYPED_KEYWORDS) for line in lines]
    last = next(index for index, line in enumerate(typed) if line.startswith(LAST_IMPORT))
    return "".join([*typed[: last + 1], "from typing_extensions import Unpack\n", *typed[last + 1 :]])


def with_overloads(stubs: str) -> str:
    """The stubs with both types of ``Goal.joints``: a constructor on the class, values on an instance."""
    for text in (DESCRIPTOR, IMPORTED):
        if stubs.count(text) != 1:
            raise SystemExit(f"check_stubs: expected once in the generated stubs: {text.strip()}")
    return stubs.replace(DESCRIPTOR, OVERLOADS).replace(IMPORTED, IMPORTED.replace("final\n", "final, overload\n"))


def one_file(folder: Path) -> Path:
    """The only stub file under ``folder``."""
    files = sorted(folder.rglob("*.pyi"))
    if len(files) != 1:
        raise SystemExit(f"check_stubs: expected one stub file, maturin wrote {len(files)}")
    return files[0]


def difference(committed: str, generated: str) -> str:
    """A unified diff from the committed to the generated stubs; empty when they are the same."""
    lines = difflib.unified_diff(
        committed.splitlines(keepends=True), generated.splitlines(keepends=True), "committed", "generated"
    )
    return "".join(lines)


def stubtest() -> int:
    """Runs stubtest; returns its exit code."""
    command = [sys.executable, "-m", "mypy.stubtest", "kinetic._kinetic", "--allowlist", str(ALLOWLIST), "--concise"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    """Compares, or writes with ``--write``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the generated stubs to the committed file")
    generated = generate()
    if parser.parse_args().write:
        STUBS.write_text(generated, "utf-8")
        print(f"wrote {STUBS.relative_to(ROOT)}")
        return 0
    changed = difference(STUBS.read_text("utf-8"), generated)
    if changed:
        print(changed, end="")
        print("check_stubs: the stubs are out of date; run `make stubs` and commit the result", file=sys.stderr)
        return 1
    return stubtest()


if __name__ == "__main__":
    sys.exit(main())
