"""Write ``robot_configs/<name>/`` for every built-in robot from its facts and our choices.

    python tools/robots/generate.py [--out robot_configs] [ROBOT ...]

Each folder gets ``robot.urdf`` (kinematics, limits and inertials), ``hulls.json`` (collision shapes in link frames),
``kinetic.toml`` (groups, poses, pairs, limits) and ``NOTES.md``. The result depends on nothing but
``facts/<name>.json`` and ``facts/choices/<name>.py``: the same input gives the same bytes. Python 3.9 and NumPy.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from decisions import load, names
from notes_text import notes_text
from toml_text import toml_text
from tree import Tree
from urdf_text import urdf_text


def hulls_text(tree: Tree) -> str:
    """Collision pieces by link, one per line; metres, in the frame of the link."""
    blocks = []
    for link, pieces in tree.hulls.items():
        rows = [{key: value for key, value in piece.items() if key not in ("link", "around")} for piece in pieces]
        lines = ",\n   ".join(json.dumps(row, separators=(",", ":")) for row in rows)
        blocks.append(f'  "{link}": [\n   {lines}\n  ]')
    return '{\n "links": {\n' + ",\n".join(blocks) + "\n }\n}\n"


def generate(name: str, out: Path) -> None:
    """Write the folder of one robot below ``out``."""
    tree, choices = Tree.load(name), load(name)
    folder = out / name
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "robot.urdf": urdf_text(name, tree, choices),
        "hulls.json": hulls_text(tree),
        "kinetic.toml": toml_text(name, tree, choices),
        "NOTES.md": notes_text(name, tree, choices),
    }
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode("utf-8"))


def main(arguments: list[str] | None = None) -> int:
    """Write the folders asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    default = Path(__file__).resolve().parents[2] / "robot_configs"
    parser.add_argument("--out", type=Path, default=default, help="folder that holds one folder per robot")
    parser.add_argument("robots", nargs="*", default=names(), metavar="ROBOT")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.robots) - set(names()))
    if unknown:
        print(f"unknown robots {unknown}; known are {names()}", file=sys.stderr)
        return 2
    for name in options.robots:
        generate(name, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
