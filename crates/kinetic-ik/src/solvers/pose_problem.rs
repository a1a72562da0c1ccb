//! Pose problems: target, limits and tolerances of one inverse kinematics query, shared by all numerical solvers.

use std::f64::consts::{PI, TAU};

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use super::IKConfig;

/// A rotating joint whose range leaves out less than this reaches one end of it from the other by a jump through the gap,
/// which is much shorter than the motion back.
const JUMP_GAP_RAD: f64 = 1.5;

/// Target, limits and tolerances of a solve.
pub(crate) struct PoseProblem<'a> {
    pub(crate) chain: &'a KinematicChain,
    pub(crate) config: &'a IKConfig,
    pub(crate) target: Rigid,
    /// Whether the orientation counts.
    pub(crate) has_orientation: bool,
    /// Limits of each joint; infinite where they do not count.
    pub(crate) bounds: Vec<(f64, f64)>,
    /// Joints that may jump from one limit to the other.
    pub(crate) jumps: Vec<bool>,
    /// One over the longest reach of the chain, 1/m: with it positions and angles are of one size.
    pub(crate) scale: f64,
    /// Start of the first attempt, inside the limits.
    pub(crate) seed: Vec<f64>,
}

/// Pose residual: target minus reached pose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoseResidual {
    /// Translation (in parts of the reach), then rotation vector, in the base frame; 0 where it does not count.
    pub(crate) error: [f64; 6],
    /// Distance of the origins, m.
    pub(crate) position: f64,
    /// Angle between the orientations, rad.
    pub(crate) orientation: f64,
}

impl PoseResidual {
    /// Squared error that counts.
    pub(crate) fn cost(&self) -> f64 {
        self.error.iter().map(|part| part * part).sum()
    }
}

impl<'a> PoseProblem<'a> {
    pub(crate) fn new(chain: &'a KinematicChain, target: &Pose, config: &'a IKConfig, has_orientation: bool) -> Self {
        let bounds = bounds_that_count(chain, config);
        let jumps = |(joint, (low, high)): (usize, &(f64, f64))| {
            let range = high - low;
            chain.is_rotation(joint) && range.is_finite() && range >= TAU - JUMP_GAP_RAD
        };
        Self {
            jumps: bounds.iter().enumerate().map(jumps).collect(),
            seed: config.start(chain),
            scale: 1.0 / reach_bound(chain).max(1e-3),
            target: Rigid::from(target),
            chain,
            config,
            has_orientation,
            bounds,
        }
    }

    /// Whether the search shall end. Solvers check it where a descent ends, those with long descents also in between.
    pub(crate) fn is_stopped(&self) -> bool {
        self.config.stop.is_stopped()
    }

    /// Residual of the pose `tip` of the tool.
    #[inline]
    pub(crate) fn residual(&self, tip: &Rigid) -> PoseResidual {
        let translation = self.target.translation - tip.translation;
        let rotation = rotation_vector(&(self.target.rotation * tip.rotation.transpose()));
        let (t, w) = (translation * self.scale, if self.has_orientation { rotation } else { Vector3::zeros() });
        PoseResidual {
            error: [t.x, t.y, t.z, w.x, w.y, w.z],
            position: translation.norm(),
            orientation: rotation.norm(),
        }
    }

    /// Whether the tolerances are met.
    #[inline]
    pub(crate) fn is_met(&self, residual: &PoseResidual) -> bool {
        residual.position <= self.config.position_tolerance
            && (!self.has_orientation || residual.orientation <= self.config.orientation_tolerance)
    }

    /// Moves a joint value that left its limits to the limit, or through the gap to the other one.
    #[inline]
    pub(crate) fn wrapped_into_bounds(&self, joint: usize, value: f64) -> f64 {
        let (low, high) = self.bounds[joint];
        let jumped = match value {
            _ if !self.jumps[joint] => value,
            value if value > high => value - TAU,
            value if value < low => value + TAU,
            value => value,
        };
        jumped.clamp(low, high)
    }

    /// Fills `q` with a random configuration inside the chain's limits.
    pub(crate) fn random_into(&self, rng: &mut SeededRng, q: &mut [f64]) {
        for (value, (low, high)) in q.iter_mut().zip(self.chain.bounds()) {
            let finite = low.is_finite() && high.is_finite();
            *value = if finite { rng.uniform(*low, *high) } else { rng.uniform(-PI, PI).clamp(*low, *high) };
        }
    }
}

/// Limits of each joint; infinite where they do not count.
pub(super) fn bounds_that_count(chain: &KinematicChain, config: &IKConfig) -> Vec<(f64, f64)> {
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    chain.bounds().iter().map(|bounds| if config.check_limits { *bounds } else { free }).collect()
}

/// An upper bound on the distance between the first joint and the tool, m, prismatic strokes left out.
pub(super) fn reach_bound(chain: &KinematicChain) -> f64 {
    let frames = chain.program().frames();
    let between: f64 = frames.iter().skip(1).map(|frame| frame.parent_from_frame.translation.norm()).sum();
    between + chain.tip().1.translation.norm()
}

/// Logarithm of a rotation matrix.
#[inline]
pub(super) fn rotation_vector(rotation: &Matrix3<f64>) -> Vector3<f64> {
    let axis = Vector3::new(
        rotation[(2, 1)] - rotation[(1, 2)],
        rotation[(0, 2)] - rotation[(2, 0)],
        rotation[(1, 0)] - rotation[(0, 1)],
    );
    let (sine2, cosine2) = (axis.norm(), rotation.trace() - 1.0);
    // Away from 0 and π the antisymmetric part is well conditioned; near π the quaternion is.
    if cosine2 < -1.9 {
        return UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation)).scaled_axis();
    }
    let factor = if sine2 > 1e-9 { sine2.atan2(cosine2) / sine2 } else { 0.5 };
    axis * factor
}
