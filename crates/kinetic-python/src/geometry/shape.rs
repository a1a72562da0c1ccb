//! `Shape`: what stands in scenes.

use std::path::PathBuf;

use kinetic::collision::MeshForm;
use kinetic::core::error::check_len;
use kinetic::core::shape::{RecordValue, ShapeRecord};
use kinetic::core::{KineticError, Shape};
use kinetic::robot::TriangleMesh;
use nalgebra::{Point3, Vector3};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_union;

use crate::convert::{Array, Cells, Dict, File, Indices, Matrix, PerJoint, Real, Rebuild, Text, Vector, rebuild};
use crate::error::{Error, Result};
use crate::interrupt::abandonable;

/// A shape in its own frame. Sizes are half-extents, radii and half-heights in m, except those of `box`.
///
/// Example:
///     >>> from kinetic import Shape
///     >>> Shape.cylinder(radius=0.05, half_height=0.4)
///     Shape.cylinder(radius=0.05, half_height=0.4)
#[pyclass(frozen, eq, module = "kinetic", name = "Shape")]
#[derive(Clone, PartialEq)]
pub(crate) struct PyShape(pub(crate) Shape);

#[pymethods]
impl PyShape {
    /// A box around the origin with faces along the axes, by half its lengths (m).
    #[staticmethod]
    fn cuboid(half_x: Real, half_y: Real, half_z: Real) -> Result<Self> {
        Ok(Self(Shape::cuboid(half_x.0, half_y.0, half_z.0)?))
    }

