"""Compares whole plans of kinetic, OMPL, roboplan and mplib on the same problems in one run.

    python benches/planning_peers.py                          # generated robots and worlds; prints the table
    python benches/planning_peers.py --data DIR --write       # also MotionBenchMaker; writes docs-site/benchmarks.md

Robots are made of spheres; cylinders have flat ends, since not all libraries have capsules. A plan is a search and a
simplification with each library's defaults, but that the longest step is 1 rad and edges are sampled every 1/32 rad
where that can be said. kinetic's includes the proof of every motion. OMPL is asked twice: with kinetic's answer about
states, and with kinetic's proof about motions; both are called back in Python, which costs a few µs a question. Setting
up a robot and a scene is not counted. Times of kinetic are the least of three calls, those of the others the processor
time of one, so that what else the machine does matters little. Every library gets an environment of its own under
``target/planning_peers``. Paths are judged by ``kinetic.cli.mbm_judge``, NumPy that shares nothing with any of them.
Ratios are medians over the problems that both solved.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import kinetic
from kinetic import _kinetic
from kinetic.cli import mbm_judge

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import generated_problems  # noqa: E402
from figures import replace_section  # noqa: E402
from planning_peers_worker import PEERS  # noqa: E402

Json = dict[str, Any]
PAGE = ROOT / "docs-site" / "benchmarks.md"
FOLDER = ROOT / "target" / "planning_peers"
DOFS = [6, 7, 10, 14]
"""Joints of generated robots."""
OWN = "kinetic"
REPEATS = 3


def environment(distribution: str) -> str:
    """The interpreter for a library; made when it is missing."""
    folder = FOLDER / distribution
    python = str(folder / "bin" / "python")
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "numpy", "scipy", distribution], check=True)
        (folder / "ready").touch()
    return python


def lines_of(distribution: str, script: Path, job: Json) -> list[Json]:
    """What a script prints with ``--worker`` in the environment of a library: JSON, one answer a line."""
    python = environment(distribution)
    file = FOLDER / f"{script.stem}.json"
    file.write_text(json.dumps(job), "utf-8")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), str(ROOT / "benches")])}
    command = [python, str(script), "--worker", str(file)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=variables)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def joint_of(model: Json, joint: Json) -> ElementTree.Element:
    """A joint in URDF; those that the problems do not move are fixed."""
    active = joint["name"] in model["active_joints"]
    kind = "fixed" if not active else "prismatic" if joint["type"] == "prismatic" else "revolute"
    # roboplan wants names that links and joints do not share.
    name = joint["name"] if active or joint["name"] not in model["links"] else f"{joint['name']}_joint"
    made = ElementTree.Element("joint", name=name, type=kind)
    text = {key: " ".join(map(repr, joint[key])) for key in ("origin_xyz", "origin_rpy", "axis")}
    ElementTree.SubElement(made, "parent", link=joint["parent"])
    ElementTree.SubElement(made, "child", link=joint["child"])
    ElementTree.SubElement(made, "origin", xyz=text["origin_xyz"], rpy=text["origin_rpy"])
    ElementTree.SubElement(made, "axis", xyz=text["axis"])
    if active:
        index = model["active_joints"].index(joint["name"])
        limits = {bound: repr(model[bound][index]) for bound in ("lower", "upper")}
        ElementTree.SubElement(made, "limit", **limits, velocity="1", effort="1")
    return made


def write_urdf(model: Json, file: Path) -> None:
    """The robot of spheres, with some mass, which mplib wants."""
    robot = ElementTree.Element("robot", name=model["robot"])
    for name in model["links"]:
        link = ElementTree.SubElement(robot, "link", name=name)
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "mass", value="1")
        ElementTree.SubElement(inertial, "inertia", ixx="1", iyy="1", izz="1", ixy="0", ixz="0", iyz="0")
        for sphere in (sphere for sphere in model["spheres"] if sphere["link"] == name):
            collision = ElementTree.SubElement(link, "collision")
            ElementTree.SubElement(collision, "origin", xyz=" ".join(map(repr, sphere["center"])))
            geometry = ElementTree.SubElement(collision, "geometry")
            ElementTree.SubElement(geometry, "sphere", radius=repr(sphere["radius"]))
    robot.extend([joint_of(model, joint) for joint in model["joints"]])
    ElementTree.ElementTree(robot).write(file)


def write_srdf(model: Json, file: Path) -> None:
    """The pairs that are not checked."""
    checked = {frozenset(pair) for pair in model["self_collision_link_pairs"]}
    robot = ElementTree.Element("robot", name=model["robot"])
    for index, a in enumerate(model["links"]):
        for b in model["links"][index + 1 :]:
            if frozenset((a, b)) not in checked:
                ElementTree.SubElement(robot, "disable_collisions", link1=a, link2=b, reason="Never")
    ElementTree.ElementTree(robot).write(file)


def fixed_links(model: Json) -> list[str]:
    """Links that stand whatever the joints do; kinetic compares them with nothing."""
    moved = {joint["child"] for joint in model["joints"] if joint["name"] in model["active_joints"]}
    for _ in model["links"]:
        moved |= {joint["child"] for joint in model["joints"] if joint["parent"] in moved}
    return [link for link in model["links"] if link not in moved]


def problems_of(data: Path, robot: str, every: int) -> list[Json]:
    """The valid problems of a robot, each with the name of its family; every so many of each family."""
    found = []
    for file in sorted((data / "problems" / robot).iterdir()):
        family = mbm_judge.read_json(file)
        valid = [problem for problem in family["problems"] if problem["valid_exact"]]
        found += [{**problem, "family": family["family"]} for problem in valid[::every]]
    return found


def ask(name: str, job: Json) -> Json:
    """Version and answers of a library."""
    files = [FOLDER / f"{kind}.json" for kind in ("job", "answer")]
    files[0].write_text(json.dumps(job), "utf-8")
    files[1].unlink(missing_ok=True)
    worker = str(ROOT / "benches" / "planning_peers_worker.py")
    command = [environment(PEERS[name][0]), worker, name, *map(str, files)]
    variables = {**os.environ, "PYTHONPATH": str(Path(kinetic.__file__).parents[1])}
    # What libraries print about leaks and solvers is no answer.
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=FOLDER, env=variables)
    if not files[1].exists():
        last = done.stderr.strip().splitlines()[-1:]
        return {"version": "", "note": f"failed: {' '.join(last)}"}
    return json.loads(files[1].read_text("utf-8"))


def own_answers(job: Json) -> Json:
    """kinetic's own plans of the same problems, each as fast as the fastest of some calls."""
    arguments = (job["data"], job["model"]["robot"], "given", "exact", 1, "auto", job["timeout"])
    reports = [json.loads(_kinetic.bench_mbm(*arguments)) for _ in range(REPEATS)]
    rows: dict[tuple[str, int], Json] = {}
    for row in (row for report in reports for row in report["rows"]):
        key = (row["family"], row["index"])
        rows[key] = min(rows.get(key, row), row, key=lambda row: row["total_us"])
    paths = {(path["family"], path["index"]): path["path"] for path in reports[0]["paths"]}
    answers = []
    for problem in job["problems"]:
        key = (problem["family"], problem["index"])
        if key in paths:
            times = {"search": 1e-6 * rows[key]["plan_us"], "path": paths[key]}
            times["simplification"] = 1e-6 * (rows[key]["simplify_us"] + rows[key]["verify_us"])
        answers.append(times if key in paths else {"note": rows[key]["failure"]})
    return {"version": kinetic.__version__, "answers": answers}


