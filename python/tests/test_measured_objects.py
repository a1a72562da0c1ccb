"""Objects in clouds: SciPy's graphs as the oracle of clusters, brute force of boxes, and objects over frames."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from kinetic import InputError, ObjectTracker, Scene, euclidean_clusters, upright_box


def cloud(seed: int, count: int = 3_000) -> np.ndarray:
    """Points of some objects, and some that belong to none."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-0.6, 0.6, (8, 3))
    points = middles[rng.integers(0, 8, count)] + rng.normal(size=(count, 3)) * 0.03
    return np.vstack([points, rng.uniform(-1.0, 1.0, (100, 3))])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_clusters_are_the_components_of_scipys_graph(seed: int, kind: type) -> None:
    points = cloud(seed).astype(kind)
    tolerance = 0.01 + 0.005 * seed
    pairs = cKDTree(points.astype(float)).query_pairs(tolerance, output_type="ndarray")
    size = len(points)
    graph = np.zeros((size, size), dtype=bool)
    graph[pairs[:, 0], pairs[:, 1]] = True
    _, labels = connected_components(graph, directed=False)
    wanted = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    wanted = sorted((one for one in wanted if len(one) >= 5), key=lambda one: (-len(one), one[0]))
    found = euclidean_clusters(points, tolerance, min_points=5)
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_boxes_hold_their_points_and_stand_in_scenes() -> None:
    rng = np.random.default_rng(2)
    turn = 0.4
    local = rng.uniform(-1.0, 1.0, (500, 3)) * [0.1, 0.05, 0.2]
    local = np.vstack([local, [[x, y, z] for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.2, 0.2)]])
    rotation = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    points = local @ rotation.T + [0.5, 0.3, 0.2]
    shape, pose = upright_box(np.vstack([points, [[np.nan] * 3]]), growth=0.01)
    np.testing.assert_allclose(np.sort(shape.dimensions["half_extents"]), [0.06, 0.11, 0.21], atol=1e-9)
    np.testing.assert_allclose(pose[:3, 3], [0.5, 0.3, 0.2], atol=1e-9)
    inside = (points - pose[:3, 3]) @ pose[:3, :3]
    assert np.all(np.abs(inside) <= np.array(shape.dimensions["half_extents"]) - 0.01 + 1e-9)
    scene = Scene("ur5e")
    scene.add("box", shape, pose)
    assert scene.objects == ["box"]


def test_a_tracker_follows_objects_through_clusters() -> None:
    tracker = ObjectTracker(confirm_after=2, forget_after=0.15)
    rng = np.random.default_rng(4)
    ball = rng.normal(size=(200, 3)) * 0.01
    for step in range(10):
        middles = [[0.4 + 0.02 * step, 0.0, 0.1], [0.4, 0.4 - 0.02 * step, 0.1]][: 2 if step < 6 else 1]
        points = np.vstack([ball + middle for middle in middles])
        centers = [points[cluster].mean(axis=0) for cluster in euclidean_clusters(points, 0.02)]
        update = tracker.update(centers, timestamp=0.1 * step)
        assert sorted(update["ids"].tolist()) == list(range(len(middles)))
        assert update["confirmed"].tolist() == ([0, 1] if step == 1 else [])
        assert update["lost"].tolist() == ([1] if step == 7 else [])
    (left,) = tracker.objects
    assert (left["id"], left["hits"], left["is_confirmed"]) == (0, 10, True)
    np.testing.assert_allclose(left["velocity"], [0.2, 0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: euclidean_clusters(np.zeros((3, 3)), 0.0), "tolerance"),
        (lambda: euclidean_clusters(np.zeros((3, 2))), "points"),
        (lambda: euclidean_clusters([[1e6, 0, 0]], 1e-6), "points"),
        (lambda: upright_box(np.zeros((0, 3))), "points"),
        (lambda: upright_box([[0, 0, 0]], growth=-1.0), "growth"),
        (lambda: ObjectTracker(max_distance=0.0), "max_distance"),
        (lambda: ObjectTracker().update([[np.nan, 0, 0]], 0.0), "points"),
        (lambda: ObjectTracker().update([[0, 0, 0]], np.inf), "stamp"),
    ],
)
def test_bad_input_is_named(call, named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()
