"""Finds private types that share their name with another type of their crate, and constants of several values.

Used by ``check_layers.py``. Public types may share a name: the module in their path says whose they are. Tests do not
count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from module_circles import without_tests

# Types of functions and associated types are indented or local; one-line modules of kernels indent theirs too.
_TYPE = re.compile(
    r"^ *(pub(?:\([^)]*\))? )?(?:struct|enum|union|trait) (\w+)|^(pub(?:\([^)]*\))? )?type (\w+)", re.MULTILINE
)

_NUMBER = re.compile(r"^ *(?:pub(?:\([^)]*\))? )?const ([A-Z][A-Z0-9_]*): [fiu]\w+ = (-?[0-9][^;]*);", re.MULTILINE)


def declared(text: str) -> list[tuple[str, bool]]:
    """Types that a file declares, each with whether it is public."""
    found = []
    for visibility, name, of_alias, alias in _TYPE.findall(without_tests(text)):
        found.append((name or alias, (visibility or of_alias).strip() == "pub"))
    return found


def shared_names(root: Path) -> dict[str, list[str]]:
    """Names of several types below ``root`` that are not all public, each with the files that declare it."""
    files, private = defaultdict(list), set()
    for path in sorted(root.rglob("*.rs")):
        if path.name == "tests.rs":
            continue
        for name, is_public in declared(path.read_text("utf-8")):
            files[name].append(str(path.relative_to(root)))
            if not is_public:
                private.add(name)
    return {name: where for name, where in sorted(files.items()) if len(where) > 1 and name in private}


def constants_of_several_values(root: Path) -> dict[str, list[str]]:
    """Names of numbers that have several values below ``root``, each with its values and files."""
    values, places = defaultdict(set), defaultdict(list)
    for path in sorted(root.rglob("*.rs")):
        if path.name == "tests.rs":
            continue
        for name, value in _NUMBER.findall(without_tests(path.read_text("utf-8"))):
            values[name].add(value)
            places[name].append(f"{value} in {path.relative_to(root)}")
    return {name: where for name, where in sorted(places.items()) if len(values[name]) > 1}
