//! Spheres, and the smallest enclosing sphere of points (Welzl 1991).

use nalgebra::{Point3, Vector3};

/// A ball, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Centre.
    pub center: Point3<f64>,
    /// Radius, ≥ 0.
    pub radius: f64,
}

impl Sphere {
    /// A ball.
    pub fn new(center: Point3<f64>, radius: f64) -> Self {
        Self { center, radius }
    }

    /// True when the point is inside or on the surface.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        (point - self.center).norm() <= self.radius
    }
}

/// The smallest ball that contains all points; the ball of radius 0 at the origin without points.
///
/// Welzl 1991 in the move-to-front form, in the order of the points given, so the same points give the same ball. The
/// radius is measured from the centre at the end: for any rounding of the centre, every point is inside up to one
/// rounding of its own distance.
pub fn bounding_ball(points: &[Point3<f64>]) -> Sphere {
    let Some(first) = points.first() else { return Sphere::new(Point3::origin(), 0.0) };
    // Coordinates relative to a point of the set keep the digits when the set is far from the origin.
    let mut order: Vec<Vector3<f64>> = points.iter().map(|point| point - first).collect();
    let center = smallest_ball(&mut order, &[]).map_or(Vector3::zeros(), |ball| ball.0);
    around(first + center, points)
}

/// A ball around balls, centre and radius: the smallest around their centres, enlarged until it contains all of them.
pub fn enclosing_ball(balls: &[(Vector3<f64>, f64)]) -> (Vector3<f64>, f64) {
    let centers: Vec<Point3<f64>> = balls.iter().map(|(center, _)| Point3::from(*center)).collect();
    let center = bounding_ball(&centers).center.coords;
    let radius = balls.iter().map(|(other, radius)| (other - center).norm() + radius).fold(0.0, f64::max);
    (center, radius)
}

/// The smallest ball with a given centre.
pub(crate) fn around(center: Point3<f64>, points: &[Point3<f64>]) -> Sphere {
    // Comparisons instead of `f64::max` compile to one instruction each.
    let squared = points.iter().map(|point| (point - center).norm_squared());
    let squared = squared.fold(0.0, |most: f64, next| if next > most { next } else { most });
    Sphere::new(center, squared.sqrt())
}

/// Centre and squared radius of the smallest ball around `points` with all of `boundary` on its surface.
fn smallest_ball(points: &mut [Vector3<f64>], boundary: &[Vector3<f64>]) -> Option<(Vector3<f64>, f64)> {
    let mut ball = circumscribed(boundary);
    if boundary.len() == 4 {
        return ball;
    }
    for index in 0..points.len() {
        let point = points[index];
        if ball.is_some_and(|(center, squared)| (point - center).norm_squared() <= squared * (1.0 + 1e-12)) {
            continue;
        }
        let mut extended = [point; 4];
        extended[..boundary.len()].copy_from_slice(boundary);
        // Points that depend affinely on the boundary have no ball of their own; the ball so far stands, and the final
        // radius covers them.
        ball = smallest_ball(&mut points[..index], &extended[..=boundary.len()]).or(ball);
        points[..=index].rotate_right(1);
    }
    ball
}

/// Centre and squared radius of the smallest sphere through up to four points; `None` for none or dependent ones.
fn circumscribed(boundary: &[Vector3<f64>]) -> Option<(Vector3<f64>, f64)> {
    let offset = match boundary {
        [] => return None,
        [_] => Some(Vector3::zeros()),
        [o, p] => Some((p - o) * 0.5),
        [o, p, q] => circumcenter_of_triangle(p - o, q - o),
        [o, p, q, r, ..] => circumcenter_of_tetrahedron(p - o, q - o, r - o),
    }?;
    Some((boundary[0] + offset, offset.norm_squared()))
}

/// Centre of the circle through the origin, `a` and `b`.
fn circumcenter_of_triangle(a: Vector3<f64>, b: Vector3<f64>) -> Option<Vector3<f64>> {
    let n = a.cross(&b);
    // Below this the three points are collinear up to rounding.
    let is_flat = n.norm_squared() <= 1e-20 * a.norm_squared() * b.norm_squared();
    let center = (b.cross(&n) * a.norm_squared() + n.cross(&a) * b.norm_squared()) / (2.0 * n.norm_squared());
    (!is_flat).then_some(center)
}

/// Centre of the sphere through the origin, `a`, `b` and `c`.
fn circumcenter_of_tetrahedron(a: Vector3<f64>, b: Vector3<f64>, c: Vector3<f64>) -> Option<Vector3<f64>> {
    let volume = a.dot(&b.cross(&c));
    // Below this the four points are coplanar up to rounding.
    let is_flat = volume.abs() <= 1e-10 * a.norm() * b.norm() * c.norm();
    let sum = b.cross(&c) * a.norm_squared() + c.cross(&a) * b.norm_squared() + a.cross(&b) * c.norm_squared();
    (!is_flat).then_some(sum / (2.0 * volume))
}
