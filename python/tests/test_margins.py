"""Margins, paddings and scales in every question; explanations, gradients, trajectories, saved scenes."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import BALL_RADIUS, POST_RADIUS, SLIDER, translation

from kinetic import InputError, Planner, Robot, Scene, Shape, Trajectory

EXACT = 1e-9
"""What iterative distance algorithms leave."""
CONTACT = 1e-4
"""A first contact is found by conservative advancement, which stops this close to it (as a fraction of the motion)."""


@pytest.fixture
def scene() -> Scene:
    """The slider with an object whose distance from the ball at x is 0.8 - x."""
    scene = Scene(Robot.from_urdf(SLIDER, tip="ball"))
    scene.add("wall", Shape.box(0.2, 1.0, 1.0), translation(1.0, 0.0, 0.0))
    return scene


STATEMENTS = [
    (lambda scene: scene.set_margin("wall", "ball", 0.3), 0.3),
    (lambda scene: scene.set_margin("ball", "wall", value=0.3), 0.3),
    (lambda scene: scene.set_margin("wall", value=0.3), 0.3),
    (lambda scene: scene.set_margin("ball", value=0.3, towards="world"), 0.3),
    (lambda scene: scene.set_padding("ball", 0.3), 0.3),
    (lambda scene: scene.set_padding("wall", 0.3), 0.3),
    (lambda scene: (scene.set_padding("wall", 0.1), scene.set_margin("ball", value=0.2)), 0.3),
    (lambda scene: (scene.set_margin("ball", value=0.9, towards="world"), scene.set_margin("ball", "wall", 0.3)), 0.3),
    (lambda scene: (scene.set_margin("wall", value=0.1), scene.set_margin("ball", value=0.3)), 0.3),
    (lambda scene: scene.set_scale("ball", 4.0), 0.3),
]


@pytest.mark.parametrize(("state", "needed"), STATEMENTS)
def test_every_question_honours_what_the_scene_states(scene: Scene, state, needed: float) -> None:
    state(scene)
    last = 0.8 - needed
    planner = Planner(Robot.from_urdf(SLIDER, tip="ball"), scene, collision_margin=0.0, rng_seed=0)
    for x, free in [(last - 1e-6, True), (last + 1e-6, False)]:
        q = [x, 0.0]
        assert scene.check_collision(q) is not free
        assert scene.are_free([q]).tolist() == [free]
        assert scene.explain(q).is_free is free
        assert (scene.distance_gradient(q)[0] > 0.0) is free
        assert planner.is_in_collision(q) is not free
        assert bool(scene.contacts(q)) is not free
    assert scene.check_motion([-1.0, 0.0], [1.0, 0.0]) == pytest.approx((last + 1.0) / 2.0, abs=CONTACT)
    path = Trajectory.from_waypoints([[-1.5, 0.0], [-1.0, 0.0], [1.0, 0.0]])
    found = scene.check_trajectory(path)
    assert (found["segment"], found["time"], found["link"], found["other"]) == (1, None, "ball", "wall")
    assert found["fraction"] == pytest.approx((last + 1.0) / 2.0, abs=CONTACT)
    motion = planner.plan([-1.0, 0.0], [last - 0.01, 1.0])
    assert scene.check_trajectory(motion) is None
    assert motion.certificate.min_clearance - motion.certificate.pair_margin == pytest.approx(0.01, abs=1e-3)
    with pytest.raises(Exception, match="GoalInCollision"):
        planner.plan([-1.0, 0.0], [last + 0.01, 1.0])


def test_margins_between_links_are_stated_by_pair_or_side(scene: Scene) -> None:
    distance = 1.0 - BALL_RADIUS - POST_RADIUS
    for state, free in [
        (lambda: scene.set_margin("ball", "post", distance + 1e-6), False),
        (lambda: scene.set_margin("ball", "post", distance - 1e-6), True),
        (lambda: scene.set_margin("ball", "post", None), True),
        (lambda: scene.set_margin("post", value=distance + 1e-6, towards="world"), True),
        (lambda: scene.set_margin("post", value=distance + 1e-6, towards="robot"), False),
    ]:
        state()
        assert scene.self_collision([0.0, 0.0]) == (not free, [] if free else [("ball", "post")])
        assert not scene.are_free([[0.0, 0.0]], self_margin=distance + 1e-6)[0] or free


def test_a_certificate_says_what_was_proven_for_every_pair(scene: Scene) -> None:
    planner = Planner(Robot.from_urdf(SLIDER, tip="ball"), scene, collision_margin=0.02, self_margin=0.01)
    assert planner.plan([-1.0, 0.0], [0.5, 0.0]).certificate.margin == 0.02
    scene.set_margin("wall", value=0.05)
    scene.set_padding("ball", 0.03)
    certificate = planner.plan([-1.0, 0.0], [0.5, 0.0]).certificate
    assert certificate.margin == pytest.approx(0.05)
    assert certificate.self_margin == pytest.approx(0.04)
    assert certificate.pair == ("ball", "wall")
    assert certificate.pair_margin == pytest.approx(0.08)


def test_an_explanation_is_a_list_and_a_text(scene: Scene) -> None:
    scene.set_margin("wall", value=0.25)
    scene.set_padding("ball", 0.05)
    explained = scene.explain([0.6, 0.0], within=0.5)
    first = explained[0]
    assert (first["link"], first["other"], first["free"], first["source"]) == ("ball", "wall", False, "name")
    assert first["distance"] == pytest.approx(0.2, abs=EXACT)
    assert first["margin"] == pytest.approx(0.3, abs=EXACT)
    assert first["padding"] == pytest.approx(0.05, abs=EXACT)
    assert first["decided_by"] == "spheres"
    assert np.allclose(first["point_on_link"], [0.7, 0.0, 0.0], rtol=0.0, atol=EXACT)
    assert np.allclose(first["point_on_other"], [0.9, 0.0, 0.0], rtol=0.0, atol=EXACT)
    slack = [entry["distance"] - entry["margin"] for entry in explained]
    assert slack == sorted(slack)
    assert len(explained) == len(slack)
    assert explained[-1]["distance"] == [*explained][-1]["distance"]
    assert "ball - wall: too close, 200.0 mm apart, keeps 250.0 mm (margin of wall) + 50.0 mm (paddings)" in repr(
        explained
    )
    with pytest.raises(IndexError):
        explained[len(explained)]


def test_what_is_near_and_not_checked_has_a_reason(scene: Scene) -> None:
    scene.allow_collision("ball", "wall")
    reasons = {(row["link"], row["other"]): row["reason"] for row in scene.explain([0.6, 0.0], within=1.0).unchecked}
    assert reasons["ball", "wall"] == "allowed in the scene"
    assert reasons["carriage", "ball"] == "one moving joint between them"
    assert scene.allowed == [("ball", "wall")]


@pytest.mark.parametrize("name", ["ur5e", "franka_panda", "xarm7"])
def test_the_gradient_of_the_clearance_is_that_of_differences(name: str) -> None:
    robot = Robot(name)
    scene = Scene(robot)
    scene.add("ball", Shape.sphere(0.1), translation(0.4, 0.3, 0.5))
    scene.add("box", Shape.box(0.2, 0.3, 0.1), translation(-0.4, -0.3, 0.5))
    # So that objects are nearer to their margin than links are.
    scene.set_margin("ball", value=0.5)
    compared, step = 0, 1e-5
    for case in range(20):
        q = robot.random_configuration(rng_seed=case)
        clearance, gradient, pair = scene.distance_gradient(q)
        assert gradient.shape == (robot.dof,)
        assert pair is not None
        for joint in range(robot.dof):
            shift = step * np.eye(robot.dof)[joint]
            (before, _, left), (after, _, right) = (
                scene.distance_gradient(q - shift),
                scene.distance_gradient(q + shift),
            )
            rises = np.array([clearance - before, after - clearance]) / step
            if left == right and abs(rises[1] - rises[0]) < 1e-3 and clearance > -0.49:
                assert gradient[joint] == pytest.approx(rises.mean(), abs=1e-3), f"case {case} joint {joint}"
                compared += 1
    assert compared > 60


def test_every_link_says_how_close_it_comes(scene: Scene) -> None:
    found = {row["link"]: row for row in scene.link_distances([0.0, 0.0])}
    assert found["ball"]["distance"] == pytest.approx(min(0.8, 1.0 - BALL_RADIUS - POST_RADIUS), abs=EXACT)
    assert found["ball"]["other"] == "post"
    assert found["post"]["other"] == "ball"
    scene.set_margin("wall", value=0.5)
    found = {row["link"]: row for row in scene.link_distances([0.0, 0.0])}
    assert (found["ball"]["other"], found["ball"]["margin"]) == ("wall", 0.5)


def test_nothing_near_has_no_pair_and_no_slope() -> None:
    scene = Scene(Robot.from_urdf(SLIDER, tip="ball"))
    scene.allow_collision("ball", "post")
    scene.allow_collision("carriage", "post")
    clearance, gradient, pair = scene.distance_gradient([0.0, 0.0])
    assert (clearance, gradient.tolist(), pair) == (np.inf, [0.0, 0.0], None)
    assert all(row["other"] is None for row in scene.link_distances([0.0, 0.0]))


def test_a_timed_trajectory_is_blamed_with_the_time(scene: Scene) -> None:
    path = Trajectory.from_waypoints([[-1.0, 0.0], [0.0, 0.0], [1.5, 0.0]])
    timed = path.time_parameterize("trapezoidal", velocity_limits=1.0, acceleration_limits=2.0)
    found = scene.check_trajectory(timed, collision_margin=0.1)
    assert found["segment"] == 1
    assert timed.sample(found["time"])[0] == pytest.approx(0.7, abs=CONTACT)


@pytest.mark.parametrize(
    ("ask", "word"),
    [
        (lambda scene: scene.set_margin("wal", value=0.1), "ObjectNotFound"),
        (lambda scene: scene.set_margin("wall", "bal", 0.1), "ObjectNotFound"),
        (lambda scene: scene.set_margin("wall", "wall", 0.1), "two different names"),
        (lambda scene: scene.set_margin("wall", value=-0.1), "InvalidValue"),
        (lambda scene: scene.set_margin("wall", value=float("nan")), "InvalidValue"),
        (lambda scene: scene.set_margin("wall", "ball", 0.1, towards="world"), "towards"),
        (lambda scene: scene.set_margin("wall", value=0.1, towards="robot"), "world only"),
        (lambda scene: scene.set_margin("ball", value=0.1, towards="sky"), "sky"),
        (lambda scene: scene.set_padding("ball", -1.0), "padding"),
        (lambda scene: scene.set_scale("wall", 1.1), "LinkNotFound"),
        (lambda scene: scene.set_scale("ball", 0.0), "scale"),
        (lambda scene: scene.explain([0.0, 0.0], collision_margin=-0.1), "collision_margin"),
        (lambda scene: scene.explain([0.0, 0.0], within=-0.1), "within"),
        (lambda scene: scene.check_trajectory(Trajectory.from_waypoints([[0.0]])), "DimensionMismatch"),
        (lambda scene: scene.attach("wall", Shape.sphere(0.1), np.eye(4), "ball"), "attached body name"),
        (lambda scene: scene.attach("ball", Shape.sphere(0.1), np.eye(4), "ball"), "name"),
        (lambda scene: scene.inverse_kinematics(np.eye(4), distance=-1.0), "distance"),
        (lambda scene: scene.inverse_kinematics(np.eye(4), rank="last"), "first"),
        (lambda scene: scene.inverse_kinematics(np.eye(4), pairs=[("ball", "wal")]), "ObjectNotFound"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(scene: Scene, ask, word: str) -> None:
    before = (scene.version, scene.margins)
    with pytest.raises(InputError, match=word):
        ask(scene)
    assert (scene.version, scene.margins) == before


def test_attaching_twice_is_refused(scene: Scene) -> None:
    scene.attach("cup", Shape.sphere(0.05), np.eye(4), "ball")
    with pytest.raises(InputError, match="cup"):
        scene.attach("cup", Shape.sphere(0.05), np.eye(4), "ball")
    with pytest.raises(InputError, match="cup"):
        scene.add("cup", Shape.sphere(0.05), np.eye(4))


def test_a_saved_scene_is_the_scene(scene: Scene, tmp_path) -> None:
    scene.attach("cup", Shape.cylinder(0.05, 0.1), translation(0.0, 0.0, 0.2), "ball", touch_links=["carriage"])
    scene.allow_collision("cup", "wall")
    scene.set_margin("wall", "ball", 0.1)
    scene.set_margin("ball", value=0.02)
    scene.set_padding("cup", 0.01)
    scene.set_scale("ball", 1.5)
    scene.save(tmp_path / "scene.toml")
    again = Scene(Robot.from_urdf(SLIDER, tip="ball"))
    again.load(tmp_path / "scene.toml")
    assert (again.objects, again.attached, again.allowed) == (scene.objects, scene.attached, scene.allowed)
    assert again.margins == scene.margins
    assert again.margins["pairs"] == {("ball", "wall"): 0.1}
    for x in np.linspace(-1.0, 1.0, 50):
        assert again.distance_gradient([x, 0.0])[0] == pytest.approx(scene.distance_gradient([x, 0.0])[0], abs=EXACT)
    with pytest.raises(OSError, match="gone"):
        scene.save(tmp_path / "gone" / "scene.toml")
