//! `<geom>`: shape, place, mass.

use std::sync::Arc;

use kinetic_core::{KineticError, Pose, Result, Shape};
use nalgebra::{Isometry3, Translation3, Vector3};

use super::assets::{MeshAsset, MeshSource};
use super::compiler::Compiler;
use super::document::MjcfDocument;
use super::element::Attributes;
use super::frame;
use super::mass::{MassProperties, MassSolid};
use super::mesh_mass;
use crate::ellipsoid;
use crate::mesh::{MeshRef, TriangleMesh};
use crate::model::{Geometry, GeometryShape, Material};

/// Shape of a geom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GeomKind {
    Plane,
    HeightField,
    Sphere,
    Capsule,
    Ellipsoid,
    Cylinder,
    Box,
    Mesh,
}

/// A geom in the frame of its body.
pub(super) struct Geom<'a> {
    given: Attributes<'a>,
    document: &'a MjcfDocument,
    pub(super) kind: GeomKind,
    /// As MuJoCo means it: radius; radius and half-length; half-extents; semi-axes.
    size: Vector3<f64>,
    pose: Pose,
    mesh: Option<&'a MeshAsset>,
    /// Group for viewers; those from 3 on are hidden at first.
    pub(super) group: f64,
    /// False where neither mask lets it touch anything.
    pub(super) collides: bool,
}

impl<'a> Geom<'a> {
    pub(super) fn read(given: Attributes<'a>, document: &'a MjcfDocument, body_from_frame: &Pose) -> Result<Self> {
        let mesh = given.get("mesh").map(|name| find_mesh(&given, document, name)).transpose()?;
        let mask = |name| given.number(name).map(|value| value.unwrap_or(1.0));
        let kind = read_kind(&given)?;
        if kind == GeomKind::Mesh && mesh.is_none() {
            return Err(given.error("a geom of type mesh needs the attribute \"mesh\""));
        }
        let (frame_from_geom, size) = place(&given, kind, &document.compiler)?;
        let mut geom = Self {
            given,
            document,
            kind,
            size,
            pose: Pose(body_from_frame.0 * frame_from_geom.0),
            mesh,
            group: given.number("group")?.unwrap_or(0.0),
            collides: mask("contype")? != 0.0 || mask("conaffinity")? != 0.0,
        };
        if kind != GeomKind::Mesh && mesh.is_some() {
            geom.fit_to_mesh()?;
        }
        Ok(geom)
    }

