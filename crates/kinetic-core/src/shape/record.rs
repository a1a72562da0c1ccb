//! The record of a shape: its kind and named sizes, as files, pickles and other languages hold it.
//!
//! Scene files, hulls of robots, robot documents, serde and Python all go through it, so that a new kind of shape is
//! described here once.

use nalgebra::{Point3, Vector3};

use super::Shape;
use crate::error::{KineticError, Result, check_len};

/// Kinds of shapes with the fields that they have, in alphabetical order.
const KINDS: [(&str, &[&str]); 10] = [
    ("box", &["half_extents"]),
    ("capsule", &["radius", "half_height"]),
    ("convex", &["vertices", "radius"]),
    ("cylinder", &["radius", "half_height"]),
    ("half_space", &["normal", "offset"]),
    ("height_field", &["heights", "spacing", "base"]),
    ("mesh", &["vertices", "faces", "solid"]),
    ("point_cloud", &["points", "radius"]),
    ("sphere", &["radius"]),
    ("voxels", &["cells", "resolution"]),
];

/// Another name of a box that is read, the one in Rust and Python.
const CUBOID: &str = "cuboid";

/// The value of a field of a [`ShapeRecord`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecordValue<'a> {
    /// True or false.
    Flag(bool),
    /// A length, m.
    Number(f64),
    /// A vector of lengths or of a direction.
    Numbers(&'a [f64]),
    /// Points, m.
    Points(&'a [[f64; 3]]),
    /// Three indices of points each.
    Faces(&'a [[u32; 3]]),
    /// Heights row by row, m.
    Rows(&'a [Vec<f64>]),
    /// Indices of cells.
    Cells(&'a [[i32; 3]]),
}

/// Declares [`ShapeRecord`], its fields in the order in which files have them, and how each becomes a [`RecordValue`].
macro_rules! record {
    ($($(#[doc = $doc:literal])+ $field:ident $(or $other:literal)?: $type:ty => |$value:ident| $as_value:expr;)+) => {
        /// A shape as its kind and named sizes. Which fields a kind has is checked by [`shape`](Self::shape).
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct ShapeRecord {
            /// `box`, `capsule`, `convex`, `cylinder`, `half_space`, `height_field`, `mesh`, `point_cloud`,
            /// `sphere` or `voxels`.
            pub kind: String,
            $( $(#[doc = $doc])+ pub $field: Option<$type>, )+
        }

        impl ShapeRecord {
            /// Names of all fields, other names that are read included.
            pub(super) const NAMES: &'static [&'static str] = &[$( stringify!($field), $($other,)? )+];

            /// The fields that are given, in the order in which files have them.
            pub fn fields(&self) -> Vec<(&'static str, RecordValue<'_>)> {
                let mut fields = Vec::new();
                $( if let Some($value) = &self.$field {
                    fields.push((stringify!($field), $as_value));
                } )+
                fields
            }

            /// Reads the value of one of [`NAMES`](Self::NAMES).
            pub(super) fn read<'de, A: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut A,
            ) -> std::result::Result<(), A::Error> {
                match name {
                    $( stringify!($field) $(| $other)? if self.$field.is_none() => {
                        self.$field = Some(map.next_value()?);
                    } )+
                    _ => return Err(serde::de::Error::custom(format!("duplicate field `{name}`"))),
                }
                Ok(())
            }
        }
    };
}

record! {
    /// Corners of a mesh, or points whose hull is meant, m.
    vertices: Vec<[f64; 3]> => |points| RecordValue::Points(points);
    /// Triangles of a mesh as indices of corners.
    faces or "triangles": Vec<[u32; 3]> => |faces| RecordValue::Faces(faces);
    /// Whether what a mesh encloses belongs to it; false when left out.
    solid or "is_solid": bool => |flag| RecordValue::Flag(*flag);
    /// Points of a cloud, m.
    points: Vec<[f64; 3]> => |points| RecordValue::Points(points);
    /// Radius, that of the ball around each point of a cloud, or rounding of a hull, m.
    radius: f64 => |length| RecordValue::Number(*length);
    /// Half the height of a cylinder, half the length of a capsule's segment, m.
    half_height: f64 => |length| RecordValue::Number(*length);
    /// Half the length of a box along each axis, m.
    half_extents: [f64; 3] => |lengths| RecordValue::Numbers(lengths);
    /// Outward normal of a half-space.
    normal: [f64; 3] => |direction| RecordValue::Numbers(direction);
    /// Distance of a half-space's plane from the origin along the normal, m.
    offset: f64 => |length| RecordValue::Number(*length);
    /// Heights of the ground, m; a row is one value of x.
    heights: Vec<Vec<f64>> => |rows| RecordValue::Rows(rows);
    /// Distance of neighbouring nodes along x and y, m.
    spacing: [f64; 2] => |lengths| RecordValue::Numbers(lengths);
    /// Height of the flat bottom, m.
    base: f64 => |length| RecordValue::Number(*length);
    /// Occupied cells of a grid.
    cells: Vec<[i32; 3]> => |cells| RecordValue::Cells(cells);
    /// Edge of a cell, m.
    resolution: f64 => |length| RecordValue::Number(*length);
}

impl ShapeRecord {
    /// Names of all kinds, in alphabetical order.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|(kind, _)| *kind)
    }

    /// The record of a shape; [`shape`](Self::shape) of it is the shape, to the last bit.
    pub fn of(shape: &Shape) -> Self {
        let empty = |kind: &str| Self { kind: kind.to_owned(), ..Self::default() };
        match shape {
            Shape::Sphere { radius } => Self { radius: Some(*radius), ..empty("sphere") },
            Shape::Cuboid { half_extents } => Self { half_extents: Some((*half_extents).into()), ..empty("box") },
            Shape::Cylinder { radius, half_height } => {
                Self { radius: Some(*radius), half_height: Some(*half_height), ..empty("cylinder") }
            }
            Shape::Capsule { radius, half_height } => {
                Self { radius: Some(*radius), half_height: Some(*half_height), ..empty("capsule") }
            }
            Shape::HalfSpace { normal, offset } => {
                Self { normal: Some((**normal).into()), offset: Some(*offset), ..empty("half_space") }
            }
            Shape::Convex { vertices, radius } => {
                Self { vertices: Some(coordinates(vertices)), radius: Some(*radius), ..empty("convex") }
            }
            Shape::Mesh { vertices, triangles, is_solid } => Self {
                vertices: Some(coordinates(vertices)),
                faces: Some(triangles.to_vec()),
                solid: Some(*is_solid),
                ..empty("mesh")
            },
            Shape::HeightField { heights, nodes, spacing, base } => Self {
                heights: Some(heights.chunks(nodes[1]).map(<[f64]>::to_vec).collect()),
                spacing: Some(*spacing),
                base: Some(*base),
                ..empty("height_field")
            },
            Shape::Voxels { cells, resolution } => {
                Self { cells: Some(cells.to_vec()), resolution: Some(*resolution), ..empty("voxels") }
            }
            Shape::PointCloud { points, radius } => {
                Self { points: Some(coordinates(points)), radius: Some(*radius), ..empty("point_cloud") }
            }
        }
    }

    /// The shape.
    ///
    /// # Errors
    /// [`KineticError::UnknownName`] for an unknown kind; [`KineticError::InvalidValue`] for a field that the kind does
    /// not have, or for one that it needs and that is missing; else those of the constructors of [`Shape`].
    pub fn shape(&self) -> Result<Shape> {
        let kind = self.check_kind()?;
        self.check_fields(kind)?;
        match kind {
            "box" => {
                let [x, y, z] = required("half_extents", self.half_extents)?;
                Shape::cuboid(x, y, z)
            }
            "sphere" => Shape::sphere(required("radius", self.radius)?),
            "cylinder" => Shape::cylinder(required("radius", self.radius)?, required("half_height", self.half_height)?),
            "capsule" => Shape::capsule(required("radius", self.radius)?, required("half_height", self.half_height)?),
            "half_space" => {
                Shape::half_space(Vector3::from(required("normal", self.normal)?), required("offset", self.offset)?)
            }
            "convex" => Shape::convex(&self.points()?, self.radius.unwrap_or(0.0)),
            "mesh" => {
                let faces = required("faces", self.faces.as_ref())?;
                Shape::mesh(&self.points()?, faces, self.solid.unwrap_or(false))
            }
            "height_field" => self.height_field(),
            "point_cloud" => {
                let points = required("points", self.points.as_deref())?;
                Shape::point_cloud(&points_of(points), required("radius", self.radius)?)
            }
            _ => Shape::voxels(required("cells", self.cells.as_ref())?, required("resolution", self.resolution)?),
        }
    }

    /// The kind by its name in [`kinds`](Self::kinds).
    ///
    /// # Errors
    /// [`KineticError::UnknownName`].
    pub fn check_kind(&self) -> Result<&'static str> {
        let kind = if self.kind == CUBOID { "box" } else { &self.kind };
        Self::kinds()
            .find(|known| *known == kind)
            .ok_or_else(|| KineticError::unknown_name("shape", self.kind.clone(), Self::kinds()))
    }

    /// Refuses fields that the kind does not have, because they are mistakes.
    fn check_fields(&self, kind: &str) -> Result<()> {
        let known = KINDS.iter().find(|(known, _)| *known == kind).map_or(&[][..], |(_, fields)| fields);
        match self.fields().into_iter().find(|(name, _)| !known.contains(name)) {
            None => Ok(()),
            Some((name, _)) => {
                let wanted = format!("only {}", known.join(", "));
                Err(KineticError::invalid(format!("key of a {}", self.kind), name, wanted))
            }
        }
    }

    fn points(&self) -> Result<Vec<Point3<f64>>> {
        Ok(points_of(required("vertices", self.vertices.as_deref())?))
    }

    fn height_field(&self) -> Result<Shape> {
        let rows = required("heights", self.heights.as_ref())?;
        let columns = rows.first().map_or(0, Vec::len);
        for row in rows {
            check_len("row of heights", row.len(), columns)?;
        }
        let (spacing, base) = (required("spacing", self.spacing)?, required("base", self.base)?);
        Shape::height_field(&rows.concat(), [rows.len(), columns], spacing, base)
    }
}

impl From<Shape> for ShapeRecord {
    fn from(shape: Shape) -> Self {
        Self::of(&shape)
    }
}

impl TryFrom<ShapeRecord> for Shape {
    type Error = KineticError;

    fn try_from(record: ShapeRecord) -> Result<Self> {
        record.shape()
    }
}

fn coordinates(vertices: &[Point3<f64>]) -> Vec<[f64; 3]> {
    vertices.iter().map(|vertex| vertex.coords.into()).collect()
}

fn points_of(coordinates: &[[f64; 3]]) -> Vec<Point3<f64>> {
    coordinates.iter().copied().map(Point3::from).collect()
}

fn required<T>(name: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| KineticError::invalid(name, "missing", format!("a value for `{name}`")))
}
