"""Random MJCF models that use every notation the reader knows, for comparisons with MuJoCo."""

from __future__ import annotations

import numpy as np

AXES = ("xyz", "XYZ", "zyx", "xZy", "ZXZ", "yXy")
# A tetrahedron whose sides are unlike each other, wound counter-clockwise seen from outside.
TETRAHEDRON = 'vertex="0 0 0  0.3 0 0  0 0.2 0  0.05 0.05 0.25" face="0 2 1  0 1 3  1 2 3  0 3 2"'


class RandomMjcf:
    """Writes one model; the same seed gives the same text."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.degrees = self.coin()
        self.count = 0
        self.scalar_joints: list[str] = []

    def coin(self, probability: float = 0.5) -> bool:
        """True with this probability."""
        return bool(self.rng.random() < probability)

    def numbers(self, count: int, low: float = -1.0, high: float = 1.0) -> str:
        """Random numbers, as text."""
        return " ".join(f"{value:.5g}" for value in self.rng.uniform(low, high, count))

    def angles(self, count: int, largest: float = 3.0) -> str:
        """Random angles in the unit of the model, as text."""
        factor = 180 / np.pi if self.degrees else 1.0
        return self.numbers(count, -largest * factor, largest * factor)

    def orientation(self) -> str:
        """One of the notations of an orientation, or none."""
        kind = self.rng.integers(8)
        if kind == 0:
            return f' quat="{self.numbers(4)}"'
        if kind == 1:
            return f' axisangle="{self.numbers(3)} {self.angles(1)}"'
        if kind == 2:
            return f' xyaxes="{self.numbers(6)}"'
        if kind == 3:
            return f' zaxis="{self.numbers(3)}"'
        if kind == 4:
            return f' zaxis="0 0 {self.rng.choice([-2.0, 3.0])}"'
        return f' euler="{self.angles(3)}"' if kind in (5, 6) else ""

    def pose(self) -> str:
        """Position and orientation, each perhaps."""
        return (f' pos="{self.numbers(3)}"' if self.coin(0.8) else "") + self.orientation()

    def name(self, kind: str, probability: float = 0.7) -> str:
        """A name, perhaps; attributes begin with a blank."""
        self.count += 1
        return f' name="{kind}{self.count}"' if self.coin(probability) else ""

    def joint_attributes(self) -> str:
        """What a joint and a class of joints can state."""
        text = ""
        if self.coin():
            text += f' axis="{self.numbers(3)}"'
        if self.coin():
            text += f' pos="{self.numbers(3)}"'
        if self.coin(0.3):
            text += f' ref="{self.angles(1, 1.0)}"'
        if self.coin(0.4):
            low, high = np.sort(self.rng.uniform(-100, 100, 2))
            text += f' range="{low:.4g} {high:.4g}"' + (' limited="false"' if self.coin(0.2) else "")
        return text

    def joints(self, top: bool, moving: bool) -> str:
        """The joints of a body; `moving` bodies have mass."""
        if top and self.coin(0.15):
            return "<freejoint/>" if self.coin() else f'<joint type="free"{self.name("free")}/>'
        text, hinges, balls = "", 0, 0
        for _ in range(self.rng.integers(4) if moving else 0):
            kind = self.rng.choice(["hinge", "slide", "ball", ""])
            if (kind == "ball" and hinges + balls) or (balls and kind != "slide"):
                continue  # a ball can be joined by slides alone
            balls, hinges = balls + (kind == "ball"), hinges + (kind in ("hinge", ""))
            name = self.name("joint")
            wanted = f' type="{kind}"' if kind else ' type="hinge"'
            if name and kind != "ball":
                self.scalar_joints.append(name.split('"')[1])
            limited = ' limited="false"' if kind == "ball" else ""
            joint = f"<joint{name}{wanted}{limited}{self.joint_class()}"
            joint += (f' pos="{self.numbers(3)}"' if kind == "ball" else self.joint_attributes()) + "/>"
            joint = joint.replace(' limited="false" limited="false"', ' limited="false"')
            text += f"<frame{self.pose()}>{joint}</frame>" if self.coin(0.2) else joint
        return text

    def joint_class(self) -> str:
        """The class of an element, perhaps."""
        return f' class="{self.rng.choice(["outer", "inner", "other"])}"' if self.coin(0.3) else ""

    def geom(self) -> str:
        """A geom of any kind that has a volume."""
        kind = self.rng.choice(["sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh"])
        text = f'<geom type="{kind}"{self.joint_class()}'
        if kind == "mesh" or self.coin(0.1):  # other kinds are fitted to the mesh
            text += f' mesh="{self.rng.choice(["tetrahedron", "turned"])}"' + self.pose()
        elif kind not in ("sphere",) and self.coin(0.3):
            text += f' size="{self.numbers(1, 0.05, 0.3)}" fromto="{self.numbers(6)}"'
        else:
            text += f' size="{self.numbers(3, 0.05, 0.3)}"' + self.pose()
        if self.coin(0.3):
            text += f' mass="{self.numbers(1, 0.1, 3.0)}"'
        elif self.coin(0.3):
            text += f' density="{self.numbers(1, 100.0, 2000.0)}"'
        text += f' group="{self.rng.integers(6)}"' if self.coin(0.3) else ""
        text += ' contype="0" conaffinity="0"' if self.coin(0.3) else ""
        return text + "/>"

    def inertial(self) -> str:
        """Stated mass properties with a tensor that a body can have."""
        text = f'<inertial mass="{self.numbers(1, 0.1, 5.0)}" pos="{self.numbers(3)}"'
        if self.coin():
            a, b = self.rng.uniform(0.1, 1.0, 2)
            return (
                text + f'{self.orientation()} diaginertia="{a:.5g} {b:.5g} {self.rng.uniform(abs(a - b), a + b):.4g}"/>'
            )
        points = self.rng.uniform(-1, 1, (6, 3))
        tensor = sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in points)
        values = [tensor[i] for i in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]]
        return text + f' fullinertia="{" ".join(f"{v:.6g}" for v in values)}"/>'

    def body(self, depth: int) -> str:
        """A body with what is below it."""
        childclass = f' childclass="{self.rng.choice(["outer", "inner", "other"])}"' if self.coin(0.2) else ""
        text = f"<body{self.name('body')}{childclass}{self.pose()}>"
        text += self.joints(top=depth == 0, moving=True)
        text += self.inertial() if self.coin(0.4) else '<geom size="0.1" group="1"/>' + self.geom()
        text += self.geom() if self.coin() else ""
        text += "<site/>" if self.coin(0.1) else ""
        for _ in range(self.rng.integers(3) if depth < 4 else 0):
            below = self.body(depth + 1)
            text += f"<frame{self.pose()}><frame{self.pose()}>{below}</frame></frame>" if self.coin(0.2) else below
        return text + "</body>"

    def replicated(self) -> str:
        """Copies of a small body."""
        inside = f'<body name="copy"{self.pose()}><joint name="turn"{self.joint_attributes()}/>{self.geom()}</body>'
        again = f'<replicate count="3" sep="-" offset="{self.numbers(3)}" euler="{self.angles(3)}">{inside}</replicate>'
        return f'<replicate count="{self.rng.integers(1, 12)}" offset="{self.numbers(3)}">{again}</replicate>'

    def defaults(self) -> str:
        """Classes in classes."""
        geom = '<geom density="500"/>' if self.coin() else '<geom euler="1 2 3"/>'
        joint = f"<joint{self.joint_attributes()}/>"
        inner = f'<default class="inner"><joint{self.joint_attributes()}/></default>'
        return (
            f"<default>{geom if self.coin() else ''}"
            f'<default class="outer">{joint}{inner}</default><default class="other">{geom}</default></default>'
        )

    def meshes(self) -> str:
        """The same solid twice: stretched, and moved."""
        inertia = self.rng.choice(["legacy", "exact", "shell"])
        turned = f'scale="2 2 2" refpos="{self.numbers(3)}" refquat="{self.numbers(4)}"'
        return (
            f'<mesh name="tetrahedron" {TETRAHEDRON} scale="1 2 0.5" inertia="{inertia}"/>'
            f'<mesh name="turned" {TETRAHEDRON} {turned}/>'
        )

    def equality(self) -> str:
        """A joint that follows another."""
        if len(self.scalar_joints) < 2 or self.coin():
            return ""
        follower, leader = self.rng.choice(self.scalar_joints, 2, replace=False)
        return f'<equality><joint joint1="{follower}" joint2="{leader}" polycoef="{self.numbers(2)} 0 0 0"/></equality>'

    def text(self) -> str:
        """The whole document."""
        compiler = f'<compiler angle="{"degree" if self.degrees else "radian"}"'
        compiler += f' eulerseq="{self.rng.choice(AXES)}"' if self.coin() else ""
        compiler += ' inertiafromgeom="true"' if self.coin(0.2) else ""
        compiler += ' inertiagrouprange="0 3"' if self.coin(0.2) else ""
        compiler += ' boundmass="0.5" boundinertia="0.05"' if self.coin(0.2) else ""
        compiler += ' balanceinertia="true"' if self.coin(0.2) else ""
        compiler += ' settotalmass="20"' if self.coin(0.1) else ""
        bodies = "".join(self.body(0) for _ in range(self.rng.integers(1, 4)))
        bodies += self.replicated() if self.coin(0.2) else ""
        return (
            f'<mujoco model="random">{compiler}/>{self.defaults()}'
            f"<asset>{self.meshes()}</asset>"
            f'<worldbody><geom type="plane" size="1 1 1"/>{bodies}</worldbody>{self.equality()}</mujoco>'
        )


def random_mjcf(seed: int) -> str:
    """The model of a seed."""
    return RandomMjcf(seed).text()
