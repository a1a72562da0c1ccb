//! Product of exponentials: the normal form in which closed-form solvers see an arm.
//!
//! Brockett 1984: `base_from_tcp(q) = exp(S₁q₁) … exp(Sₙqₙ) · base_from_tcp(0)`, with the screws `S` of the joints at
//! zero in the base frame. Fixed joints and link frames have vanished; what is left is geometry.

use kinetic_core::error::reason;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::{Frame, KinematicChain, Motion, Rigid};
use nalgebra::Vector3;

use super::cos_sin::CosSin;
use crate::analytic::constant::constants;

/// One joint at zero, in the base frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screw {
    /// Rotation or translation.
    pub motion: Motion,
    /// Unit vector along the axis.
    pub axis: Vector3<f64>,
    /// A point of the axis, m.
    pub point: Vector3<f64>,
    /// Index into the configuration vector.
    pub variable: usize,
}

constants!(Screw { motion, axis, point, variable });

impl Screw {
    /// The displacement `base_from_base` that joint value `q` causes.
    pub fn exp(&self, q: f64) -> Rigid {
        match self.motion {
            Motion::Rotation => self.turned(CosSin::from_angle(q)),
            Motion::Translation => Rigid { rotation: nalgebra::Matrix3::identity(), translation: self.axis * q },
        }
    }

    /// The displacement of a rotation.
    #[inline]
    pub(crate) fn turned(&self, turn: CosSin) -> Rigid {
        let rotation = turn.matrix(&self.axis);
        Rigid { rotation, translation: self.point - rotation * self.point }
    }

    /// The screw after the displacement `base_from_base`.
    #[must_use]
    pub fn moved(&self, displacement: &Rigid) -> Self {
        Self { axis: displacement.rotation * self.axis, point: displacement.point(&self.point), ..*self }
    }
}

/// A chain as screws and a home pose.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductOfExponentials {
    screws: Vec<Screw>,
    home: Rigid,
}

constants!(ProductOfExponentials { screws, home });

impl ProductOfExponentials {
    /// The normal form of a chain; screws stand base first and know their entry of the configuration.
    ///
    /// # Errors
    /// [`KineticError::IncompatibleKinematics`] when a joint follows another one (mimic): its motion is no single
    /// screw.
    pub fn from_chain(chain: &KinematicChain) -> Result<Self> {
        let program = chain.program();
        let mut at_zero = vec![Rigid::identity(); program.num_frames()];
        let home = chain.tip_rigid(&vec![0.0; chain.dof()], &mut at_zero);
        let (last, _) = chain.tip();
        let mut path = program.ancestors(last);
        path.reverse();
        let mut screws: Vec<Screw> = Vec::with_capacity(path.len());
        for frame in path {
            let joint = &program.frames()[frame - 1];
            if is_coupled(joint) || screws.iter().any(|screw| screw.variable == joint.variable) {
                return Err(coupled(&chain.joint_names()[joint.variable]));
            }
            let (axis, point) = (at_zero[frame].z_axis(), at_zero[frame].translation);
            screws.push(Screw { motion: joint.motion, axis, point, variable: joint.variable });
        }
        Ok(Self { screws, home })
    }

    /// From screws (unit axes) and `base_from_tcp` at zero.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for an axis that is no unit vector, or NaN.
    pub fn new(screws: Vec<Screw>, home: Rigid) -> Result<Self> {
        for (index, screw) in screws.iter().enumerate() {
            if !((screw.axis.norm() - 1.0).abs() < UNIT_LENGTH_TOLERANCE
                && screw.point.iter().all(|value| value.is_finite()))
            {
                let given = format!("axis {:?}, point {:?}", screw.axis.as_slice(), screw.point.as_slice());
                return Err(KineticError::invalid(format!("screw {index}"), given, "a unit axis and a finite point"));
            }
        }
        Ok(Self { screws, home })
    }

    /// The joints at zero, base first.
    pub fn screws(&self) -> &[Screw] {
        &self.screws
    }

    /// `base_from_tcp` at zero.
    pub fn home(&self) -> &Rigid {
        &self.home
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.screws.len()
    }

    /// `base_from_tcp`; `q` in the order of the configuration vector, long enough for every screw's entry.
    pub fn pose(&self, q: &[f64]) -> Rigid {
        let start = Rigid::identity();
        let moved = self.screws.iter().fold(start, |pose, screw| pose.then(&screw.exp(q[screw.variable])));
        moved.then(&self.home)
    }

    /// The arm read from tip to base: the inverse displacement as a product of exponentials of the same joint values.
    #[must_use]
    pub fn reversed(&self) -> Self {
        // (e₁ … eₙ)⁻¹ = exp(−Sₙqₙ) … exp(−S₁q₁)
        let screws = self.screws.iter().rev().map(|screw| Screw { axis: -screw.axis, ..*screw }).collect();
        Self { screws, home: inverse(&self.home) }
    }

    /// The arm with joint `joint` (an index into [`screws`](Self::screws)) held at `value`.
    #[must_use]
    pub fn held(&self, joint: usize, value: f64) -> Self {
        let displacement = self.screws[joint].exp(value);
        let moved = |(index, screw): (usize, &Screw)| if index < joint { *screw } else { screw.moved(&displacement) };
        let screws = self.screws.iter().enumerate().filter(|(index, _)| *index != joint).map(moved).collect();
        Self { screws, home: displacement.then(&self.home) }
    }
}

/// How far from 1 the length of a unit axis may be: rounding of a normalisation and of a change of frame.
const UNIT_LENGTH_TOLERANCE: f64 = 1e-9;

fn is_coupled(frame: &Frame) -> bool {
    frame.multiplier != 1.0 || frame.offset != 0.0
}

fn coupled(joint: &str) -> KineticError {
    let reason = reason::IncompatibleKinematics::MimicJoint { joint: joint.to_owned() };
    KineticError::IncompatibleKinematics { reason }
}

/// `b_from_a` from `a_from_b`.
pub fn inverse(pose: &Rigid) -> Rigid {
    let rotation = pose.rotation.transpose();
    Rigid { rotation, translation: -(rotation * pose.translation) }
}
