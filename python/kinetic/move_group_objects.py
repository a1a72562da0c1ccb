"""Objects that the robot of a ``MoveGroup`` carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ._kinetic import Pose
from .move_group_settings import MoveGroupSettings


class MoveGroupObjects(MoveGroupSettings):
    """What a ``MoveGroup`` attaches and puts down. A part of ``MoveGroup``."""

    _state: NDArray[np.float64]

    def attach_object(self, name: str, link: str | None = None, touch_links: Sequence[str] | None = None) -> None:
        """Attaches an object of the scene, which keeps its place where the robot stands.

        Args:
            name: Name of the object.
            link: The link that carries it; None for the tip of the group.
            touch_links: Other links that may touch it; None for the links of the hand.

        Raises:
            InputError: An unknown object or link.
        """
        self._scene.attach_existing(name, self._robot.tip if link is None else link, self._state, touch_links)

    def detach_object(self, name: str | None = None) -> None:
        """Makes an attached body an object of the scene, where it is now; None for all of them.

        Raises:
            InputError: No attached body has that name.
        """
        root_from = self._robot.fk_all(self._state)
        for body in self._scene.attached if name is None else [name]:
            _, link_from_shape, link = self._scene.attached_body(body)
            self._scene.detach(body, Pose(root_from[link]) * Pose(link_from_shape))

    def get_attached_objects(self) -> list[str]:
        """Names of the attached bodies."""
        return self._scene.attached
