"""Random robots as URDF text: joints of every kind in a branched tree, links with and without masses."""

from __future__ import annotations

import numpy as np

INERTIA_NAMES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def triple(values) -> str:
    """Three numbers as URDF writes them, without loss."""
    return " ".join(repr(float(value)) for value in values)


def inertial(rng: np.random.Generator) -> str:
    """Of a box somewhere on the link, turned anyhow."""
    mass, sides = rng.uniform(0.2, 3.0), rng.uniform(0.05, 0.5, 3)
    diagonal = mass / 12.0 * (np.sum(sides**2) - sides**2)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    tensor = turn @ np.diag(diagonal) @ turn.T
    entries = zip(INERTIA_NAMES, tensor[np.triu_indices(3)])
    values = " ".join(f'{name}="{float(value)!r}"' for name, value in entries)
    origin = f'<origin xyz="{triple(rng.uniform(-0.3, 0.3, 3))}" rpy="{triple(rng.uniform(-3, 3, 3))}"/>'
    return f'<inertial>{origin}<mass value="{mass!r}"/><inertia {values}/></inertial>'


def joint(rng: np.random.Generator, index: int, kind: str, leader: int | None) -> str:
    """Joint ``index`` and its child link; its parent is any link before, often the last."""
    parent = index - 1 if rng.random() < 0.6 else int(rng.integers(index))
    rpy = rng.uniform(-3, 3, 3) if rng.random() < 0.5 else rng.integers(-2, 3, 3) * (np.pi / 2)
    axis = rng.normal(size=3) if rng.random() < 0.4 else np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    mimic = f'<mimic joint="j{leader}" multiplier="{rng.uniform(-2, 2)!r}" offset="0.1"/>' if leader else ""
    mass = inertial(rng) if kind != "fixed" or rng.random() < 0.5 else ""
    return (
        f'<link name="l{index}">{mass}</link><joint name="j{index}" type="{kind}"><parent link="l{parent}"/>'
        f'<child link="l{index}"/><origin xyz="{triple(rng.uniform(-0.5, 0.5, 3))}" rpy="{triple(rpy)}"/>'
        f'<axis xyz="{triple(axis / np.linalg.norm(axis))}"/>{mimic}'
        '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
    )


def random_tree(seed: int, followers: bool = False) -> str:
    """A robot of three to ten joints, of which the first turns; with ``followers`` some follow another."""
    rng = np.random.default_rng(seed)
    text, leaders = f'<link name="l0">{inertial(rng)}</link>', []
    kinds = ["revolute", "prismatic", "fixed"] if followers else ["revolute", "prismatic", "continuous", "fixed"]
    for index in range(1, int(rng.integers(4, 11))):
        kind = "revolute" if index == 1 else str(rng.choice(kinds))
        follows = followers and kind != "fixed" and leaders and rng.random() < 0.4
        leader = int(rng.choice(leaders)) if follows else None
        text += joint(rng, index, kind, leader)
        if kind != "fixed" and not follows:
            leaders.append(index)
    return f'<robot name="tree">{text}</robot>'
