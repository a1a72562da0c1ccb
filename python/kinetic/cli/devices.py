"""``kinetic devices``: adapters that can compute, and why there is no GPU."""

from __future__ import annotations

import argparse
from typing import Any

from .._kinetic import _device_report
from .output import add_json_flag, facts, print_json, table

COLUMNS = ("device", "name", "backend", "driver", "kind")


def add_parser(commands: Any) -> None:
    """Adds the command."""
    text = "list the devices that can compute, and say why there is no GPU"
    parser: argparse.ArgumentParser = commands.add_parser("devices", help=text)
    parser.add_argument(
        "--doctor", action="store_true", help="show what decides it: loader, drivers, device nodes, container"
    )
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the adapters and the verdict."""
    report = _device_report()
    if args.json:
        shown = report if args.doctor else {key: report[key] for key in ("adapters", "verdict")}
        print_json(shown)
        return 0
    if report["adapters"]:
        print(table(COLUMNS, [[adapter[column] for column in COLUMNS] for adapter in report["adapters"]], left=5))
    if args.doctor:
        print(facts(doctor_facts(report)))
    print(report["verdict"])
    return 0


def doctor_facts(report: dict[str, Any]) -> list[tuple[str, str]]:
    """What was found on the machine, for people."""
    capabilities = report["nvidia_capabilities"]
    return [
        ("Vulkan loader", report["loader"] or "none"),
        ("driver files", ", ".join(report["driver_files"]) or "none"),
        ("device nodes", ", ".join(report["device_nodes"]) or "none"),
        ("MIG partitions", "yes" if report["has_partitions"] else "no"),
        ("NVIDIA_DRIVER_CAPABILITIES", "not set" if capabilities is None else capabilities),
    ]
