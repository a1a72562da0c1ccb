"""Tables, units, JSON and the progress bar of the command line."""

import gzip
import io
import json
import math
from argparse import Namespace

import pytest

from kinetic.cli import bench
from kinetic.cli.output import duration, facts, finite, length, table
from kinetic.cli.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def row(family: str, index: int, *, solved: bool = True, time: float = 100.0) -> dict:
    times = dict.fromkeys(bench.TIMES, time)
    return {"family": family, "index": index, "valid": True, "solved": solved, "length_raw": 8, "length": 5} | times


def test_a_table_aligns_names_left_and_numbers_right() -> None:
    assert table(("name", "n"), [["a", "1"], ["bcdef", "123"]]) == ("name     n\n─────  ───\na        1\nbcdef  123")


def test_facts_stand_in_two_columns() -> None:
    assert facts([("a", "1"), ("long", "2")]) == "  a      1\n  long   2"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 µs"), (6.4e-4, "640 µs"), (8.3e-3, "8.30 ms"), (0.9996, "1000 ms"), (1.24, "1.24 s"), (4321.0, "4321 s")],
)
def test_durations_have_a_unit_that_suits_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_lengths_are_millimetres() -> None:
    assert length(0.0234) == "23.4 mm"
    assert length(-0.001) == "-1.0 mm"
    assert length(math.inf) == "nothing near"


def test_infinities_become_null_wherever_they_stand() -> None:
    assert finite({"a": [1.0, math.inf], "b": {"c": (math.nan, "x")}}) == {"a": [1.0, None], "b": {"c": [None, "x"]}}


def test_a_progress_bar_is_silent_without_a_terminal() -> None:
    stream = io.StringIO()
    with ProgressBar("work", stream=stream) as bar:
        bar.update(1, 2)
    assert stream.getvalue() == ""


def test_a_progress_bar_shows_the_part_that_is_done_and_clears_its_line() -> None:
    stream = Terminal()
    with ProgressBar("work", stream=stream) as bar:
        bar.update(15, 30, "cage")
    assert "work [" + "█" * 15 + "░" * 15 + "] 15/30 cage" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_a_progress_bar_can_be_switched_off() -> None:
    stream = Terminal()
    with ProgressBar("work", enabled=False, stream=stream) as bar:
        bar.update(30, 30)
    assert stream.getvalue() == ""


def test_the_bench_table_has_a_line_per_family_and_one_for_all() -> None:
    rows = [row("box", 0), row("box", 2, time=300.0), row("cage", 0, solved=False)]
    args = Namespace(robot="panda", model="given", cylinders="vamp", seed=1, planner="auto", budget_ms=10_000.0)
    lines = bench.text(args, {"machine": "test machine", "rows": rows}).splitlines()
    assert lines[1] == "test machine"
    by_family = {line.split()[0]: line.split() for line in lines if line.startswith(("box", "cage", "all"))}
    # 95th percentile of {100, 300} by linear interpolation: 100 + 0.95 · 200.
    assert by_family["box"][1:9] == ["2", "2", "2", "200", "/", "200", "/", "290"]
    assert by_family["cage"][1:] == ["1", "1", "0", "–", "–", "–", "–", "–", "–"]
    assert by_family["all"][1:4] == ["3", "3", "2"]


def test_paths_are_written_as_the_judge_reads_them_and_always_with_the_same_bytes(tmp_path) -> None:
    paths = [{"family": "box", "index": 2, "path": [[0.1, 0.2], [0.30000000000000004, 1e-17]]}]
    files = [tmp_path / "a.json.gz", tmp_path / "b.json.gz"]
    for file in files:
        bench.write_paths(file, "panda", paths)
    with gzip.open(files[0], "rt") as stream:
        assert json.load(stream) == {"robot": "panda", "paths": paths}
    assert files[0].read_bytes() == files[1].read_bytes()


def test_bench_json_holds_machine_and_rows_and_nothing_else(monkeypatch, capsys) -> None:
    answer = json.dumps({"machine": "test machine", "rows": [row("box", 0)], "paths": []})
    monkeypatch.setattr(bench, "bench_mbm", lambda *_: answer)
    options = {"model": "given", "cylinders": "vamp", "seed": 1, "planner": "auto", "budget_ms": 10_000.0}
    args = Namespace(data="d", robot="panda", **options, paths=None, judge=False, json=True)
    assert bench.run(args) == 0
    assert json.loads(capsys.readouterr().out) == {"machine": "test machine", "rows": [row("box", 0)]}
