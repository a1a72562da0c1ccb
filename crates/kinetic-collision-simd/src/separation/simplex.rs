//! The point of a growing simplex that is closest to the origin.
//!
//! A search for a direction that parts two convex sets (Gilbert, Johnson, Keerthi 1988, "A fast procedure for computing
//! the distance between complex objects in three-dimensional space") needs it after every support point. In double
//! precision, because thin triangles cancel in single precision, and because a point that is said to be of the simplex
//! must be of it.

pub(crate) type Vector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn along(a: Vector, direction: Vector, length: f64) -> Vector {
    [a[0] + direction[0] * length, a[1] + direction[1] * length, a[2] + direction[2] * length]
}

#[inline(always)]
fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Up to three points of a convex set. Once there are three, a new one takes the place of the one that helps least, so
/// that no sign decides which feature is closest.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Simplex {
    points: [Vector; 3],
    count: usize,
}

/// Where the origin lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Nearest {
    /// Nearest point of the simplex.
    Point(Vector),
    /// The origin is inside, deeper than asked for.
    Inside,
}

impl Simplex {
    /// Takes a point in. `depth` is how far inside the origin has to be to count as that.
    #[inline(always)]
    pub(crate) fn add(&mut self, point: Vector, depth: f64) -> Nearest {
        let [a, b, c] = self.points;
        if self.count < 3 {
            self.points[self.count] = point;
            self.count += 1;
            return Nearest::Point(match self.count {
                1 => point,
                2 => closest_on_segment(a, point),
                _ => closest_on_triangle(a, b, point),
            });
        }
        if is_inside([a, b, c, point], depth) {
            return Nearest::Inside;
        }
        let [first, second, third] =
            [closest_on_triangle(point, b, c), closest_on_triangle(a, point, c), closest_on_triangle(a, b, point)];
        let (mut place, mut best) = (0, first);
        if dot(second, second) < dot(best, best) {
            (place, best) = (1, second);
        }
        if dot(third, third) < dot(best, best) {
            (place, best) = (2, third);
        }
        self.points[place] = point;
        Nearest::Point(best)
    }
}

#[inline(always)]
fn closest_on_segment(a: Vector, b: Vector) -> Vector {
    let along_it = minus(b, a);
    let (reached, length) = (-dot(a, along_it), dot(along_it, along_it));
    if reached <= 0.0 || length <= 0.0 {
        return a;
    }
    if reached >= length { b } else { along(a, along_it, reached / length) }
}

/// Ericson 2004, "Real-Time Collision Detection", 5.1.5, for the origin. Whatever rounding does, the point is one of the
/// triangle: weights that are none end at a corner.
#[inline(always)]
fn closest_on_triangle(a: Vector, b: Vector, c: Vector) -> Vector {
    let (ab, ac) = (minus(b, a), minus(c, a));
    let (d1, d2) = (-dot(ab, a), -dot(ac, a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (-dot(ab, b), -dot(ac, b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return closest_on_segment(a, b);
    }
    let (d5, d6) = (-dot(ab, c), -dot(ac, c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return closest_on_segment(a, c);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return closest_on_segment(b, c);
    }
    let whole = va + vb + vc;
    let (of_b, of_c) = (vb / whole, vc / whole);
    if of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0 { along(along(a, ab, of_b), ac, of_c) } else { a }
}

/// True when the origin is in a tetrahedron, farther than `depth` from all its faces.
#[inline(always)]
fn is_inside([a, b, c, d]: [Vector; 4], depth: f64) -> bool {
    is_behind(a, b, c, d, depth)
        && is_behind(a, b, d, c, depth)
        && is_behind(a, c, d, b, depth)
        && is_behind(b, c, d, a, depth)
}

/// True when the origin is on the side of the plane through three points that a fourth is on, farther from it than `depth`
/// and not farther than the fourth: where the four lie in a plane, sides are noise.
#[inline(always)]
fn is_behind(a: Vector, b: Vector, c: Vector, fourth: Vector, depth: f64) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    let (height, of_origin) = (dot(normal, minus(fourth, a)), -dot(normal, a));
    let size = dot(normal, normal);
    height * of_origin > 0.0 && of_origin.abs() <= height.abs() && of_origin * of_origin > depth * depth * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    fn point(rng: &mut SeededRng) -> Vector {
        std::array::from_fn(|_| rng.uniform(-1.0, 1.0))
    }

    /// Points of the triangle on a grid of weights: none is nearer than the answer.
    #[test]
    fn nothing_of_a_triangle_is_nearer_to_the_origin_than_the_point_found() {
        let mut rng = SeededRng::new(3);
        for case in 0..2000 {
            let [a, b, c] = [0; 3].map(|_| point(&mut rng));
            let found = closest_on_triangle(a, b, c);
            let mut least = f64::MAX;
            for i in 0..=40_u8 {
                for j in 0..=40 - i {
                    let (u, v) = (f64::from(i) / 40.0, f64::from(j) / 40.0);
                    let at = along(along(a, minus(b, a), u), minus(c, a), v);
                    least = least.min(dot(at, at).sqrt());
                }
            }
            let length = dot(found, found).sqrt();
            // Neighbours on the grid are a fortieth of an edge of at most 3.5 apart, in two directions.
            assert!(length <= least + 1e-12 && length >= least - 0.18, "case {case}: {length} and {least}");
        }
    }

    /// Barycentric weights by Cramer's rule.
    #[test]
    fn the_origin_is_inside_exactly_where_all_weights_are_positive() {
        let mut rng = SeededRng::new(4);
        let mut inside = 0;
        for case in 0..5000 {
            let corners = [0; 4].map(|_| point(&mut rng));
            let [a, b, c, d] = corners.map(nalgebra::Vector3::from);
            let weights = nalgebra::Matrix3::from_columns(&[b - a, c - a, d - a]).lu().solve(&-a);
            let Some(weights) = weights else { continue };
            let least = weights.min().min(1.0 - weights.sum());
            if least.abs() > 1e-9 {
                assert_eq!(is_inside(corners, 0.0), least > 0.0, "case {case}: {weights}");
                inside += usize::from(least > 0.0);
            }
        }
        assert!(inside > 100, "{inside}");
    }
}
