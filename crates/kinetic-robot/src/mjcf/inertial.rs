//! Mass properties of a body: stated by `<inertial>`, or summed over its geoms.

use kinetic_core::{Pose, Result};
use nalgebra::{Matrix3, Translation3, Vector3};

use super::compiler::{Compiler, InertiaFromGeom};
use super::element::Element;
use super::frame;
use super::geom::Geom;
use super::mass::{MassProperties, principal};
use crate::model::Inertial;

/// Of `<inertial>`, in the frame of the body.
pub(super) fn stated(element: &Element, compiler: &Compiler, body_from_frame: &Pose) -> Result<Inertial> {
    let given = element.plain();
    let mass = given.number("mass")?.ok_or_else(|| element.error("attribute \"mass\" is missing"))?;
    if mass < 0.0 {
        return Err(element.error(format!("mass {mass} is negative")));
    }
    let inertia = match (given.numbers("fullinertia")?, given.numbers("diaginertia")?) {
        (Some([xx, yy, zz, xy, xz, yz]), _) => Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
        (None, Some(moments)) => Matrix3::from_diagonal(&Vector3::from(moments)),
        (None, None) => Matrix3::zeros(),
    };
    let frame_from_com = frame::pose(&given, compiler)?;
    Ok(Inertial { mass, link_from_com: Pose(body_from_frame.0 * frame_from_com.0), inertia })
}

/// Summed over the geoms of the groups that have mass; a message for every mass that cannot be known.
pub(super) fn summed(geoms: &[Geom<'_>], compiler: &Compiler) -> Result<std::result::Result<Option<Inertial>, String>> {
    let (first, last) = compiler.inertia_groups;
    let mut parts = Vec::new();
    for geom in geoms.iter().filter(|geom| (first..=last).contains(&geom.group)) {
        match geom.mass()? {
            Ok(mass) => parts.extend(mass),
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(MassProperties::sum(&parts).map(|sum| Inertial {
        mass: sum.mass,
        link_from_com: Pose(Translation3::from(sum.com).into()),
        inertia: sum.inertia,
    })))
}

/// Which of the two a body has.
pub(super) fn is_summed(compiler: &Compiler, has_inertial: bool) -> bool {
    match compiler.inertia_from_geom {
        InertiaFromGeom::Never => false,
        InertiaFromGeom::Always => true,
        InertiaFromGeom::Auto => !has_inertial,
    }
}

/// Applies `boundmass`, `boundinertia` and `balanceinertia`.
pub(super) fn repaired(inertial: Option<Inertial>, compiler: &Compiler) -> Option<Inertial> {
    let bounds = compiler.bound_mass > 0.0 || compiler.bound_inertia > 0.0;
    if !(bounds || compiler.balance_inertia) {
        return inertial;
    }
    let nothing = Inertial { mass: 0.0, link_from_com: Pose::identity(), inertia: Matrix3::zeros() };
    let mut inertial = if bounds { Some(inertial.unwrap_or(nothing)) } else { inertial }?;
    inertial.mass = inertial.mass.max(compiler.bound_mass);
    let (axes, mut moments) = principal(&inertial.inertia);
    moments = moments.map(|moment| moment.max(compiler.bound_inertia));
    let sum = moments.sum();
    if compiler.balance_inertia && moments.iter().any(|moment| sum - moment < *moment) {
        moments = Vector3::repeat(sum / 3.0);
    }
    inertial.link_from_com.0.rotation *= axes;
    inertial.inertia = Matrix3::from_diagonal(&moments);
    Some(inertial)
}
