//! The functions of `kinetic.fit`.

use std::path::PathBuf;
use std::sync::Arc;

use kinetic::collision::fit::{self, Covering, HullConfig, PieceConfig, Placed};
use kinetic::collision::{RobotSphereModel, Sphere, SphereGenConfig};
use kinetic::core::{KineticError, Pose, Shape};
use kinetic::robot::{MeshRef, MeshResolver, TriangleMesh};
use nalgebra::{Isometry3, Point3, Vector3};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use crate::convert::{Array, Count, Dict, Dicts, File, Matrix, Real, Text};
use crate::error::{Error, Result};
use crate::geometry::mesh::mesh_of_arrays;
use crate::geometry::shape::PyShape;
use crate::interrupt::abandonable;
use crate::robot::argument::RobotArg;

/// Most spheres when only an excess is asked for.
const MOST_SPHERES: usize = 256;

/// Spheres whose union contains a solid, with as little beyond it as the budget allows.
///
/// What is contained is proven, not sampled: all of a shape; of a mesh every triangle, and every point around which it
/// winds.
///
/// Args:
///     geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
///     count: Most spheres.
///     max_excess: Few spheres that reach no farther beyond the solid than this, m; up to `count`, or 256.
///         Without both, up to 32 spheres for 2 cm.
///
/// Returns:
///     Spheres (K, 4), centre and radius, m, and a report: `count`; `excess`, a proven bound of how far any point of
///     the union is from the solid, m; `volume_ratio` of union and solid, an estimate from 20 000 points.
///
/// Raises:
///     InputError: The geometry is empty, unbounded or not finite, or an option is outside its domain.
///     OSError: The mesh cannot be read.
#[pyfunction]
#[pyo3(signature = (geometry, *, count=None, max_excess=None))]
pub(crate) fn fit_spheres(
    py: Python<'_>,
    geometry: Geometry,
    count: Option<Count>,
    max_excess: Option<Real>,
) -> Result<(Array<'_>, Dict<'_>)> {
    let default = SphereGenConfig::default();
    let config = match (count, max_excess) {
        (None, None) => default,
        (Some(count), None) => SphereGenConfig { max_spheres: count.0, target_excess: 0.0 },
        (count, Some(excess)) => {
            SphereGenConfig { max_spheres: count.map_or(MOST_SPHERES, |count| count.0), target_excess: excess.0 }
        }
    };
    let (cover, ratio) = abandonable(py, move || -> kinetic::core::Result<_> {
        let covering = geometry.covering()?;
        let cover = covering.fit(&config)?;
        let ratio = covering.volume_ratio(&cover);
        Ok((cover, ratio))
    })??;
    let report = Dict::new(py).with("count", cover.spheres.len())?.with("excess", cover.excess)?;
    Ok((rows(py, &cover.spheres)?, report.with("volume_ratio", ratio)?))
}

/// A capsule of little volume around a solid.
///
/// Args:
///     geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
///
/// Returns:
///     The capsule, and its pose (4, 4) in the frame of the geometry; every point is inside.
///
/// Raises:
///     InputError: The geometry is empty, unbounded, rounded or not finite.
///     OSError: The mesh cannot be read.
#[pyfunction]
pub(crate) fn fit_capsule(py: Python<'_>, geometry: Geometry) -> Result<(PyShape, Array<'_>)> {
    let fitted = abandonable(py, move || fit::enclosing_capsule(&geometry.points()?))??;
    placed(py, fitted)
}

/// A box of little volume around a solid.
///
/// Args:
///     geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
///
/// Returns:
///     The box, and its pose (4, 4) in the frame of the geometry; every point is inside.
///
/// Raises:
///     InputError: The geometry is empty, unbounded, rounded or not finite.
///     OSError: The mesh cannot be read.
#[pyfunction]
pub(crate) fn fit_box(py: Python<'_>, geometry: Geometry) -> Result<(PyShape, Array<'_>)> {
    let fitted = abandonable(py, move || fit::enclosing_box(&geometry.points()?))??;
    placed(py, fitted)
}

/// A convex shape of few vertices that contains a solid.
///
/// Args:
///     geometry: A Shape, a pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
///     max_vertices: Most vertices, at least 4.
///     tolerance: Rounding up to which vertices are left out, m.
///
/// Returns:
///     A convex Shape, in the frame of the geometry.
///
/// Raises:
///     InputError: The geometry is empty, unbounded, rounded or not finite, or an option is outside its domain.
///     OSError: The mesh cannot be read.
#[pyfunction]
#[pyo3(
    signature = (geometry, *, max_vertices=Count(64), tolerance=Real(2e-4)),
    text_signature = "(geometry, *, max_vertices=64, tolerance=0.0002)"
)]
pub(crate) fn fit_convex_hull(
    py: Python<'_>,
    geometry: Geometry,
    max_vertices: Count,
    tolerance: Real,
) -> Result<PyShape> {
    let config = HullConfig { max_vertices: max_vertices.0, tolerance: tolerance.0 };
    Ok(PyShape(abandonable(py, move || fit::enclosing_hull(&geometry.points()?, &config))??))
}

