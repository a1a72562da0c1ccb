"""Meshes, ground, voxels, clouds and distance fields as obstacles; distances against Coal, an independent library."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
from oracles import random_pose, translation

from kinetic import InputError, Robot, Scene, Shape, SignedDistanceField, load_mesh
from kinetic.viz.solids import polygons

FULL = os.environ.get("KINETIC_FULL") == "1"
# Coal's own tolerance is 1e-6, for each of two witnesses and the last step.
COAL = 3e-6
GEOMETRIES = {
    "box": '<box size="0.2 0.1 0.3"/>',
    "cylinder": '<cylinder radius="0.08" length="0.3"/>',
    "capsule": '<capsule radius="0.06" length="0.2"/>',
    "sphere": '<sphere radius="0.12"/>',
}
TETRAHEDRON = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]])
TETRAHEDRON_FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])


def body(geometry: str) -> Robot:
    """One body that slides along x, y and z."""
    links = "".join(f'<link name="l{axis}"/>' for axis in "xy")
    joints = "".join(
        f'<joint name="{axis}" type="prismatic"><parent link="{parent}"/><child link="{child}"/><axis xyz="{xyz}"/>'
        '<limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        for axis, parent, child, xyz in [
            ("x", "base", "lx", "1 0 0"),
            ("y", "lx", "ly", "0 1 0"),
            ("z", "ly", "body", "0 0 1"),
        ]
    )
    shape = f"<collision><geometry>{GEOMETRIES[geometry]}</geometry></collision>"
    return Robot.from_urdf(
        f'<robot name="body"><link name="base"/>{links}<link name="body">{shape}</link>{joints}</robot>'
    )


def coal_body(coal, geometry: str):
    """The same body for Coal."""
    return {
        "box": lambda: coal.Box(0.2, 0.1, 0.3),
        "cylinder": lambda: coal.Cylinder(0.08, 0.3),
        "capsule": lambda: coal.Capsule(0.06, 0.2),
        "sphere": lambda: coal.Sphere(0.12),
    }[geometry]()


def surface(coal, vertices: np.ndarray, faces: np.ndarray):
    """Triangles for Coal."""
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(vertices))
    triangles.extend([coal.Triangle(*(int(corner) for corner in face)) for face in faces])
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


def hull(coal, vertices: np.ndarray):
    """A convex piece for Coal."""
    points = coal.StdVec_Vec3s()
    points.extend(list(vertices))
    return coal.Convex.convexHull(points, True, "Qt")


def obstacle(coal, kind: str, rng: np.random.Generator) -> tuple[Shape, list]:
    """A shape, and Coal's pieces of it, those that are not at its origin with their places."""
    if kind == "mesh":
        vertices = np.concatenate([rng.uniform(-0.4, 0.4, (12, 1, 3)) + rng.uniform(-0.2, 0.2, (12, 3, 3))]).reshape(
            -1, 3
        )
        faces = np.arange(36).reshape(-1, 3)
        return Shape.mesh(vertices, faces), [surface(coal, vertices, faces)]
    if kind == "voxels":
        cells = rng.integers(-3, 3, (20, 3))
        corners = np.array(list(np.ndindex(2, 2, 2)))
        return Shape.voxels(cells, 0.15), [hull(coal, (cell + corners) * 0.15) for cell in cells]
    if kind == "point_cloud":
        points = rng.uniform(-0.5, 0.5, (30, 3))
        ball = coal.Sphere(0.06)
        return Shape.point_cloud(points, 0.06), [(ball, point) for point in points]
    heights, (rows, columns) = rng.uniform(0.0, 0.3, (4, 5)), (4, 5)
    x, y = (np.arange(rows) - 1.5) * 0.2, (np.arange(columns) - 2.0) * 0.25
    top = np.dstack([*np.meshgrid(x, y, indexing="ij"), heights])
    pieces = []
    for i, j in np.ndindex(rows - 1, columns - 1):
        for k, m in ((i + 1, j), (i, j + 1)):
            upper = np.array([top[i, j], top[i + 1, j + 1], top[k, m]])
            lower = upper.copy()
            lower[:, 2] = -0.2
            pieces.append(hull(coal, np.vstack([upper, lower])))
    return Shape.height_field(heights, [0.2, 0.25], -0.2), pieces


