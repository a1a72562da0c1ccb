"""Load the URDF and mesh files of public packages and compare them with Pinocchio and trimesh.

    pip install ".[corpus]"
    python benches/real_files/urdf.py            # print the tables
    python benches/real_files/urdf.py --write    # and write them into docs-site/real-files.md
    python benches/real_files/urdf.py --check    # exit with 1 below the targets

The files are those of the PyPI packages `example-robot-data` and `rtb-data` (its xacro files expanded), and
`pybullet_data`, which lies in the source archive of `pybullet`; that archive is downloaded once into `target/corpus`
unless `--pybullet-data FOLDER` says where the files are.

Targets: 98 % of the files of the first two load, and everything of the third that Pinocchio loads; poses of
all links agrees to 1e-9 in 100 random configurations; mesh files have the bounds that trimesh finds.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import logging
import math
import platform
import statistics
import subprocess
import sys
import tarfile
import time
import types
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pinocchio
import trimesh
import xacro

import kinetic

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs-site" / "real-files.md"
CORPUS = ROOT / "target" / "corpus"
PYBULLET = "pybullet==3.2.7"
CONFIGURATIONS = 100
FK_TOLERANCE = 1e-9
LOADED_SHARE = 0.98
# Of the size of the mesh; STL and OBJ are read in single precision.
MESH_TOLERANCE = 1e-6
REPEATS = 5
MESHES = (".stl", ".obj", ".dae", ".glb", ".gltf")


@dataclass
class Document:
    """A URDF text and where it comes from."""

    package: str
    name: str
    text: str
    # None for a document that was made from xacro.
    path: Path | None
    folder: Path


@dataclass
class Result:
    """What became of one document."""

    document: Document
    refusal: str | None = None
    milliseconds: float = 0.0
    pinocchio_loads: bool = False
    difference: float | None = None
    notes: list[str] = field(default_factory=list)


# --- the files -------------------------------------------------------------------------------------------------------


def package_files(package: str) -> list[Path]:
    """Files of an installed package."""
    files = importlib.metadata.distribution(package).files or []
    return sorted(Path(str(file.locate())).resolve() for file in files)


def pybullet_data(given: Path | None) -> Path:
    """Folder `pybullet_data`: the one given, or that of the source archive."""
    if given:
        return given
    if not any(CORPUS.glob("pybullet-*/**/pybullet_data")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", str(CORPUS), PYBULLET], check=True)
        with tarfile.open(next(CORPUS.glob("pybullet-*.tar.gz"))) as archive:
            members = [member for member in archive if "/pybullet_data/" in member.name and member.isfile()]
            archive.extractall(CORPUS, members=members, filter="data")
    return next(CORPUS.glob("pybullet-*/**/pybullet_data"))


def documents(package: str, files: list[Path], root: Path) -> list[Document]:
    """The URDF files among `files`."""
    found = []
    for path in files:
        if path.suffix == ".urdf":
            text = path.read_text(errors="replace")
            found.append(Document(package, str(path.relative_to(root)), text, path, path.parent))
    return found


def expanded(package: str, files: list[Path], root: Path) -> list[Document]:
    """The xacro files among `files` that make a robot, expanded.

    `$(find name)` means the folder of that name. The package renamed some, to or from `_support` and `_description`.
    """
    scripts = [path for path in files if path.suffix == ".xacro"]
    folders = {stem(parent.name): parent for path in scripts for parent in path.parents if root in parent.parents}
    index = types.ModuleType("ament_index_python.packages")
    index.get_package_share_directory = lambda name: str(folders[stem(name)])  # type: ignore[attr-defined]
    sys.modules["ament_index_python"] = types.ModuleType("ament_index_python")
    sys.modules["ament_index_python.packages"] = index
    found = []
    for path in scripts:
        name = str(path.relative_to(root))
        try:
            text = xacro.process_file(str(path)).toxml()
        except Exception as error:
            print(f"not expanded: {name}: {type(error).__name__}: {error}".replace("\n", " "), file=sys.stderr)
            continue
        if ET.fromstring(text).find("link") is not None:
            found.append(Document(package, name, text, None, path.parent))
    return found


def stem(name: str) -> str:
    """Name of a package without the customary endings."""
    return name.removesuffix("_support").removesuffix("_description")


# --- robots ----------------------------------------------------------------------------------------------------------


def load(document: Document) -> kinetic.Robot:
    """The robot of a document."""
    if document.path:
        return kinetic.Robot.from_urdf(document.path)
    return kinetic.Robot.from_urdf(document.text, package_dirs=[*document.folder.parents])


def examine(document: Document) -> Result:
    """Load, time and compare one document."""
    result = Result(document)
    model = reference(document.text)
    result.pinocchio_loads = model is not None
    times = []
    try:
        for _ in range(REPEATS):
            began = time.perf_counter()
            robot = load(document)
            times.append(1e3 * (time.perf_counter() - began))
    except (kinetic.InputError, OSError) as error:
        result.refusal = str(error).replace(str(document.path), Path(document.name).name)
        return result
    result.milliseconds = statistics.median(times)
    result.notes = robot.notes
    if model is not None:
        result.difference = difference(document, robot, model)
    return result


def reference(text: str) -> pinocchio.Model | None:
    """Pinocchio's model, if it makes one."""
    try:
        return pinocchio.buildModelFromXML(text)
    except Exception:
        return None


