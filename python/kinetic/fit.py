"""Simple solids around given ones: spheres, capsules, boxes, hulls, convex pieces. What was given lies inside.

>>> import kinetic
>>> box = kinetic.Shape.cuboid(0.3, 0.1, 0.05)
>>> spheres, report = kinetic.fit.spheres(box, count=12)
>>> spheres.shape, report["count"]
((12, 4), 12)
>>> coarse, _ = kinetic.fit.spheres(box, max_excess=0.06)
>>> len(coarse) < 12
True
"""

from ._kinetic import fit_box as box
from ._kinetic import fit_capsule as capsule
from ._kinetic import fit_convex_hull as convex_hull
from ._kinetic import fit_convex_pieces as convex_pieces
from ._kinetic import fit_robot_spheres as robot_spheres
from ._kinetic import fit_spheres as spheres

__all__ = ["box", "capsule", "convex_hull", "convex_pieces", "robot_spheres", "spheres"]
