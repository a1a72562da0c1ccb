"""What the arms of Universal Robots have in common."""

from __future__ import annotations

from math import pi

REMARKS = (
    "The elbow is limited to ±π in the description as an aid to planners; the hardware allows ±2π.",
    "`base_link_inertia` is turned by π about z below `base_link`; `tool0` is the flange with z outwards.",
    "True links come within about 17 mm (ur5e: base and upper arm) of each other in every configuration, so a margin"
    " of 20 mm against oneself can never be met.",
    "Accelerations are the 5 rad/s² of the vendor's MoveIt configuration.",
)

READY = [0.0, -pi / 2, pi / 2, -pi / 2, -pi / 2, 0.0]
"""Upper arm upright, elbow bent, tool down in front."""

LICENCE = "BSD-3-Clause"

QUALITY = "joints, limits, inertials and hulls from the vendor's description; link lengths agree with a second source"
