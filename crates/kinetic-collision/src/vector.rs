//! Vector geometry: perpendiculars, closest points of segments and triangles (Ericson 2005).

use nalgebra::Vector3;

/// A unit vector at right angles to a unit vector.
pub(crate) fn any_perpendicular(axis: &Vector3<f64>) -> Vector3<f64> {
    // Crossing with the coordinate axis of the smallest component keeps at least √(2/3) of the length.
    let mut other = Vector3::zeros();
    other[axis.iamin()] = 1.0;
    axis.cross(&other).normalize()
}

/// Weights of the point of segment `ab` that is closest to the origin.
fn segment_weights(a: &Vector3<f64>, b: &Vector3<f64>) -> [f64; 2] {
    let edge = b - a;
    let squared = edge.norm_squared();
    let t = if squared > 0.0 { (-a.dot(&edge) / squared).clamp(0.0, 1.0) } else { 0.0 };
    [1.0 - t, t]
}

/// The point of triangle `abc` closest to the origin.
pub(crate) fn origin_on_triangle(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Vector3<f64> {
    let [u, v, w] = triangle_weights(a, b, c);
    a * u + b * v + c * w
}

/// Barycentric weights of the point of triangle `abc` that is closest to the origin; triangles without area are fine.
///
/// Ericson 2005, section 5.1.5, with the query point at the origin.
pub(crate) fn triangle_weights(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let area = va + vb + vc;
    let is_inside = va > 0.0 && vb > 0.0 && vc > 0.0;
    let inner = [va / area, vb / area, vc / area];
    // What the products of the areas were made from: their rounding is relative to it.
    let terms =
        (d3 * d6).abs() + (d5 * d4).abs() + (d5 * d2).abs() + (d1 * d6).abs() + (d1 * d4).abs() + (d3 * d2).abs();
    if is_inside && area > 1e-6 * terms {
        return inner;
    }
    let ([p, q], [r, s], [t, u]) = (segment_weights(a, b), segment_weights(a, c), segment_weights(b, c));
    let sides = [[p, q, 0.0], [r, 0.0, s], [0.0, t, u]];
    let distance = |[u, v, w]: [f64; 3]| (a * u + b * v + c * w).norm_squared();
    let best = sides.into_iter().min_by(|one, other| distance(*one).total_cmp(&distance(*other))).unwrap_or(sides[0]);
    // The areas of a sliver are mostly rounding. The point that they give is one of the triangle, but perhaps not the
    // closest.
    if is_inside && distance(inner) < distance(best) { inner } else { best }
}

/// Closest points of two segments given by midpoint, unit axis and half-length, as offsets along their axes.
///
/// Ericson 2005, section 5.1.9.
pub(crate) fn segment_parameters(
    between: &Vector3<f64>,
    (axis_a, half_a): (&Vector3<f64>, f64),
    (axis_b, half_b): (&Vector3<f64>, f64),
) -> (f64, f64) {
    // `between` leads from the midpoint of a to that of b.
    let cosine = axis_a.dot(axis_b);
    let (to_a, to_b) = (axis_a.dot(between), axis_b.dot(between));
    let determinant = 1.0 - cosine * cosine;
    // Parallel axes: every offset is as good, the clamps below choose.
    let free = if determinant > 1e-14 { (to_a - cosine * to_b) / determinant } else { 0.0 };
    let s = free.clamp(-half_a, half_a);
    let t = (s * cosine - to_b).clamp(-half_b, half_b);
    let s = (t * cosine + to_a).clamp(-half_a, half_a);
    (s, t)
}