    /// A box around the origin with faces along the axes, by its full lengths (m).
    #[staticmethod]
    fn r#box(size_x: Real, size_y: Real, size_z: Real) -> Result<Self> {
        Ok(Self(Shape::box_from_size(size_x.0, size_y.0, size_z.0)?))
    }

    /// A ball around the origin.
    #[staticmethod]
    fn sphere(radius: Real) -> Result<Self> {
        Ok(Self(Shape::sphere(radius.0)?))
    }

    /// A cylinder around the origin with its axis along z and flat ends.
    #[staticmethod]
    fn cylinder(radius: Real, half_height: Real) -> Result<Self> {
        Ok(Self(Shape::cylinder(radius.0, half_height.0)?))
    }

    /// All points within `radius` of the segment from (0, 0, -half_height) to (0, 0, half_height).
    #[staticmethod]
    fn capsule(radius: Real, half_height: Real) -> Result<Self> {
        Ok(Self(Shape::capsule(radius.0, half_height.0)?))
    }

    /// All points x with normal · x ≤ offset, for a floor or a wall.
    ///
    /// Args:
    ///     normal: Direction (3,) that points out of the solid; its length does not matter.
    ///     offset: Signed distance of the plane from the origin along the normal, m.
    #[staticmethod]
    fn half_space(normal: Vector, offset: Real) -> Result<Self> {
        let [x, y, z] = normal.0[..] else {
            return Err(KineticError::DimensionMismatch {
                context: "half-space normal".to_owned(),
                expected: "3".to_owned(),
                got: normal.0.len(),
            }
            .into());
        };
        Ok(Self(Shape::half_space(Vector3::new(x, y, z), offset.0)?))
    }

    /// All points within `radius` of the convex hull of `vertices`.
    ///
    /// Args:
    ///     vertices: Points (N, 3), m; points inside the hull are allowed.
    ///     radius: Rounding, m.
    #[staticmethod]
    #[pyo3(signature = (vertices, radius=Real(0.0)), text_signature = "(vertices, radius=0.0)")]
    fn convex(vertices: Matrix, radius: Real) -> Result<Self> {
        vertices.check_columns("vertex", 3)?;
        Ok(Self(Shape::convex(&points(&vertices.values), radius.0)?))
    }

    /// Triangles from a file or from arrays.
    ///
    /// The surface itself, unless `solid`: then what it encloses belongs to it. Duplicated vertices, triangles without
    /// area and edges of many triangles are taken as they are.
    ///
    /// Args:
    ///     path_or_vertices: The path of a mesh file (see `load_mesh`), or vertices (N, 3).
    ///     faces: Triangles (M, 3) as indices of vertices; only with vertices.
    ///     scale: Factor on all coordinates.
    ///     convex: The convex hull of the vertices instead.
    ///     solid: Fill the inside. The surface has to be closed.
    ///
    /// Raises:
    ///     InputError: No triangles, NaN, an index beyond the vertices, or a solid that is not closed.
    ///     OSError: The file cannot be read.
    #[staticmethod]
    #[pyo3(
        signature = (path_or_vertices, faces=None, scale=Real(1.0), convex=false, solid=false),
        text_signature = "(path_or_vertices, faces=None, scale=1.0, convex=False, solid=False)"
    )]
    fn mesh(
        py: Python<'_>,
        path_or_vertices: PathOrVertices,
        faces: Option<Matrix>,
        scale: Real,
        convex: bool,
        solid: bool,
    ) -> Result<Self> {
        let form = match (solid, convex) {
            (_, true) => MeshForm::Hull,
            (true, false) => MeshForm::Solid,
            (false, false) => MeshForm::Surface,
        };
        let mesh = match (path_or_vertices, faces) {
            (PathOrVertices::Path(path), None) => abandonable(py, move || TriangleMesh::from_file(&path))??,
            (PathOrVertices::Vertices(vertices), Some(faces)) => {
                crate::geometry::mesh::mesh_of_arrays(&vertices, &faces)?
            }
            (PathOrVertices::Path(_), Some(_)) => {
                return Err(KineticError::invalid("faces", "given with a path", "faces only with vertices").into());
            }
            (PathOrVertices::Vertices(_), None) => {
                return Err(KineticError::invalid("faces", "none", "triangles (M, 3) with vertices").into());
            }
        };
        Ok(Self(py.detach(|| form.shape(&mesh, scale.0))?))
    }

    /// The ground below a surface over a grid around the origin, down to a flat base.
    ///
    /// Args:
    ///     heights: Heights (N, M) at the nodes, m; rows along x, columns along y. Each cell is two flat triangles.
    ///     spacing: Distance of neighbouring nodes, m: one number, or one along x and one along y.
    ///     base: Height of the bottom, m; at most the least height.
    #[staticmethod]
    fn height_field(heights: Matrix, spacing: PerJoint, base: Real) -> Result<Self> {
        let spacing = spacing.expand(2);
        check_len("height field spacing", spacing.len(), 2)?;
        let rows = heights.num_rows();
        let nodes = [rows, heights.values.len().checked_div(rows).unwrap_or(0)];
        Ok(Self(Shape::height_field(&heights.values, nodes, [spacing[0], spacing[1]], base.0)?))
    }

    /// Cubes of a grid: cell (i, j, k) reaches from resolution · (i, j, k) to resolution · (i + 1, j + 1, k + 1).
    ///
    /// Args:
    ///     cells: Indices (N, 3) of the occupied cells, negative ones too; of a boolean grid, `numpy.argwhere(grid)`.
    ///     resolution: Edge of a cell, m.
    #[staticmethod]
    fn voxels(cells: Cells, resolution: Real) -> Result<Self> {
        Ok(Self(Shape::voxels(&cells.0, resolution.0)?))
    }

    /// All points within `radius` of one of `points`. `Scene.add_pointcloud` filters the points of a sensor first.
    ///
    /// Args:
    ///     points: Points (N, 3), m.
    ///     radius: Radius of the ball around each point, m.
    #[staticmethod]
    fn point_cloud(points: Matrix, radius: Real) -> Result<Self> {
        points.check_columns("point", 3)?;
        Ok(Self(Shape::point_cloud(&self::points(&points.values), radius.0)?))
    }

    /// `"sphere"`, `"cuboid"`, `"cylinder"`, `"capsule"`, `"half_space"`, `"convex"`, `"mesh"`, `"height_field"`,
    /// `"voxels"` or `"point_cloud"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Sizes by name, as the constructors call them; of a cuboid `half_extents` (3,).
    #[getter]
    fn dimensions<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let record = ShapeRecord::of(&self.0);
        record.fields().into_iter().try_fold(Dict::new(py), |dict, (name, value)| {
            Ok(match value {
                RecordValue::Flag(flag) => dict.with(name, flag)?,
                RecordValue::Number(number) => dict.with(name, number)?,
                RecordValue::Numbers(numbers) => dict.with(name, Array::vector(py, numbers)?)?,
                RecordValue::Points(points) => {
                    dict.with(name, Array::new(py, &[points.len(), 3], points.as_flattened())?)?
                }
                RecordValue::Faces(faces) => dict.with(name, Indices::rows(py, faces)?)?,
                RecordValue::Rows(rows) => {
                    let columns = rows.first().map_or(0, Vec::len);
                    dict.with(name, Array::new(py, &[rows.len(), columns], &rows.concat())?)?
                }
                RecordValue::Cells(cells) => dict.with(name, Indices::rows(py, cells)?)?,
            })
        })
    }

    fn __repr__(&self) -> String {
        if let Shape::Cuboid { half_extents: h } = &self.0 {
            return format!("Shape.cuboid({}, {}, {})", h.x, h.y, h.z);
        }
        let record = ShapeRecord::of(&self.0);
        let fields: Vec<String> = record.fields().into_iter().map(|(name, value)| argument(name, value)).collect();
        format!("Shape.{}({})", self.0.kind(), fields.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let class = py.get_type::<Self>().into_any();
        let text = serde_json::to_string(&self.0).map_err(|error| KineticError::Other(error.to_string()))?;
        Ok(rebuild(class, "_restore", (text,))?)
    }

    /// The shape that pickle stored: its record as JSON.
    #[staticmethod]
    fn _restore(record: Text) -> Result<Self> {
        let record: ShapeRecord = serde_json::from_str(&record.0)
            .map_err(|error| KineticError::invalid("stored shape", error, "what __reduce__ wrote"))?;
        Ok(Self(record.shape()?))
    }
}

