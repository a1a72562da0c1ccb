"""Time-optimal motions under limits written in Python: against the same limits of joints and closed forms."""

import numpy as np
import pytest

import kinetic

TWO_CORNERS = [[0.0, 0.0], [1.0, 0.4], [1.5, -0.6], [2.0, 0.5]]


def path() -> kinetic.Trajectory:
    return kinetic.Trajectory.from_waypoints(TWO_CORNERS)


def speed_rows(limit: np.ndarray):
    """|γ' ṡ| ≤ limit as rows of ṡ²."""

    def rows(_position, tangent, _curvature):
        return np.array([[0.0, slope**2, 0.0, most**2] for slope, most in zip(tangent, limit, strict=True)])

    return rows


def test_speed_limits_as_rows_act_as_limits_do() -> None:
    limit = np.array([0.5, 0.3])
    timed = path().time_optimal_within(speed_rows(limit), 10.0, 5.0)
    same = path().time_parameterize("totp", limit, 5.0)
    # On a grid with one path acceleration per stage, as long as where the joints' own limits need none.
    assert same.duration * 0.99 < timed.duration < same.duration * 1.05
    speeds = np.abs([timed.sample_velocity(t) for t in np.linspace(0.0, timed.duration, 2001)]).max(axis=0)
    # Rows hold on a grid; between its points they can be exceeded by some percent.
    assert np.all(speeds <= 1.03 * limit)
    assert np.all(speeds >= 0.97 * limit)


def test_accelerations_as_rows_of_both_signs_on_a_straight() -> None:
    """A straight under |q̈| ≤ 2 by rows alone is the bang-bang motion: twice the root of length by acceleration."""

    def rows(_position, tangent, curvature):
        return [[sign * tangent[0], sign * curvature[0], 0.0, 2.0] for sign in (1.0, -1.0)]

    straight = kinetic.Trajectory.from_waypoints([[0.0], [1.0]])
    timed = straight.time_optimal_within(rows, 100.0, 1e4)
    assert timed.duration == pytest.approx(2.0 * np.sqrt(0.5), rel=1e-2)


def test_a_constant_part_is_taken_off_the_limit() -> None:
    """Gravity against one direction: speeding up has 1, braking 3 left."""

    def rows(_position, tangent, curvature):
        return [[tangent[0], curvature[0], 1.0, 2.0], [-tangent[0], -curvature[0], -1.0, 2.0]]

    timed = kinetic.Trajectory.from_waypoints([[0.0], [1.0]]).time_optimal_within(rows, 100.0, 1e4)
    # v²/2 (1/1 + 1/3) = 1.
    assert timed.duration == pytest.approx(np.sqrt(1.5) * (1.0 + 1.0 / 3.0), rel=1e-2)


def test_no_rows_change_nothing_but_the_grid() -> None:
    timed = path().time_optimal_within(lambda *_: [], 1.0, 2.0)
    assert timed.duration == pytest.approx(path().time_parameterize("totp", 1.0, 2.0).duration, rel=0.01)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (lambda *_: [[0.0, 0.0, 2.0, 1.0]], "path speeds at"),
        (lambda *_: [[np.nan, 0.0, 0.0, 1.0]], "row of a path limit"),
        (lambda *_: [[1.0, 2.0, 3.0]], "row of a path limit"),
        (lambda *_: "rows", "array"),
    ],
)
def test_rows_that_cannot_be_kept_or_are_none_are_refused(rows, words: str) -> None:
    with pytest.raises(kinetic.KineticError, match=words):
        path().time_optimal_within(rows, 1.0, 2.0)


def test_what_the_function_raises_comes_through() -> None:
    def fails(*_):
        raise ZeroDivisionError("in the rows")

    with pytest.raises(ZeroDivisionError, match="in the rows"):
        path().time_optimal_within(fails, 1.0, 2.0)
