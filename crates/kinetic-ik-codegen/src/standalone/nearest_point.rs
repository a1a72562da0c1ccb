//! The intersection point of two axes.

/// The point nearest to two axes that are not parallel: halfway along their common normal.
fn nearest_point([a, b]: &[Screw; 2]) -> Vector3<f64> {
    let (normal, between) = (a.axis.cross(&b.axis), b.point - a.point);
    let scale = 1.0 / normal.norm_squared();
    let on_a = a.point + a.axis * (between.cross(&b.axis).dot(&normal) * scale);
    let on_b = b.point + b.axis * (between.cross(&a.axis).dot(&normal) * scale);
    (on_a + on_b) * 0.5
}