    /// Name, where it has one.
    pub(super) fn name(&self) -> Option<&'a str> {
        self.given.own("name")
    }

    /// Where it stands, for notes.
    pub(super) fn place(&self) -> String {
        self.given.element.place()
    }

    /// The shape on its link; `None` for planes and height fields, which have no volume.
    pub(super) fn geometry(&self) -> Result<Option<Geometry>> {
        let [x, y, z]: [f64; 3] = self.size.into();
        let solid = match self.kind {
            GeomKind::Plane | GeomKind::HeightField => return Ok(None),
            GeomKind::Sphere => Shape::sphere(x),
            GeomKind::Capsule => {
                Shape::capsule(x, y).or_else(|error| if y == 0.0 { Shape::sphere(x) } else { Err(error) })
            }
            GeomKind::Cylinder => Shape::cylinder(x, y),
            GeomKind::Box => Shape::cuboid(x, y, z),
            GeomKind::Ellipsoid => ellipsoid::around(self.size),
            GeomKind::Mesh => return self.mesh_geometry().map(Some),
        };
        let shape = GeometryShape::Shape(solid.map_err(|error| self.wrong_size(error))?);
        Ok(Some(Geometry { material: self.material()?, ..Geometry::new(self.pose, shape) }))
    }

    fn mesh_geometry(&self) -> Result<Geometry> {
        let Some(mesh) = self.mesh else { return Err(self.given.error("attribute \"mesh\" is missing")) };
        let shape = match &mesh.source {
            MeshSource::File(_) => GeometryShape::Mesh(self.mesh_ref(mesh)),
            // MuJoCo collides with the convex hull of a mesh.
            MeshSource::Inline(vertices, _) => {
                let scaled: Vec<_> =
                    vertices.iter().map(|vertex| vertex.coords.component_mul(&mesh.scale).into()).collect();
                GeometryShape::Shape(Shape::convex(&scaled, 0.0).map_err(|error| self.wrong_size(error))?)
            }
        };
        let pose = Pose(self.pose.0 * mesh.geom_from_mesh.0);
        Ok(Geometry { material: self.material()?, ..Geometry::new(pose, shape) })
    }

    /// The colour of the geom, else that of its material.
    fn material(&self) -> Result<Option<Material>> {
        let name = self.given.get("material");
        let color = self.given.numbers("rgba")?.or(name.and_then(|name| self.document.colors.get(name)).copied());
        let is_stated = name.is_some() || color.is_some();
        let name = name.unwrap_or_default().to_owned();
        let color = color.map(|color| color.map(|part| part.clamp(0.0, 1.0)));
        Ok(is_stated.then_some(Material { name, color, texture: None }))
    }

    fn mesh_ref(&self, mesh: &MeshAsset) -> MeshRef {
        let uri = if let MeshSource::File(file) = &mesh.source { file.clone() } else { String::new() };
        MeshRef { uri, scale: mesh.scale, resolver: Arc::clone(&self.document.resolver) }
    }

    /// Mass in the frame of the body; an error message when it cannot be known.
    pub(super) fn mass(&self) -> Result<std::result::Result<Option<MassProperties>, String>> {
        let stated = self.given.number("mass")?;
        let density = self.given.number("density")?.unwrap_or(1000.0);
        if stated.unwrap_or(density) == 0.0 || matches!(self.kind, GeomKind::Plane | GeomKind::HeightField) {
            return Ok(Ok(None));
        }
        if stated.unwrap_or(density) < 0.0 {
            return Err(self.given.error("mass and density must not be negative"));
        }
        if self.kind == GeomKind::Mesh {
            return Ok(self.mesh_mass().map(|unit| {
                let factor = stated.map_or(density, |mass| mass / unit.mass);
                let mass = MassProperties { mass: unit.mass * factor, com: unit.com, inertia: unit.inertia * factor };
                Some(mass.moved(&self.pose))
            }));
        }
        if self.given.flag("shellinertia")? == Some(true) {
            return Ok(Err(format!("{} has shellinertia, which is not supported", self.given.element.describe())));
        }
        let [x, y, _]: [f64; 3] = self.size.into();
        let solid = match self.kind {
            GeomKind::Capsule => MassSolid::capsule(x, y),
            GeomKind::Cylinder => MassSolid::cylinder(x, y),
            GeomKind::Box => MassSolid::cuboid(self.size),
            GeomKind::Ellipsoid => MassSolid::ellipsoid(self.size),
            _ => MassSolid::sphere(x),
        };
        Ok(Ok(Some(solid.placed(stated.unwrap_or(density * solid.volume), &self.pose))))
    }

    /// Of the mesh at density 1, in the frame of the geom.
    fn mesh_mass(&self) -> std::result::Result<MassProperties, String> {
        let Some(mesh) = self.mesh else { return Err("no mesh".to_owned()) };
        let triangles = self.triangles(mesh)?;
        let unit = mesh_mass::unit_mass(&triangles, mesh.inertia);
        let why = || format!("{}: the mass of its mesh cannot be computed", self.given.element.describe());
        unit.map(|unit| unit.moved(&mesh.geom_from_mesh)).ok_or_else(why)
    }

    /// Triangles, scaled, in the frame of the mesh.
    fn triangles(&self, mesh: &MeshAsset) -> std::result::Result<TriangleMesh, String> {
        match &mesh.source {
            MeshSource::File(_) => self.mesh_ref(mesh).load().map_err(|error| error.to_string()),
            MeshSource::Inline(vertices, faces) => Ok(TriangleMesh {
                vertices: vertices.iter().map(|vertex| vertex.coords.component_mul(&mesh.scale).into()).collect(),
                triangles: faces.clone(),
            }),
        }
    }

    /// Replaces size and place by those of the primitive that MuJoCo fits to the mesh.
    fn fit_to_mesh(&mut self) -> Result<()> {
        if self.document.compiler.fit_aabb {
            return Err(self.given.error("a primitive fitted to a mesh by fitaabb is not supported; state its size"));
        }
        let unit = self.mesh_mass().map_err(|why| self.given.error(format!("cannot be fitted to its mesh: {why}")))?;
        let fitted = mesh_mass::inertia_box(&unit);
        let [x, y, z]: [f64; 3] = fitted.half_extents.into();
        let (across, along) = (f64::midpoint(x, y), z);
        let size = match self.kind {
            GeomKind::Sphere => Vector3::repeat((x + y + z) / 3.0),
            GeomKind::Capsule => Vector3::new(across, (along - across / 2.0).max(0.0), 0.0),
            GeomKind::Cylinder => Vector3::new(across, along, 0.0),
            _ => fitted.half_extents,
        };
        self.size = size * self.given.number("fitscale")?.unwrap_or(1.0);
        self.pose = Pose(self.pose.0 * fitted.pose.0);
        Ok(())
    }

    fn wrong_size(&self, error: KineticError) -> KineticError {
        match error {
            KineticError::InvalidValue { name, value, wanted } => {
                self.given.error(format!("{name} = {value}; wanted {wanted}"))
            }
            other => self.given.error(other.to_string()),
        }
    }
}

