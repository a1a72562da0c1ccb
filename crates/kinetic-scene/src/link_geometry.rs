//! Collision geometry of one link or attached body: convex pieces and the spheres that bound them.

use std::sync::Arc;

use kinetic_collision::ball::enclosing_ball;
use kinetic_collision::exact::Body;
use kinetic_collision::{Sphere, fit};
use kinetic_collision_simd::{ConvexPiece, MovingBody};
use kinetic_core::{Pose, Result, Shape};
use kinetic_kinematics::JointProgram;
use nalgebra::{Point3, Vector3};

/// Bounding spheres of an attached body. Where they do not decide, the shape itself does.
const MAX_SPHERES_OF_ATTACHED: usize = 16;

/// Shapes of a link with their poses, `link_from_shape`.
pub(crate) type Shapes = Vec<(Pose, Shape)>;

/// Collision geometry of one link, in the link's frame.
#[derive(Debug, Clone, Default)]
pub struct LinkGeometry {
    /// Spheres that contain the link.
    pub spheres: Vec<Sphere>,
    /// Radii of balls around the centres of the spheres that are inside the link, m; negative where there is none.
    inner_radii: Vec<f64>,
    /// Convex pieces, which decide where the bounding spheres do not.
    pub(crate) pieces: Vec<(Arc<Body>, Pose)>,
    /// True when the spheres are the geometry itself.
    pub spheres_are_exact: bool,
}

impl LinkGeometry {
    /// A link that is some spheres.
    pub(crate) fn of_spheres(spheres: Vec<Sphere>, pieces: Vec<(Arc<Body>, Pose)>) -> Self {
        let inner_radii = spheres.iter().map(|sphere| sphere.radius).collect();
        Self { spheres, inner_radii, pieces, spheres_are_exact: true }
    }

    /// A link of pieces that spheres contain.
    pub(crate) fn within_spheres(spheres: Vec<Sphere>, pieces: Vec<(Arc<Body>, Pose)>) -> Self {
        let depth = |center: &Point3<f64>| {
            let depths =
                pieces.iter().map(|(body, pose)| -body.signed_distance(&pose.0.inverse_transform_point(center)));
            depths.fold(-1.0, f64::max)
        };
        let inner_radii = spheres.iter().map(|sphere| depth(&sphere.center)).collect();
        Self { spheres, inner_radii, pieces, spheres_are_exact: false }
    }

    /// True for a link that cannot touch anything.
    pub fn is_empty(&self) -> bool {
        self.spheres.is_empty()
    }

    /// Convex pieces with their poses in the link, `link_from_piece`.
    pub fn pieces(&self) -> &[(Arc<Body>, Pose)] {
        &self.pieces
    }

    /// Bounding sphere of all pieces.
    pub(crate) fn ball_of_pieces(&self) -> Sphere {
        let ball = |(body, link_from_piece): &(Arc<Body>, Pose)| {
            let ball = body.bounding_ball();
            ((link_from_piece.0 * ball.center).coords, ball.radius)
        };
        let (center, radius) = enclosing_ball(&self.pieces.iter().map(ball).collect::<Vec<_>>());
        Sphere::new(center.into(), radius)
    }

    /// The link as a body of a checker: fixed on a frame of `program`, with no obstacles.
    pub(crate) fn body(&self, name: &str, frame: usize, frame_from_link: &Pose, program: &JointProgram) -> MovingBody {
        let spheres: Vec<(Vector3<f64>, f64)> =
            self.spheres.iter().map(|s| ((frame_from_link.0 * s.center).coords, s.radius)).collect();
        let (center, radius) = enclosing_ball(&spheres);
        MovingBody {
            name: name.to_owned(),
            frame,
            center,
            radius,
            spheres,
            inner_radii: self.inner_radii.clone(),
            pieces: self
                .pieces
                .iter()
                .map(|(body, pose)| ConvexPiece::new(body, &(frame_from_link.0 * pose.0)))
                .collect(),
            spheres_are_exact: self.spheres_are_exact,
            ancestors: program.ancestors(frame),
            world: Vec::new(),
            margins: Vec::new(),
        }
    }

    /// Geometry of an attached body. Its bounding spheres are few, because they are fitted while a program runs.
    pub(crate) fn of_attached(shape: &Shape, link_from_shape: &Pose) -> Result<Self> {
        let pieces = vec![(Arc::new(Body::new(shape)?), *link_from_shape)];
        if let Some(ball) = ball(link_from_shape, shape) {
            return Ok(Self::of_spheres(vec![ball], pieces));
        }
        let spheres = fit::cover_by_grid(shape, &link_from_shape.0, MAX_SPHERES_OF_ATTACHED)?;
        Ok(Self::within_spheres(spheres, pieces))
    }
}

pub(crate) fn ball(pose: &Pose, shape: &Shape) -> Option<Sphere> {
    match shape {
        Shape::Sphere { radius } => Some(Sphere::new(pose.translation().into(), *radius)),
        _ => None,
    }
}
