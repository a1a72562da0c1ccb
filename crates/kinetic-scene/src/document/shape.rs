//! Objects of scene files: the record of a shape, and what a file says about an object besides.

use std::path::{Path, PathBuf};

use kinetic_collision::MeshForm;
use kinetic_core::shape::{BesideShape, ShapeRecord, WithShape};
use kinetic_core::{KineticError, PayloadEntry, Result, Shape};
use kinetic_robot::TriangleMesh;
use nalgebra::Point3;
use serde::de::{Error, MapAccess};

/// Fields of the record that objects with a mesh may have, from a file or not.
const MESH_FIELDS: [&str; 3] = ["vertices", "faces", "solid"];

/// An object of a scene file.
pub(super) type ObjectDocument = WithShape<ObjectKeys>;

/// Keys of an object besides the sizes of its shape.
#[derive(Default)]
pub(super) struct ObjectKeys {
    pub(super) name: Option<String>,
    pub(super) ghost: bool,
    pub(super) link: Option<String>,
    pub(super) touch_links: Vec<String>,
    pub(super) payload: Option<PayloadEntry>,
    /// Full lengths of a box, instead of half-extents.
    size: Option<[f64; 3]>,
    /// A mesh file, instead of vertices and faces.
    file: Option<PathBuf>,
    scale: Option<f64>,
    convex: Option<bool>,
    pub(super) position: [f64; 3],
    pub(super) rpy: Option<[f64; 3]>,
    pub(super) quaternion_xyzw: Option<[f64; 4]>,
}

impl BesideShape for ObjectKeys {
    const KIND: &'static str = "shape";
    const KEYS: &'static [&'static str] = &[
        "name",
        "ghost",
        "link",
        "touch_links",
        "payload",
        "size",
        "file",
        "scale",
        "convex",
        "position",
        "rpy",
        "quaternion_xyzw",
    ];

    fn read<'de, A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> std::result::Result<(), A::Error> {
        match key {
            "name" => self.name = Some(map.next_value()?),
            "ghost" => self.ghost = map.next_value()?,
            "link" => self.link = Some(map.next_value()?),
            "touch_links" => self.touch_links = map.next_value()?,
            "payload" => self.payload = Some(map.next_value()?),
            "size" => self.size = Some(map.next_value()?),
            "file" => self.file = Some(map.next_value()?),
            "scale" => self.scale = Some(map.next_value()?),
            "convex" => self.convex = Some(map.next_value()?),
            "position" => self.position = map.next_value()?,
            "rpy" => self.rpy = Some(map.next_value()?),
            "quaternion_xyzw" => self.quaternion_xyzw = Some(map.next_value()?),
            _ => return Err(A::Error::unknown_field(key, Self::KEYS)),
        }
        Ok(())
    }

    fn missing(&self) -> Option<&'static str> {
        self.name.is_none().then_some("name")
    }
}

impl ObjectKeys {
    /// The shape of a record; files are looked for beside the scene file, in `folder`.
    pub(super) fn shape(&self, record: &ShapeRecord, folder: &Path) -> Result<Shape> {
        let kind = record.check_kind()?;
        self.refuse_foreign_keys(kind)?;
        match (kind, self.size, record.half_extents) {
            ("mesh", ..) => self.mesh(record, folder),
            ("box", Some(size), None) => {
                ShapeRecord { half_extents: Some(size.map(|length| length / 2.0)), ..record.clone() }.shape()
            }
            ("box", None, None) | ("box", Some(_), Some(_)) => {
                Err(KineticError::invalid("size of a box", "both or neither", "one of `size`, `half_extents`"))
            }
            _ => record.shape(),
        }
    }

    fn mesh(&self, record: &ShapeRecord, folder: &Path) -> Result<Shape> {
        if let Some((key, _)) = record.fields().into_iter().find(|(name, _)| !MESH_FIELDS.contains(name)) {
            let wanted = "only file, vertices, faces, scale, solid, convex";
            return Err(KineticError::invalid("key of a mesh", key, wanted));
        }
        let mesh = match (&self.file, &record.vertices, &record.faces) {
            (Some(file), None, None) => TriangleMesh::from_file(folder.join(file))?,
            (None, Some(vertices), Some(faces)) => {
                let vertices = vertices.iter().copied().map(Point3::from).collect();
                TriangleMesh { vertices, triangles: faces.clone() }
            }
            _ => {
                let wanted = "`file`, or `vertices` and `faces`";
                return Err(KineticError::invalid("source of a mesh", "none or several", wanted));
            }
        };
        let form = match (record.solid.unwrap_or(false), self.convex.unwrap_or(false)) {
            (_, true) => MeshForm::Hull,
            (true, false) => MeshForm::Solid,
            (false, false) => MeshForm::Surface,
        };
        form.shape(&mesh, self.scale.unwrap_or(1.0))
    }

    /// Rejects keys of a box or of a mesh file at another kind, because they are mistakes in the file.
    fn refuse_foreign_keys(&self, kind: &str) -> Result<()> {
        let given = [
            ("size", "box", self.size.is_some()),
            ("file", "mesh", self.file.is_some()),
            ("scale", "mesh", self.scale.is_some()),
            ("convex", "mesh", self.convex.is_some()),
        ];
        match given.into_iter().find(|(_, owner, is_given)| *is_given && *owner != kind) {
            None => Ok(()),
            Some((key, owner, _)) => {
                Err(KineticError::invalid(format!("key of a {kind}"), key, format!("this key at a {owner} only")))
            }
        }
    }
}
