"""Trajectories: reading, timing, checking, composing, files; the polynomials are evaluated here a second time."""

from __future__ import annotations

import inspect
import json
import pickle

import numpy as np
import pytest

from kinetic import InputError, Planner, Robot, Trajectory

ROUNDING = 1e-12
"""Polynomials of degree 5 over seconds, evaluated in another order."""

PATH = [[0.0, 0.0], [1.0, 0.5], [1.0, 1.5], [-0.5, 1.0]]
VELOCITY, ACCELERATION = [1.0, 2.0], [3.0, 4.0]


@pytest.fixture
def path() -> Trajectory:
    return Trajectory.from_waypoints(PATH)


@pytest.fixture
def timed(path: Trajectory) -> Trajectory:
    return path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION)


@pytest.fixture(scope="module")
def planned() -> Trajectory:
    robot = Robot("ur5e")
    return Planner(robot).plan(robot.named_pose("home"), robot.named_pose("ready"))


def evaluate(trajectory: Trajectory, t: float, order: int = 0) -> np.ndarray:
    """Derivative of the curve at ``t``, from its coefficients."""
    knots, coefficients = trajectory.pieces()
    t = min(max(t, 0.0), knots[-1])
    piece = min(np.searchsorted(knots, t, side="right") - 1, len(coefficients) - 1)
    polynomials = [
        np.polynomial.Polynomial(row).deriv(order) if order else np.polynomial.Polynomial(row)
        for row in coefficients[piece]
    ]
    return np.array([polynomial(t - knots[piece]) for polynomial in polynomials])


# --- reading ---


def test_a_path_has_waypoints_and_no_time(path: Trajectory) -> None:
    assert (path.is_timed, path.duration, path.law, path.certificate) == (False, 0.0, None, None)
    assert (path.num_waypoints, len(path), path.dof) == (4, 4, 2)
    assert path.positions() == PATH
    times, positions, velocities = path.to_numpy()
    assert not times.any()
    assert np.array_equal(positions, PATH)
    assert velocities.shape == (4, 2)
    assert not velocities.any()
    assert repr(path) == "Trajectory(4 waypoints, 2 joints, untimed)"


def test_a_path_cannot_be_sampled_and_says_what_to_do(path: Trajectory) -> None:
    for ask in (lambda: path.sample(0.0), path.pieces, path.to_csv, lambda: path.validate(-1, 1, 1, 1)):
        with pytest.raises(InputError, match="time_parameterize"):
            ask()


def test_samples_are_those_of_the_polynomials(timed: Trajectory, planned: Trajectory) -> None:
    for trajectory in (timed, planned):
        for t in np.linspace(-0.5, trajectory.duration + 0.5, 301):
            for order, read in enumerate(
                (trajectory.sample, trajectory.sample_velocity, trajectory.sample_acceleration)
            ):
                assert np.allclose(read(t), evaluate(trajectory, t, order), rtol=ROUNDING, atol=ROUNDING)


def test_time_is_clamped_and_must_be_finite(timed: Trajectory) -> None:
    assert np.array_equal(timed.sample(-3.0), timed.sample(0.0))
    assert np.array_equal(timed.sample(99.0), timed.sample(timed.duration))
    for t in (float("nan"), float("inf")):
        with pytest.raises(InputError, match="^NotFinite: time"):
            timed.sample(t)


def test_waypoints_are_a_view_of_the_curve(timed: Trajectory) -> None:
    times, positions, velocities = timed.to_numpy()
    assert times.shape == (len(timed),)
    assert positions.shape == velocities.shape == timed.accelerations().shape == (len(timed), 2)
    assert (times[0], times[-1]) == (0.0, timed.duration)
    for row, t in enumerate(times):
        assert np.allclose(positions[row], evaluate(timed, t), rtol=0.0, atol=ROUNDING)
        assert np.allclose(velocities[row], evaluate(timed, t, 1), rtol=0.0, atol=ROUNDING)
        assert np.allclose(timed.accelerations()[row], evaluate(timed, t, 2), rtol=0.0, atol=ROUNDING)


