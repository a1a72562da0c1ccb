//! The point of a simplex closest to the origin (Gilbert, Johnson, Keerthi 1988). GJK ("A fast procedure for computing
//! the distance between complex objects in three-dimensional space") needs it after every support point. It is computed
//! in double precision, because thin triangles cancel in single precision, and because the result must be a point of
//! the simplex.

pub(crate) type DoubleVector = [f64; 3];

#[inline(always)]
pub(crate) fn dot(a: DoubleVector, b: DoubleVector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(crate) fn minus(a: DoubleVector, b: DoubleVector) -> DoubleVector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(crate) fn along(a: DoubleVector, direction: DoubleVector, length: f64) -> DoubleVector {
    [a[0] + direction[0] * length, a[1] + direction[1] * length, a[2] + direction[2] * length]
}

#[inline(always)]
fn cross(a: DoubleVector, b: DoubleVector) -> DoubleVector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Up to three points of a convex set. A fourth point replaces the one without which the simplex is closest to the
/// origin, so that the closest feature is chosen by distance and not by the sign of a determinant.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Simplex {
    points: [DoubleVector; 3],
    count: usize,
    /// Index of the point that was added last.
    last: usize,
    /// Barycentric coordinates of the nearest point.
    weights: [f64; 3],
}

/// The origin relative to a simplex.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Nearest {
    /// Nearest point of the simplex.
    Point(DoubleVector),
    /// The origin is inside, deeper than the given depth.
    Inside,
}

impl Simplex {
    /// Adds a point. The origin counts as inside when its depth exceeds `depth`.
    #[inline(always)]
    pub(crate) fn add(&mut self, point: DoubleVector, depth: f64) -> Nearest {
        let [a, b, c] = self.points;
        if self.count < 3 {
            self.points[self.count] = point;
            self.last = self.count;
            self.count += 1;
            let (nearest, weights) = match self.count {
                1 => (point, [1.0, 0.0, 0.0]),
                2 => on_segment(a, point),
                _ => on_triangle(a, b, point),
            };
            self.weights = weights;
            return Nearest::Point(nearest);
        }
        if is_inside([a, b, c, point], depth) {
            return Nearest::Inside;
        }
        let [first, second, third] = [on_triangle(point, b, c), on_triangle(a, point, c), on_triangle(a, b, point)];
        let (mut index, mut best) = (0, first);
        if dot(second.0, second.0) < dot(best.0, best.0) {
            (index, best) = (1, second);
        }
        if dot(third.0, third.0) < dot(best.0, best.0) {
            (index, best) = (2, third);
        }
        self.points[index] = point;
        (self.last, self.weights) = (index, best.1);
        Nearest::Point(best.0)
    }

    /// Index of the point that was added last, of three.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// Barycentric coordinates of the nearest point, in the order of the points.
    #[inline(always)]
    pub(crate) fn weights(&self) -> [f64; 3] {
        self.weights
    }
}

/// The point of a segment nearest to the origin, with its barycentric coordinates.
#[inline(always)]
fn on_segment(a: DoubleVector, b: DoubleVector) -> (DoubleVector, [f64; 3]) {
    let along_it = minus(b, a);
    let (reached, length) = (-dot(a, along_it), dot(along_it, along_it));
    if reached <= 0.0 || length <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    if reached >= length {
        return (b, [0.0, 1.0, 0.0]);
    }
    let of_b = reached / length;
    (along(a, along_it, of_b), [1.0 - of_b, of_b, 0.0])
}

/// The point of a triangle nearest to the origin, with its barycentric coordinates (Ericson 2004, "Real-Time Collision
/// Detection", 5.1.5). For all roundings the result is a point of the triangle; without an area it is a corner.
#[inline(always)]
fn on_triangle(a: DoubleVector, b: DoubleVector, c: DoubleVector) -> (DoubleVector, [f64; 3]) {
    let (ab, ac) = (minus(b, a), minus(c, a));
    let (d1, d2) = (-dot(ab, a), -dot(ac, a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    let (d3, d4) = (-dot(ab, b), -dot(ac, b));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return on_segment(a, b);
    }
    let (d5, d6) = (-dot(ab, c), -dot(ac, c));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let (nearest, [of_a, of_c, _]) = on_segment(a, c);
        return (nearest, [of_a, 0.0, of_c]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let (nearest, [of_b, of_c, _]) = on_segment(b, c);
        return (nearest, [0.0, of_b, of_c]);
    }
    let whole = va + vb + vc;
    let (of_b, of_c) = (vb / whole, vc / whole);
    if of_b >= 0.0 && of_c >= 0.0 && of_b + of_c <= 1.0 {
        (along(along(a, ab, of_b), ac, of_c), [1.0 - of_b - of_c, of_b, of_c])
    } else {
        (a, [1.0, 0.0, 0.0])
    }
}

/// True when the origin is in a tetrahedron, farther than `depth` from all its faces.
#[inline(always)]
fn is_inside([a, b, c, d]: [DoubleVector; 4], depth: f64) -> bool {
    is_behind(a, b, c, d, depth)
        && is_behind(a, b, d, c, depth)
        && is_behind(a, c, d, b, depth)
        && is_behind(b, c, d, a, depth)
}

/// True when the origin is on the same side of the plane through three points as a fourth point, farther from it than
/// `depth` and not farther than the fourth. The last condition rejects four points in a plane, whose sides are rounding
/// noise.
#[inline(always)]
fn is_behind(a: DoubleVector, b: DoubleVector, c: DoubleVector, fourth: DoubleVector, depth: f64) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    let (height, of_origin) = (dot(normal, minus(fourth, a)), -dot(normal, a));
    let size = dot(normal, normal);
    height * of_origin > 0.0 && of_origin.abs() <= height.abs() && of_origin * of_origin > depth * depth * size
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    fn point(rng: &mut SeededRng) -> DoubleVector {
        std::array::from_fn(|_| rng.uniform(-1.0, 1.0))
    }

    /// Points of the triangle on a grid of weights: none is nearer than the answer.
    #[test]
    fn nothing_of_a_triangle_is_nearer_to_the_origin_than_the_point_found() {
        let mut rng = SeededRng::new(3);
        for case in 0..2000 {
            let [a, b, c] = [0; 3].map(|_| point(&mut rng));
            let (found, weights) = on_triangle(a, b, c);
            let [of_a, of_b, of_c] = weights;
            let sum: DoubleVector = std::array::from_fn(|k| of_a * a[k] + of_b * b[k] + of_c * c[k]);
            assert!(minus(sum, found).iter().all(|part| part.abs() < 1e-12), "case {case}: weights {weights:?}");
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
