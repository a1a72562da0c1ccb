//! Transforms of nodes: `<matrix>`, `<translate>`, `<rotate>`, `<scale>` and `<lookat>`, in the order of the file.

use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use roxmltree::Node;

use super::fault;
use super::geometry::text;
use crate::mesh::assembly::Parsed;

/// The product of a node's transforms, parent from node.
pub(super) fn of(node: Node<'_, '_>) -> Parsed<Matrix4<f64>> {
    let mut parent_from_node = Matrix4::identity();
    for element in node.children() {
        let step = match element.tag_name().name() {
            "matrix" => Matrix4::from_row_slice(&numbers::<16>(element)?),
            "translate" => Matrix4::new_translation(&numbers::<3>(element)?.into()),
            "scale" => Matrix4::new_nonuniform_scaling(&numbers::<3>(element)?.into()),
            "rotate" => rotation(numbers(element)?),
            "lookat" => look_at(element)?,
            "skew" => return Err(fault(element, "<skew> is not supported")),
            _ => continue,
        };
        parent_from_node *= step;
    }
    Ok(parent_from_node)
}

/// Axis and angle in degrees. An axis of length 0 turns nothing.
fn rotation([x, y, z, angle]: [f64; 4]) -> Matrix4<f64> {
    match Unit::try_new(Vector3::new(x, y, z), 0.0) {
        Some(axis) => Rotation3::from_axis_angle(&axis, angle.to_radians()).to_homogeneous(),
        None => Matrix4::identity(),
    }
}

/// Eye, point of interest and upward direction of something that looks along -z.
fn look_at(element: Node<'_, '_>) -> Parsed<Matrix4<f64>> {
    let [ex, ey, ez, px, py, pz, ux, uy, uz] = numbers(element)?;
    let (eye, interest, up) = (Point3::new(ex, ey, ez), Point3::new(px, py, pz), Vector3::new(ux, uy, uz));
    let eye_from_parent = Matrix4::look_at_rh(&eye, &interest, &up);
    eye_from_parent.try_inverse().ok_or_else(|| fault(element, "<lookat> looks nowhere"))
}

/// Exactly `N` finite numbers.
fn numbers<const N: usize>(element: Node<'_, '_>) -> Parsed<[f64; N]> {
    let tag = element.tag_name().name();
    let wrong = |what: String| fault(element, format!("<{tag}> has {what}"));
    let mut values = Vec::with_capacity(N);
    for word in text(element).split_ascii_whitespace() {
        let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
        values.push(value.ok_or_else(|| wrong(format!("\"{word}\", which is not a finite number")))?);
    }
    let count = values.len();
    values.try_into().map_err(|_| wrong(format!("{count} numbers; {N} are needed")))
}
