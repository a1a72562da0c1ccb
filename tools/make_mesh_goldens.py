"""Write the mesh files that the tests of kinetic-robot read, and what trimesh finds in them.

Every file holds a box that is longer than wide than high and stands off the origin, so that an exchanged axis, a lost
transform or a lost unit shows. `goldens.json` lists bounds (m), area (m²) and volume (m³) of each file as trimesh reads
it; trimesh does not apply COLLADA's unit, so that is done here.

    pip install trimesh pycollada && python tools/make_mesh_goldens.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import trimesh

FOLDER = Path(__file__).resolve().parents[1] / "crates/kinetic-robot/tests/data/meshes"

COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="part" meter="{meter}"/><up_axis>{up}</up_axis></asset>
  <library_geometries><geometry id="box"><mesh>
    <source id="points"><float_array id="numbers" count="24">
      0 0 0  3 0 0  3 2 0  0 2 0  0 0 1  3 0 1  3 2 1  0 2 1
    </float_array><technique_common><accessor source="#numbers" count="8" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
    <source id="normals"><float_array id="directions" count="3">0 0 1</float_array><technique_common>
      <accessor source="#directions" count="1" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
    <vertices id="corners"><input semantic="POSITION" source="#points"/></vertices>
    {primitives}
  </mesh></geometry></library_geometries>
  <library_nodes><node id="part"><scale>1 2 0.5</scale><instance_geometry url="#box"/></node></library_nodes>
  <library_visual_scenes><visual_scene id="scene">{nodes}</visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""

# The faces of the box, counter-clockwise seen from outside.
FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]

PLAIN = '<node><instance_geometry url="#box"/></node>'
NESTED = """
<node><translate>10 0 0</translate><rotate>0 0 1 90</rotate><rotate>1 0 0 30</rotate>
  <node><matrix>0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1</matrix><instance_geometry url="#box"/></node>
  <node><translate>0 -5 1</translate><instance_node url="#part"/></node>
</node>
<node><scale>-1 1 1</scale><instance_geometry url="#box"/></node>"""


def primitive(kind: str) -> str:
    """The faces as COLLADA writes them; every corner has a normal, so that indices come in pairs."""
    corners = [" ".join(f"{corner} 0" for corner in face) for face in FACES]
    inputs = (
        '<input semantic="VERTEX" source="#corners" offset="0"/><input semantic="NORMAL" source="#normals" offset="1"/>'
    )
    if kind == "polylist":
        return f'<polylist count="6">{inputs}<vcount>4 4 4 4 4 4</vcount><p>{" ".join(corners)}</p></polylist>'
    if kind == "polygons":
        return f'<polygons count="6">{inputs}{"".join(f"<p>{face}</p>" for face in corners)}</polygons>'
    halves = [[face[0], *face[i : i + 2]] for face in FACES for i in (1, 2)]
    text = " ".join(f"{corner} 0" for half in halves for corner in half)
    return f'<triangles count="12">{inputs}<p>{text}</p></triangles>'


def collada(kind: str, nodes: str, meter: float = 1.0, up: str = "Z_UP") -> str:
    """A COLLADA document."""
    return COLLADA.format(meter=meter, up=up, primitives=primitive(kind), nodes=nodes)


def scene() -> trimesh.Scene:
    """Two boxes under turned and shifted nodes."""
    box = trimesh.creation.box(bounds=[[0, 0, 0], [3, 2, 1]])
    turn = trimesh.transformations.rotation_matrix(0.5, [1, 2, 3], [1, 0, 0])
    shift = trimesh.transformations.translation_matrix([5, -1, 2]) @ np.diag([1.0, 2.0, 0.5, 1.0])
    both = trimesh.Scene()
    both.add_geometry(box, node_name="turned", transform=turn)
    both.add_geometry(box, node_name="shifted", parent_node_name="turned", transform=shift)
    return both


def files() -> dict[str, tuple[bytes, float]]:
    """Content of every file, and its unit of length in metres."""
    box = trimesh.creation.box(bounds=[[0, 0, 0], [3, 2, 1]])
    made = {
        "text.stl": (trimesh.exchange.stl.export_stl_ascii(box).encode(), 1.0),
        "binary.stl": (trimesh.exchange.stl.export_stl(box), 1.0),
        "box.obj": (trimesh.exchange.obj.export_obj(box).encode(), 1.0),
        "scene.glb": (trimesh.exchange.gltf.export_glb(scene()), 1.0),
        "triangles.dae": (collada("triangles", PLAIN).encode(), 1.0),
        "polylist.dae": (collada("polylist", PLAIN).encode(), 1.0),
        "polygons.dae": (collada("polygons", PLAIN).encode(), 1.0),
        "nested.dae": (collada("polylist", NESTED).encode(), 1.0),
        "inches.dae": (collada("triangles", NESTED, meter=0.0254).encode(), 0.0254),
        "y_up.dae": (collada("triangles", PLAIN, up="Y_UP").encode(), 1.0),
    }
    gltf = trimesh.exchange.gltf.export_gltf(scene())
    made["scene.gltf"] = (gltf.pop("model.gltf"), 1.0)
    made.update({name: (content, 1.0) for name, content in gltf.items()})
    return made


def golden(path: Path, meter: float) -> dict[str, object]:
    """What trimesh finds in a file, in metres."""
    mesh = trimesh.load(path, force="scene").to_geometry()
    bounds = (mesh.bounds * meter).tolist()
    return {"bounds": bounds, "area": mesh.area * meter**2, "volume": mesh.volume * meter**3}


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    goldens = {}
    for name, (content, _) in files().items():
        (FOLDER / name).write_bytes(content)
    for name, (_, meter) in files().items():
        if not name.endswith(".bin"):
            goldens[name] = golden(FOLDER / name, meter)
    (FOLDER / "goldens.json").write_text(json.dumps(goldens, indent=1) + "\n")


if __name__ == "__main__":
    main()
