"""One picture of a failed plan: where it should begin and end, what is in the way, and how far the search came."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from .arms import RobotSurfaces
from .skeleton import arm_links, arm_polyline
from .space import new_surfaces, set_view, show_objects
from .style import ARM, FORBIDDEN, INK, STYLE, TOOL
from .surfaces import Surfaces

__all__ = ["plot_failure"]

# Of the tree of the start and that of the goal: the first two colours of Okabe & Ito that differ from the arm's.
TREES = (("#009E73", "tree of the start"), ("#CC79A7", "tree of the goal"))
# How opaque the arm is: contacts inside of it are to be seen.
END = 0.45
# Lines of the text beside the picture; the rest is for the terminal.
MOST_LINES = 24


def plot_failure(report: Any, path: str | None = None) -> Figure:
    """Draws the report of a failed plan.

    Args:
        report: An error's report with a planning problem.
        path: File to write; the ending says the format.

    Returns:
        The figure, for further use.
    """
    problem = report.problem
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(15.0, 8.6), dpi=110, facecolor="white")
        space = figure.add_axes((0.0, 0.02, 0.58, 0.8), projection="3d", computed_zorder=False)
        surfaces = new_surfaces()
        points = [np.zeros((1, 3)), *show_objects(space, surfaces, problem.scene)]
        points += draw_ends(space, surfaces, problem, report.evidence)
        surfaces.draw(space)
        points += draw_trees(space, report.evidence.get("trees", []))
        points += draw_contacts(space, report.evidence)
        set_view(space, np.vstack(points))
        handles, labels = space.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="upper left", bbox_to_anchor=(0.025, 0.935), ncols=2, frameon=False, fontsize=10
        )
        figure.suptitle(
            f"{problem.robot.name}   ·   {report.reason}", x=0.03, y=0.965, ha="left", fontsize=17, color=INK
        )
        lines = wrapped(report.text)
        figure.text(0.6, 0.9, "\n".join(lines[:MOST_LINES]), va="top", fontsize=9, family="monospace", color=INK)
        if path is not None:
            figure.savefig(path)
    return figure


def wrapped(text: str, width: int = 72) -> list[str]:
    """Lines that fit beside the picture."""
    lines = []
    for line in text.splitlines():
        while len(line) > width:
            cut = line.rfind(" ", width // 2, width)
            cut = width if cut < 0 else cut
            lines.append(line[:cut])
            line = "      " + line[cut:].lstrip()
        lines.append(line)
    return lines


def draw_ends(axis: Any, surfaces: Surfaces, problem: Any, evidence: dict[str, Any]) -> list[np.ndarray]:
    """The arm at the start, and at the goal or as near to it as it comes."""
    robot = problem.robot
    body, links = RobotSurfaces(robot), arm_links(robot)
    sizes = (robot.dof, len(robot.active_joints))
    goal = problem.goal.joints
    if problem.goal.kind == "named":
        goal = robot.named_pose(problem.goal.name)
    if goal is None:
        goal = evidence.get("nearest_joints")
    # What is no configuration at all cannot be drawn, and the text says so.
    ends = [
        (name, np.asarray(q), colour)
        for name, q, colour in (("start", problem.start, ARM), ("goal", goal, TOOL))
        if q is not None and len(q) in sizes and np.isfinite(q).all()
    ]
    drawn = [body.add(surfaces, [q for _, q, _ in ends], [colour for _, _, colour in ends], [END] * len(ends))]
    for name, q, colour in ends:
        line = arm_polyline(robot, links, q)
        drawn.append(line)
        # Seen through the arm, so that both arms are found where they are in the same place.
        axis.plot(*line.T, "-o", color=colour, linewidth=2.0, markersize=4, zorder=6, label=name)
    return drawn


def draw_trees(axis: Any, trees: list[dict[str, Any]]) -> list[np.ndarray]:
    """The trees of the search, projected to where they bring the tool."""
    drawn = []
    for tree, (colour, label) in zip(trees, TREES):
        tools, parents = np.asarray(tree["tools"]), np.asarray(tree["parents"])
        if len(tools) == 0:
            continue
        edges = [(tools[parent], tools[node]) for node, parent in enumerate(parents) if parent >= 0]
        axis.add_collection3d(Line3DCollection(edges, colors=colour, linewidths=0.7, alpha=0.7, zorder=4))
        axis.plot(
            *tools[:1].T, "o", color=colour, markersize=6, zorder=7, label=f"{label}, {len(tools)} configurations"
        )
        drawn.append(tools)
    return drawn


def draw_contacts(axis: Any, evidence: dict[str, Any]) -> list[np.ndarray]:
    """The points of the pairs that touch or miss their margin."""
    drawn = []
    for state in (evidence.get("start", {}), evidence.get("goal", {}), *evidence.get("goals", [])[:4]):
        for contact in state.get("contacts", [])[:4]:
            line = np.array([contact["point_on_link"], contact["point_on_other"]])
            label = f"{contact['pair'][0]} – {contact['pair'][1]}, {1e3 * contact['distance']:.1f} mm"
            axis.plot(*line.T, "-X", color=FORBIDDEN, markersize=9, linewidth=3.0, zorder=9, label=label)
            drawn.append(line)
    return drawn
