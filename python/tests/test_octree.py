"""Occupancy maps: OctoMap's own programs as the oracle, and maps as obstacles."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kinetic import InputError, Octree, Planner, PlanningError, Robot, Scene

TOOLS = Path(sys.executable).parent


def run(tool: str, *arguments: object) -> str:
    """What a program of OctoMap prints."""
    command = [str(TOOLS / tool), *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def scans(count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Sensors in a room, and the points of its walls that they see, as single precision has them."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(count):
        origin = rng.uniform(-0.5, 0.5, 3)
        ways = rng.normal(size=(2000, 3))
        walls = np.array([1.517, 1.913, 1.211])
        lengths = np.min((np.sign(ways) * walls - origin) / ways, axis=1)
        found.append((rounded(origin), rounded(origin + ways * lengths[:, None])))
    return found


def rounded(values: np.ndarray) -> np.ndarray:
    """As the text of a log holds them."""
    return np.float64(np.float32(np.round(values, 6)))


@pytest.fixture(scope="module")
def ours() -> Octree:
    octree = Octree(0.05)
    for origin, points in scans(3):
        octree.insert_cloud(points, origin)
    return octree


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The map that OctoMap makes of the same points, as an `.ot` file; the `.bt` file lies beside it."""
    folder = tmp_path_factory.mktemp("octomap")
    lines = []
    for origin, points in scans(3):
        lines.append("NODE " + " ".join(f"{value:.6f}" for value in origin) + " 0 0 0")
        lines += [" ".join(f"{value:.6f}" for value in point) for point in points]
    (folder / "scans.log").write_text("\n".join(lines) + "\n")
    run("log2graph", folder / "scans.log", folder / "scans.graph")
    model = ["-sensor", 0.4, 0.7, "-clamping", 0.1192, 0.971]
    run("graph2tree", "-i", folder / "scans.graph", "-o", folder / "map.bt", "-res", 0.05, "-g", "-discretize", *model)
    return folder / "map.bt.ot"


def test_a_map_is_the_one_that_octomap_makes_of_the_same_points(ours: Octree, theirs: Path, tmp_path: Path) -> None:
    ours.write(tmp_path / "ours.ot")
    told = run("compare_octrees", theirs, tmp_path / "ours.ot")
    assert re.search(r"KLD: 0\b", told), told
    reference = Octree.read(theirs)
    leaves, expected = ours.leaves(), reference.leaves()
    assert len(ours) == len(reference) > 10_000
    np.testing.assert_array_equal(leaves["centers"], expected["centers"])
    np.testing.assert_array_equal(leaves["log_odds"], expected["log_odds"])


def test_files_of_octomap_come_back_byte_for_byte(theirs: Path, tmp_path: Path) -> None:
    for name in ("map.bt", "map.bt.ot"):
        source = theirs.with_name(name)
        copy = tmp_path / f"copy{source.suffix}"
        Octree.read(source).write(copy)
        content = [path.read_bytes().split(b"data\n", 1)[1] for path in (source, copy)]
        assert content[0] == content[1], name


def test_rays_and_distances_agree_with_the_leaves(ours: Octree) -> None:
    leaves = ours.leaves()
    occupied = leaves["occupied"]
    centers, sizes = leaves["centers"][occupied], leaves["sizes"][occupied]
    rng = np.random.default_rng(3)
    for point in rng.uniform(-0.4, 0.4, (50, 3)):
        gaps = np.maximum(np.abs(point - centers) - sizes[:, None] / 2, 0.0)
        assert ours.distance(point) == pytest.approx(np.linalg.norm(gaps, axis=1).min(), abs=1e-9)
        direction = rng.normal(size=3)
        hit = ours.cast_ray(point, direction, ignore_unknown=True)
        if hit is not None:
            assert ours.is_occupied(hit)
            # The cell is on the ray.
            along = (hit - point) @ direction / (direction @ direction)
            assert np.linalg.norm(point + along * direction - hit) < 0.05 * np.sqrt(3)
    inside = ours.leaves([-0.2, -0.2, -0.2], [0.2, 0.2, 0.2])
    assert not inside["occupied"].any() and len(inside["sizes"]) > 0
    assert np.isnan(ours.log_odds([[30.0, 0.0, 0.0]])).all()


