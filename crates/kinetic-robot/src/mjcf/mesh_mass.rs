//! Mass properties of triangle meshes, as MuJoCo computes them.
//!
//! Every triangle and a point span a pyramid; sums over all pyramids give volume, centre and products of inertia
//! (O'Rourke, Computational Geometry in C, 2nd ed., section 1.3.8). MuJoCo's default counts each pyramid to the centre of
//! the surface as positive, which counts too much where a mesh is not convex; we follow it to get the same masses.

use kinetic_core::Pose;
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

use super::assets::MeshInertia;
use super::mass::{MassProperties, principal};
use crate::mesh::TriangleMesh;

/// Triangles smaller than this have no direction, m²; MuJoCo's `mjMINVAL`.
const SMALLEST_AREA_M2: f64 = 1e-15;

/// Mass properties at density 1 (per volume, or per area of a shell). `None` without volume, and for `Convex`, which
/// needs a hull.
pub(super) fn unit_mass(mesh: &TriangleMesh, inertia: MeshInertia) -> Option<MassProperties> {
    let triangles: Vec<[Vector3<f64>; 3]> = mesh
        .triangles
        .iter()
        .map(|corners| {
            corners.map(|index| mesh.vertices.get(index as usize).copied().unwrap_or(Point3::origin()).coords)
        })
        .collect();
    let center = surface_center(&triangles)?;
    match inertia {
        MeshInertia::Convex => None,
        MeshInertia::Shell => total(
            triangles.iter().map(|corners| {
                let (area, _) = area_and_normal(corners);
                // Of a triangle, each mid-point of an edge carries a third: exact for second moments.
                let [a, b, c] = corners.map(|corner| corner - center);
                let second = [(a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0].map(|mid| mid * mid.transpose() / 3.0);
                (area, (a + b + c) / 3.0, (second[0] + second[1] + second[2]) * area)
            }),
            center,
        ),
        MeshInertia::Exact | MeshInertia::Legacy => total(
            triangles.iter().map(|corners| {
                let (area, normal) = area_and_normal(corners);
                let [a, b, c] = corners.map(|corner| corner - center);
                let signed = if area < SMALLEST_AREA_M2 { 0.0 } else { normal.dot(&((a + b + c) / 3.0)) * area / 3.0 };
                let volume = if inertia == MeshInertia::Legacy { signed.abs() } else { signed };
                let sum = a + b + c;
                // ∫ x xᵀ over a tetrahedron with one corner at the origin.
                let second = (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) / 20.0;
                (volume, sum / 4.0, second * volume)
            }),
            center,
        ),
    }
}

/// Sums parts of (volume, centre, second moments), which are relative to `center`.
fn total(
    parts: impl Iterator<Item = (f64, Vector3<f64>, Matrix3<f64>)>,
    center: Vector3<f64>,
) -> Option<MassProperties> {
    let (mut mass, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for (volume, middle, moments) in parts {
        mass += volume;
        first += middle * volume;
        second += moments;
    }
    if !(mass > SMALLEST_AREA_M2 && mass.is_finite()) {
        return None;
    }
    let com = first / mass;
    let about_com = second - com * com.transpose() * mass;
    let inertia = Matrix3::identity() * about_com.trace() - about_com;
    Some(MassProperties { mass, com: com + center, inertia })
}

/// Centroid of the surface.
fn surface_center(triangles: &[[Vector3<f64>; 3]]) -> Option<Vector3<f64>> {
    let (mut area, mut sum) = (0.0, Vector3::zeros());
    for corners in triangles {
        let (part, _) = area_and_normal(corners);
        area += part;
        sum += (corners[0] + corners[1] + corners[2]) / 3.0 * part;
    }
    (area > SMALLEST_AREA_M2 && area.is_finite()).then(|| sum / area)
}

/// Area and unit normal (zero for a triangle without area).
fn area_and_normal([a, b, c]: &[Vector3<f64>; 3]) -> (f64, Vector3<f64>) {
    let cross = (b - a).cross(&(c - a));
    let norm = cross.norm();
    (norm / 2.0, if norm > 0.0 { cross / norm } else { Vector3::zeros() })
}

/// A box with the mass and the tensor of a body.
pub(super) struct InertiaBox {
    pub(super) pose: Pose,
    /// m; the longest along z.
    pub(super) half_extents: Vector3<f64>,
}

/// The box of uniform density that has these mass properties: half-extents `aᵢ = √(1.5 (Iⱼ + Iₖ - Iᵢ) / m)`.
pub(super) fn inertia_box(body: &MassProperties) -> InertiaBox {
    let (axes, moments) = principal(&body.inertia);
    let half = moments.map(|moment| (1.5 * (moments.sum() - 2.0 * moment) / body.mass).max(0.0).sqrt());
    // A cyclic change of axes, which keeps them right-handed, brings the longest to z.
    let longest = half.imax();
    let turn = UnitQuaternion::from_basis_unchecked(&std::array::from_fn(|axis| unit((longest + 1 + axis) % 3)));
    let half_extents = Vector3::from_fn(|axis, _| half[(longest + 1 + axis) % 3]);
    InertiaBox { pose: Pose(Isometry3::from_parts(body.com.into(), axes * turn)), half_extents }
}

fn unit(axis: usize) -> Vector3<f64> {
    Vector3::from_fn(|row, _| if row == axis { 1.0 } else { 0.0 })
}