def coal_distance(coal, pieces: list, pose: np.ndarray, other, place: np.ndarray) -> tuple[float, np.ndarray]:
    """Least distance from the body to the pieces, and the normal there."""
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    here = coal.Transform3s(np.eye(3), place)
    answers = []
    for entry in pieces:
        piece, offset = entry if isinstance(entry, tuple) else (entry, np.zeros(3))
        there = coal.Transform3s(pose[:3, :3], pose[:3, :3] @ offset + pose[:3, 3])
        result = coal.DistanceResult()
        answers.append((coal.distance(other, here, piece, there, request, result), np.array(result.normal)))
    return min(answers, key=lambda answer: answer[0])


@pytest.mark.parametrize("kind", ["mesh", "voxels", "height_field", "point_cloud"])
@pytest.mark.parametrize("geometry", sorted(GEOMETRIES))
def test_distances_and_contacts_agree_with_coal(kind: str, geometry: str) -> None:
    coal = pytest.importorskip("coal", reason="an independent implementation to compare with")
    robot, apart = body(geometry), 0
    other = coal_body(coal, geometry)
    for seed in range(200 if FULL else 12):
        rng = np.random.default_rng(seed)
        shape, pieces = obstacle(coal, kind, rng)
        pose, scene = random_pose(rng), Scene(robot)
        scene.add("it", shape, pose)
        places = rng.uniform(-1.0, 1.0, (6, 3))
        distances = np.array([coal_distance(coal, pieces, pose, other, q)[0] for q in places])
        free = scene.are_free(np.repeat(places, 3, axis=0)).reshape(-1, 3)
        assert (free == (distances > 0.0)[:, None])[abs(distances) > COAL].all(), f"seed {seed}"
        for q in places:
            wanted, normal = coal_distance(coal, pieces, pose, other, q)
            found = scene.min_distance(q)
            if wanted <= 0.0:
                assert found < COAL, f"seed {seed}: {found}, Coal {wanted}"
                assert wanted > -COAL or scene.check_collision(q), f"seed {seed}"
                continue
            apart += 1
            assert found == pytest.approx(wanted, abs=COAL), f"seed {seed}"
            assert not scene.check_collision(q), f"seed {seed}"
            (contact,) = scene.contacts(q, margin=wanted + 1e-4)
            assert (contact["link"], contact["other"], contact["depth"]) == ("body", "it", 0.0)
            between = contact["point_on_other"] - contact["point_on_link"]
            np.testing.assert_allclose(between, contact["normal"] * contact["distance"], atol=1e-9)
            if wanted > 1e-3:
                assert np.arccos(min(1.0, contact["normal"] @ normal)) < 2e-2, f"seed {seed}"
    assert apart > 20


def test_what_a_solid_swallows_collides_and_what_a_shell_holds_does_not() -> None:
    robot = body("sphere")
    for solid in (True, False):
        scene = Scene(robot)
        scene.add("rock", Shape.mesh(TETRAHEDRON * 10.0, TETRAHEDRON_FACES, solid=solid), np.eye(4))
        assert scene.check_collision([0.5, 0.5, 0.5]) == solid
        assert (scene.check_motion([0.5, 0.5, 0.5], [0.6, 0.5, 0.5]) is None) != solid
        # The centre is 0.5 from three walls and 1.5 / sqrt(3) from the fourth; the radius is 0.12.
        depth = -(0.5 + 0.12) if solid else 0.5 - 0.12
        assert scene.min_distance([0.5, 0.5, 0.5]) == pytest.approx(depth, abs=1e-9)


def test_a_plate_without_thickness_stops_a_motion_between_free_ends() -> None:
    scene = Scene(body("box"))
    square = np.array([[0.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0], [0.0, -1.0, 1.0]])
    scene.add("plate", Shape.mesh(square, [[0, 1, 2], [0, 2, 3]]), translation(0.3, 0.0, 0.0))
    assert not scene.check_collision([0.0, 0.0, 0.0])
    assert not scene.check_collision([1.0, 0.0, 0.0])
    # The box reaches 0.1 along x.
    assert scene.check_motion([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]) == pytest.approx(0.2, abs=1e-4)


