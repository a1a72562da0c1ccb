"""Writes crates/kinetic-collision/tests/data/coal_sizes.json: distances by Coal from 1 mm to 10 m, meshes included.

    pip install coal numpy
    python tools/make_size_goldens.py

The bodies of a pair have sizes of their own, uniform in the logarithm, and lie from deep inside each other to several
sizes apart. Meshes are surfaces; where a body crosses one the distance is written as 0.
"""

from __future__ import annotations

import itertools
import json

import coal
import numpy as np

from make_collision_goldens import KINDS, TARGET, coal_shape, coal_transform, rounded

SEED = 20261122
PAIRS_PER_KIND = 40
SMALLEST, LARGEST = 1e-3, 10.0
# Gap of the bounding balls relative to the smaller one: overlapping, touching, near, far.
GAPS = (-1.0, -0.5, 0.0, 0.3, 3.0)
SIZES = TARGET.with_name("coal_sizes.json")


def size_of(rng: np.random.Generator) -> float:
    """Uniform in the logarithm."""
    return float(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST))))


def short(values: np.ndarray) -> list[float]:
    """Six significant digits: what the reader reads is exactly what Coal was given."""
    return [float(f"{value:.6g}") for value in np.ravel(values)]


def lumpy_ball(rng: np.random.Generator) -> tuple[np.ndarray, list[list[int]]]:
    """A closed surface: an octahedron, split twice, with uneven radii."""
    vertices = [np.array(v, float) for v in [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]]
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    for _ in range(2):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int, middles: dict[tuple[int, int], int] = middles) -> int:
            key = (min(a, b), max(a, b))
            if key not in middles:
                middles[key] = len(vertices)
                point = vertices[a] + vertices[b]
                vertices.append(point / np.linalg.norm(point))
            return middles[key]

        split = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            split += [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        faces = split
    return np.array(vertices) * rng.uniform(0.5, 1.0, (len(vertices), 1)), faces


def saddle() -> tuple[np.ndarray, list[list[int]]]:
    """An open surface over a grid."""
    ticks = np.linspace(-0.7, 0.7, 7)
    vertices = np.array([[x, y, 0.8 * x * y] for x in ticks for y in ticks])
    cells = [(7 * i + j) for i in range(6) for j in range(6)]
    return vertices, [face for k in cells for face in ([k, k + 7, k + 8], [k, k + 8, k + 1])]


def soup(rng: np.random.Generator) -> tuple[np.ndarray, list[list[int]]]:
    """Triangles that share nothing, slivers among them."""
    corners = rng.uniform(-0.6, 0.6, (20, 1, 3)) + rng.uniform(-0.3, 0.3, (20, 3, 3))
    corners[::5, 2] = corners[::5, 0] * 0.999 + corners[::5, 1] * 0.001 + 1e-3
    return corners.reshape(-1, 3), [[3 * i, 3 * i + 1, 3 * i + 2] for i in range(20)]


def random_shape(rng: np.random.Generator, kind: str, meshes: list) -> dict:
    """A shape whose extent is of the order of a random size."""
    size = size_of(rng)
    if kind == "mesh":
        return {"kind": kind, "mesh": int(rng.integers(len(meshes))), "scale": short(np.array(size))[0]}
    # Slender ones too: proportions up to 1 : 100.
    sizes = short(size * np.exp(rng.uniform(np.log(0.01) if rng.random() < 0.3 else np.log(0.3), 0.0, 3)))
    if kind == "sphere":
        return {"kind": kind, "radius": sizes[0]}
    if kind == "cuboid":
        return {"kind": kind, "half_extents": sizes}
    if kind in ("cylinder", "capsule"):
        return {"kind": kind, "radius": sizes[0], "half_height": sizes[1]}
    if kind == "half_space":
        normal = rng.normal(size=3)
        return {"kind": kind, "normal": rounded(normal / np.linalg.norm(normal)), "offset": sizes[0]}
    points = rng.uniform(-1.0, 1.0, (int(rng.integers(4, 13)), 3)) * np.array(sizes)
    return {"kind": kind, "points": [short(point) for point in points], "radius": 0.0}


def extent(shape: dict, meshes: list) -> float:
    """Radius of a ball around the origin."""
    kind = shape["kind"]
    if kind == "mesh":
        return shape["scale"] * float(np.linalg.norm(meshes[shape["mesh"]][0], axis=1).max())
    if kind == "convex":
        return float(np.linalg.norm(shape["points"], axis=1).max())
    if kind == "cuboid":
        return float(np.linalg.norm(shape["half_extents"]))
    if kind == "capsule":
        return shape["radius"] + shape["half_height"]
    return float(np.hypot(shape.get("radius", shape.get("offset")), shape.get("half_height", 0.0)))


def geometry(shape: dict, meshes: list) -> coal.CollisionGeometry:
    """The shape for Coal."""
    if shape["kind"] == "convex":
        return coal_shape({"kind": "convex", "hull": 0, "radius": 0.0}, [shape["points"]])
    if shape["kind"] != "mesh":
        return coal_shape(shape, [])
    vertices, faces = meshes[shape["mesh"]]
    points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    points.extend(list(vertices * shape["scale"]))
    triangles.extend([coal.Triangle(*face) for face in faces])
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


def measure(a: dict, pose_a: list, b: dict, pose_b: list, meshes: list) -> tuple[float, list[float]]:
    """Signed distance and normal from a to b."""
    request = coal.DistanceRequest(True, True)
    request.gjk_tolerance = request.epa_tolerance = 1e-9
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    result = coal.DistanceResult()
    placed = [(geometry(a, meshes), coal_transform(pose_a)), (geometry(b, meshes), coal_transform(pose_b))]
    distance = coal.distance(*placed[0], *placed[1], request, result)
    return distance, rounded(np.array(result.normal), 7)


def poses(rng: np.random.Generator, gap: float, radii: list[float]) -> tuple[list[float], list[float]]:
    """Two poses whose balls are `gap` smaller radii apart."""
    both = []
    for _ in range(2):
        quaternion = rng.normal(size=4)
        both.append(rounded(quaternion / np.linalg.norm(quaternion), 6))
    direction = rng.normal(size=3)
    direction *= (sum(radii) + gap * min(radii)) / np.linalg.norm(direction)
    origin = rng.uniform(-1.0, 1.0, 3)
    return short(origin) + both[0], short(origin + direction) + both[1]


def main() -> None:
    """Makes the file."""
    rng = np.random.default_rng(SEED)
    raw = [lumpy_ball(rng), saddle(), soup(rng)]
    meshes = [(np.array([short(vertex) for vertex in vertices]), faces) for vertices, faces in raw]
    pairs = []
    for kind_a, kind_b in itertools.combinations_with_replacement((*KINDS, "mesh"), 2):
        if kind_a == kind_b == "half_space":
            continue
        for index in range(PAIRS_PER_KIND):
            a, b = random_shape(rng, kind_a, meshes), random_shape(rng, kind_b, meshes)
            pose_a, pose_b = poses(rng, GAPS[index % len(GAPS)], [extent(a, meshes), extent(b, meshes)])
            try:
                distance, normal = measure(a, pose_a, b, pose_b, meshes)
            except RuntimeError as error:
                print(f"{kind_a} and {kind_b}: {error}")
                break
            if "mesh" in (kind_a, kind_b):
                distance = max(distance, 0.0)
            elif distance < 0 and "half_space" not in (kind_a, kind_b):
                # Coal's depths are compared at sizes of decimetres, in the other file.
                continue
            pairs.append({"a": a, "pose_a": pose_a, "b": b, "pose_b": pose_b, "distance": distance, "normal": normal})
    lines = ",\n".join(json.dumps(pair, separators=(",", ":")) for pair in pairs)
    source = json.dumps(f"Coal {coal.__version__}, tools/make_size_goldens.py, seed {SEED}")
    stored = json.dumps([{"vertices": vertices.tolist(), "faces": faces} for vertices, faces in meshes])
    SIZES.write_text(f'{{"source":{source},\n"meshes":{stored},\n"pairs":[\n{lines}\n]}}\n')
    print(f"{SIZES.name}: {len(pairs)} pairs, {sum(pair['distance'] <= 0 for pair in pairs)} touching")


if __name__ == "__main__":
    main()
