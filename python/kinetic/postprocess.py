"""Steps after a closed-form solve, usable alone: limits, turns of 2π, order, number.

>>> import kinetic
>>> arm = kinetic.Manipulator.from_robot("ur5e")
>>> q = [0.1, -1.0, 1.2, -0.5, 0.8, 0.2]
>>> branches = arm.solve(arm.fk(q), respect_limits=False)
>>> nearest = kinetic.postprocess.nearest_to_seed(branches, q)
>>> kinetic.postprocess.take_first(nearest, 1)[0].q.round(6).tolist()
[0.1, -1.0, 1.2, -0.5, 0.8, 0.2]
>>> len(kinetic.postprocess.windings(branches, arm, q_seed=q, max_solutions=10))
10
"""

from ._kinetic import nearest_to_seed, respect_limits, take_first, windings, wrap_to_limits

__all__ = ["nearest_to_seed", "respect_limits", "take_first", "windings", "wrap_to_limits"]
