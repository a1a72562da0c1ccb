"""Scenes and shapes: editing, distances against hand calculation and Coal, motions, margins, files."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from oracles import BALL_RADIUS, CONFIGS, POST_RADIUS, SLIDER, random_pose, translation

from kinetic import InputError, Robot, Scene, Shape

ROUNDING = 1e-12
"""Distances of a few numbers of size 1."""
EXACT = 1e-9
"""What iterative distance algorithms leave."""
CONTACT = 1e-4
"""A first contact is found by conservative advancement, which stops this close to it (as a fraction of the motion)."""


@pytest.fixture
def slider() -> Robot:
    return Robot.from_urdf(SLIDER, tip="ball")


@pytest.fixture
def scene(slider: Robot) -> Scene:
    return Scene(slider)


# --- shapes ---

SHAPES = [
    (Shape.cuboid(0.1, 0.2, 0.3), "cuboid", {"half_extents": [0.1, 0.2, 0.3]}),
    (Shape.box(0.2, 0.4, 0.6), "cuboid", {"half_extents": [0.1, 0.2, 0.3]}),
    (Shape.sphere(0.5), "sphere", {"radius": 0.5}),
    (Shape.cylinder(0.1, 0.4), "cylinder", {"radius": 0.1, "half_height": 0.4}),
    (Shape.capsule(0.1, 0.4), "capsule", {"radius": 0.1, "half_height": 0.4}),
    (Shape.half_space([0.0, 0.0, 2.0], 0.3), "half_space", {"normal": [0.0, 0.0, 1.0], "offset": 0.3}),
    (
        Shape.convex([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], radius=0.01),
        "convex",
        {"vertices": [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], "radius": 0.01},
    ),
]


@pytest.mark.parametrize(("shape", "kind", "dimensions"), SHAPES, ids=[row[1] for row in SHAPES])
def test_shapes_say_what_they_are(shape: Shape, kind: str, dimensions: dict) -> None:
    assert shape.kind == kind
    assert {key: np.asarray(value).tolist() for key, value in shape.dimensions.items()} == dimensions
    assert repr(shape).startswith(f"Shape.{kind}(")


@pytest.mark.parametrize("shape", [row[0] for row in SHAPES], ids=[row[1] for row in SHAPES])
def test_shapes_survive_pickle_bit_by_bit(shape: Shape) -> None:
    assert pickle.loads(pickle.dumps(shape)) == shape


def test_a_slanted_half_space_survives_pickle_bit_by_bit() -> None:
    rng = np.random.default_rng(1)
    for _ in range(100):
        shape = Shape.half_space(rng.normal(size=3), rng.normal())
        assert pickle.loads(pickle.dumps(shape)) == shape


def test_shapes_of_equal_kind_and_size_are_equal() -> None:
    assert Shape.box(0.2, 0.4, 0.6) == Shape.cuboid(0.1, 0.2, 0.3)
    assert Shape.capsule(0.1, 0.4) != Shape.cylinder(0.1, 0.4)
    assert Shape.sphere(0.1) != "sphere"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Shape.sphere(0.0), "sphere radius"),
        (lambda: Shape.sphere(float("nan")), "sphere radius"),
        (lambda: Shape.cuboid(0.1, -0.1, 0.1), "cuboid half_y"),
        (lambda: Shape.box(0.1, 0.1, float("inf")), "box size_z"),
        (lambda: Shape.cylinder(0.1, 0.0), "cylinder half_height"),
        (lambda: Shape.capsule(-1.0, 0.1), "capsule radius"),
        (lambda: Shape.half_space([0.0, 0.0, 0.0], 0.0), "half-space normal"),
        (lambda: Shape.half_space([0.0, 0.0], 0.0), "half-space normal"),
        (lambda: Shape.convex(np.zeros((0, 3))), "convex shape"),
        (lambda: Shape.convex(np.zeros((4, 2))), "vertex"),
        (lambda: Shape.convex(np.zeros((4, 3)), radius=-0.1), "convex radius"),
    ],
)
def test_impossible_shapes_are_refused_by_name(make, name: str) -> None:
    with pytest.raises(InputError, match=name):
        make()


# --- editing ---


def test_objects_are_added_found_moved_and_removed(scene: Scene) -> None:
    pose = random_pose(np.random.default_rng(2))
    scene.add("b", Shape.sphere(0.1), translation(1.0, 0.0, 0.0))
    scene.add("a", Shape.box(0.1, 0.1, 0.1), pose)
    assert scene.objects == ["a", "b"]
    shape, found = scene.get("a")
    assert shape == Shape.box(0.1, 0.1, 0.1)
    assert np.allclose(found, pose, rtol=0.0, atol=ROUNDING)
    scene.update_pose("a", translation(0.0, 0.0, 3.0))
    assert np.array_equal(scene.get("a")[1], translation(0.0, 0.0, 3.0))
    assert scene.remove("a")
    assert not scene.remove("a")
    assert scene.num_objects == 1
    scene.clear()
    assert scene.objects == []


def test_adding_an_existing_name_replaces_the_object(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), np.eye(4))
    scene.add("a", Shape.sphere(0.2), np.eye(4))
    assert scene.get("a")[0] == Shape.sphere(0.2)
    assert scene.num_objects == 1


def test_unknown_objects_are_refused_with_those_that_exist(scene: Scene) -> None:
    scene.add("table", Shape.sphere(0.1), np.eye(4))
    for ask in (scene.get, lambda name: scene.update_pose(name, np.eye(4))):
        with pytest.raises(InputError, match='^ObjectNotFound: no object "chair".*"table"') as caught:
            ask("chair")
        assert caught.value.available == ["table"]


def test_an_object_cannot_have_the_name_of_a_link(scene: Scene) -> None:
    with pytest.raises(InputError, match="object name"):
        scene.add("ball", Shape.sphere(0.1), np.eye(4))


def test_the_version_is_that_of_the_content_and_queries_do_not_edit(scene: Scene) -> None:
    before = scene.version
    copy = scene.snapshot()
    scene.add("a", Shape.sphere(0.1), translation(0.0, 0.0, 2.0))
    copy.add("a", Shape.sphere(0.1), translation(0.0, 0.0, 2.5))
    assert len({before, scene.version, copy.version}) == 3
    edited = scene.version
    scene.min_distance([0.0, 0.0])
    scene.contacts([0.0, 0.0])
    assert scene.version == edited
    copy.update_pose("a", translation(0.0, 0.0, 2.0))
    assert copy.version == edited
    scene.remove("a")
    assert scene.version == before


def test_a_snapshot_is_independent(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), np.eye(4))
    copy = scene.snapshot()
    scene.clear()
    copy.add("b", Shape.sphere(0.1), np.eye(4))
    assert (scene.objects, copy.objects) == ([], ["a", "b"])


def test_a_scene_keeps_its_own_copy_of_a_pose(scene: Scene) -> None:
    pose = translation(1.0, 0.0, 0.0)
    scene.add("a", Shape.sphere(0.1), pose)
    pose[0, 3] = 9.0
    scene.get("a")[1][0, 3] = 7.0
    assert scene.get("a")[1][0, 3] == 1.0


# --- distances ---


def test_the_distance_of_two_balls_is_that_of_their_centres_less_their_radii(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.25), translation(0.3, -0.4, 0.0))
    for x in (-1.0, 0.0, 0.3, 1.5):
        wanted = np.hypot(0.3 - x, 0.4) - 0.25 - BALL_RADIUS
        # The post stands still; "contact of links fixed to the root with fixed objects is not checked".
        assert scene.min_distance([x, 0.0]) == pytest.approx(wanted, abs=EXACT)


SOLIDS = [
    # Shape, pose, and its distance from the point (x, 0, 0), worked out by hand.
    (Shape.box(0.2, 0.2, 0.2), translation(1.0, 0.0, 0.0), lambda x: 0.9 - x),
    (Shape.box(0.2, 0.2, 0.2), translation(1.0, 0.4, 0.0), lambda x: np.hypot(0.9 - x, 0.3)),
    (Shape.cylinder(0.2, 0.1), translation(1.0, 0.0, 0.4), lambda x: np.hypot(0.8 - x, 0.3)),
    (Shape.capsule(0.2, 0.1), translation(1.0, 0.0, 0.4), lambda x: np.hypot(1.0 - x, 0.3) - 0.2),
    (Shape.half_space([1.0, 0.0, 0.0], -0.6), np.eye(4), lambda x: x + 0.6),
    (
        Shape.convex([[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], radius=0.05),
        translation(0.8, 0.0, 0.0),
        lambda x: 0.8 - x - 0.05,
    ),
]


@pytest.mark.parametrize(("shape", "pose", "distance"), SOLIDS, ids=[row[0].kind for row in SOLIDS])
def test_distances_to_solids_are_exact(scene: Scene, shape: Shape, pose: np.ndarray, distance) -> None:
    scene.add("solid", shape, pose)
    for x in (-0.3, 0.0, 0.2):
        assert scene.min_distance([x, 0.0]) == pytest.approx(distance(x) - BALL_RADIUS, abs=EXACT)


def test_an_empty_scene_is_infinitely_far(scene: Scene) -> None:
    assert scene.min_distance([0.0, 0.0]) == np.inf
    assert scene.contacts([0.0, 0.0]) == []


def test_distances_of_an_arm_equal_coal() -> None:
    coal = pytest.importorskip("coal", reason="a second opinion on the hulls; the tests above are worked out by hand")
    robot = Robot("ur5e")
    scene = Scene(robot)
    rng = np.random.default_rng(3)
    hulls = json.loads((CONFIGS / "ur5e" / "hulls.json").read_text("utf-8"))["links"]
    size = np.array([0.3, 0.2, 0.5])
    box = coal.Box(*size)
    for case in range(10):
        q = robot.random_configuration(rng_seed=case)
        pose = random_pose(rng)
        pose[:3, 3] *= 1.5
        scene.add("box", Shape.box(*size), pose)
        wanted = coal_distance(coal, robot.fk_all(q), hulls, box, pose)
        if wanted > 0.0:
            assert scene.min_distance(q) == pytest.approx(wanted, abs=1e-6), f"case {case}"
        else:
            # Penetration depths of hulls are bounds in both programs; the sign is not.
            assert scene.check_collision(q), f"case {case}"


def coal_distance(coal, poses: dict, hulls: dict, box, pose: np.ndarray) -> float:
    """Least distance between moving links and a box; rounded hulls are hulls less their radius."""
    least = np.inf
    for link, pieces in hulls.items():
        if link == "base_link_inertia":
            continue
        for piece in pieces:
            assert piece["type"] == "convex"
            points = coal.StdVec_Vec3s()
            for vertex in piece["vertices"]:
                points.append(np.array(vertex))
            hull = coal.Convex.convexHull(points, False, "Qt")
            result = coal.DistanceResult()
            at = [coal.Transform3s(matrix[:3, :3], matrix[:3, 3]) for matrix in (poses[link], pose)]
            coal.distance(hull, at[0], box, at[1], coal.DistanceRequest(), result)
            least = min(least, result.min_distance - piece["radius"])
    return least


def test_contacts_name_pairs_closer_than_the_margin_nearest_first(scene: Scene) -> None:
    scene.add("near", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    scene.add("far", Shape.sphere(0.1), translation(0.0, 0.0, 0.8))
    contacts = scene.contacts([0.0, 0.0], margin=0.4)
    assert [(contact["link"], contact["other"]) for contact in contacts] == [("ball", "near")]
    assert contacts[0]["distance"] == pytest.approx(0.3, abs=EXACT)
    contacts = scene.contacts([0.0, 0.0], margin=1.0)
    assert [contact["other"] for contact in contacts if contact["link"] == "ball"] == ["near", "far", "post"]
    distances = [contact["distance"] for contact in contacts]
    assert distances == sorted(distances)


def test_touching_is_a_collision_and_being_apart_is_not(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    assert not scene.check_collision([0.2999, 0.0])
    assert scene.check_collision([0.3001, 0.0])


def test_answers_follow_the_edits_of_a_scene(scene: Scene) -> None:
    q = np.array([0.5, 0.0])
    assert not scene.check_collision(q)
    scene.add("a", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    assert scene.check_collision(q)
    scene.update_pose("a", translation(5.0, 0.0, 0.0))
    assert not scene.check_collision(q)
    scene.clear()
    scene.add("b", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    assert scene.check_collision(q)
    assert scene.remove("b")
    assert not scene.check_collision(q)


def test_any_vector_of_numbers_is_read_alike(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    unaligned = np.zeros(17, dtype=np.uint8)[1:].view(np.float64)
    unaligned[:] = 0.5, 0.0
    for q in (
        [0.5, 0],
        (0.5, 0.0),
        np.array([0.5, 0.0]),
        np.array([0.0, 0.5])[::-1],
        np.float32([0.5, 0.0]),
        unaligned,
    ):
        assert scene.check_collision(q)
    assert not scene.check_collision(np.array([1.5, 0.0, 9.0])[:2])
    for wrong in (np.array([0.5]), np.array([[0.5, 0.0]]), np.array([np.nan, 0.0]), "ab", None):
        with pytest.raises(InputError):
            scene.check_collision(wrong)


def test_self_collisions_are_named_in_pairs() -> None:
    robot = Robot.from_urdf(SLIDER.replace('xyz="0 1 0"', 'xyz="1 0.25 0"'), tip="ball")
    scene = Scene(robot)
    assert scene.self_collision([0.0, 0.0]) == (False, [])
    assert scene.self_collision([1.0, 0.0]) == (True, [("ball", "post")])
    assert scene.check_collision([1.0, 0.0])
    scene.allow_collision("ball", "post")
    assert scene.self_collision([1.0, 0.0]) == (False, [])
    scene.disallow_collision("post", "ball")
    assert scene.self_collision([1.0, 0.0])[0]


def test_allowed_pairs_may_touch(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.2), np.eye(4))
    assert scene.check_collision([0.0, 0.0])
    scene.allow_collision("a", "ball")
    assert not scene.check_collision([0.0, 0.0])
    scene.disallow_collision("ball", "a")
    assert scene.check_collision([0.0, 0.0])
    with pytest.raises(InputError, match="^ObjectNotFound: "):
        scene.allow_collision("a", "nothing")


# --- motions and margins ---


def test_the_first_contact_of_a_motion_is_where_the_balls_touch(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), translation(1.0, 0.0, 0.0))
    # From x = 0 to x = 2 the ball meets the object at x = 0.8.
    assert scene.check_motion([0.0, 0.0], [2.0, 0.0]) == pytest.approx(0.4, abs=CONTACT)
    assert scene.check_motion([0.0, 0.0], [0.79, 1.0]) is None


def test_a_thin_wall_between_the_ends_of_a_motion_is_found(scene: Scene) -> None:
    scene.add("wall", Shape.box(1e-3, 0.1, 0.1), translation(1.0, 0.0, 0.0))
    assert not scene.check_collision([0.0, 0.0])
    assert not scene.check_collision([2.0, 0.0])
    assert scene.check_motion([0.0, 0.0], [2.0, 0.0]) == pytest.approx((1.0 - 0.5e-3 - BALL_RADIUS) / 2.0, abs=CONTACT)


def test_many_configurations_at_once_keep_the_margins(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    configs = np.column_stack([np.linspace(-1.0, 1.5, 200), np.zeros(200)])
    distance = np.abs(configs[:, 0] - 0.5) - 0.1 - BALL_RADIUS
    for margin in (0.0, 0.02, 0.3):
        free = scene.are_free(configs, collision_margin=margin)
        assert free.dtype == np.bool_
        assert np.array_equal(free, distance > margin)


def test_the_margin_between_links_is_another_one(scene: Scene) -> None:
    configs = np.array([[0.0, 0.0], [1.0, 0.0]])
    distance = np.hypot(configs[:, 0], 1.0) - BALL_RADIUS - POST_RADIUS
    for margin in (0.0, 0.8):
        assert np.array_equal(scene.are_free(configs, self_margin=margin), distance > margin)
    assert scene.are_free(configs, collision_margin=0.8).all()


def test_many_configurations_may_have_the_length_of_the_robot() -> None:
    robot = Robot.from_urdf(SLIDER, base="carriage", tip="ball")
    scene = Scene(robot)
    scene.add("a", Shape.sphere(0.1), translation(0.5, 0.0, 0.0))
    assert scene.are_free([[0.0], [1.0]]).tolist() == [True, True]
    # Two values: the slide moves too.
    assert scene.are_free([[0.0, 0.0], [0.5, 0.0]]).tolist() == [True, False]


def test_a_negative_margin_is_refused(scene: Scene) -> None:
    with pytest.raises(InputError, match="collision_margin"):
        scene.are_free([[0.0, 0.0]], collision_margin=-0.1)
    with pytest.raises(InputError, match="NotFinite"):
        scene.contacts([0.0, 0.0], margin=float("nan"))


# --- attached bodies ---


def test_an_attached_body_moves_with_its_link_and_is_checked(scene: Scene) -> None:
    scene.attach("stick", Shape.sphere(0.05), translation(0.0, 0.0, 0.5), "ball")
    scene.add("a", Shape.sphere(0.1), translation(1.0, 0.0, 0.5))
    assert (scene.attached, scene.num_attached) == (["stick"], 1)
    # The centres are apart by 1 - x, the ball itself is farther away.
    assert scene.min_distance([0.4, 0.0]) == pytest.approx(0.6 - 0.15, abs=EXACT)
    assert scene.contacts([0.4, 0.0], margin=0.5)[0]["link"] == "stick"


def test_an_object_becomes_a_body_where_it_stands_and_an_object_again(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.05), translation(0.5, 0.0, 0.3))
    scene.attach_existing("a", "ball", [0.5, 1.0])
    assert (scene.objects, scene.attached) == ([], ["a"])
    scene.add("b", Shape.sphere(0.05), translation(1.0, 0.0, 0.3))
    assert scene.min_distance([0.5, 1.0]) == pytest.approx(0.4, abs=EXACT)
    assert scene.detach("a", translation(0.0, 0.0, 2.0))
    assert not scene.detach("a", np.eye(4))
    assert scene.objects == ["a", "b"]
    assert np.array_equal(scene.get("a")[1], translation(0.0, 0.0, 2.0))


def test_links_that_may_touch_a_body_do_not_collide_with_it(scene: Scene) -> None:
    stick = Shape.capsule(0.05, 0.5)
    sideways = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    scene.attach("stick", stick, sideways, "ball")
    assert scene.self_collision([0.0, 0.0]) == (True, [("post", "stick")])
    scene.detach("stick", translation(0.0, 0.0, 5.0))
    scene.remove("stick")
    scene.attach("stick", stick, sideways, "ball", touch_links=["post"])
    assert scene.self_collision([0.0, 0.0]) == (False, [])


def test_a_body_needs_a_link_a_free_name_and_a_bounded_shape(scene: Scene) -> None:
    with pytest.raises(InputError, match='^LinkNotFound: no link "hand"'):
        scene.attach("a", Shape.sphere(0.1), np.eye(4), "hand")
    with pytest.raises(InputError, match="bounded shape"):
        scene.attach("a", Shape.half_space([0.0, 0.0, 1.0], 0.0), np.eye(4), "ball")
    with pytest.raises(TypeError):
        scene.attach("a", Shape.sphere(0.1), np.eye(4), "ball", touch_links="post")
    assert scene.num_attached == 0


# --- files ---

FILE = """
[[object]]
name = "table"
shape = "box"
size = [1.0, 0.6, 0.05]
position = [0.5, 0.0, 0.1]