/// An argument of a constructor with its value; of long lists their length.
fn argument(name: &str, value: RecordValue<'_>) -> String {
    match value {
        RecordValue::Flag(flag) => format!("{name}={}", if flag { "True" } else { "False" }),
        RecordValue::Number(number) => format!("{name}={number}"),
        RecordValue::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            format!("{name}=[{}]", numbers.join(", "))
        }
        RecordValue::Points(points) => format!("<{} {name}>", points.len()),
        RecordValue::Faces(faces) => format!("<{} {name}>", faces.len()),
        RecordValue::Rows(rows) => format!("<{} by {} nodes>", rows.len(), rows.first().map_or(0, Vec::len)),
        RecordValue::Cells(cells) => format!("<{} {name}>", cells.len()),
    }
}

fn points(values: &[f64]) -> Vec<Point3<f64>> {
    values.chunks_exact(3).map(|point| Point3::new(point[0], point[1], point[2])).collect()
}

/// What a mesh is made from.
pub(crate) enum PathOrVertices {
    Path(PathBuf),
    Vertices(Matrix),
}

impl FromPyObject<'_, '_> for PathOrVertices {
    type Error = Error;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(<File as FromPyObject<'_, '_>>::INPUT_TYPE, <Matrix as FromPyObject<'_, '_>>::INPUT_TYPE);

    fn extract(given: Borrowed<'_, '_, PyAny>) -> Result<Self> {
        match given.extract::<File>() {
            Ok(path) => Ok(Self::Path(path.0)),
            Err(_) => Ok(Self::Vertices(given.extract()?)),
        }
    }
}
