//! `<joint>` and `<freejoint>`: kind, anchor, axis, limits.

use kinetic_core::{Pose, Result};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::compiler::Compiler;
use super::element::Attributes;
use super::frame;
use crate::description::LimitDescription;
use crate::model::{JointDynamics, JointType};

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MjcfJointKind {
    Hinge,
    Slide,
    Ball,
    Free,
}

/// A joint in the frame of its body.
#[derive(Debug)]
pub(super) struct MjcfJoint<'a> {
    pub(super) given: Attributes<'a>,
    pub(super) kind: MjcfJointKind,
    /// A point that the motion leaves where it is, m; zero for slides and free joints.
    pub(super) anchor: Vector3<f64>,
    pub(super) axis: Unit<Vector3<f64>>,
    /// Value in the configuration in which the model is written.
    pub(super) reference: f64,
    pub(super) limits: LimitDescription,
    pub(super) is_limited: bool,
    pub(super) dynamics: JointDynamics,
    /// The damping is no multiple of the speed.
    pub(super) has_nonlinear_damping: bool,
}

impl<'a> MjcfJoint<'a> {
    pub(super) fn read(given: Attributes<'a>, compiler: &Compiler, body_from_frame: &Pose) -> Result<Self> {
        let kind = read_kind(&given)?;
        let position = Vector3::from(given.numbers("pos")?.unwrap_or([0.0; 3]));
        let anchor = body_from_frame.0 * nalgebra::Point3::from(position);
        let mut joint = Self {
            given,
            kind,
            anchor: if matches!(kind, MjcfJointKind::Hinge | MjcfJointKind::Ball) {
                anchor.coords
            } else {
                Vector3::zeros()
            },
            axis: Vector3::z_axis(),
            reference: 0.0,
            limits: LimitDescription::unbounded(),
            is_limited: false,
            dynamics: read_dynamics(&given)?,
            has_nonlinear_damping: has_nonlinear_damping(&given)?,
        };
        if matches!(kind, MjcfJointKind::Hinge | MjcfJointKind::Slide) {
            joint.read_axis(compiler, body_from_frame)?;
        }
        joint.is_limited = kind != MjcfJointKind::Free && is_limited(&given, "limited", "range", compiler)?;
        Ok(joint)
    }

    fn read_axis(&mut self, compiler: &Compiler, body_from_frame: &Pose) -> Result<()> {
        let given = self.given;
        let unit = if self.kind == MjcfJointKind::Hinge { compiler.angle } else { 1.0 };
        let axis = Vector3::from(given.numbers("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        self.axis = body_from_frame.rotation * frame::direction(&given, "axis", axis)?;
        self.reference = given.number("ref")?.unwrap_or(0.0) * unit;
        if is_limited(&given, "limited", "range", compiler)? {
            let [lower, upper] = given.numbers("range")?.unwrap_or([0.0; 2]);
            if lower >= upper {
                return Err(given.error(format!("range {lower} {upper}: the first must be the smaller")));
            }
            (self.limits.lower, self.limits.upper) = (lower * unit, upper * unit);
        }
        if is_limited(&given, "actuatorfrclimited", "actuatorfrcrange", compiler)? {
            let [low, high] = given.numbers("actuatorfrcrange")?.unwrap_or([0.0; 2]);
            self.limits.effort = Some(low.abs().max(high.abs())).filter(|effort| *effort > 0.0);
        }
        Ok(())
    }

    /// The motion from value 0 to the configuration in which the model is written, undone.
    pub(super) fn zero(&self) -> Pose {
        if self.kind == MjcfJointKind::Slide {
            return Pose(Translation3::from(self.axis.into_inner() * -self.reference).into());
        }
        let turn = UnitQuaternion::from_axis_angle(&self.axis, -self.reference);
        Pose(Isometry3::from_parts(Translation3::identity(), turn))
    }

    pub(super) fn joint_type(&self) -> JointType {
        match (self.kind, self.is_limited) {
            (MjcfJointKind::Slide, _) => JointType::Prismatic,
            (_, true) => JointType::Revolute,
            (_, false) => JointType::Continuous,
        }
    }
}

/// Damping is one number, or a polynomial of the speed that begins with it.
fn read_dynamics(given: &Attributes<'_>) -> Result<JointDynamics> {
    let first = |name: &str| Ok(given.list(name)?.and_then(|values| values.first().copied()).unwrap_or(0.0));
    Ok(JointDynamics { damping: first("damping")?, friction: first("frictionloss")?, armature: first("armature")? })
}

/// True where the damping is no multiple of the speed.
fn has_nonlinear_damping(given: &Attributes<'_>) -> Result<bool> {
    Ok(given.list("damping")?.is_some_and(|values| values.iter().skip(1).any(|value| *value != 0.0)))
}

fn read_kind(given: &Attributes<'_>) -> Result<MjcfJointKind> {
    if given.element.tag == "freejoint" {
        return Ok(MjcfJointKind::Free);
    }
    match given.get("type") {
        None | Some("hinge") => Ok(MjcfJointKind::Hinge),
        Some("slide") => Ok(MjcfJointKind::Slide),
        Some("ball") => Ok(MjcfJointKind::Ball),
        Some("free") => Ok(MjcfJointKind::Free),
        Some(other) => Err(given.error(format!("unknown type \"{other}\"; known are hinge, slide, ball, free"))),
    }
}

/// A limit is in force where it is switched on, and where it is stated and `autolimits` switches it on. A range of
/// `0 0` states nothing.
pub(super) fn is_limited(given: &Attributes<'_>, switch: &str, range: &str, compiler: &Compiler) -> Result<bool> {
    let is_stated = given.numbers::<2>(range)?.is_some_and(|range| range != [0.0; 2]);
    Ok(given.flag(switch)?.unwrap_or(compiler.autolimits && is_stated))
}