def length(path: list[list[float]]) -> float:
    """Euclidean, in joint space."""
    return sum(sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5 for a, b in zip(path, path[1:]))


def total(answer: Json) -> float:
    """Seconds of a whole plan."""
    return answer["search"] + (answer["simplification"] or 0.0)


def milliseconds(values: list[float]) -> str:
    """Mean and median of seconds."""
    return f"{1e3 * statistics.mean(values):.2f} / {1e3 * statistics.median(values):.2f}"


def row(name: str, job: Json, found: Json, own: list[Json]) -> str:
    """One line of the table."""
    label = f"{name} {found['version']}" if name == OWN else f"{name}, {found['version']}".rstrip(", ")
    if "note" in found:
        return f"| {job['model']['robot']} | {label} | {found['note']} | | | | | | |"
    solved = [(problem, answer) for problem, answer in zip(job["problems"], found["answers"]) if "path" in answer]
    cells = [job["model"]["robot"], label, f"{len(solved)}/{len(job['problems'])}"]
    if not solved:
        return "| " + " | ".join(cells) + " | – | – | – | – | – | – |"
    answers = [answer for _, answer in solved]
    one_call = answers[0]["simplification"] is None
    cells += (
        ["in total"] * 2
        if one_call
        else [milliseconds([answer[part] for answer in answers]) for part in ("search", "simplification")]
    )
    cells.append(milliseconds([total(answer) for answer in answers]))
    both = [(mine, other) for mine, other in zip(own, found["answers"]) if "path" in mine and "path" in other]
    cells.append(f"{statistics.median(total(other) / total(mine) for mine, other in both):.1f}")
    cells.append(f"{statistics.mean(length(answer['path']) for answer in answers):.2f}")
    entries = [
        {"family": problem["family"], "index": problem["index"], "path": answer["path"]} for problem, answer in solved
    ]
    verdict = mbm_judge.judge(job["data"], job["model"]["robot"], "exact", entries)
    cells.append(f"{len(verdict['touching'])}, {1e3 * verdict['deepest']:.2f} mm")
    return "| " + " | ".join(cells) + " |"