def test_the_representation_says_duration_and_law(timed: Trajectory) -> None:
    assert repr(timed) == f"Trajectory({len(timed)} waypoints, 2 joints, {timed.duration:.3f} s, trapezoidal)"


def test_a_certificate_is_frozen_and_has_its_figures(planned: Trajectory) -> None:
    certificate = planned.certificate
    assert certificate.checks > 0
    assert certificate.max_jerk_ratio is None or certificate.max_jerk_ratio > 0.0
    assert 0.0 <= certificate.time <= planned.duration
    assert certificate.path_deviation >= 0.0
    assert certificate.self_margin == 0.0
    assert repr(certificate).startswith("Certificate(world=inf, self=0.")
    with pytest.raises(AttributeError):
        certificate.margin = 1.0


def test_equality_compares_the_motion(timed: Trajectory, path: Trajectory) -> None:
    assert timed == path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION)
    assert timed != path.time_parameterize("trapezoidal", VELOCITY, [3.0, 4.1])
    assert timed != path
    assert path == Trajectory.from_waypoints(PATH)


# --- from samples ---


def test_samples_with_velocities_make_a_cubic_that_meets_them() -> None:
    times = np.array([0.0, 0.4, 1.0])
    positions, velocities = np.array([[0.0], [1.0], [0.5]]), np.array([[0.0], [1.5], [-1.0]])
    trajectory = Trajectory.from_numpy(times, positions, velocities)
    assert trajectory.law == "interpolated"
    for t, q, v in zip(times, positions, velocities):
        assert np.allclose(trajectory.sample(t), q, rtol=0.0, atol=ROUNDING)
        assert np.allclose(trajectory.sample_velocity(t), v, rtol=0.0, atol=1e-9)
    assert not trajectory.pieces()[1][..., 4:].any()


def test_samples_of_a_parabola_give_the_parabola() -> None:
    times = np.linspace(0.0, 2.0, 9)
    trajectory = Trajectory.from_numpy(times, np.column_stack([times**2, 1.0 - times]))
    for t in np.linspace(0.0, 2.0, 50):
        assert np.allclose(trajectory.sample(t), [t * t, 1.0 - t], rtol=0.0, atol=1e-9)


def test_samples_without_times_are_a_path(path: Trajectory) -> None:
    assert Trajectory.from_numpy(None, PATH) == path
    with pytest.raises(InputError, match="velocities"):
        Trajectory.from_numpy(None, PATH, PATH)


@pytest.mark.parametrize(
    ("times", "positions", "velocities", "complaint"),
    [
        ([0.0, 1.0, 1.0], [[0.0], [1.0], [2.0]], None, "sample time 2"),
        ([0.5, 1.0], [[0.0], [1.0]], None, "first sample time"),
        ([0.0, 1.0], [[0.0], [1.0], [2.0]], None, "sample times has 2 values, expected 3"),
        ([0.0, 1.0], [[0.0], [1.0]], [[0.0, 0.0], [0.0, 0.0]], "velocities"),
        ([0.0, np.nan], [[0.0], [1.0]], None, "NotFinite"),
        ([0.0, 1.0], [[0.0], [np.inf]], None, "NotFinite"),
        ([], np.zeros((0, 2)), None, "0 samples"),
        (None, np.zeros((0, 2)), None, "0 waypoints"),
    ],
)
def test_unusable_samples_are_refused(times, positions, velocities, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Trajectory.from_numpy(times, positions, velocities)


# --- timing and checking ---


def test_a_timed_path_rests_at_both_ends_and_holds_its_limits(timed: Trajectory) -> None:
    assert timed.law == "trapezoidal"
    assert np.allclose(timed.sample(timed.duration), PATH[-1], rtol=0.0, atol=ROUNDING)
    for t in (0.0, timed.duration):
        assert np.allclose(timed.sample_velocity(t), 0.0, atol=1e-9)
    times = np.linspace(0.0, timed.duration, 5000)
    assert (np.abs([timed.sample_velocity(t) for t in times]) <= np.array(VELOCITY) * (1.0 + 1e-9)).all()
    assert (np.abs([timed.sample_acceleration(t) for t in times]) <= np.array(ACCELERATION) * (1.0 + 1e-9)).all()
    assert timed.validate(-10.0, 10.0, VELOCITY, ACCELERATION) == []


def test_the_default_deviation_is_the_one_in_the_signature(path: Trajectory, timed: Trajectory) -> None:
    shown = inspect.signature(Trajectory.time_parameterize).parameters["max_deviation"].default
    assert path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION, max_deviation=shown) == timed


