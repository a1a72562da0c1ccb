"""Euclidean distance fields of occupied cells: SciPy's distance transform as the oracle."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.ndimage import distance_transform_edt

from kinetic import EuclideanDistanceField, InputError, Octree, gpu_adapters, gpu_available

RESOLUTION = 0.02
NO_ADAPTER = "no adapter of Vulkan, Metal or DX12; kinetic devices --doctor says why"
needs_adapter = pytest.mark.skipif(not gpu_adapters(), reason=NO_ADAPTER)


def grid(seed: int, size: tuple[int, int, int]) -> np.ndarray:
    """Occupied cells: a floor, and boxes on it and above."""
    rng = np.random.default_rng(seed)
    occupied = np.zeros(size, dtype=bool)
    occupied[:, :, :2] = True
    for _ in range(8):
        low = rng.integers(0, np.array(size) - 2)
        high = low + rng.integers(1, 12, 3)
        occupied[low[0] : high[0], low[1] : high[1], low[2] : high[2]] = True
    return occupied


def corners(cells: np.ndarray) -> np.ndarray:
    """Nodes of the lattice that are corners of cells."""
    nodes = np.zeros(np.array(cells.shape) + 1, dtype=bool)
    for shift in np.ndindex(2, 2, 2):
        part = tuple(slice(along, along + count) for along, count in zip(shift, cells.shape, strict=True))
        nodes[part] |= cells
    return nodes


def expected(occupied: np.ndarray) -> np.ndarray:
    """Signed distances of the nodes by SciPy: the nearest point of a cube to a node is a corner of it."""
    free = np.pad(~occupied, 1, constant_values=True)
    outside = distance_transform_edt(~corners(occupied))
    inside = distance_transform_edt(~corners(free))[1:-1, 1:-1, 1:-1]
    return RESOLUTION * (outside - inside)


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_scipy(seed: int) -> None:
    size = (40, 31, 70)
    occupied = grid(seed, size)
    field = EuclideanDistanceField([0, 0, 0], np.array(size) * RESOLUTION, RESOLUTION)
    field.update(np.argwhere(occupied))
    np.testing.assert_allclose(field.values, expected(occupied), atol=1e-6)
    np.testing.assert_array_equal(field.cells, np.argwhere(occupied))
    nodes = np.argwhere(np.ones(field.values.shape, dtype=bool))[::97]
    np.testing.assert_allclose(
        field.distance(nodes * RESOLUTION), field.values[tuple(nodes.T)], atol=1e-6, err_msg=f"seed {seed}"
    )


@pytest.mark.parametrize("seed", range(3))
def test_an_update_within_a_maximum_is_that_of_a_new_field(seed: int) -> None:
    size, most = (40, 31, 50), 0.15
    rng = np.random.default_rng(seed)
    box = ([0, 0, 0], np.array(size) * RESOLUTION, RESOLUTION)
    field = EuclideanDistanceField(*box, max_distance=most)
    occupied = grid(seed, size)
    for _ in range(4):
        # A box comes, another one goes.
        low = rng.integers(0, 25, 3)
        occupied[tuple(slice(at, at + 5) for at in low)] ^= True
        field.update(np.argwhere(occupied))
        np.testing.assert_allclose(field.values, np.clip(expected(occupied), -most, most), atol=1e-6)
    assert field.max_distance == most


@needs_adapter
@pytest.mark.parametrize("most", [None, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_a_device_has_the_bits_of_the_processor(seed: int, most: float | None) -> None:
    size = (40, 31, 70)
    rng = np.random.default_rng(seed)
    box = ([0, 0, 0], np.array(size) * RESOLUTION, RESOLUTION)
    fields = [EuclideanDistanceField(*box, max_distance=most, device=device) for device in ("cpu", "gpu")]
    occupied = grid(seed, size)
    for _ in range(3):
        low = rng.integers(0, 25, 3)
        occupied[tuple(slice(at, at + 5) for at in low)] ^= True
        for field in fields:
            field.update(np.argwhere(occupied))
        assert fields[0].values.tobytes() == fields[1].values.tobytes()
    far = np.inf if most is None else most
    np.testing.assert_allclose(fields[1].values, np.clip(expected(occupied), -far, far), atol=1e-6)
    assert [field.is_gpu for field in fields] == [False, True]
    assert fields[0].device == "cpu"
    assert fields[1].device.startswith("gpu:0 ")


@needs_adapter
def test_what_a_device_refuses_leaves_the_field_as_it_was() -> None:
    field = EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, device="gpu")
    field.update([[4, 4, 4]])
    before = field.values
    for cells in ([[0, 0, 10]], [[0, 0, 0.5]], [[0, 0, np.nan]], [[0, 0]]):
        with pytest.raises(InputError):
            field.update(cells)
    np.testing.assert_array_equal(field.values, before)
    field.update(np.zeros((0, 3)))
    assert np.all(np.isposinf(field.values))


@pytest.mark.parametrize("device", ["cpu", "auto", pytest.param("gpu", marks=needs_adapter)])
def test_pickle_keeps_the_device(device: str) -> None:
    field = EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, 0.3, device)
    field.update([[4, 4, 4], [0, 9, 2]])
    restored = pickle.loads(pickle.dumps(field))
    assert (restored.device, restored.is_gpu) == (field.device, field.is_gpu)
    assert field.is_gpu == (device == "gpu" or (device == "auto" and gpu_available()))
    assert restored.values.tobytes() == field.values.tobytes()


def test_bounds_hold_between_nodes() -> None:
    size = (20, 20, 20)
    occupied = grid(3, size)
    field = EuclideanDistanceField([0, 0, 0], np.array(size) * RESOLUTION, RESOLUTION)
    field.update(np.argwhere(occupied))
    points = np.random.default_rng(1).uniform(-0.1, 0.5, (300, 3))
    low = np.argwhere(occupied) * RESOLUTION
    gaps = np.maximum(np.maximum(low[None] - points[:, None], points[:, None] - low[None] - RESOLUTION), 0.0)
    outside = np.linalg.norm(gaps, axis=2).min(axis=1)
    assert np.all(field.lower_bound(points)[outside > 0] <= outside[outside > 0])
    inside_grid = np.all((points >= 0.0) & (points <= 0.4), axis=1) & (outside > 0)
    np.testing.assert_array_less(
        np.abs(field.distance(points) - outside)[inside_grid], RESOLUTION * np.sqrt(0.75) + 1e-6
    )
    assert field.gradient(points).shape == (300, 3)


def test_a_map_becomes_a_field() -> None:
    octree = Octree(0.05)
    octree.insert_cloud([[0.51, 0.02, 0.02], [0.51, 0.07, 0.02]], [0.01, 0.01, 0.01])
    field = EuclideanDistanceField([-1, -1, -1], [1, 1, 1], 0.05)
    field.update(octree.occupied_cells())
    np.testing.assert_allclose(field.distance([[0.25, 0.05, 0.0]]), [0.25], atol=1e-6)
    restored = pickle.loads(pickle.dumps(field))
    np.testing.assert_array_equal(restored.values, field.values)
    np.testing.assert_array_equal(restored.low, field.low)
    field.update(np.zeros((0, 3)))
    assert np.all(np.isinf(field.values))


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint16", "float32", "float64", "object"])
def test_cells_of_any_type_and_order_of_memory_are_the_same(dtype: str) -> None:
    cells = np.argwhere(grid(2, (20, 20, 20)))
    wanted = EuclideanDistanceField([0, 0, 0], [0.4] * 3, RESOLUTION)
    wanted.update(cells.tolist())
    padded = np.full((2 * len(cells), 5), 7, dtype=dtype)
    padded[::2, 1:4] = cells
    for given in (
        cells.astype(dtype),
        np.asfortranarray(cells.astype(dtype)),
        padded[::2, 1:4],
        cells[::-1].astype(dtype),
    ):
        field = EuclideanDistanceField([0, 0, 0], [0.4] * 3, RESOLUTION)
        field.update(given)
        np.testing.assert_array_equal(field.values, wanted.values)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.0), "resolution"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 0, 1], 0.1), "bounds"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, np.nan], 0.1), "high"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, max_distance=0.0), "max_distance"),
        (lambda: EuclideanDistanceField([0, 0, 0], [300, 0.1, 0.1], 0.1), "along an axis"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, device=""), "device"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, device="gpu:x"), "device"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1, device="no such adapter"), "device"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update([[0, 0, 10]]), "occupied cell"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update([[0, 0, 0.5]]), "index"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update([[0, 0]]), "cell"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update(np.array([[0, 0, 2**40]])), "index"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update(np.zeros((2, 3), dtype=bool)), "numbers"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).update(np.zeros((2, 4), dtype=int)), "cell"),
        (lambda: EuclideanDistanceField([0, 0, 0], [1, 1, 1], 0.1).distance([[0, 0, np.nan]]), "points"),
    ],
)
def test_bad_input_is_named(call, named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()