def measure(data: Path, robot: str, every: int, timeout: float, peers: list[str]) -> list[str]:
    """The rows of a robot."""
    model = mbm_judge.read_json(data / "models" / robot / "model.json")
    files = {kind: FOLDER / f"{robot}.{kind}" for kind in ("urdf", "srdf")}
    write_urdf(model, files["urdf"])
    write_srdf(model, files["srdf"])
    job = {
        "data": str(data),
        "model": model,
        **{kind: str(file) for kind, file in files.items()},
        "fixed": fixed_links(model),
        "problems": problems_of(data, robot, every),
        "timeout": timeout,
    }
    own = own_answers(job)
    rows = [row(OWN, job, own, own["answers"])]
    for name in peers:
        rows.append(row(name, job, ask(name, job), own["answers"]))
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of MotionBenchMaker problems and models")
    parser.add_argument("--robots", nargs="*", default=["panda", "ur5", "fetch", "baxter"], help="of the data")
    parser.add_argument("--every", type=int, default=10, help="takes every so many problems of a family of the data")
    parser.add_argument("--problems", type=int, default=10, help="generated problems per robot and world")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds of a search")
    parser.add_argument("--only", nargs="+", choices=PEERS, help="libraries beside kinetic; the page takes all of them")
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/benchmarks.md")
    arguments = parser.parse_args()
    if arguments.only and arguments.write:
        parser.error("--write takes all libraries")
    FOLDER.mkdir(parents=True, exist_ok=True)
    generated = FOLDER / "data"
    sets = [(generated, robot, 1) for robot in generated_problems.write(generated, DOFS, arguments.problems)]
    if arguments.data:
        sets += [(arguments.data.resolve(), robot, arguments.every) for robot in arguments.robots]
    table = [
        "| robot | library | solved | search, ms | simplification, ms | total, ms | / kinetic | length | touching |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for data, robot, every in sets:
        rows = measure(data, robot, every, arguments.timeout, arguments.only or list(PEERS))
        print("\n".join(rows), flush=True)
        table += rows
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "planning_peers", "\n".join(table)))


if __name__ == "__main__":
    main()
