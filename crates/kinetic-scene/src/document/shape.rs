//! Shapes of scene files: which keys each kind reads.

use std::path::Path;

use kinetic_collision::MeshForm;
use kinetic_core::error::check_len;
use kinetic_core::{KineticError, Result, Shape};
use kinetic_robot::TriangleMesh;
use nalgebra::{Point3, Vector3};

use super::ObjectEntry;

/// Kinds of shapes with the keys that they read, in alphabetical order.
const KINDS: [(&str, &[&str]); 9] = [
    ("box", &["size", "half_extents"]),
    ("capsule", &["radius", "half_height"]),
    ("convex", &["vertices", "radius"]),
    ("cylinder", &["radius", "half_height"]),
    ("half_space", &["normal", "offset"]),
    ("height_field", &["heights", "spacing", "base"]),
    ("mesh", &["file", "vertices", "faces", "scale", "solid", "convex"]),
    ("sphere", &["radius"]),
    ("voxels", &["cells", "resolution"]),
];

impl ObjectEntry {
    /// The shape; files are looked for beside the scene file, in `folder`.
    pub(super) fn shape(&self, folder: &Path) -> Result<Shape> {
        self.refuse_foreign_keys()?;
        match self.shape.as_str() {
            "box" => match (self.size, self.half_extents) {
                (Some([x, y, z]), None) => Shape::box_from_size(x, y, z),
                (None, Some([x, y, z])) => Shape::cuboid(x, y, z),
                _ => Err(KineticError::invalid("size of a box", "both or neither", "one of `size`, `half_extents`")),
            },
            "sphere" => Shape::sphere(required("radius", self.radius)?),
            "cylinder" => Shape::cylinder(required("radius", self.radius)?, required("half_height", self.half_height)?),
            "capsule" => Shape::capsule(required("radius", self.radius)?, required("half_height", self.half_height)?),
            "half_space" => {
                Shape::half_space(Vector3::from(required("normal", self.normal)?), required("offset", self.offset)?)
            }
            "convex" => {
                let vertices = required("vertices", self.vertices.as_ref())?;
                Shape::convex(&points(vertices), self.radius.unwrap_or(0.0))
            }
            "mesh" => self.mesh(folder),
            "height_field" => self.height_field(),
            _ => Shape::voxels(required("cells", self.cells.as_ref())?, required("resolution", self.resolution)?),
        }
    }

    fn mesh(&self, folder: &Path) -> Result<Shape> {
        let mesh = match (&self.file, &self.vertices, &self.faces) {
            (Some(file), None, None) => TriangleMesh::from_file(folder.join(file))?,
            (None, Some(vertices), Some(faces)) => {
                TriangleMesh { vertices: points(vertices), triangles: faces.clone() }
            }
            _ => {
                let wanted = "`file`, or `vertices` and `faces`";
                return Err(KineticError::invalid("source of a mesh", "none or several", wanted));
            }
        };
        let form = match (self.solid.unwrap_or(false), self.convex.unwrap_or(false)) {
            (_, true) => MeshForm::Hull,
            (true, false) => MeshForm::Solid,
            (false, false) => MeshForm::Surface,
        };
        form.shape(&mesh, self.scale.unwrap_or(1.0))
    }

    fn height_field(&self) -> Result<Shape> {
        let rows = required("heights", self.heights.as_ref())?;
        let columns = rows.first().map_or(0, Vec::len);
        for row in rows {
            check_len("row of heights", row.len(), columns)?;
        }
        let spacing = required("spacing", self.spacing)?;
        Shape::height_field(&rows.concat(), [rows.len(), columns], spacing, required("base", self.base)?)
    }

    /// Rejects keys that the shape does not read, because they are mistakes in the file.
    fn refuse_foreign_keys(&self) -> Result<()> {
        let Some((_, wanted)) = KINDS.iter().find(|(kind, _)| *kind == self.shape) else {
            return Err(KineticError::UnknownName {
                kind: "shape".to_owned(),
                name: self.shape.clone(),
                available: KINDS.map(|(kind, _)| kind.to_owned()).to_vec(),
            });
        };
        let given = [
            ("size", self.size.is_some()),
            ("half_extents", self.half_extents.is_some()),
            ("radius", self.radius.is_some()),
            ("half_height", self.half_height.is_some()),
            ("normal", self.normal.is_some()),
            ("offset", self.offset.is_some()),
            ("file", self.file.is_some()),
            ("vertices", self.vertices.is_some()),
            ("faces", self.faces.is_some()),
            ("scale", self.scale.is_some()),
            ("solid", self.solid.is_some()),
            ("convex", self.convex.is_some()),
            ("heights", self.heights.is_some()),
            ("spacing", self.spacing.is_some()),
            ("base", self.base.is_some()),
            ("cells", self.cells.is_some()),
            ("resolution", self.resolution.is_some()),
        ];
        match given.iter().find(|(key, is_given)| *is_given && !wanted.contains(key)) {
            None => Ok(()),
            Some((key, _)) => Err(KineticError::invalid(
                format!("key of a {}", self.shape),
                key,
                format!("only {}", wanted.join(", ")),
            )),
        }
    }
}

fn points(rows: &[[f64; 3]]) -> Vec<Point3<f64>> {
    rows.iter().copied().map(Point3::from).collect()
}

fn required<T>(key: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| KineticError::invalid(key, "missing", format!("a value for `{key}`")))
}
