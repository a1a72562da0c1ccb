"""What the documentation must name, taken from the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_make_target_says_what_it_does() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z][a-z-]*):.*$", makefile, flags=re.MULTILINE)
    described = re.findall(r"^([a-z][a-z-]*):.* ## ", makefile, flags=re.MULTILINE)
    assert len(targets) > 10
    assert targets == described


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [path.relative_to(ROOT / "docs-site").as_posix() for path in (ROOT / "docs-site").rglob("*.md")]
    assert len(pages) > 5
    assert [page for page in pages if page not in navigation] == []


def test_the_version_is_the_same_everywhere() -> None:
    cargo = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text("utf-8"), flags=re.MULTILINE)
    python = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), flags=re.MULTILINE)
    assert cargo is not None
    assert python is not None
    assert cargo.group(1) == python.group(1)
    # Of the changelog the newest release, which stands below what follows it.
    headings = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), flags=re.MULTILINE)
    assert headings[:2] == ["Unreleased", cargo.group(1)]


def benchmark_row(begin: str) -> list[str]:
    """The cells of the one row of the benchmark page that begins so."""
    page = (ROOT / "docs-site" / "benchmarks.md").read_text("utf-8")
    # A section of several robots has one row of each: the first one counts.
    (row, *_) = [line for line in page.splitlines() if line.startswith(f"| {begin} |")]
    return [cell.strip() for cell in row.strip("|").split("|")]


def readme_number(anchor: str) -> str:
    """The number that the README gives beside a link to a section of the benchmark page."""
    readme = (ROOT / "README.md").read_text("utf-8")
    (row,) = [line for line in readme.splitlines() if f"benchmarks.md#{anchor})" in line]
    return row.strip("|").split("|")[1].strip()


def test_the_numbers_of_the_readme_are_those_of_the_benchmark_page() -> None:
    panda = benchmark_row("panda | all")
    assert (panda[2], panda[3]) == ("357", "357"), "valid and solved"
    assert readme_number("motionbenchmaker") == panda[7].split(" / ")[1] + " ms"
    page = (ROOT / "docs-site" / "benchmarks.md").read_text("utf-8")
    beside = page[page.index("<!-- vamp_peers: begin -->") : page.index("<!-- vamp_peers: end -->")]
    ratios = re.findall(r"^\| (\w+) \| all \|[^|]*\|[^|]*\|[^|]*\| ([0-9.]+) \|", beside, flags=re.MULTILINE)
    assert [robot for robot, _ in ratios] == ["panda", "ur5", "fetch", "baxter"]
    assert readme_number("beside-vamp") == ", ".join(ratio for _, ratio in ratios)
    call = float(benchmark_row("`planner.plan(…)`")[1])
    assert readme_number("what-a-call-costs") == f"{call / 1e3:.1f} ms"
    number, unit = benchmark_row("`ik/all_branches/three_parallel/ur5e`")[1].split()
    assert readme_number("building-blocks") == f"{float(number) / {'ns': 1e3, 'µs': 1.0}[unit]:.2f} µs"
