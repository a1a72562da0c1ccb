"""Makes the table of built-in robots in docs-site/robots.md, and checks that it is up to date.

Names, makers, sources and remarks come from robot_configs/*/kinetic.toml; joints and poses from the robots themselves.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs-site" / "robots.md"
BEGIN = "<!-- begin of the table; written by tools/robots_table.py -->\n"
END = "<!-- end of the table -->\n"


def row(name: str, config: dict[str, Any], groups: dict[str, int]) -> str:
    """One line of the table; ``groups`` maps each planning group to its degrees of freedom, the default group first."""
    about = config["robot"]
    joints = ", ".join(f"{group} ({dof})" for group, dof in groups.items())
    poses = ", ".join(config.get("named_poses", {}).get(about["default_group"], {}))
    repository, _, rest = about["source"].partition("@")
    commit = rest.split(" ")[0][:12]
    source = f"[{commit}]({repository})" if commit else f"[source]({repository})"
    cells = (f"`{name}`", about["maker"], joints, poses, f"{about['licence']}, {source}", about["quality"])
    return "| " + " | ".join(cells) + " |\n"


def table(rows: list[str]) -> str:
    """The whole table."""
    header = "| name | maker | groups (joints) | named poses | licence of the description | about the model |\n"
    return header + "|---|---|---|---|---|---|\n" + "".join(rows)


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


def main() -> int:
    """Compares, or writes with ``--write``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table into docs-site/robots.md")
    folders = sorted(path.parent for path in (ROOT / "robot_configs").glob("*/kinetic.toml"))
    rows = [
        row(folder.name, tomllib.loads((folder / "kinetic.toml").read_text("utf-8")), groups_of(folder.name))
        for folder in folders
    ]
    page = PAGE.read_text("utf-8")
    wanted = replaced(page, table(rows))
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
