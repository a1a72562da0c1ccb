//! Multi-target problems: a target per link, for cyclic coordinate descent and the evolutionary solver.

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::{KinematicChain, Rigid};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::pose_problem::rotation_vector;

/// Target of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Aim {
    /// Its origin (the tool's, for the tool), m, in the base.
    Position(Vector3<f64>),
    /// Its orientation in the base.
    Rotation(UnitQuaternion<f64>),
}

/// Norm of the three components of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Norm {
    /// Sum of the absolute values.
    Sum,
    /// Euclidean length.
    #[default]
    Euclidean,
    /// Largest absolute value.
    Max,
}

impl Norm {
    fn of(self, v: &Vector3<f64>) -> f64 {
        match self {
            Self::Sum => v.abs().sum(),
            Self::Euclidean => v.norm(),
            Self::Max => v.amax(),
        }
    }
}

/// A wanted position or orientation of a link of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkTarget {
    /// Link, counted along the chain from its base (0); the tool when `None`.
    pub link: Option<usize>,
    /// Target pose or position.
    pub aim: Aim,
    /// Error up to which it is met, m or rad, in [`norm`](Self::norm).
    pub atol: f64,
    /// Norm of the error that is compared with [`atol`](Self::atol).
    pub norm: Norm,
    /// Weight of the errors of this target.
    pub weight: f64,
}

impl LinkTarget {
    /// A position of the tool, m.
    pub fn position(position: Vector3<f64>, atol: f64) -> Self {
        Self { link: None, aim: Aim::Position(position), atol, norm: Norm::Euclidean, weight: 1.0 }
    }

    /// An orientation of the tool.
    pub fn rotation(rotation: UnitQuaternion<f64>, atol: f64) -> Self {
        Self { link: None, aim: Aim::Rotation(rotation), atol, norm: Norm::Euclidean, weight: 1.0 }
    }

    /// The same for another link.
    #[must_use]
    pub fn on_link(self, link: usize) -> Self {
        Self { link: Some(link), ..self }
    }

    /// With another weight.
    #[must_use]
    pub fn with_weight(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// With another norm.
    #[must_use]
    pub fn with_norm(self, norm: Norm) -> Self {
        Self { norm, ..self }
    }

    fn check(&self, chain: &KinematicChain) -> Result<()> {
        for (name, value) in [("atol", self.atol), ("weight", self.weight)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(KineticError::invalid(format!("{name} of a target"), value, "a positive finite number"));
            }
        }
        let links = chain.program().num_links();
        if let Some(link) = self.link.filter(|link| *link >= links) {
            return Err(KineticError::invalid("link of a target", link, format!("0 to {}", links - 1)));
        }
        match &self.aim {
            Aim::Position(position) => check_finite("target position", position.as_slice()),
            Aim::Rotation(rotation) => check_finite("target rotation", rotation.coords.as_slice()),
        }
    }
}

/// A target on its frame.
pub(super) struct FrameTarget {
    /// The moving frame that carries the link; 0 for a link that stands still.
    pub(super) frame: usize,
    frame_from_link: Rigid,
    pub(super) wanted: Wanted,
    weight: f64,
    norm: Norm,
    atol: f64,
}

pub(super) enum Wanted {
    Position(Vector3<f64>),
    Rotation(Matrix3<f64>),
}

impl FrameTarget {
    /// Pose of the link in the base.
    #[inline]
    pub(super) fn pose(&self, frames: &[Rigid]) -> Rigid {
        frames[self.frame].then(&self.frame_from_link)
    }

    /// Wanted minus reached, m or rad.
    #[inline]
    pub(super) fn error(&self, frames: &[Rigid]) -> Vector3<f64> {
        let reached = self.pose(frames);
        match &self.wanted {
            Wanted::Position(position) => position - reached.translation,
            Wanted::Rotation(rotation) => rotation_vector(&(rotation * reached.rotation.transpose())),
        }
    }
}

/// Targets that are meant together.
pub(super) struct TargetSet<'a> {
    pub(super) chain: &'a KinematicChain,
    pub(super) targets: Vec<FrameTarget>,
    /// Weight of a metre against a radian.
    pub(super) scale: f64,
}

impl<'a> TargetSet<'a> {
    pub(super) fn new(chain: &'a KinematicChain, targets: &[LinkTarget], scale: f64) -> Result<Self> {
        if targets.is_empty() {
            return Err(KineticError::invalid("targets", "none", "at least one target"));
        }
        targets.iter().try_for_each(|target| target.check(chain))?;
        let place = |target: &LinkTarget| {
            let (frame, frame_from_link) = match target.link {
                Some(link) => chain.program().link(link),
                None => chain.tip(),
            };
            let wanted = match &target.aim {
                Aim::Position(position) => Wanted::Position(*position),
                Aim::Rotation(rotation) => Wanted::Rotation(rotation.to_rotation_matrix().into_inner()),
            };
            let (weight, norm, atol) = (target.weight, target.norm, target.atol);
            FrameTarget { frame, frame_from_link: *frame_from_link, wanted, weight, norm, atol }
        };
        Ok(Self { chain, targets: targets.iter().map(place).collect(), scale })
    }

    /// Weight of a squared error of a target.
    #[inline]
    pub(super) fn square_weight(&self, target: &FrameTarget) -> f64 {
        let unit = if matches!(target.wanted, Wanted::Position(_)) { self.scale } else { 1.0 };
        (unit * target.weight).powi(2)
    }

    /// Weighted sum of the squared errors.
    pub(super) fn cost(&self, frames: &[Rigid]) -> f64 {
        let of = |target: &FrameTarget| self.square_weight(target) * target.error(frames).norm_squared();
        self.targets.iter().map(of).sum()
    }

    /// Whether all targets are met.
    pub(super) fn is_met(&self, frames: &[Rigid]) -> bool {
        self.targets.iter().all(|target| target.norm.of(&target.error(frames)) <= target.atol)
    }

    /// Largest error, m or rad.
    pub(super) fn residual(&self, frames: &[Rigid]) -> f64 {
        self.targets.iter().map(|target| target.norm.of(&target.error(frames))).fold(0.0, f64::max)
    }
}
