//! Moving bodies as the recursions take them.

use kinetic_kinematics::{Motion, SpatialInertia};
use nalgebra::Matrix3;

use crate::normal_form::NormalJoint;
use crate::turn::{ConstantTurn, with_turn};
use crate::vectors::{Sym3, Vec3};

/// What a body weighs, in its own coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertia {
    pub(crate) mass: f64,
    /// Mass times centre of mass, kg m.
    pub(crate) moment: Vec3<f64>,
    /// Rotational inertia about the origin, kg m².
    pub(crate) about_origin: Sym3<f64>,
    /// Second moments of mass, ∫ x xᵀ dm = ½ tr(I) 1 − I, kg m².
    pub(crate) second: Sym3<f64>,
}

impl From<&SpatialInertia> for Inertia {
    fn from(given: &SpatialInertia) -> Self {
        let second = Matrix3::identity() * (0.5 * given.inertia.trace()) - given.inertia;
        Self {
            mass: given.mass,
            moment: given.moment.into(),
            about_origin: upper(&given.inertia),
            second: upper(&second),
        }
    }
}

fn upper(m: &Matrix3<f64>) -> Sym3<f64> {
    [m[(0, 0)], m[(0, 1)], m[(0, 2)], m[(1, 1)], m[(1, 2)], m[(2, 2)]]
}

/// A moving body with its joint in normal form.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The body it hangs on, 0 is the root; body `k` of the states is `bodies[k - 1]`.
    pub(crate) parent: usize,
    pub(crate) turns: bool,
    pub(crate) turn: ConstantTurn,
    /// Origin at joint value 0, in the parent, m.
    pub(crate) origin: Vec3<f64>,
    /// Own z axis in the parent.
    pub(crate) axis: Vec3<f64>,
    /// Cosine and sine of the constant angle of a joint that slides.
    pub(crate) still: [f64; 2],
    pub(crate) variable: usize,
    /// Angle or distance = `multiplier · q[variable] + offset`.
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
    pub(crate) inertia: Inertia,
}

impl Body {
    /// `inertia` is given in the body's coordinates.
    pub(crate) fn new(joint: &NormalJoint, variable: usize, inertia: &SpatialInertia) -> Self {
        let (sin, cos) = joint.still_angle.sin_cos();
        Self {
            parent: joint.parent,
            turns: joint.motion == Motion::Rotation,
            turn: joint.turn,
            origin: joint.origin.into(),
            axis: with_turn!(joint.turn, turn => crate::turn::Turn::up(&turn, &[0.0, 0.0, 1.0])),
            still: [cos, sin],
            variable,
            multiplier: joint.multiplier,
            offset: joint.offset,
            inertia: inertia.into(),
        }
    }
}