fn find_mesh<'a>(given: &Attributes<'_>, document: &'a MjcfDocument, name: &str) -> Result<&'a MeshAsset> {
    document.meshes.get(name).ok_or_else(|| given.error(format!("mesh \"{name}\" does not exist")))
}

fn read_kind(given: &Attributes<'_>) -> Result<GeomKind> {
    match given.get("type") {
        Some("plane") => Ok(GeomKind::Plane),
        Some("hfield") => Ok(GeomKind::HeightField),
        None | Some("sphere") => Ok(GeomKind::Sphere),
        Some("capsule") => Ok(GeomKind::Capsule),
        Some("ellipsoid") => Ok(GeomKind::Ellipsoid),
        Some("cylinder") => Ok(GeomKind::Cylinder),
        Some("box") => Ok(GeomKind::Box),
        Some("mesh") => Ok(GeomKind::Mesh),
        Some("sdf") => Err(given.error("type sdf (a signed distance field of a plugin) is not supported")),
        Some(other) => {
            let known = "plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh";
            Err(given.error(format!("unknown type \"{other}\"; known are {known}")))
        }
    }
}

/// Pose in the frame around the geom, and the sizes.
fn place(given: &Attributes<'_>, kind: GeomKind, compiler: &Compiler) -> Result<(Pose, Vector3<f64>)> {
    let sizes = given.list("size")?.unwrap_or_default();
    if sizes.len() > 3 {
        return Err(given.error(format!("attribute \"size\" has {} numbers; at most 3 are possible", sizes.len())));
    }
    let mut size = Vector3::from_iterator(sizes.into_iter().chain([0.0; 3]).take(3));
    let has_ends = matches!(kind, GeomKind::Capsule | GeomKind::Cylinder | GeomKind::Box | GeomKind::Ellipsoid);
    let Some(ends) = given.numbers::<6>("fromto")?.filter(|_| has_ends) else {
        return Ok((frame::pose(given, compiler)?, size));
    };
    let from = Vector3::new(ends[0], ends[1], ends[2]);
    let to = Vector3::new(ends[3], ends[4], ends[5]);
    // The axis points from the second end to the first.
    let axis = frame::direction(given, "fromto", from - to)?;
    let half = (from - to).norm() / 2.0;
    if matches!(kind, GeomKind::Box | GeomKind::Ellipsoid) {
        size = Vector3::new(size.x, size.x, half);
    } else {
        size.y = half;
    }
    let pose = Isometry3::from_parts(Translation3::from((from + to) / 2.0), frame::turn_z_to(axis));
    Ok((Pose(pose), size))
}
