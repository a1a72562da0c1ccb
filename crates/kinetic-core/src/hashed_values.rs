//! Content hashes of paths, curves and shapes.

use crate::content_hash::{ContentHash, ContentHasher};
use crate::curve::PiecewisePolynomial;
use crate::path::Trajectory;
use crate::shape::Shape;
use crate::timed::TimedTrajectory;

impl Trajectory {
    /// Hash of the bits of all waypoints.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("path");
        hasher.integer(self.dof() as u64);
        self.iter().for_each(|waypoint| hasher.numbers(waypoint));
        hasher.finish()
    }
}

impl TimedTrajectory {
    /// Hash of the bits of the curve and of the times of the waypoints; what a verifier found does not count.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("timed");
        add_curve(&mut hasher, self.curve());
        hasher.numbers(self.waypoint_times());
        hasher.finish()
    }
}

impl PiecewisePolynomial {
    /// Hash of the bits of knots and coefficients.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text("curve");
        hasher.integer(self.dof() as u64);
        hasher.words(self.knots());
        hasher.words(self.all_coefficients().as_flattened());
        hasher.finish()
    }
}

fn add_curve(hasher: &mut ContentHasher, curve: &PiecewisePolynomial) {
    hasher.integer(curve.dof() as u64);
    hasher.numbers(curve.knots());
    hasher.numbers(curve.all_coefficients().as_flattened());
}

impl Shape {
    /// Hash of kind and sizes; of a mesh, of all corners and triangles, and of a cloud, of all points.
    pub fn content_hash(&self) -> ContentHash {
        let mut hasher = ContentHasher::default();
        hasher.text(self.kind());
        match self {
            Self::Sphere { radius } => hasher.number(*radius),
            Self::Cuboid { half_extents } => hasher.numbers(half_extents.as_slice()),
            Self::Cylinder { radius, half_height } | Self::Capsule { radius, half_height } => {
                hasher.numbers(&[*radius, *half_height]);
            }
            Self::HalfSpace { normal, offset } => {
                hasher.numbers(normal.as_slice());
                hasher.number(*offset);
            }
            Self::Convex { vertices, radius } => {
                hasher.integer(vertices.len() as u64);
                vertices.iter().for_each(|vertex| hasher.words(vertex.coords.as_slice()));
                hasher.number(*radius);
            }
            Self::Mesh { vertices, triangles, is_solid } => {
                hasher.integer(vertices.len() as u64);
                vertices.iter().for_each(|vertex| hasher.words(vertex.coords.as_slice()));
                triangles.iter().flatten().for_each(|corner| hasher.word(u64::from(*corner)));
                hasher.bytes(&[u8::from(*is_solid)]);
            }
            Self::HeightField { heights, nodes, spacing, base } => {
                hasher.words(heights);
                for count in nodes {
                    hasher.integer(*count as u64);
                }
                hasher.numbers(spacing);
                hasher.number(*base);
            }
            Self::Voxels { cells, resolution } => {
                cells.iter().flatten().for_each(|index| hasher.word(i64::from(*index).cast_unsigned()));
                hasher.number(*resolution);
            }
            Self::PointCloud { points, radius } => {
                hasher.integer(points.len() as u64);
                points.iter().for_each(|point| hasher.words(point.coords.as_slice()));
                hasher.number(*radius);
            }
        }
        hasher.finish()
    }
}
