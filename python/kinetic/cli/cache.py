"""``kinetic cache``: what is kept between processes."""

from __future__ import annotations

import argparse
from typing import Any

from .. import cache_entries
from .output import add_json_flag, print_json, table


def add_parser(commands: Any) -> None:
    """Adds the command."""
    text = "list or clear what is kept for your own robots"
    parser: argparse.ArgumentParser = commands.add_parser("cache", help=text)
    parser.add_argument("--clear", action="store_true", help="remove all entries")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the folder and its entries, those that were used longest ago first."""
    folder, entries, why = cache_entries(clear=args.clear)
    total = sum(size for _, size in entries)
    if args.json:
        rows = [{"name": name, "bytes": size} for name, size in entries]
        print_json({"folder": folder, "reason": why, "bytes": total, "entries": rows})
        return 0
    if folder is None:
        print(f"nothing is kept: {why}")
        return 0
    print(f"{folder}: {len(entries)} entries, {total} bytes")
    if entries:
        print(table(("entry", "bytes"), [(name, str(size)) for name, size in entries], left=1))
    return 0
