//! `Shape`: solids of scenes.

use kinetic::core::{KineticError, Shape};
use nalgebra::{Point3, Unit, Vector3};
use pyo3::prelude::*;

use crate::convert::{Array, Dict, Matrix, Real, Rebuild, Text, Vector, rebuild};
use crate::error::Result;

/// A solid in its own frame. Sizes are half-extents, radii and half-heights in m, except those of `box`.
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

    /// `"sphere"`, `"cuboid"`, `"cylinder"`, `"capsule"`, `"half_space"` or `"convex"`.
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
            other => format!("Shape.{}", other.kind()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Rebuild<'py>> {
        let class = py.get_type::<Self>().into_any();
        Ok(rebuild(class, "_restore", (self.0.kind(), Array::vector(py, &self.numbers())?))?)
    }

    /// The shape that pickle stored: its kind and its numbers, as they are.
    #[staticmethod]
    fn _restore(kind: Text, numbers: Vector) -> Result<Self> {
        Ok(Self(match (kind.0.as_str(), &numbers.0[..]) {
            ("sphere", [radius]) => Shape::sphere(*radius)?,
            ("cuboid", [x, y, z]) => Shape::cuboid(*x, *y, *z)?,
            ("cylinder", [radius, half_height]) => Shape::cylinder(*radius, *half_height)?,
            ("capsule", [radius, half_height]) => Shape::capsule(*radius, *half_height)?,
            ("half_space", [x, y, z, offset]) => {
                // Normalising a normalised vector once more would move its last bit.
                Shape::HalfSpace { normal: Unit::new_unchecked(Vector3::new(*x, *y, *z)), offset: *offset }
            }
            ("convex", [radius, coordinates @ ..]) => Shape::convex(&points(coordinates), *radius)?,
            (other, numbers) => {
                let given = format!("\"{other}\" with {} numbers", numbers.len());
                return Err(KineticError::invalid("stored shape", given, "what __reduce__ wrote").into());
            }
        }))
    }
}

impl PyShape {
    /// All numbers of the shape in the order of [`_restore`](Self::_restore).
    fn numbers(&self) -> Vec<f64> {
        match &self.0 {
            Shape::Sphere { radius } => vec![*radius],
            Shape::Cuboid { half_extents } => half_extents.as_slice().to_vec(),
            Shape::Cylinder { radius, half_height } | Shape::Capsule { radius, half_height } => {
                vec![*radius, *half_height]
            }
            Shape::HalfSpace { normal, offset } => vec![normal.x, normal.y, normal.z, *offset],
            Shape::Convex { vertices, radius } => {
                std::iter::once(*radius).chain(vertices.iter().flat_map(|v| v.coords.iter().copied())).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn points(values: &[f64]) -> Vec<Point3<f64>> {
    values.chunks_exact(3).map(|point| Point3::new(point[0], point[1], point[2])).collect()
}