/// Convex shapes whose union contains every triangle of a mesh.
///
/// Triangles may be open, duplicated, crossing or without area.
///
/// Args:
///     geometry: A pair of vertices (N, 3) and faces (M, 3), or the path of a mesh file.
///     max_pieces: Most pieces.
///     tolerance: Gap between a piece's hull and the mesh below which the piece is not cut any more, m.
///
/// Returns:
///     Pairs of a convex Shape, in the frame of the mesh, and its gap, m: measured at 300 points, not proven.
///
/// Raises:
///     InputError: The mesh has no faces, or is not finite, or an option is outside its domain.
///     OSError: The mesh cannot be read.
#[pyfunction]
#[pyo3(
    signature = (geometry, *, max_pieces=Count(8), tolerance=Real(0.01)),
    text_signature = "(geometry, *, max_pieces=8, tolerance=0.01)"
)]
pub(crate) fn fit_convex_pieces(
    py: Python<'_>,
    geometry: Geometry,
    max_pieces: Count,
    tolerance: Real,
) -> Result<Vec<(PyShape, f64)>> {
    let config = PieceConfig { max_pieces: max_pieces.0, tolerance: tolerance.0, ..PieceConfig::default() };
    let pieces = abandonable(py, move || fit::convex_pieces(&geometry.mesh()?, &config))??;
    Ok(pieces.into_iter().map(|piece| (PyShape(piece.shape), piece.gap)).collect())
}

/// Spheres around the links of a robot, given where the largest excess is.
///
/// Args:
///     robot: A Robot, or the name of a built-in one.
///     preset: "coarse", "default" or "fine": up to 8, 32 or 64 spheres per link, and 2, 8 or 16 per rigid body.
///     count: Most spheres for the whole robot, instead of the preset's; each link with geometry gets one at least.
///
/// Returns:
///     Per link with geometry a dictionary: `link`, `spheres` (K, 4) in the link's frame, and `excess`, a proven bound
///     of how far any point of their union is from the link's convex shapes, m.
///
/// Raises:
///     InputError: The robot or the preset is unknown.
///     OSError: A mesh of the robot cannot be read.
#[pyfunction]
#[pyo3(
    signature = (robot, *, preset=Text("default".to_owned()), count=None),
    text_signature = "(robot, *, preset='default', count=None)"
)]
pub(crate) fn fit_robot_spheres<'py>(
    py: Python<'py>,
    robot: RobotArg<'py>,
    preset: Text,
    count: Option<Count>,
) -> Result<Dicts<'py>> {
    let config = preset_config(&preset.0)?;
    let model = robot.handle(py)?.get().model();
    let robot = Arc::clone(&model.robot);
    let count = count.map(|count| count.0);
    let fitted = abandonable(py, move || RobotSphereModel::from_robot(&robot, &config, count))??;
    let robot = &model.robot;
    let mut links = Vec::new();
    for (link, cover) in robot.links.iter().zip(&fitted.covers).filter(|(_, cover)| !cover.spheres.is_empty()) {
        let dict = Dict::new(py).with("link", &link.name)?.with("spheres", rows(py, &cover.spheres)?)?;
        links.push(dict.with("excess", cover.excess)?);
    }
    Ok(Dicts::new(py, links)?)
}

fn preset_config(name: &str) -> Result<SphereGenConfig> {
    match name {
        "coarse" => Ok(SphereGenConfig::coarse()),
        "default" => Ok(SphereGenConfig::default()),
        "fine" => Ok(SphereGenConfig::fine()),
        _ => Err(KineticError::unknown_name("preset", name, ["coarse", "default", "fine"]).into()),
    }
}

fn rows<'py>(py: Python<'py>, spheres: &[Sphere]) -> Result<Array<'py>> {
    let values: Vec<f64> = spheres.iter().flat_map(|s| [s.center.x, s.center.y, s.center.z, s.radius]).collect();
    Array::new(py, &[spheres.len(), 4], &values)
}

fn placed(py: Python<'_>, (pose, shape): Placed) -> Result<(PyShape, Array<'_>)> {
    Ok((PyShape(shape), Array::pose(py, &Pose(pose))?))
}

/// What can be fitted.
pub(crate) enum Geometry {
    Shape(Shape),
    Mesh(TriangleMesh),
    File(PathBuf),
}

impl Geometry {
    fn covering(&self) -> kinetic::core::Result<Covering> {
        match self {
            Self::Shape(shape) => Covering::from_shapes(&[(Isometry3::identity(), shape)]),
            _ => Covering::from_mesh(&self.mesh()?),
        }
    }

    fn mesh(&self) -> kinetic::core::Result<TriangleMesh> {
        match self {
            Self::Shape(shape) => Err(KineticError::invalid("mesh", format!("a {}", shape.kind()), "a mesh")),
            Self::Mesh(mesh) => Ok(mesh.clone()),
            Self::File(path) => {
                let path = std::path::absolute(path).map_err(|error| KineticError::io(path, &error))?;
                let uri = path.to_string_lossy().into_owned();
                MeshRef { uri, scale: Vector3::repeat(1.0), resolver: MeshResolver::default().into() }.load()
            }
        }
    }

    /// Points whose hull contains the geometry.
    fn points(&self) -> kinetic::core::Result<Vec<Point3<f64>>> {
        match self {
            Self::Shape(shape) => fit::corners(shape),
            _ => Ok(self.mesh()?.vertices),
        }
    }
}

impl FromPyObject<'_, '_> for Geometry {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        PyShape::TYPE_HINT,
        type_hint_subscript!(
            type_hint_identifier!("builtins", "tuple"),
            type_hint_identifier!("numpy.typing", "ArrayLike"),
            type_hint_identifier!("numpy.typing", "ArrayLike")
        ),
        <File as FromPyObject<'_, '_>>::INPUT_TYPE
    );

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        if let Ok(shape) = given.cast::<PyShape>() {
            return Ok(Self::Shape(shape.get().0.clone()));
        }
        if let Ok(pair) = given.cast::<PyTuple>() {
            let (vertices, faces): (Matrix, Matrix) = pair.extract()?;
            return Ok(Self::Mesh(mesh_of_arrays(&vertices, &faces)?));
        }
        Ok(Self::File(given.extract::<File>()?.0))
    }
}