def test_a_mesh_file_becomes_surface_solid_or_hull(tmp_path) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in TETRAHEDRON] + [
        f"f {a + 1} {b + 1} {c + 1}" for a, b, c in TETRAHEDRON_FACES
    ]
    path = tmp_path / "part.obj"
    path.write_text("\n".join(lines) + "\n")
    for given in (path, str(path)):
        vertices, faces = load_mesh(path)
        assert sorted(map(tuple, vertices)) == sorted(map(tuple, TETRAHEDRON))
        assert Shape.mesh(given) == Shape.mesh(vertices, faces)
        assert Shape.mesh(given, solid=True, scale=2.0) == Shape.mesh(2.0 * vertices, faces, solid=True)
    hull = Shape.mesh(path, scale=0.5, convex=True)
    assert hull.kind == "convex"
    np.testing.assert_array_equal(hull.dimensions["vertices"], 0.5 * vertices)
    with pytest.raises(FileNotFoundError):
        Shape.mesh(tmp_path / "none.stl")
    with pytest.raises(InputError, match="faces only with vertices"):
        Shape.mesh(path, TETRAHEDRON_FACES)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Shape.mesh(TETRAHEDRON), "faces"),
        (lambda: Shape.mesh(TETRAHEDRON, np.zeros((0, 3))), "no triangles"),
        (lambda: Shape.mesh(TETRAHEDRON, [[0, 1, 4]]), "indices below 4"),
        (lambda: Shape.mesh(TETRAHEDRON, [[0, 1, -1]]), "mesh face"),
        (lambda: Shape.mesh(TETRAHEDRON, [[0, 1, 0.5]]), "mesh face"),
        (lambda: Shape.mesh(TETRAHEDRON * np.nan, TETRAHEDRON_FACES), "mesh vertex"),
        (lambda: Shape.mesh(TETRAHEDRON[:, :2], TETRAHEDRON_FACES), "vertex"),
        (lambda: Shape.mesh(TETRAHEDRON, TETRAHEDRON_FACES[1:], solid=True), "3 open edges"),
        (lambda: Shape.mesh(TETRAHEDRON, TETRAHEDRON_FACES, scale=0.0), "mesh scale"),
        (lambda: Shape.mesh(TETRAHEDRON, TETRAHEDRON_FACES, scale=float("nan")), "mesh scale"),
        (lambda: Shape.height_field(np.zeros((1, 4)), 0.1, 0.0), "2 × 2"),
        (lambda: Shape.height_field(np.zeros((0, 4)), 0.1, 0.0), "2 × 2"),
        (lambda: Shape.height_field(np.zeros((2, 2)), 0.1, 0.1), "base"),
        (lambda: Shape.height_field(np.zeros((2, 2)), [0.1, 0.1, 0.1], 0.0), "spacing"),
        (lambda: Shape.height_field([[0.0, np.nan], [0.0, 0.0]], 0.1, 0.0), "heights"),
        (lambda: Shape.voxels(np.zeros((0, 3)), 0.1), "no cells"),
        (lambda: Shape.voxels([[0.5, 0, 0]], 0.1), "voxel index"),
        (lambda: Shape.voxels([[0, 0]], 0.1), "voxel cell"),
        (lambda: Shape.voxels([[0, 0, 0]], -0.1), "voxel resolution"),
        (lambda: Shape.point_cloud(np.zeros((0, 3)), 0.1), "no points"),
        (lambda: Shape.point_cloud([[0.0, 0.0, np.nan]], 0.1), "point of a cloud"),
        (lambda: Shape.point_cloud([[0.0, 0.0, 0.0]], -0.1), "point cloud radius"),
        (lambda: SignedDistanceField([0, 0, 0], [1, 1, 1], 0.0), "resolution"),
        (lambda: SignedDistanceField([0, 0, 0], [1, 0, 1], 0.1), "bounds"),
        (lambda: SignedDistanceField([0, 0, 0], [1, 1, 1], 1e-4), "nodes"),
        (lambda: SignedDistanceField([0, 0, 0], [1, 1, 1], 0.1).distance([[np.nan, 0, 0]]), "points"),
        (lambda: SignedDistanceField([0, 0, 0], [1, 1, 1], 0.1).gradient([[0, np.inf, 0]]), "points"),
    ],
)
def test_what_is_no_shape_is_refused_by_name(make, word: str) -> None:
    with pytest.raises(InputError, match=word):
        make()


