//! `Shape`: what stands in scenes.

use std::path::PathBuf;

use kinetic::collision::MeshForm;
use kinetic::core::error::check_len;
use kinetic::core::{KineticError, Shape};
use kinetic::robot::TriangleMesh;
use nalgebra::Vector3;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_union;

use crate::convert::{Array, Dict, File, Indices, Matrix, PerJoint, Real, Rebuild, Text, Vector, rebuild};
use crate::error::{Error, Result};
use crate::geometry::shape_numbers;
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
        Ok(Self(Shape::convex(&shape_numbers::points(&vertices.values), radius.0)?))
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
    fn voxels(cells: Matrix, resolution: Real) -> Result<Self> {
        cells.check_columns("voxel cell", 3)?;
        Ok(Self(Shape::voxels(&shape_numbers::cells(&cells.values)?, resolution.0)?))
    }

    /// `"sphere"`, `"cuboid"`, `"cylinder"`, `"capsule"`, `"half_space"`, `"convex"`, `"mesh"`, `"height_field"` or
    /// `"voxels"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind()
    }

    /// Sizes by name, as the constructors call them; of a cuboid `half_extents` (3,).
    #[getter]
    fn dimensions<'py>(&self, py: Python<'py>) -> Result<Dict<'py>> {
        let dict = Dict::new(py);
        Ok(match &self.0 {
            Shape::Sphere { radius } => dict.with("radius", radius)?,
            Shape::Cuboid { half_extents } => dict.with("half_extents", Array::vector(py, half_extents.as_slice())?)?,
            Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => {
                dict.with("radius", radius)?.with("half_height", half_height)?
            }
            Shape::HalfSpace { normal, offset } => {
                dict.with("normal", Array::vector(py, normal.as_slice())?)?.with("offset", offset)?
            }
            Shape::Convex { vertices, radius } => {
                let values: Vec<f64> = vertices.iter().flat_map(|vertex| vertex.coords.iter().copied()).collect();
                dict.with("vertices", Array::new(py, &[vertices.len(), 3], &values)?)?.with("radius", radius)?
            }
            Shape::Mesh { vertices, triangles, is_solid } => {
                let values: Vec<f64> = vertices.iter().flat_map(|vertex| vertex.coords.iter().copied()).collect();
                dict.with("vertices", Array::new(py, &[vertices.len(), 3], &values)?)?
                    .with("faces", Indices::triples(py, triangles)?)?
                    .with("solid", is_solid)?
            }
            Shape::HeightField { heights, nodes, spacing, base } => dict
                .with("heights", Array::new(py, nodes, heights)?)?
                .with("spacing", Array::vector(py, spacing)?)?
                .with("base", base)?,
            Shape::Voxels { cells, resolution } => {
                dict.with("cells", Indices::triples(py, cells)?)?.with("resolution", resolution)?
            }
            _ => dict,
        })
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Shape::Sphere { radius } => format!("Shape.sphere(radius={radius})"),
            Shape::Cuboid { half_extents: h } => format!("Shape.cuboid({}, {}, {})", h.x, h.y, h.z),
            Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => {
                format!("Shape.{}(radius={radius}, half_height={half_height})", self.0.kind())
            }
            Shape::HalfSpace { normal: n, offset } => {
                format!("Shape.half_space(normal=[{}, {}, {}], offset={offset})", n.x, n.y, n.z)
            }
            Shape::Convex { vertices, radius } => {
                format!("Shape.convex(<{} vertices>, radius={radius})", vertices.len())
            }
            Shape::Mesh { vertices, triangles, is_solid } => {
                let solid = if *is_solid { "True" } else { "False" };
                format!("Shape.mesh(<{} vertices>, <{} faces>, solid={solid})", vertices.len(), triangles.len())
            }
            Shape::HeightField { nodes: [x, y], spacing, base, .. } => {
                format!("Shape.height_field(<{x} by {y} nodes>, spacing=[{}, {}], base={base})", spacing[0], spacing[1])
            }
            Shape::Voxels { cells, resolution } => {
                format!("Shape.voxels(<{} cells>, resolution={resolution})", cells.len())
            }
            other => format!("Shape.{}", other.kind()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let class = py.get_type::<Self>().into_any();
        Ok(rebuild(class, "_restore", (self.0.kind(), Array::vector(py, &shape_numbers::numbers(&self.0))?))?)
    }

    /// The shape that pickle stored: its kind and its numbers, as they are.
    #[staticmethod]
    fn _restore(kind: Text, numbers: Vector) -> Result<Self> {
        Ok(Self(shape_numbers::shape(&kind.0, &numbers.0)?))
    }
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
