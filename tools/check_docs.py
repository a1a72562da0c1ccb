"""Runs every code block of the documentation.

``python`` blocks of a page run one after another in one namespace, in an empty folder that the page's other blocks
share. ``console`` blocks run their lines that begin with ``$ kinetic``; the text between must be what they print, up to
lines of ``…``. ``toml`` and ``json`` blocks must parse. They and ``text`` blocks are written to the folder when they
carry a ``title``.
``rust`` blocks are documentation tests of the facade crate: the page must be included there. ``text`` and ``bash``
blocks are not run. A block without a language is an error.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
# Where the facade crate includes pages, so that `cargo test` runs their Rust blocks.
RUST_PAGES = ROOT / "crates" / "kinetic" / "src" / "doc_pages.rs"
LANGUAGES = frozenset({"python", "console", "toml", "json", "rust", "text", "bash"})
# Longest time one page's Python, or one command, may take, s: a hanging example must not hang the checks.
TIME_LIMIT = 300


@dataclass(frozen=True)
class Block:
    """One fenced block: where it is, its language, its title (a file name) and its lines."""

    page: str
    line: int
    language: str
    title: str | None
    text: str


def blocks_of(page: str, text: str) -> list[Block]:
    """All fenced blocks of a page; indented fences (in lists and tabs) count, less their indentation."""
    found: list[Block] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        fence = re.match(r"^( *)(`{3,}) *([\w+-]*)(.*)$", lines[number])
        if fence is None:
            number += 1
            continue
        indent, ticks, language, rest = fence.groups()
        start = number + 1
        end = start
        while end < len(lines) and lines[end].strip() != ticks:
            end += 1
        body = "\n".join(line[len(indent) :] for line in lines[start:end]) + "\n"
        title = re.search(r'title="([^"]*)"', rest)
        found.append(Block(page, start, language, title.group(1) if title else None, body))
        number = end + 1
    return found


def page_complaints(page: str, blocks: list[Block], rust_pages: str) -> list[str]:
    """What can be said without running anything: unknown languages, Rust that no test includes."""
    complaints = [
        f"{page}:{block.line}: language {block.language!r}, wanted one of {', '.join(sorted(LANGUAGES))}"
        for block in blocks
        if block.language not in LANGUAGES
    ]
    if any(block.language == "rust" for block in blocks) and f'/{page}"' not in rust_pages:
        complaints.append(f"{page} has Rust blocks, but crates/kinetic/src/doc_pages.rs does not include it")
    return complaints


def python_script(blocks: list[Block]) -> str:
    """The page's Python as one program whose tracebacks name the page and its lines."""
    parts = [
        f"exec(compile({chr(10) * block.line + block.text!r}, {block.page!r}, 'exec'))"
        for block in blocks
        if block.language == "python"
    ]
    return "\n".join(parts)


def run(command: list[str], folder: Path, label: str) -> tuple[str | None, str]:
    """Runs a command; returns a complaint or None, and what it printed on stdout."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "MPLBACKEND": "Agg"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{label}: not done after {TIME_LIMIT} s", ""
    if done.returncode != 0:
        return f"{label}: exit code {done.returncode}\n{done.stdout}{done.stderr}", done.stdout
    return None, done.stdout


def console_steps(text: str) -> list[tuple[str, str]]:
    """Commands of a console block, each with the output that follows it."""
    steps: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], ""))
        elif steps:
            command, output = steps[-1]
            steps[-1] = (command, output + line + "\n")
    return steps


def output_matches(wanted: str, printed: str) -> bool:
    """True when the lines agree; a line ``…`` stands for any lines, and no lines at all for any output."""
    if not wanted.strip():
        return True
    parts = [
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()) + r"[ \t]*\n"
        for line in wanted.rstrip().splitlines()
    ]
    return re.fullmatch("".join(parts), printed.rstrip() + "\n") is not None


def check_console(block: Block, folder: Path) -> list[str]:
    """Runs the ``kinetic`` commands of a block."""
    complaints = []
    for command, wanted in console_steps(block.text):
        words = shlex.split(command)
        if words[0] != "kinetic":
            continue
        label = f"{block.page}:{block.line}: {command}"
        complaint, printed = run(words, folder, label)
        if complaint is None and not output_matches(wanted, printed):
            complaint = f"{label}: the page shows\n{wanted}\nbut it prints\n{printed}"
        complaints += [] if complaint is None else [complaint]
    return complaints


def check_data(block: Block, folder: Path) -> list[str]:
    """Parses TOML or JSON; writes it, or any text, where its title says."""
    parse = {"toml": tomllib.loads, "json": json.loads}.get(block.language, str)
    try:
        parse(block.text)
    except ValueError as error:
        return [f"{block.page}:{block.line}: {error}"]
    if block.title is not None:
        (folder / block.title).write_text(block.text, "utf-8")
    return []


def check_page(page: str, blocks: list[Block]) -> list[str]:
    """Runs a page: its data first (the programs read it), then its Python, then its commands."""
    complaints: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for block in blocks:
            if block.language in ("toml", "json", "text"):
                complaints += check_data(block, folder)
        script = python_script(blocks)
        if script:
            complaint, _ = run([sys.executable, "-c", script], folder, page)
            complaints += [] if complaint is None else [complaint]
        for block in blocks:
            if block.language == "console":
                complaints += check_console(block, folder)
    return complaints


def pages() -> Iterable[Path]:
    """Every page of the documentation."""
    yield ROOT / "README.md"
    yield ROOT / "CONTRIBUTING.md"
    yield from sorted((ROOT / "docs-site").rglob("*.md"))


def main() -> int:
    """Checks every page and counts the blocks of each language; 1 when something is wrong or nothing ran."""
    rust_pages = RUST_PAGES.read_text("utf-8") if RUST_PAGES.exists() else ""
    counts: Counter[str] = Counter()
    complaints: list[str] = []
    for path in pages():
        page = path.relative_to(ROOT).as_posix()
        blocks = blocks_of(page, path.read_text("utf-8"))
        counts.update(block.language for block in blocks)
        complaints += page_complaints(page, blocks, rust_pages) + check_page(page, blocks)
    for complaint in complaints:
        print(f"check_docs: {complaint}", file=sys.stderr)
    print(", ".join(f"{count} {language}" for language, count in sorted(counts.items())) or "no code blocks")
    print(f"{len(complaints)} complaints")
    return 1 if complaints or counts["python"] + counts["console"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
