//! Convex pieces in single precision: their support functions, and the pose of one relative to another.

use kinetic_collision::exact::Body;
use kinetic_core::Shape;
use kinetic_kinematics::Rigid;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::packed::W;
use crate::rounding::single;
use crate::vector::{Lanes, Plain, Point};

/// A point or direction in single precision.
pub(super) type Vector = [f32; 3];

/// Component across the axis of a cylinder below which a direction has the middle of an end as its support point.
const MIN_SINE_ACROSS_AXIS: f32 = 1e-3;

/// A piece without its rounding radius, relative to its centre and in the axes of its frame.
#[derive(Debug, Clone)]
pub(super) enum PieceCore {
    /// Corners of a hull in packs; the last one fills unused lanes.
    Corners(Vec<Point<Plain<W>>>),
    /// Half the edges of a box. Capsules and spheres have edges of zero length.
    Box([Vector; 3]),
    Cylinder {
        axis: Vector,
        radius: f32,
        half: f32,
    },
}

/// A convex piece of a body, or an obstacle.
#[derive(Debug, Clone)]
pub(super) struct SupportPiece {
    pub(super) core: PieceCore,
    /// Centre in the frame that carries it.
    pub(super) center: Vector3<f64>,
    /// Radius of its bounding sphere, rounding included, m.
    pub(super) radius: f64,
    pub(super) rounding: f32,
}

impl SupportPiece {
    /// `None` for bodies that are not convex or not bounded.
    pub(super) fn new(body: &Body, frame_from_body: &Isometry3<f64>) -> Option<Self> {
        if body.compound().is_some() {
            return None;
        }
        let ball = body.bounding_ball();
        let center = (frame_from_body * ball.center).coords;
        let rotation = frame_from_body.rotation.to_rotation_matrix();
        let edges = |half: Vector3<f64>| {
            let axis = |k: usize| single(&(rotation.matrix().column(k) * half[k]));
            PieceCore::Box([axis(0), axis(1), axis(2)])
        };
        // All shapes but hulls are centred at their origin, which is the centre of their bounding sphere.
        let core = match body.shape() {
            Shape::Sphere { .. } => edges(Vector3::zeros()),
            Shape::Capsule { half_height, .. } => edges(Vector3::new(0.0, 0.0, half_height)),
            Shape::Cuboid { half_extents } => edges(half_extents),
            Shape::Cylinder { radius, half_height } => {
                let axis = single(&rotation.matrix().column(2).into_owned());
                PieceCore::Cylinder { axis, radius: radius as f32, half: half_height as f32 }
            }
            Shape::Convex { vertices, .. } => {
                let placed = |point: &Point3<f64>| single(&((frame_from_body * point).coords - center));
                PieceCore::Corners(packs(&vertices.iter().map(placed).collect::<Vec<_>>()))
            }
            _ => return None,
        };
        Some(Self { core, center, radius: ball.radius, rounding: body.rounding_radius() as f32 })
    }
}

#[inline(always)]
pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn along(a: Vector, direction: Vector, length: f32) -> Vector {
    [a[0] + direction[0] * length, a[1] + direction[1] * length, a[2] + direction[2] * length]
}

#[inline(always)]
pub(super) fn double(v: Vector) -> [f64; 3] {
    [f64::from(v[0]), f64::from(v[1]), f64::from(v[2])]
}

fn packs(points: &[Vector]) -> Vec<Point<Plain<W>>> {
    let pack = |chunk: &[Vector]| {
        let of = |axis: usize| Plain(std::array::from_fn(|lane| chunk[lane.min(chunk.len() - 1)][axis]));
        Point { x: of(0), y: of(1), z: of(2) }
    };
    points.chunks(W).map(pack).collect()
}

impl PieceCore {
    /// Support function: the largest product of a point with a direction.
    #[inline(always)]
    pub(super) fn extent(&self, direction: Vector) -> f32 {
        match self {
            Self::Corners(packs) => {
                let mut most = Plain::<W>::splat(f32::NEG_INFINITY);
                for pack in packs {
                    most = most.max(pack.dot_fixed(direction));
                }
                most.largest()
            }
            Self::Box([x, y, z]) => dot(*x, direction).abs() + dot(*y, direction).abs() + dot(*z, direction).abs(),
            Self::Cylinder { axis, radius, half } => {
                let height = dot(*axis, direction);
                let across = along(direction, *axis, -height);
                half * height.abs() + radius * dot(across, across).sqrt()
            }
        }
    }

    /// Support point: the point whose product with the direction is `extent`, the largest one.
    #[inline(always)]
    pub(super) fn farthest(&self, direction: Vector, extent: f32) -> Vector {
        match self {
            Self::Corners(packs) => {
                let mut found = [0.0; 3];
                for pack in packs {
                    let short = Plain::splat(extent) - pack.dot_fixed(direction);
                    let reached = short.not_positive();
                    if reached != 0 {
                        let lane = reached.trailing_zeros() as usize;
                        found = [pack.x.0[lane], pack.y.0[lane], pack.z.0[lane]];
                        break;
                    }
                }
                found
            }
            Self::Box(edges) => {
                let mut corner = [0.0; 3];
                for edge in edges {
                    corner = along(corner, *edge, 1.0_f32.copysign(dot(*edge, direction)));
                }
                corner
            }
            Self::Cylinder { axis, radius, half } => {
                let height = dot(*axis, direction);
                let across = along(direction, *axis, -height);
                // Repeated, because cancellation in the first step must not lift the point off the cylinder.
                let across = along(across, *axis, -dot(*axis, across));
                let length = dot(across, across).sqrt();
                let scale = if length > MIN_SINE_ACROSS_AXIS { radius / length } else { 0.0 };
                along(across.map(|value| value * scale), *axis, half.copysign(height))
            }
        }
    }
}

/// Pose of the second of two pieces relative to the first, with their centres as origins.
#[derive(Debug, Clone, Copy)]
pub(super) struct RelativePose {
    /// Rows of the rotation from the second frame to the first.
    pub(super) rotation: [Vector; 3],
    /// Vector from centre to centre, in the first frame.
    pub(super) offset: Vector3<f64>,
}

impl RelativePose {
    /// From two pieces with the poses of the frames that carry them; `None` is the root frame.
    #[inline]
    pub(super) fn new(
        (a, root_from_a): (&SupportPiece, Option<&Rigid>),
        (b, root_from_b): (&SupportPiece, &Rigid),
    ) -> Self {
        let center = root_from_b.point(&b.center);
        let (rotation, offset) = match root_from_a {
            None => (root_from_b.rotation, center - a.center),
            Some(frame) => {
                let from_root = frame.rotation.transpose();
                (from_root * root_from_b.rotation, from_root * (center - frame.translation) - a.center)
            }
        };
        let rotation = std::array::from_fn(|row| std::array::from_fn(|column| rotation[(row, column)] as f32));
        Self { rotation, offset }
    }

    /// The negated direction in the frame of the second piece.
    #[inline(always)]
    pub(super) fn rotated_back(&self, direction: Vector) -> Vector {
        let [x, y, z] = direction;
        let mut rotated = [0.0; 3];
        for (column, value) in rotated.iter_mut().enumerate() {
            *value = -(self.rotation[0][column] * x + self.rotation[1][column] * y + self.rotation[2][column] * z);
        }
        rotated
    }

    /// Rotates a vector from the second frame into the first.
    #[inline(always)]
    pub(super) fn rotated(&self, vector: Vector) -> Vector {
        [dot(self.rotation[0], vector), dot(self.rotation[1], vector), dot(self.rotation[2], vector)]
    }
}
