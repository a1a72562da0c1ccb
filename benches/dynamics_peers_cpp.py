"""Instructions and time of the dynamics of kinetic and of Pinocchio's C++, without a binding, in one run.

    pip install cmeel-eigen     # headers of Eigen, which the wheel of Pinocchio does not have
    python benches/dynamics_peers_cpp.py [--eigen DIR] [--robots ur5e franka_panda] [--rounds 40] [--write]

``dynamics_peers.cpp`` is compiled with g++ -O3 -march=native against the headers and libraries of Pinocchio's wheel;
the bench ``peers`` of kinetic-dynamics is compiled as the wheel is, without -march=native. Both call the same functions
in the same loop over 256 random states. ``perf stat`` counts their instructions, less those of a run without rounds.
Times are the least of the rounds, of the programs in turn: what else the machine does makes no round faster.
``--write`` puts the table into docs-site/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pinocchio as pin
from figures import PAGE, replace_section

import kinetic

ROOT = Path(__file__).resolve().parents[1]
PREFIX = Path(pin.__file__).resolve().parents[4]
QUANTITIES = {
    "inverse_dynamics": "inverse dynamics (RNEA)",
    "mass_matrix": "mass matrix (CRBA)",
    "forward_dynamics": "forward dynamics (ABA)",
    "inverse_dynamics_derivatives": "derivatives of RNEA",
}
# Of both programs.
CALLS_PER_ROUND = 20 * 256
# Those of Pinocchio's targets for CMake; alignment as in its libraries, which are compiled for older processors.
FLAGS = [
    "-std=c++17",
    "-O3",
    "-march=native",
    "-DNDEBUG",
    "-DEIGEN_MAX_ALIGN_BYTES=16",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
]
LINK = ["-lpinocchio_default", "-lboost_serialization", "-Wl,--allow-shlib-undefined"]


def compiled_cpp(folder: Path, eigen: Path) -> Path:
    """The program of Pinocchio, compiled."""
    program = folder / "dynamics_peers"
    source = Path(__file__).with_name("dynamics_peers.cpp")
    include = [f"-I{PREFIX / 'include'}", f"-I{eigen}"]
    link = [f"-L{PREFIX / 'lib'}", *LINK, f"-Wl,-rpath,{PREFIX / 'lib'}"]
    subprocess.run(["g++", *FLAGS, *include, str(source), "-o", str(program), *link], check=True)
    return program


def compiled_rust() -> Path:
    """The program of kinetic, compiled."""
    command = ["cargo", "bench", "--no-run", "--profile", "release", "-p", "kinetic-dynamics", "--bench", "peers"]
    done = subprocess.run([*command, "--message-format", "json"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    messages = (json.loads(line) for line in done.stdout.splitlines())
    return next(Path(message["executable"]) for message in messages if message.get("executable"))


def model_file(folder: Path, name: str) -> Path:
    """Pinocchio's model over the joints of the robot's group, in a file."""
    robot = kinetic.Robot(name)
    whole = pin.buildModelFromUrdf(str(ROOT / "robot_configs" / name / "robot.urdf"))
    locked = [index for index in range(1, whole.njoints) if whole.names[index] not in robot.joint_names]
    model = pin.buildReducedModel(whole, locked, pin.neutral(whole))
    assert list(model.names)[1:] == robot.joint_names
    file = folder / f"{name}.txt"
    model.saveToText(str(file))
    return file


def instructions(command: list[str], rounds: int) -> float | None:
    """Instructions per call; None where the processor's counters cannot be read, as in many virtual machines."""

    def counted(rounds: int) -> int | None:
        perf = ["perf", "stat", "-x", ",", "-e", "instructions:u", *command, str(rounds)]
        done = subprocess.run(perf, check=True, capture_output=True, text=True)
        count = done.stderr.split(",")[0]
        return int(count) if count.isdecimal() else None

    some, none = counted(rounds), counted(0)
    return None if some is None or none is None else (some - none) / (rounds * CALLS_PER_ROUND)


def compared(ours: float | None, theirs: float | None) -> list[str]:
    """Both, and their ratio."""
    if ours is None or theirs is None:
        return ["–", "–", "–"]
    return [f"{ours:,.0f}", f"{theirs:,.0f}", f"{ours / theirs:.2f}"]


def time_ns(command: list[str], rounds: int) -> float:
    """Nanoseconds per call."""
    done = subprocess.run([*command, str(rounds)], check=True, capture_output=True, text=True)
    return float(done.stdout)


def rows(name: str, programs: tuple[Path, Path], file: Path, rounds: int) -> list[str]:
    """A row per function of one robot."""
    found = []
    for quantity, label in QUANTITIES.items():
        ours, theirs = ([str(programs[0]), name, quantity], [str(programs[1]), str(file), quantity])
        counts = [instructions(command, rounds) for command in (ours, theirs)]
        # In turns, so that what else the machine does meets both.
        times = [min(values) for values in zip(*[(time_ns(ours, rounds), time_ns(theirs, rounds)) for _ in range(3)])]
        cells = [*compared(*counts), *compared(*times)]
        found.append(f"| {name} {label} | " + " | ".join(cells) + " |")
    return found


def main() -> None:
    """Prints the table, and writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eigen", type=Path, default=PREFIX / "include" / "eigen3", help="folder with Eigen/")
    parser.add_argument("--robots", nargs="+", default=["ur5e", "franka_panda"])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--program", type=Path, help="dynamics_peers.cpp compiled before, which takes a minute or more")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.program is None and not (arguments.eigen / "Eigen").is_dir():
        sys.exit(f"no Eigen in {arguments.eigen}: pip install cmeel-eigen, or --eigen")
    lines = [
        f"Pinocchio {pin.__version__}.",
        "",
        "| function | instructions, kinetic | Pinocchio | ratio | ns, kinetic | Pinocchio | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        theirs = arguments.program or compiled_cpp(Path(folder), arguments.eigen)
        programs = (compiled_rust(), theirs)
        for name in arguments.robots:
            lines += rows(name, programs, model_file(Path(folder), name), arguments.rounds)
    print("\n".join(lines))
    if arguments.write:
        PAGE.write_text(replace_section(PAGE.read_text(), "dynamics_peers", "\n".join(lines)))


if __name__ == "__main__":
    main()
