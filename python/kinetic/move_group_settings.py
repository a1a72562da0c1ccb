"""Settings of a ``MoveGroup``: every option of planning under one name, and MoveIt's setters for the usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._kinetic import Constraint, Planner, Robot, Scene, _planner_options
from .input_errors import unknown_name

PLANNER_KEYWORDS = ("planner_type", "preset", "profile")
"""Keywords of ``Planner`` that choose the planner or its options and are no rows of the table of options."""

UNSTATED = {"preset": "default", "profile": None}
"""Keywords that a planner does not keep, and what holds where they are not set."""

TIME_LAW = "time_law"
"""The parameter that names the time law of planned motions."""

DEFAULT_TIME_LAW = "totp"


class MoveGroupSettings:
    """What a ``MoveGroup`` plans with: robot, scene, and parameters. A part of ``MoveGroup``."""

    _robot: Robot
    _scene: Scene
    _parameters: dict[str, Any]
    _time_law: str
    _made: Planner | None

    @property
    def planner(self) -> Planner:
        """The planner that the parameters of now stand for."""
        if self._made is None:
            self._made = self._planner_with(self._parameters)
        return self._made

    def get_param_names(self) -> list[str]:
        """Names that ``get_param`` and ``set_param`` know: the keywords of ``Planner`` and ``"time_law"``."""
        return [option["keyword"] for option in _planner_options()] + [*PLANNER_KEYWORDS, TIME_LAW]

    def get_param(self, name: str) -> Any:
        """The value of a parameter that holds now; the default where none was set.

        Args:
            name: One of ``get_param_names()``; options may also have their name in files ("seed" for "rng_seed").

        Raises:
            InputError: `UnknownName` with the names that exist.
        """
        keyword = self._keyword(name)
        if keyword == TIME_LAW:
            return self._time_law
        if keyword in UNSTATED:
            return self._parameters.get(keyword, UNSTATED[keyword])
        return getattr(self.planner, keyword)

    def set_param(self, name: str, value: Any) -> None:
        """Sets a parameter for all plans from now on.

        Args:
            name: As for ``get_param``.
            value: What ``Planner`` takes for the keyword; None takes back what was set.

        Raises:
            InputError: An unknown name, or a value outside the domain of the option; nothing is changed then.
        """
        keyword = self._keyword(name)
        if keyword == TIME_LAW:
            self._set_time_law(DEFAULT_TIME_LAW if value is None else value)
            return
        parameters = {known: kept for known, kept in self._parameters.items() if known != keyword}
        if value is not None:
            parameters[keyword] = value
        self._made = self._planner_with(parameters)
        self._parameters = parameters

    def set_planning_time(self, seconds: float) -> None:
        """Time budget of a plan, s: the option ``timeout``."""
        self.set_param("timeout", seconds)

    def get_planning_time(self) -> float:
        """Time budget of a plan, s."""
        return self.planner.timeout

    def set_planner_id(self, name: str) -> None:
        """The planner by its name, or "auto": the keyword ``planner_type``."""
        self.set_param("planner_type", name)

    def get_planner_id(self) -> str:
        """Name of the planner that was asked for."""
        return self.planner.planner_type

    def set_max_velocity_scaling_factor(self, factor: float) -> None:
        """Factor of the velocity limits, in (0, 1]: the option ``velocity_scaling``."""
        self.set_param("velocity_scaling", factor)

    def set_max_acceleration_scaling_factor(self, factor: float) -> None:
        """Factor of the acceleration limits, in (0, 1]: the option ``acceleration_scaling``."""
        self.set_param("acceleration_scaling", factor)

    def set_workspace(self, corners: Any) -> None:
        """Lowest and highest corner (2, 3), m, of a box in the root frame for the tool's origin; None for none."""
        self.set_param("workspace_bounds", corners)

    def set_path_constraints(self, constraints: Sequence[Constraint]) -> None:
        """Conditions that every motion keeps at every instant: the option ``constraints``."""
        self.set_param("constraints", list(constraints))

    def get_path_constraints(self) -> list[Constraint]:
        """Conditions that every motion keeps."""
        return self.planner.constraints

    def clear_path_constraints(self) -> None:
        """Takes back ``set_path_constraints``."""
        self.set_param("constraints", None)

    def _set_time_law(self, law: str) -> None:
        # A problem between one configuration and itself is not planned; stating it refuses an unknown law.
        here = self._robot.zero_configuration()
        self.planner.problem(here, here, law)
        self._time_law = law

    def _keyword(self, name: str) -> str:
        names = self.get_param_names()
        if name in names:
            return name
        of_files = {option["name"]: option["keyword"] for option in _planner_options()}
        if name not in of_files:
            raise unknown_name("parameter", name, names)
        return str(of_files[name])

    def _planner_with(self, parameters: dict[str, Any]) -> Planner:
        return Planner(self._robot, self._scene, **parameters)