def test_what_was_seen_and_what_was_not_are_obstacles() -> None:
    robot = Robot("ur5e")
    start, goal = [0.6, -1.2, 1.4, -1.7, -1.57, 0.0], [2.5, -1.2, 1.4, -1.7, -1.57, 0.0]
    # A low wall, seen from the side of the goal.
    across, height = np.meshgrid(np.linspace(0.4, 1.1, 36), np.linspace(0.0, 0.5, 26))
    wall = np.stack([np.zeros(across.size), across.ravel(), height.ravel()], axis=1)
    octree = Octree(0.04)
    octree.insert_cloud(np.float32(wall), sensor_origin=[-1.5, 0.7, 0.6])
    scene = Scene(robot)
    scene.add("seen", octree.occupied_shape(), np.eye(4))
    motion = Planner(robot, scene).plan(start, goal)
    assert motion.certificate is not None
    # Behind the wall nothing is known: the start is there.
    with pytest.raises(PlanningError) as raised:
        unseen = Scene(robot)
        unseen.add("unseen", octree.unknown_shape([0.1, 0.2, 0.0], [1.0, 1.0, 0.8]), np.eye(4))
        Planner(robot, unseen).plan(start, goal)
    assert raised.value.code == "StartInCollision"


def test_maps_follow_what_changes() -> None:
    octree = Octree(0.1)
    wall, origin = [[1.05, 0.05, 0.05]], [0.05, 0.05, 0.05]
    for _ in range(3):
        octree.insert_cloud(wall, origin)
    assert octree.is_occupied(wall[0]) and octree.probability(wall[0]) == pytest.approx(0.927, abs=1e-3)
    behind = [[2.05, 0.05, 0.05]]
    for _ in range(8):
        octree.insert_cloud(behind, origin)
    assert not octree.is_occupied(wall[0]) and not octree.is_unknown(wall[0])
    octree.decay(0.0)
    assert octree.is_unknown(behind[0]) and len(octree) == 0
    octree.update(wall[0], True)
    seen = octree.project(0.0, 0.2)
    assert seen["columns"].tolist() == [[1.0]] and seen["origin"].tolist() == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda octree: Octree(0.0), "resolution"),
        (lambda octree: Octree(0.1, hit=0.5), "hit"),
        (lambda octree: octree.insert_cloud([[1.0, 0.0, 0.0]], [1e9, 0.0, 0.0]), "sensor_origin"),
        (lambda octree: octree.insert_cloud([[1.0, 0.0, 0.0]], [0.0, 0.0, 0.0], max_range=0.0), "max_range"),
        (lambda octree: octree.cast_ray([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]), "direction"),
        (lambda octree: octree.occupied_shape(), "occupied cells"),
        (lambda octree: octree.unknown_shape([-90.0, -90.0, -90.0], [90.0, 90.0, 90.0]), "box"),
        (lambda octree: octree.leaves([0.0, 0.0, 0.0]), "box"),
        (lambda octree: octree.decay(2.0), "factor"),
    ],
)
def test_what_cannot_be_done_is_named(call, name: str) -> None:
    with pytest.raises(InputError, match=name):
        call(Octree(0.1))


def test_what_is_no_measurement_is_counted() -> None:
    octree = Octree(0.1)
    points = np.array([[np.nan, 0.0, 0.0], [np.inf, 0.0, 0.0], [1e7, 0.0, 0.0], [0.55, 0.05, 0.05]])
    report = octree.insert_cloud(points, [0.05, 0.05, 0.05])
    assert (report["points"], report["not_finite"], report["outside"], report["rays"]) == (4, 2, 1, 1)
    assert octree.insert_cloud(np.zeros((0, 3)), [0.0, 0.0, 0.0])["points"] == 0


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    octree = Octree(0.1)
    octree.insert_cloud([[1.05, 0.05, 0.05]], [0.05, 0.05, 0.05])
    path = tmp_path / "map.bt"
    octree.write(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"map\.bt"):
        Octree.read(path)
    with pytest.raises(InputError):
        octree.write(tmp_path / "map.pcd")
    again = pickle.loads(pickle.dumps(octree))
    assert again == octree and again.resolution == 0.1 and octree != Octree(0.1)
