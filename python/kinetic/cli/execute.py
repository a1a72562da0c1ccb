"""``kinetic execute``: carries a saved trajectory out."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from .. import ExecutionResult, RealTimeExecutor, SimulatedClock, Trajectory
from ..drivers import functions
from .driver import Simulated, connect, driver_rate
from .output import add_json_flag, duration, facts, print_json
from .plan import check_picture
from .progress import ProgressBar

EXAMPLES = """\
examples:
  kinetic plan ur5e --start home --goal ready --out motion.json
  kinetic execute motion.json --speed 0.5
  kinetic execute motion.json --driver my_robot:connect --plot jitter.png

my_robot:connect is a function in my_robot.py that returns a driver, for example one of kinetic.drivers:
  def connect(): return kinetic.drivers.ur_rtde.Driver.connect("192.168.1.10")
"""

USUAL_RATE_HZ = 500.0


def add_parser(commands: Any) -> None:
    """Adds the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "execute",
        help="carry a saved trajectory out",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trajectory", help="file of a timed trajectory (.json, .csv or .npz)")
    parser.add_argument(
        "--driver", default="sim", help="sim, log (keeps the commands), or module:function (default: %(default)s)"
    )
    parser.add_argument("--rate", type=float, help="commands per second (default: the driver's, else 500)")
    parser.add_argument(
        "--speed", type=float, default=1.0, help="part of the trajectory's speed, above 0 and at most 1"
    )
    parser.add_argument("--allow-unverified", action="store_true", help="carry out what has no certificate")
    parser.add_argument(
        "--real-time-priority", type=int, help="request SCHED_FIFO at this priority, 1 to 98, and locked memory"
    )
    parser.add_argument("--plot", help="draw how late the commands were begun, here")
    add_json_flag(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carries the trajectory out."""
    if args.plot is not None:
        check_picture("--plot", args.plot)
    motion = Trajectory.load(args.trajectory)
    is_simulated = args.driver in ("sim", "log")
    driver: Any = Simulated(motion.sample(0.0)) if is_simulated else connect(args.driver)
    rate = args.rate if args.rate is not None else driver_rate(driver)
    executor = RealTimeExecutor(
        USUAL_RATE_HZ if rate is None else rate,
        velocity_scale=args.speed,
        allow_unverified=args.allow_unverified or is_simulated,
        real_time_priority=args.real_time_priority,
        clock=SimulatedClock() if is_simulated else None,
    )
    with ProgressBar("executing", enabled=not args.json) as bar:
        total = round(1e3 * motion.duration)

        def progress(now: dict[str, Any]) -> None:
            bar.update(round(now["fraction"] * total), total, f"ms {now['state']}")

        result = executor.execute(motion, progress=progress, **functions(driver))
    if args.plot is not None:
        result.plot(args.plot)
    if args.json:
        commands = {"commands": driver.commands} if args.driver == "log" else {}
        print_json(plain(result) | commands)
    else:
        print(text(result))
    return 0


def plain(value: Any) -> Any:
    """Arrays as lists."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def text(result: ExecutionResult) -> str:
    """The result for people."""
    jitter, granted = result["jitter"], result["realtime"]
    deviation = result["max_deviation"]
    return facts(
        [
            ("state", result["state"]),
            ("duration", f"{result['actual_duration']:.3f} s of {result['expected_duration']:.3f} s planned"),
            ("commands", f"{result['commands_sent']} ({result['missed_cycles']} cycles left out)"),
            ("largest deviation", "no feedback" if deviation is None else f"{1e3 * deviation:.2f} mrad or mm"),
            ("commands late by", f"{duration(jitter['mean'])} on average, {duration(jitter['max'])} at most"),
            ("scheduling", f"{granted['scheduling']}, priority {granted['priority']}"),
            *(("refused", reason) for reason in granted["refused"]),
            ("certificate", "yes" if result["verified"] else "no"),
        ]
    )
