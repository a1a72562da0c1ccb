//! Random shapes and poses, and slow but simple oracles.

use kinetic_core::Shape;
use kinetic_core::rng::SeededRng;
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Number of cases: a slice by default, all with `KINETIC_FULL=1`.
pub(crate) fn cases(slice: usize, full: usize) -> usize {
    if std::env::var("KINETIC_FULL").is_ok_and(|value| value == "1") { full } else { slice }
}

/// A vector in the cube of half-length `half`.
pub(crate) fn vector(rng: &mut SeededRng, half: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| rng.uniform(-half, half))
}

/// A unit vector, uniform on the sphere.
pub(crate) fn direction(rng: &mut SeededRng) -> Vector3<f64> {
    loop {
        let candidate = vector(rng, 1.0);
        let length = candidate.norm();
        if length > 0.1 && length <= 1.0 {
            return candidate / length;
        }
    }
}

/// A pose with its origin in the cube of half-length `half`.
pub(crate) fn pose(rng: &mut SeededRng, half: f64) -> Isometry3<f64> {
    let components = [0; 4].map(|_| rng.uniform(-1.0, 1.0));
    let rotation = UnitQuaternion::new_normalize(Quaternion::from(components));
    Isometry3::from_parts(Translation3::from(vector(rng, half)), rotation)
}

/// `count` points in a box of random proportions.
pub(crate) fn cloud(rng: &mut SeededRng, count: usize) -> Vec<Point3<f64>> {
    let scale = Vector3::from_fn(|_, _| rng.uniform(0.03, 0.3));
    (0..count).map(|_| Point3::from(vector(rng, 1.0).component_mul(&scale))).collect()
}

/// A bounded shape of one of five kinds.
pub(crate) fn bounded_shape(rng: &mut SeededRng, kind: usize) -> Shape {
    let mut size = || rng.uniform(0.03, 0.3);
    let shape = match kind {
        0 => Shape::sphere(size()),
        1 => Shape::cuboid(size(), size(), size()),
        2 => Shape::capsule(size(), size()),
        3 => Shape::cylinder(size(), size()),
        _ => {
            let count = 4 + rng.below(20);
            let radius = if rng.below(2) == 0 { 0.0 } else { rng.uniform(0.001, 0.05) };
            Shape::convex(&cloud(rng, count), radius)
        }
    };
    shape.unwrap()
}

/// Largest `n · x` over a bounded shape in its own frame, written down from the definition of each kind.
pub(crate) fn support_height(shape: &Shape, n: &Vector3<f64>) -> f64 {
    let across = n.x.hypot(n.y);
    match shape {
        Shape::Sphere { radius } => radius * n.norm(),
        Shape::Cuboid { half_extents } => half_extents.dot(&n.abs()),
        Shape::Capsule { radius, half_height } => half_height * n.z.abs() + radius * n.norm(),
        Shape::Cylinder { radius, half_height } => half_height * n.z.abs() + radius * across,
        Shape::Convex { vertices, radius } => {
            vertices.iter().map(|v| v.coords.dot(n)).fold(f64::NEG_INFINITY, f64::max) + radius * n.norm()
        }
        other => panic!("{} has no finite support", other.kind()),
    }
}

/// Gap between two placed shapes along a unit direction from the first to the second.
pub(crate) fn gap(a: (&Shape, &Isometry3<f64>), b: (&Shape, &Isometry3<f64>), n: &Vector3<f64>) -> f64 {
    let reach = |(shape, pose): (&Shape, &Isometry3<f64>), n: Vector3<f64>| {
        support_height(shape, &pose.rotation.inverse_transform_vector(&n)) + n.dot(&pose.translation.vector)
    };
    -reach(b, -*n) - reach(a, *n)
}

/// Signed distance by definition: the largest gap over directions. Starts from random directions and climbs from the
/// best ones by random steps that shrink; a lower bound that comes close.
pub(crate) fn signed_distance_by_sampling(
    a: (&Shape, &Isometry3<f64>),
    b: (&Shape, &Isometry3<f64>),
    rng: &mut SeededRng,
) -> f64 {
    let mut starts: Vec<(f64, Vector3<f64>)> = (0..400)
        .map(|_| {
            let n = direction(rng);
            (gap(a, b, &n), n)
        })
        .collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let climb = |rng: &mut SeededRng, (mut best, mut n): (f64, Vector3<f64>)| {
        let mut step = 0.2;
        while step > 1e-6 {
            let mut improved = false;
            for _ in 0..16 {
                let candidate = (n + direction(rng) * step).normalize();
                let value = gap(a, b, &candidate);
                if value > best {
                    (best, n, improved) = (value, candidate, true);
                }
            }
            if !improved {
                step *= 0.7;
            }
        }
        best
    };
    starts.into_iter().take(6).map(|start| climb(rng, start)).fold(f64::NEG_INFINITY, f64::max)
}