def test_one_limit_for_all_joints_is_that_limit_for_each(path: Trajectory) -> None:
    assert path.time_parameterize("trapezoidal", 1.0, 2.0) == path.time_parameterize(
        "trapezoidal", [1.0] * 2, [2.0] * 2
    )


def test_the_deviation_at_corners_is_bounded_and_none_stops(path: Trajectory) -> None:
    exact = path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION, max_deviation=0.0)
    blended = path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION, max_deviation=0.05)
    assert blended.duration < exact.duration
    samples = np.array([blended.sample(t) for t in np.linspace(0.0, blended.duration, 2000)])
    corners = [np.linalg.norm(samples - corner, axis=1).min() for corner in PATH[1:-1]]
    # Samples are some 2e-3 apart, so that the nearest may miss the nearest point of the curve by 1e-5.
    assert 0.01 < max(corners) <= 0.05 + 1e-4
    stops = [np.linalg.norm(exact.sample_velocity(t)) for t in exact.to_numpy()[0]]
    assert np.allclose(stops, 0.0, atol=1e-9)


def test_a_timed_trajectory_can_be_timed_again(timed: Trajectory) -> None:
    slower = timed.time_parameterize("trapezoidal", 0.5, 1.0)
    assert slower.duration > timed.duration
    assert np.allclose(slower.sample(slower.duration), PATH[-1], rtol=0.0, atol=ROUNDING)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("warp", 1.0, 1.0), 'no time law "warp"'),
        (("trapezoidal", 0.0, 1.0), "velocity limit of joint 0"),
        (("trapezoidal", [1.0, np.nan], 1.0), "velocity limit of joint 1"),
        (("trapezoidal", 1.0, [1.0] * 3), "acceleration limits has 3 values, expected 2"),
        (("trapezoidal", [1.0] * 3, 1.0), "velocity limits has 3 values, expected 2"),
        (("trapezoidal", [], 1.0), "velocity limits has 0 values, expected 2"),
        (("trapezoidal", 1.0, 1.0, 10.0), "jerk_limits"),
        (("trapezoidal", 1.0, 1.0, None, -0.1), "max_deviation|deviation"),
        (("trapezoidal", [[1.0]], 1.0), "one per joint"),
    ],
)
def test_unusable_limits_are_refused(path: Trajectory, arguments: tuple, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        path.time_parameterize(*arguments)


def test_violations_say_joint_kind_value_limit_and_time(timed: Trajectory) -> None:
    found = timed.validate([-10.0, -10.0], [10.0, 1.2], VELOCITY, [3.0, 3.9])
    kinds = {(entry["joint"], entry["type"]) for entry in found}
    assert kinds == {(1, "position"), (1, "acceleration")}
    for entry in found:
        assert set(entry) == {"waypoint", "joint", "type", "value", "limit", "time"}
        order = ["position", "velocity", "acceleration"].index(entry["type"])
        assert entry["limit"] == (1.2 if order == 0 else 3.9)
        assert abs(entry["value"]) > entry["limit"]
        # A value is the limit from one side of the knot, so compare just beside it too.
        beside = [evaluate(timed, entry["time"] + shift, order)[1] for shift in (-1e-9, 0.0, 1e-9)]
        assert min(abs(value - entry["value"]) for value in beside) < 1e-6
    worst = max(entry["value"] for entry in found if entry["type"] == "position")
    highest = max(timed.sample(t)[1] for t in np.linspace(0.0, timed.duration, 3000))
    assert worst == pytest.approx(highest, abs=1e-4)


def test_a_violation_between_waypoints_is_found() -> None:
    bump = Trajectory.from_numpy([0.0, 1.0], [[0.0], [0.0]], [[1.0], [-1.0]])
    # q = t - t²: a quarter at its top.
    (found,) = [entry for entry in bump.validate(-1.0, 0.24, 2.0, 2.5) if entry["type"] == "position"]
    assert found["value"] == pytest.approx(0.25, abs=1e-9)
    assert found["time"] == pytest.approx(0.5, abs=1e-4)
    assert bump.validate(-1.0, 0.26, 2.0, 2.5) == []


def test_infinite_position_limits_are_limits_of_continuous_joints(timed: Trajectory) -> None:
    assert timed.validate(-np.inf, np.inf, VELOCITY, ACCELERATION) == []
    with pytest.raises(InputError, match="position range of joint 0"):
        timed.validate(1.0, -1.0, VELOCITY, ACCELERATION)


# --- composition ---


def test_backwards_is_the_same_motion_in_reversed_time(timed: Trajectory) -> None:
    back = timed.reverse()
    assert back.duration == pytest.approx(timed.duration, abs=ROUNDING)
    for t in np.linspace(0.0, timed.duration, 200):
        assert np.allclose(back.sample(t), timed.sample(timed.duration - t), rtol=0.0, atol=1e-9)
        assert np.allclose(back.sample_velocity(t), -timed.sample_velocity(timed.duration - t), rtol=0.0, atol=1e-6)


def test_there_and_back_is_one_motion(timed: Trajectory, path: Trajectory) -> None:
    both = timed.concatenate(timed.reverse())
    assert both.duration == pytest.approx(2.0 * timed.duration, abs=ROUNDING)
    for t in np.linspace(0.0, timed.duration, 100):
        assert np.allclose(both.sample(t), timed.sample(t), rtol=0.0, atol=1e-9)
        assert np.allclose(both.sample(2.0 * timed.duration - t), timed.sample(t), rtol=0.0, atol=1e-9)
    assert path.concatenate(path.reverse()).positions() == PATH + PATH[-2::-1]
    assert path.reverse().positions() == PATH[::-1]


def test_motions_that_do_not_meet_are_not_joined(timed: Trajectory, path: Trajectory) -> None:
    with pytest.raises(InputError, match="position of joint 0 where"):
        timed.concatenate(timed)
    with pytest.raises(InputError, match="position of joint 0 where"):
        path.concatenate(path)
    with pytest.raises(InputError, match="one timed, one without time"):
        timed.concatenate(path)
    with pytest.raises(InputError, match="DimensionMismatch"):
        path.concatenate(Trajectory.from_waypoints([[0.0]]))


def test_composed_motions_carry_no_certificate(planned: Trajectory) -> None:
    assert planned.certificate is not None
    assert planned.reverse().certificate is None
    assert planned.concatenate(planned.reverse()).certificate is None
    assert planned.reverse().joint_names == planned.joint_names


# --- files ---

ROUND_TRIPS = {
    "json": lambda trajectory, folder: Trajectory.from_json(trajectory.to_json()),
    "json file": lambda trajectory, folder: (
        trajectory.to_json(folder / "a.json"),
        Trajectory.from_json(folder / "a.json"),
    )[1],
    "json file by name": lambda trajectory, folder: (
        trajectory.to_json(str(folder / "a")),
        Trajectory.from_json(str(folder / "a")),
    )[1],
    "npz": lambda trajectory, folder: (trajectory.to_npz(folder / "a.npz"), Trajectory.from_npz(folder / "a.npz"))[1],
    "pickle": lambda trajectory, folder: pickle.loads(pickle.dumps(trajectory)),
}
TIMED_ROUND_TRIPS = {
    "csv": lambda trajectory, folder: Trajectory.from_csv(trajectory.to_csv()),
    "csv file": lambda trajectory, folder: (trajectory.to_csv(folder / "a.csv"), Trajectory.from_csv(folder / "a.csv"))[
        1
    ],
}


@pytest.mark.parametrize("form", [*ROUND_TRIPS, *TIMED_ROUND_TRIPS])
def test_files_are_lossless(timed: Trajectory, planned: Trajectory, tmp_path, form: str) -> None:
    again = {**ROUND_TRIPS, **TIMED_ROUND_TRIPS}[form]
    for trajectory in (timed, planned):
        other = again(trajectory, tmp_path)
        assert other == trajectory
        assert other.certificate == trajectory.certificate
        assert other.joint_names == trajectory.joint_names


@pytest.mark.parametrize("form", ROUND_TRIPS)
def test_paths_survive_files_as_paths(path: Trajectory, tmp_path, form: str) -> None:
    assert ROUND_TRIPS[form](path, tmp_path) == path


def test_the_text_is_returned_and_written(timed: Trajectory, tmp_path) -> None:
    assert timed.to_json(tmp_path / "a.json") == (tmp_path / "a.json").read_text()
    assert timed.to_csv(tmp_path / "a.csv") == (tmp_path / "a.csv").read_text()


def test_json_has_the_documented_schema(planned: Trajectory) -> None:
    document = json.loads(planned.to_json())
    assert document["dof"] == 6
    assert document["duration"] == planned.duration
    assert document["num_waypoints"] == len(document["waypoints"]) == len(planned)
    assert document["waypoints"][0]["positions"] == planned.positions()[0]
    knots, coefficients = planned.pieces()
    assert document["pieces"]["knots"] == knots.tolist()
    assert document["pieces"]["coefficients"] == coefficients.tolist()


def test_csv_is_a_table_for_other_programs(timed: Trajectory) -> None:
    rows = [line for line in timed.to_csv().splitlines() if not line.startswith("#")]
    assert rows[0] == "time,q0,q1,qd0,qd1,qdd0,qdd1"
    table = np.array([[float(word) for word in row.split(",")] for row in rows[1:]])
    assert np.array_equal(table[:, 0], timed.to_numpy()[0])
    assert np.array_equal(table[:, 1:3], timed.to_numpy()[1])


def test_an_archive_has_its_arrays(timed: Trajectory, tmp_path) -> None:
    timed.to_npz(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["knots"], timed.pieces()[0])
        assert np.array_equal(archive["coefficients"], timed.pieces()[1])
        assert np.array_equal(archive["times"], timed.to_numpy()[0])
        assert np.array_equal(archive["positions"], timed.to_numpy()[1])


def test_malformed_files_are_refused_with_their_name(tmp_path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text('{"dof": 2,\n "time": }')
    for read in (Trajectory.from_json, Trajectory.from_csv, Trajectory.from_npz):
        with pytest.raises(InputError, match="^FileParse: ") as caught:
            read(file)
        assert caught.value.file == str(file)
    with pytest.raises(InputError, match="^FileParse: <string>:2"):
        Trajectory.from_json(file.read_text())
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    for name in ("array.npy", "other.npz"):
        with pytest.raises(InputError, match="^FileParse: .*not an archive of a trajectory"):
            Trajectory.from_npz(tmp_path / name)


def test_missing_files_and_folders_are_os_errors(timed: Trajectory, tmp_path) -> None:
    for read in (Trajectory.from_json, Trajectory.from_csv, Trajectory.from_npz):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        timed.to_json(tmp_path / "no folder" / "a.json")
    with pytest.raises(IsADirectoryError):
        Trajectory.from_json(tmp_path)


# --- pictures ---


def test_a_plot_shows_every_joint_and_is_written(planned: Trajectory, path: Trajectory, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="the extra kinetic[viz]")
    figure = planned.plot(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    assert [len(axis.lines) for axis in figure.axes] == [6, 6, 6, 6]
    assert np.allclose(figure.axes[0].lines[2].get_ydata()[[0, -1]], [planned.sample(t)[2] for t in (0.0, 99.0)])
    assert [len(axis.lines) for axis in path.plot().axes] == [2]


def test_a_plot_with_limits_shades_them_and_shows_how_much_of_them_is_used(timed: Trajectory) -> None:
    pytest.importorskip("matplotlib", reason="the extra kinetic[viz]")
    figure = timed.plot(velocity_limits=VELOCITY, acceleration_limits=[3.0, 4.0])
    assert [axis.get_ylabel().split()[0] for axis in figure.axes] == [
        "position",
        "velocity",
        "acceleration",
        "jerk",
        "part",
    ]
    assert [len(axis.patches) > 0 for axis in figure.axes] == [False, True, True, False, False]
    use = np.array([line.get_ydata() for line in figure.axes[-1].lines[:2]])
    knots, _ = timed.pieces()
    times = figure.axes[-1].lines[0].get_xdata()
    inside = ~np.isin(times, knots)
    for joint in range(2):
        wanted = [
            max(
                abs(timed.sample_velocity(t)[joint]) / VELOCITY[joint],
                abs(timed.sample_acceleration(t)[joint]) / ACCELERATION[joint],
            )
            for t in times[inside]
        ]
        assert np.allclose(use[joint, inside], wanted, atol=1e-9)
    with pytest.raises(InputError, match="velocity limit of joint 1"):
        timed.plot(velocity_limits=[1.0, -1.0])


# --- the time-optimal law ---


def test_the_time_optimal_law_holds_limits_meets_waypoints_and_moves_at_the_ends(path: Trajectory) -> None:
    fast = path.time_parameterize("totp", VELOCITY, ACCELERATION)
    assert fast.duration <= path.time_parameterize("trapezoidal", VELOCITY, ACCELERATION).duration * (1.0 + 1e-8)
    met = path.time_parameterize("totp", VELOCITY, ACCELERATION, through=[1])
    spline = path.time_parameterize("totp", VELOCITY, ACCELERATION, shape="spline")
    moving = path.time_parameterize(
        "totp", VELOCITY, ACCELERATION, start_velocity=[0.4, 0.2], end_velocity=[-0.3, -0.1]
    )
    for timed in (fast, met, spline, moving):
        assert timed.law == "totp"
        assert timed.validate(-10.0, 10.0, VELOCITY, ACCELERATION) == []
    _, positions, _ = met.to_numpy()
    assert np.abs(positions[1] - PATH[1]).max() < 1e-9
    assert np.abs(positions[2] - PATH[2]).max() > 1e-3
    assert np.abs(spline.to_numpy()[1] - PATH).max() < 1e-9
    assert np.allclose(moving.sample_velocity(0.0), [0.4, 0.2], atol=1e-8)
    assert np.allclose(moving.sample_velocity(99.0), [-0.3, -0.1], atol=1e-8)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start_velocity": [0.4, 0.4]}, "start velocity of joint"),
        ({"start_velocity": [9.0, 4.5]}, "start velocity of joint 0"),
        ({"end_velocity": [0.4]}, "end velocity"),
        ({"shape": "circle"}, "blends"),
        ({"through": [4]}, "indices of 4 waypoints"),
        ({"through": [-1]}, "at least 0"),
        ({"max_deviation": -1.0}, "max_deviation"),
    ],
)
def test_options_of_timing_that_cannot_be_used_are_named(path: Trajectory, options: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        path.time_parameterize("totp", VELOCITY, ACCELERATION, **options)
