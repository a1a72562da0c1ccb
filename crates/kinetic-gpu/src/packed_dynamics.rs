//! A dynamics model as data: frames, inertias and resistances in flat arrays.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Result};
use kinetic_dynamics::DynamicsModel;
use kinetic_kinematics::SpatialInertia;
use nalgebra::{Matrix3, Vector3};

use crate::effort_range::EffortRange;
use crate::layout::{Four, INERTIA_STRIDE};
use crate::packed_robot::PackedRobot;
use crate::twin::rnea::DynamicsArrays;

/// Numbers of a joint in a state: value, velocity, acceleration.
pub(crate) const STATE_FLOATS: usize = 3;

/// A [`DynamicsModel`] in single precision.
#[derive(Debug, Clone)]
pub(crate) struct PackedDynamics {
    robot: PackedRobot,
    /// Of all frames but the root.
    inertias: Vec<Four>,
    /// Armature, damping and friction of each variable; the latter two are 0 where they do not count.
    resistances: Vec<Four>,
    /// Angular velocity of the root, its derivative, and acceleration less gravity.
    root: [Four; 3],
    range: EffortRange,
}

impl PackedDynamics {
    pub(crate) fn new(model: &DynamicsModel) -> Self {
        let counted = f64::from(u8::from(model.has_friction()));
        let resistance = |joint: &kinetic_dynamics::Resistance| {
            [joint.armature, counted * joint.damping, counted * joint.friction, 0.0].map(|number| number as f32)
        };
        let base = model.base_motion();
        let root = [base.angular_velocity, base.angular_acceleration, base.acceleration - model.gravity()];
        Self {
            robot: PackedRobot::new(model.program()),
            inertias: model.inertias()[1..].iter().flat_map(inertia_elements).collect(),
            resistances: model.resistances().iter().map(resistance).collect(),
            root: root.map(|v| four(&v, 0.0)),
            range: EffortRange::new(model),
        }
    }

    /// Number of joints.
    pub(crate) fn dof(&self) -> usize {
        self.robot.num_variables()
    }

    /// Moving frames, the root included.
    pub(crate) fn num_frames(&self) -> usize {
        self.robot.num_frames()
    }

    pub(crate) fn arrays(&self) -> DynamicsArrays<'_> {
        DynamicsArrays {
            frames: self.robot.elements(),
            inertias: &self.inertias,
            resistances: &self.resistances,
            root: &self.root,
        }
    }

    /// All arrays one after another, and the first elements of inertias, resistances and the root's motion.
    pub(crate) fn joined(&self) -> (Vec<Four>, [usize; 3]) {
        let inertias = self.robot.elements().len();
        let resistances = inertias + self.inertias.len();
        let all = [self.robot.elements(), &self.inertias, &self.resistances, &self.root].concat();
        (all, [inertias, resistances, resistances + self.resistances.len()])
    }

    /// States in single precision, row after row: values, velocities, accelerations.
    ///
    /// # Errors
    /// As [`check_states`], and [`KineticError::InvalidValue`] for values beyond ±32 of joints that are not taken modulo a turn,
    /// and for velocities and accelerations whose efforts could overflow.
    pub(crate) fn pack(&self, states: [&[f64]; STATE_FLOATS]) -> Result<Vec<f32>> {
        check_states(self.dof(), states)?;
        let [q, v, a] = states;
        self.range.check(v, a)?;
        let values = self.robot.pack_configurations(q)?;
        let mut packed = Vec::with_capacity(STATE_FLOATS * q.len());
        let rows = v.chunks_exact(self.dof()).zip(a.chunks_exact(self.dof()));
        for (values, (v, a)) in values.chunks_exact(self.dof()).zip(rows) {
            packed.extend_from_slice(values);
            packed.extend(v.iter().map(|rate| normal(*rate)));
            packed.extend(a.iter().map(|acceleration| *acceleration as f32));
        }
        Ok(packed)
    }
}

/// Refuses batches of states that are no whole rows of finite numbers, as many of each.
///
/// # Errors
/// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
pub(crate) fn check_states(dof: usize, [q, v, a]: [&[f64]; STATE_FLOATS]) -> Result<()> {
    if !q.len().is_multiple_of(dof) {
        let (context, expected) = ("batch of configurations".to_owned(), format!("whole rows of {dof}"));
        return Err(KineticError::DimensionMismatch { context, expected, got: q.len() });
    }
    check_len("velocities", v.len(), q.len())?;
    check_len("accelerations", a.len(), q.len())?;
    check_finite("configurations", q)?;
    check_finite("velocities", v)?;
    check_finite("accelerations", a)
}

/// A velocity in single precision. The smallest keep their direction, in which friction acts, although devices may take numbers
/// below the normal ones for 0.
fn normal(rate: f64) -> f32 {
    let rounded = rate as f32;
    if rate == 0.0 || rounded.is_normal() { rounded } else { f32::MIN_POSITIVE.copysign(rounded) }
}

fn four(v: &Vector3<f64>, last: f64) -> Four {
    [v.x, v.y, v.z, last].map(|number| number as f32)
}

fn inertia_elements(inertia: &SpatialInertia) -> [Four; INERTIA_STRIDE] {
    // ∫ x xᵀ dm = ½ tr(I) 1 − I.
    let second = Matrix3::identity() * (0.5 * inertia.inertia.trace()) - inertia.inertia;
    let [xx, xy, xz] = [0, 1, 2].map(|column| second[(0, column)]);
    let [yy, yz, zz] = [(1, 1), (1, 2), (2, 2)].map(|place| second[place]);
    [four(&inertia.moment, inertia.mass), four(&Vector3::new(xx, xy, xz), 0.0), four(&Vector3::new(yy, yz, zz), 0.0)]
}