NEW_SHAPES = [
    Shape.mesh(TETRAHEDRON, TETRAHEDRON_FACES, solid=True),
    Shape.height_field([[0.0, 0.1, 0.2], [0.3, 0.1, 0.0]], [0.5, 0.25], -0.1),
    Shape.voxels([[0, 0, 0], [1, 0, 0], [5, -2, 3]], 0.1),
    Shape.point_cloud([[0.05, 0.05, 0.05], [0.15, 0.05, 0.05], [0.55, -0.15, 0.35]], 0.05),
]


@pytest.mark.parametrize("shape", NEW_SHAPES, ids=lambda shape: shape.kind)
def test_new_shapes_survive_pickle_and_are_made_from_their_dimensions(shape: Shape) -> None:
    assert pickle.loads(pickle.dumps(shape)) == shape
    made = {
        "mesh": lambda d: Shape.mesh(d["vertices"], d["faces"], solid=d["solid"]),
        "height_field": lambda d: Shape.height_field(**d),
        "voxels": lambda d: Shape.voxels(**d),
        "point_cloud": lambda d: Shape.point_cloud(**d),
    }[shape.kind](shape.dimensions)
    assert made == shape
    assert repr(shape).startswith(f"Shape.{shape.kind}(<")


def test_pictures_of_new_shapes_have_their_size() -> None:
    boxes = {
        "mesh": ([0.0, 0.0, 0.0], [0.3, 0.3, 0.3]),
        "height_field": ([-0.25, -0.25, -0.1], [0.25, 0.25, 0.3]),
        "voxels": ([0.0, -0.2, 0.0], [0.6, 0.1, 0.4]),
        "point_cloud": ([0.0, -0.2, 0.0], [0.6, 0.1, 0.4]),
    }
    for shape in NEW_SHAPES:
        faces = polygons(shape.kind, shape.dimensions, np.eye(4))
        corners = np.vstack(faces)
        np.testing.assert_allclose([corners.min(axis=0), corners.max(axis=0)], boxes[shape.kind], atol=1e-12)
    # Two cells side by side hide two faces from each other.
    assert len(polygons("voxels", NEW_SHAPES[2].dimensions, np.eye(4))) == 3 * 6 - 2


def test_a_distance_field_measures_and_changes_shape_by_shape() -> None:
    field = SignedDistanceField([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], resolution=0.1)
    assert np.all(np.isinf(field.distance([[0.0, 0.0, 0.0]])))
    field.add("ball", Shape.sphere(0.3), translation(0.5, 0.0, 0.0))
    field.add("plate", Shape.mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]]), translation(0.0, 0.0, -0.8))
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (500, 3))
    exact = np.linalg.norm(points - [0.5, 0.0, 0.0], axis=1) - 0.3
    assert np.all(field.lower_bound(points) <= exact + 1e-12)
    assert field.remove("plate")
    assert not field.remove("plate")
    assert field.names == ["ball"]
    assert np.abs(field.distance(points) - exact).max() <= 0.1 * np.sqrt(0.75)
    outward = points - [0.5, 0.0, 0.0]
    far = exact > 0.3
    cosine = np.sum(field.gradient(points)[far] * outward[far], axis=1) / np.linalg.norm(outward[far], axis=1)
    assert cosine.min() > 0.9
    assert field.values.shape == (21, 21, 21)
    # A pose as a matrix would come back with other last digits.
    field.add("box", Shape.cuboid(0.1, 0.2, 0.3), random_pose(rng))
    copy = pickle.loads(pickle.dumps(field))
    np.testing.assert_array_equal(copy.values, field.values)


def test_a_distance_field_stands_in_a_scene() -> None:
    field = SignedDistanceField([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0], resolution=0.05)
    field.add("ball", Shape.sphere(0.3), translation(0.5, 0.0, 0.0))
    scene = Scene(body("sphere"))
    scene.add("map", *field.obstacle())
    rng = np.random.default_rng(0)
    for q in rng.uniform(-1.0, 1.0, (200, 3)):
        exact = np.linalg.norm(q - [0.5, 0.0, 0.0]) - 0.3 - 0.12
        assert scene.min_distance(q) <= exact + 1e-9 or exact < 0.0
        if exact > np.sqrt(3.0) * 0.05:
            assert not scene.check_collision(q)
        if exact <= 0.0:
            assert scene.check_collision(q)
