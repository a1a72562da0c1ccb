"""What ARCHITECTURE.md says of functions, compared with the sources."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_HOPS = 12


def hops() -> list[tuple[str, str]]:
    """File and function of each step from a query to the first sphere test."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    section = text.split("## From a query to the first sphere test")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([^`]+)`: `(\w+)`$", section, flags=re.MULTILINE)


def test_a_query_reaches_the_first_sphere_test_in_few_hops() -> None:
    assert 5 < len(hops()) <= MOST_HOPS


def test_every_hop_exists() -> None:
    for file, function in hops():
        source = (ROOT / file).read_text("utf-8")
        assert re.search(rf"\bfn {function}\b", source), (file, function)


def test_every_hop_calls_the_next_one() -> None:
    steps = hops()
    for (file, _), (_, callee) in zip(steps, steps[1:], strict=False):
        source = (ROOT / file).read_text("utf-8")
        # A kernel is passed as a value that is named like its method.
        names = rf"(\.{callee}(::<\w+>)?\(|\b{callee.capitalize()} \{{)"
        assert re.search(names, source), (file, callee)
