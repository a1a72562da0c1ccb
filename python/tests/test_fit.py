"""Fits of kinetic.fit, against plain sampling and the support functions of the shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import kinetic

Array = npt.NDArray[np.float64]

# Covers have a slack of 1e-9 m; poses carry the rounding of a few operations.
ROUNDING = 1e-9


def angle() -> tuple[Array, npt.NDArray[np.int64]]:
    """Two boxes at a right angle, 12 triangles each."""
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
    faces = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4]]
    faces += [[2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]]
    one = corners * [0.25, 0.03, 0.04] + [0.25, 0.0, 0.0]
    other = corners * [0.03, 0.04, 0.25] + [0.0, 0.0, 0.25]
    return np.concatenate([one, other]), np.concatenate([faces, np.array(faces) + 8])


def on_surface(vertices: Array, faces: npt.NDArray[np.int64], count: int) -> Array:
    """Random points of the triangles."""
    rng = np.random.default_rng(0)
    weights = rng.dirichlet([0.7, 0.7, 0.7], count)
    return np.einsum("ij,ijk->ik", weights, vertices[faces[rng.integers(len(faces), size=count)]])


def are_covered(points: Array, spheres: Array) -> bool:
    """True when every point is in a sphere."""
    distance = np.linalg.norm(points[:, None] - spheres[None, :, :3], axis=2) - spheres[None, :, 3]
    return bool((distance.min(axis=1) <= ROUNDING).all())


def beyond(points: Array, shape: kinetic.Shape) -> Array:
    """How far points are outside a convex shape along the worst of 2 000 directions: never more than they are."""
    directions = np.random.default_rng(0).normal(size=(2_000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = (directions @ shape.dimensions["vertices"].T).max(axis=1) + shape.dimensions["radius"]
    return (points @ directions.T - reach).max(axis=1)


def test_spheres_contain_every_point_of_a_mesh_and_fewer_spheres_reach_farther() -> None:
    mesh = angle()
    points = on_surface(*mesh, 20_000)
    excesses = []
    for count in (4, 8, 16, 32):
        spheres, report = kinetic.fit.spheres(mesh, count=count)
        assert spheres.shape == (report["count"], 4)
        assert report["count"] <= count
        assert are_covered(points, spheres)
        assert report["volume_ratio"] > 1.0
        excesses.append(report["excess"])
    assert excesses == sorted(excesses, reverse=True)


def test_an_excess_that_is_asked_for_is_kept() -> None:
    spheres, report = kinetic.fit.spheres(kinetic.Shape.cylinder(0.05, 0.2), max_excess=0.02)
    assert report["excess"] <= 0.02
    assert len(spheres) < 100


def test_pieces_together_contain_the_mesh_and_leave_the_space_between_free() -> None:
    mesh = angle()
    pieces = kinetic.fit.convex_pieces(mesh)
    points = on_surface(*mesh, 5_000)
    assert len(pieces) > 1
    assert all(gap >= 0.0 for _, gap in pieces)
    outside = np.min([beyond(points, shape) for shape, _ in pieces], axis=0)
    assert (outside <= ROUNDING).all()
    corner = np.array([[0.2, 0.0, 0.2]])
    assert all(beyond(corner, shape) > 0.01 for shape, _ in pieces)


def test_a_hull_of_few_vertices_contains_the_points_of_the_full_one() -> None:
    points = np.random.default_rng(1).normal(size=(2_000, 3)) * [0.1, 0.05, 0.02]
    shape = kinetic.fit.convex_hull((points, []), max_vertices=32, tolerance=0.0)
    assert len(shape.dimensions["vertices"]) <= 32
    assert beyond(points, shape).max() <= ROUNDING


def test_boxes_and_capsules_contain_all_vertices() -> None:
    vertices, faces = angle()
    box, pose = kinetic.fit.box((vertices, faces))
    local = (vertices - pose[:3, 3]) @ pose[:3, :3]
    assert (np.abs(local) <= box.dimensions["half_extents"] + ROUNDING).all()
    capsule, pose = kinetic.fit.capsule((vertices, faces))
    local = (vertices - pose[:3, 3]) @ pose[:3, :3]
    beyond = np.maximum(np.abs(local[:, 2]) - capsule.dimensions["half_height"], 0.0)
    assert (np.hypot(np.hypot(local[:, 0], local[:, 1]), beyond) <= capsule.dimensions["radius"] + ROUNDING).all()


def test_a_mesh_file_gives_what_its_arrays_give(tmp_path: Path) -> None:
    vertices, faces = angle()
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    path = tmp_path / "angle.obj"
    path.write_text("\n".join(lines))
    from_file, _ = kinetic.fit.spheres(path, count=6)
    from_arrays, _ = kinetic.fit.spheres((vertices, faces), count=6)
    # Files of meshes are read in single precision.
    assert np.allclose(from_file, from_arrays, rtol=0.0, atol=1e-5)


def test_the_budget_of_a_robot_is_kept_and_shared() -> None:
    links = kinetic.fit.robot_spheres("ur5e", count=40)
    assert sum(len(link["spheres"]) for link in links) <= 40
    assert all(len(link["spheres"]) >= 1 and link["excess"] < 0.1 for link in links)


@pytest.mark.parametrize(
    "geometry",
    [
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.eye(3), [[0, 1, 3]]),
        (np.eye(3), [[0, 1, 0.5]]),
        (np.full((3, 3), np.nan), [[0, 1, 2]]),
        (np.eye(2), [[0, 1, 1]]),
        kinetic.Shape.half_space([0, 0, 1], 0.0),
    ],
)
def test_what_is_no_solid_is_refused(geometry: object) -> None:
    with pytest.raises(kinetic.InputError):
        kinetic.fit.spheres(geometry, count=4)  # type: ignore[arg-type]


def test_options_outside_their_domain_are_refused() -> None:
    box = kinetic.Shape.cuboid(0.1, 0.1, 0.1)
    with pytest.raises(kinetic.InputError, match="max_spheres"):
        kinetic.fit.spheres(box, count=0)
    with pytest.raises(kinetic.InputError, match="target_excess"):
        kinetic.fit.spheres(box, max_excess=float("nan"))
    with pytest.raises(kinetic.InputError, match="finest"):
        kinetic.fit.robot_spheres("ur5e", preset="finest")
    with pytest.raises(FileNotFoundError):
        kinetic.fit.convex_pieces("no_such_mesh.stl")
