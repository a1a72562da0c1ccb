"""Finds circles of source files inside a crate: files that use each other's names in a loop.

Used by ``check_layers.py``. A file uses another one when a path in it (``use`` or inline, tests aside) ends at a name
that the other one defines; names that a module hands on with ``use`` belong to the file that they come from. Circles of
nothing but a module and the files right below it are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Module = tuple[str, ...]

_COMMENT = re.compile(r"//[^\n]*")
_USE = re.compile(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);")
_INLINE = re.compile(r"\b((?:crate|self|super)(?:::\w+)+)")
_TESTS = re.compile(r"#\[cfg\((?:test|all\(test[^\]]*)\)\](?:\s*#\[[^\n]*\])*\s*mod\s+\w+\s*\{")


@dataclass
class Source:
    """A file with the names that it takes in, per name the path that it stands for, and those that it hands on."""

    path: Path
    text: str
    imports: dict[str, Module] = field(default_factory=dict)
    globs: list[Module] = field(default_factory=list)
    handed_on: set[str] = field(default_factory=set)


def module_of(path: Path, root: Path) -> Module:
    """The module that a file below ``src/`` is."""
    parts = path.relative_to(root).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def without_tests(text: str) -> str:
    """The text without comments and without modules of tests, which stand at the end of a file."""
    text = _COMMENT.sub("", text)
    tests = _TESTS.search(text)
    return text[: tests.start()] if tests else text


def expanded(tree: str, prefix: Module = ()) -> Iterator[tuple[Module, str]]:
    """The paths of a ``use`` tree, each with the name that it is known by; ``*`` for all."""
    for part in split(tree):
        head, brace, rest = part.partition("{")
        head, _, alias = (piece.strip() for piece in head.partition(" as "))
        names = tuple(name.strip() for name in head.split("::") if name.strip())
        if brace:
            yield from expanded(rest.rpartition("}")[0], prefix + names)
        elif names:
            path = prefix + names
            path = path[:-1] if path[-1] == "self" and len(path) > 1 else path
            yield path, alias or path[-1]


def split(tree: str) -> Iterator[str]:
    """Splits at the commas outside of braces."""
    depth, begin = 0, 0
    for place, character in enumerate(tree):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            yield tree[begin:place]
            begin = place + 1
    yield tree[begin:]


def absolute(path: Module, here: Module) -> Module | None:
    """The path from the crate's root; ``None`` for what begins with the name of a crate or of something nearby."""
    if path[0] == "crate":
        return path[1:]
    if path[0] not in ("self", "super"):
        return None
    while path and path[0] in ("self", "super"):
        here = here[:-1] if path[0] == "super" else here
        path = path[1:]
    return here + path


class Crate:
    """The files of one crate below ``src/`` and what they use of each other."""

    def __init__(self, root: Path) -> None:
        self.sources: dict[Module, Source] = {}
        for path in sorted(root.rglob("*.rs")):
            module = module_of(path, root)
            if not {"tests", "bin"} & set(module):
                self.sources[module] = Source(path, without_tests(path.read_text("utf-8")))
        for module, source in self.sources.items():
            self._take_in(module, source)

    def _take_in(self, module: Module, source: Source) -> None:
        for match in _USE.finditer(source.text):
            for path, name in expanded(match[2]):
                place = absolute(path, module)
                if place is None and module + path[:1] in self.sources:
                    place = module + path
                if place is None:
                    continue
                if name == "*":
                    source.globs.append(place[:-1])
                else:
                    source.imports[name] = place
                    if match[1]:
                        source.handed_on.add(name)

    def owner(self, path: Module, depth: int = 0) -> Module | None:
        """The module whose file defines what a path means."""
        if path in self.sources:
            return path
        for length in range(len(path) - 1, -1, -1):
            module, rest = path[:length], path[length:]
            if module not in self.sources:
                continue
            source = self.sources[module]
            if depth < 8 and rest[0] in source.imports and source.imports[rest[0]] != path:
                return self.owner(source.imports[rest[0]] + rest[1:], depth + 1)
            return module
        return None

    def uses(self) -> dict[Module, set[Module]]:
        """Per module the others whose names it uses."""
        arrows: dict[Module, set[Module]] = {module: set() for module in self.sources}
        for module, source in self.sources.items():
            text = _USE.sub("", source.text)
            inline = (absolute(tuple(match[1].split("::")), module) for match in _INLINE.finditer(text))
            alone = {name for name in source.handed_on if not re.search(rf"\b{name}\b", text)}
            used = (path for name, path in source.imports.items() if name not in alone)
            paths = [*used, *source.globs, *(path for path in inline if path)]
            owners = {self.owner(path) for path in paths}
            arrows[module] = {owner for owner in owners if owner is not None and owner != module}
        return arrows

    def circles(self) -> list[list[str]]:
        """Files that use each other in a loop, each circle once, as paths below ``src/`` in alphabetical order."""
        found = [group for group in components(self.uses()) if len(group) > 1 and not is_family(group)]
        return sorted(sorted("/".join(module) or "lib" for module in group) for group in found)


def is_family(group: list[Module]) -> bool:
    """Whether a group is a module and modules right below it."""
    head = min(group, key=len)
    return all(module == head or module[:-1] == head for module in group)


def components(arrows: dict[Module, set[Module]]) -> list[list[Module]]:
    """Strongly connected components (Tarjan 1972)."""
    index: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    found: list[list[Module]] = []

    def visit(node: Module) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(arrows[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            place = stack.index(node)
            found.append(stack[place:])
            del stack[place:]

    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found
