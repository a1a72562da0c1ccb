"""Makes the table of built-in robots in docs-site/robots.md, and checks that it is up to date.

Names, makers, sources and remarks come from robot_configs/*/kinetic.toml; joints and the solver of inverse kinematics
that is dispatched from the robots themselves; reach, spheres and IK from tools/robots/facts/measured/figures.json,
made by measure.py.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
FACTS = ROOT / "tools" / "robots" / "facts"
PAGE = ROOT / "docs-site" / "robots.md"
BEGIN = "<!-- begin of the table; written by tools/robots_table.py -->\n"
END = "<!-- end of the table -->\n"


def quality(about: dict[str, Any], limits: dict[str, Any]) -> str:
    """What inertials and accelerations are, and a sentence on the model."""
    inertials = about["inertials"]
    if about.get("estimated_tensors"):
        inertials += f", {len(about['estimated_tensors'])} tensors estimated"
    return f"inertials: {inertials}; accelerations: {limits['acceleration_source']}; {about['quality']}"


def names_of(folder: str, config: dict[str, Any]) -> list[str]:
    """The names to ask for: those of ``[names]``, else that of the folder."""
    return list(config.get("names", [folder]))


def self_contact(name: str, share: float) -> str:
    """Share of configurations in self-contact; in brackets that of an independent count where there is one."""
    known = json.loads((FACTS / "measured" / "reference.json").read_text("utf-8"))["share"].get(name)
    cell = f"{share:.1%}" + ("" if known is None else f" ({known:.1%})")
    return cell.replace("%", " %")


def row(name: str, config: dict[str, Any], groups: dict[str, int], solver: str, measured: dict[str, Any]) -> str:
    """One line of the table; ``groups`` maps each planning group to its degrees of freedom, the default group first.

    ``name`` is that of the folder, ``solver`` the one that inverse kinematics of the default group dispatches.
    """
    about = config["robot"]
    joints = ", ".join(f"{group} ({dof})" for group, dof in groups.items())
    repository, _, rest = about["source"].partition("@")
    commit = rest.split(" ")[0][:12]
    source = f"[{commit}]({repository})" if commit else f"[source]({repository})"
    cells = (
        ", ".join(f"`{called}`" for called in names_of(name, config)),
        about["maker"],
        joints,
        f"{measured['reach']:.2f}",
        f"`{solver}`",
        f"{measured['ik']:.1%}".replace("%", " %"),
        f"{measured['spheres']} ({measured['excess_median_mm']:.0f}, {measured['excess_largest_mm']:.0f})",
        self_contact(name, measured["contact"]["share"]),
        f"{about['licence']}, {source}",
        quality(about, config["limits"]),
    )
    return "| " + " | ".join(cells) + " |\n"


def table(rows: list[str], about: dict[str, Any]) -> str:
    """The whole table and what its figures are."""
    header = (
        "| name | maker | groups (joints) | reach, m | IK solver | IK | spheres (excess, mm) | self-contact"
        " | licence of the description | about the model |\n"
    )
    note = (
        "*Reach* is the largest distance of the tip from the first joint. *IK solver* is the one dispatched for the"
        " first group (`Manipulator.dispatch_plan` also says why; [inverse kinematics](ik.md)). *IK* is the share of"
        f" {about['ik_cases']} random reachable poses that `Robot.ik` reaches from its own seeds. *Spheres* cover the"
        " hulls; the excess is how far they stand out of them, median over links and largest. *Self-contact* is the"
        f" share of {about['samples']} random configurations in which hulls touch; in brackets that of 400 in an"
        " independent count with other hulls, which leaves out rigid and adjacent pairs only. Measured by"
        f" `tools/robots/measure.py` on {about['date']} ({about['machine']}).\n"
    )
    return header + "|---" * 10 + "|\n" + "".join(rows) + "\n" + note


def replaced(page: str, new: str) -> str:
    """The page with ``new`` between the two marks."""
    before, _, rest = page.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise SystemExit(f"robots_table: {PAGE.name} lacks the marks of the table")
    return f"{before}{BEGIN}\n{new}\n{END}{after}"


def groups_of(name: str) -> dict[str, int]:
    """Planning groups of a built-in robot with their degrees of freedom, the default group first."""
    import kinetic

    default = kinetic.Robot(name)
    return {group: kinetic.Robot(name, group).dof for group in sorted(default.groups, key=lambda g: g != default.group)}


def solver_of(name: str) -> str:
    """The solver that inverse kinematics of a built-in robot's default group dispatches."""
    import kinetic

    try:
        return str(kinetic.Manipulator.from_robot(kinetic.Robot(name)).dispatch_plan.solver_name)
    except kinetic.InputError:
        # No closed form: the numerical solver that the robot prefers.
        return "dls"


def main() -> int:
    """Compares, or writes with ``--write``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/robots.md")
    folders = sorted(path.parent for path in (ROOT / "robot_configs").glob("*/kinetic.toml"))
    measured = json.loads((FACTS / "measured" / "figures.json").read_text("utf-8"))
    rows = []
    for folder in folders:
        config = tomllib.loads((folder / "kinetic.toml").read_text("utf-8"))
        called = names_of(folder.name, config)[0]
        rows.append(row(folder.name, config, groups_of(called), solver_of(called), measured["robots"][folder.name]))
    page = PAGE.read_text("utf-8")
    wanted = replaced(page, table(rows, measured["about"]))
    if parser.parse_args().write:
        PAGE.write_text(wanted, "utf-8")
        print(f"wrote {len(rows)} robots")
        return 0
    if page != wanted:
        print("robots_table: docs-site/robots.md is out of date; run `make robots-table`", file=sys.stderr)
        return 1
    print(f"{len(rows)} robots in the table")
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