def followers(text: str) -> dict[str, tuple[str, float, float]]:
    """Joints that follow another: leader, multiplier, offset, as the text says."""
    found = {}
    for joint in ET.fromstring(text.lstrip("\ufeff\n\r ")).findall("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and joint.get("type") != "fixed":
            multiplier, offset = float(mimic.get("multiplier") or 1), float(mimic.get("offset") or 0)
            found[joint.get("name", "").strip()] = (mimic.get("joint", "").strip(), multiplier, offset)
    return found


def difference(document: Document, robot: kinetic.Robot, model: pinocchio.Model) -> float:
    """Largest difference of any entry of any link's pose, over random configurations."""
    names = robot.active_joints
    leaders = followers(document.text)
    rng = np.random.default_rng(0)
    data = model.createData()
    frames = [(frame.name, index) for index, frame in enumerate(model.frames) if frame.type == pinocchio.BODY]
    worst = 0.0
    for _ in range(CONFIGURATIONS):
        q = rng.uniform(-math.pi, math.pi, len(names))
        poses = robot.fk_all(q)
        values = dict(zip(names, q))
        pinocchio.forwardKinematics(model, data, reference_configuration(model, values, leaders))
        pinocchio.updateFramePlacements(model, data)
        for name, index in frames:
            worst = max(worst, float(np.abs(data.oMf[index].homogeneous - poses[name]).max()))
    return worst


def reference_configuration(model: pinocchio.Model, values: dict, leaders: dict) -> np.ndarray:
    """Pinocchio's configuration vector for joint values by name."""
    q = pinocchio.neutral(model)
    for index in range(1, model.njoints):
        name, joint = model.names[index], model.joints[index]
        if joint.nq == 7:
            x, y, z, yaw, pitch, roll = (values[f"{name}/{part}"] for part in ("x", "y", "z", "yaw", "pitch", "roll"))
            turn = pinocchio.Quaternion(pinocchio.rpy.rpyToMatrix(roll, pitch, yaw))
            entries = [x, y, z, *turn.coeffs()]
        elif joint.nq == 4:
            yaw = values[f"{name}/yaw"]
            entries = [values[f"{name}/x"], values[f"{name}/y"], math.cos(yaw), math.sin(yaw)]
        else:
            value = joint_value(name, values, leaders)
            entries = [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
        q[joint.idx_q : joint.idx_q + joint.nq] = entries
    return q


def joint_value(name: str, values: dict, leaders: dict) -> float:
    """Value of a joint: its own, or that of the joint it follows."""
    if name in values:
        return values[name]
    leader, multiplier, offset = leaders[name]
    return multiplier * joint_value(leader, values, leaders) + offset


# --- meshes ----------------------------------------------------------------------------------------------------------


def mesh_difference(path: Path) -> float | None:
    """Difference of the bounds from those of trimesh, of the mesh's size; None when trimesh finds nothing.

    Raises:
        kinetic.InputError: The file is refused.
    """
    vertices, triangles = kinetic.load_mesh(path)
    corners = vertices[np.unique(triangles)]
    try:
        bounds = trimesh.load(path, force="scene", process=False, skip_materials=True).bounds
    except Exception:
        return None
    if bounds is None:
        return None
    if path.suffix.lower() == ".dae":
        bounds = bounds * collada_unit(path)
    own = np.array([corners.min(axis=0), corners.max(axis=0)])
    return float(np.abs(own - bounds).max() / np.linalg.norm(bounds[1] - bounds[0]))


def collada_unit(path: Path) -> float:
    """Metres per unit, which trimesh does not apply."""
    unit = ET.fromstring(path.read_bytes()).find("{*}asset/{*}unit")
    return 1.0 if unit is None else float(unit.get("meter", 1))


def mesh_table(files: list[Path]) -> tuple[list[str], list[str], float]:
    """Rows of the table of meshes, refusals, and the worst difference."""
    rows, refusals, overall = [], [], 0.0
    for suffix in MESHES:
        paths = [path for path in files if path.suffix.lower() == suffix]
        differences, refused = [], 0
        for path in paths:
            try:
                differences.append((mesh_difference(path), path))
            except kinetic.InputError as error:
                refused += 1
                refusals.append(f"{path.name}: {error.args[0].split(': ', 2)[-1]}")
        compared = [found for found in differences if found[0] is not None]
        worst = max(compared, default=(0.0, None), key=lambda found: found[0])
        if worst[0] > MESH_TOLERANCE:
            print(f"bounds differ: {worst[1]}: {worst[0]:.1e}", file=sys.stderr)
        overall = max(overall, worst[0])
        if paths:
            rows.append(f"| {suffix} | {len(paths)} | {len(differences)} | {len(compared)} | {worst[0]:.1e} |")
    return rows, refusals, overall


# --- report ----------------------------------------------------------------------------------------------------------


def row(package: str, results: list[Result]) -> str:
    """One line of the table of robots."""
    loaded = [result for result in results if result.refusal is None]
    compared = [result.difference for result in loaded if result.difference is not None]
    cells = [
        package,
        len(results),
        len(loaded),
        sum(result.pinocchio_loads for result in results),
        len(compared),
        f"{max(compared, default=0.0):.1e}",
        f"{statistics.median(result.milliseconds for result in loaded):.2f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def processor() -> str:
    """The processor's name."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def report(groups: dict[str, list[Result]], meshes: list[str], mesh_refusals: list[str]) -> str:
    """The part of the page between the markers."""
    everything = [result for results in groups.values() for result in results]
    versions = {name: importlib.metadata.version(name) for name in ("example-robot-data", "rtb-data", "pin", "trimesh")}
    stated = ", ".join(f"{name} {version}" for name, version in versions.items())
    lines = [
        f"{processor()}, {datetime.date.today().isoformat()}; {stated}, {PYBULLET.replace('==', ' ')}.",
        "",
        "| package | files | loaded | loaded by Pinocchio | compared | worst difference | load, ms |",
        "|---|---|---|---|---|---|---|",
        *(row(package, results) for package, results in groups.items()),
        "",
        f"Differences are the largest of any entry of any link's pose in {CONFIGURATIONS} random configurations.",
        "Load times are medians over the files, without reading meshes.",
        "",
        "Refused:",
        "",
        *(f"- `{result.document.name}`: {result.refusal}" for result in everything if result.refusal),
        "",
        "| meshes | files | loaded | compared | worst difference |",
        "|---|---|---|---|---|",
        *meshes,
        "",
        "Differences of meshes are those of the corners of the bounding box, divided by its diagonal.",
        *(["", "Refused:", "", *(f"- {refusal}" for refusal in sorted(set(mesh_refusals)))] if mesh_refusals else []),
    ]
    return "\n".join(lines)


def write(text: str) -> None:
    """Replace the part of the page between the markers."""
    begin, end = "<!-- urdf: begin -->", "<!-- urdf: end -->"
    page = PAGE.read_text()
    before, after = page.split(begin)[0], page.split(end)[1]
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def failures(groups: dict[str, list[Result]], mesh_worst: float) -> list[str]:
    """Targets that are missed."""
    missed = []
    share = [result for package in ("example-robot-data", "rtb-data") for result in groups[package]]
    loaded = sum(result.refusal is None for result in share) / len(share)
    if loaded < LOADED_SHARE:
        missed.append(f"{loaded:.1%} of example-robot-data and rtb-data load; {LOADED_SHARE:.0%} should")
    for result in groups["pybullet_data"]:
        if result.refusal and result.pinocchio_loads:
            missed.append(f"Pinocchio loads {result.document.name}: {result.refusal}")
    for results in groups.values():
        for result in results:
            if result.difference is not None and not result.difference <= FK_TOLERANCE:
                missed.append(f"{result.document.name}: poses differ by {result.difference:.1e}")
    if not mesh_worst <= MESH_TOLERANCE:
        missed.append(f"bounds of a mesh differ by {mesh_worst:.1e} of its size")
    return missed


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pybullet-data", type=Path, help="folder pybullet_data; downloaded when not given")
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    parser.add_argument("--check", action="store_true", help="exit with 1 below the targets")
    parser.add_argument("--notes", action="store_true", help="print the notes of every robot")
    options = parser.parse_args()
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)

    example, rtb = package_files("example-robot-data"), package_files("rtb-data")
    bullet_root = pybullet_data(options.pybullet_data).resolve()
    bullet = sorted(path for path in bullet_root.rglob("*") if path.is_file())
    site = Path(kinetic.__file__).parent
    example_root = next((parent for path in example for parent in path.parents if parent.name == "robots"), site)
    rtb_root = next(parent for path in rtb for parent in path.parents if parent.name == "rtbdata")
    groups = {
        "example-robot-data": documents("example-robot-data", example, example_root),
        "rtb-data": documents("rtb-data", rtb, rtb_root) + expanded("rtb-data", rtb, rtb_root),
        "pybullet_data": documents("pybullet_data", bullet, bullet_root),
    }
    results = {package: [examine(document) for document in found] for package, found in groups.items()}
    meshes, mesh_refusals, mesh_worst = mesh_table(example + rtb + bullet)
    text = report(results, meshes, mesh_refusals)
    print(text)
    if options.notes:
        for result in (result for found in results.values() for result in found if result.notes):
            print(result.document.name, *result.notes, sep="\n  ")
    if options.write:
        write(text)
    missed = failures(results, mesh_worst)
    for line in missed:
        print(line, file=sys.stderr)
    return int(options.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
