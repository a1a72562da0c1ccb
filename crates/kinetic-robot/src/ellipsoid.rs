//! Ellipsoids, as balls or as polyhedra around them.

use kinetic_core::{Result, Shape};
use nalgebra::{Point3, Vector3};

/// Rings of vertices between the poles, and vertices per ring.
const RINGS: usize = 9;
const SECTORS: usize = 16;

/// The ellipsoid around the origin with these radii along the axes, m: a ball when they are equal, else a convex
/// polyhedron that contains it and stands out by less than 6 % of a radius.
///
/// # Errors
/// [`InvalidValue`](kinetic_core::KineticError::InvalidValue) unless all radii are positive and finite.
pub(crate) fn cover(radii: [f64; 3]) -> Result<Shape> {
    for radius in radii {
        Shape::sphere(radius)?;
    }
    if radii[0] == radii[1] && radii[1] == radii[2] {
        return Shape::sphere(radii[0]);
    }
    let scale = Vector3::from(radii) / inscribed_radius();
    let vertices: Vec<Point3<f64>> =
        unit_vertices().into_iter().map(|vertex| Point3::from(vertex.component_mul(&scale))).collect();
    Shape::convex(&vertices, 0.0)
}

/// Points of the unit sphere on meridians and parallels, poles included.
fn unit_vertices() -> Vec<Vector3<f64>> {
    let mut vertices = vec![Vector3::z(), -Vector3::z()];
    for ring in 1..=RINGS {
        let (sin, cos) = (std::f64::consts::PI * ring as f64 / (RINGS + 1) as f64).sin_cos();
        for sector in 0..SECTORS {
            let (y, x) = (std::f64::consts::TAU * sector as f64 / SECTORS as f64).sin_cos();
            vertices.push(Vector3::new(sin * x, sin * y, cos));
        }
    }
    vertices
}

/// Lower bound of the distance of the faces from the centre. A face lies between neighbouring parallels and meridians;
/// the foot of its distance is no lower than `cos(half step)` for either direction.
fn inscribed_radius() -> f64 {
    let parallel = std::f64::consts::PI / (RINGS + 1) as f64 / 2.0;
    let meridian = std::f64::consts::PI / SECTORS as f64;
    parallel.cos() * meridian.cos()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "in a test a panic is the report")]
mod tests {
    use super::*;

    #[test]
    fn the_polyhedron_contains_the_ellipsoid_and_little_more() {
        // For a convex body, containment is: its support is at least the ellipsoid's in every direction. The support
        // of the polyhedron's faces is smallest in the middle of faces, so a fine grid of directions finds the worst.
        let radii = Vector3::new(0.3, 0.2, 0.7);
        let Shape::Convex { vertices, .. } = cover(radii.into()).unwrap() else { panic!("not a polyhedron") };
        for i in 0..400 {
            for j in 0..400 {
                let (polar, azimuth) = (f64::from(i) / 400.0 * 3.15, f64::from(j) / 400.0 * 6.29);
                let direction = Vector3::new(polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos());
                let polyhedron = vertices.iter().map(|vertex| vertex.coords.dot(&direction)).fold(0.0, f64::max);
                let ellipsoid = radii.component_mul(&direction).norm();
                assert!(polyhedron >= ellipsoid, "not contained along {direction:?}");
                assert!(polyhedron <= ellipsoid * 1.06, "too large along {direction:?}");
            }
        }
    }

    #[test]
    fn equal_radii_make_a_ball() {
        assert_eq!(cover([0.5; 3]).unwrap(), Shape::sphere(0.5).unwrap());
        assert!(cover([0.5, 0.0, 0.5]).is_err());
    }
}