[[allow]]
pair = ["table", "rail"]
"""


def test_a_scene_file_adds_its_objects(scene: Scene, tmp_path) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(FILE)
    scene.load(path)
    shape, pose = scene.get("table")
    assert shape == Shape.box(1.0, 0.6, 0.05)
    assert np.array_equal(pose, translation(0.5, 0.0, 0.1))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("size =", "siez =", "siez"),
        ("1.0, 0.6", "-1.0, 0.6", "half_x"),
        ('"box"', '"cube"', "cube"),
        ('"table", "rail"', '"table", "tail"', "tail"),
        ("[[object]]", "[[object", "FileParse"),
    ],
)
def test_a_wrong_scene_file_is_refused_whole_with_its_name(scene: Scene, tmp_path, old, new, complaint) -> None:
    path = tmp_path / "scene.toml"
    path.write_text(FILE.replace(old, new))
    with pytest.raises(InputError, match=complaint) as caught:
        scene.load(path)
    assert caught.value.file == str(path)
    assert scene.objects == []


def test_a_missing_scene_file_is_a_file_not_found_error(scene: Scene, tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        scene.load(tmp_path / "gone.toml")


def test_the_representation_counts(scene: Scene) -> None:
    scene.add("a", Shape.sphere(0.1), np.eye(4))
    assert repr(scene) == "Scene(<slider>, 1 objects, 0 attached)"
