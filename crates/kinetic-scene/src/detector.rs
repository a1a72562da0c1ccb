//! Continuous collision detection of segments, paths and timed curves: position and time of the first contact.

use kinetic_core::{KineticError, Pair, PiecewisePolynomial, Result, TimedTrajectory, Trajectory};

use crate::checker::Checker;
use crate::margins::Margins;
use crate::scene::Scene;

/// Configuration of a [`ContinuousCollisionDetector`].
#[derive(Debug, Clone, PartialEq)]
pub struct CCDConfig {
    /// Planning group; the default one when none.
    pub group: Option<String>,
    /// General required clearances, m; margins of the scene have precedence.
    pub margins: Margins,
}

impl Default for CCDConfig {
    fn default() -> Self {
        Self { group: None, margins: Margins::ZERO }
    }
}

/// The first parameter of a motion at which a margin is violated.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstContact {
    /// Segment between waypoints, from 0.
    pub segment: usize,
    /// Fraction of the segment, in [0, 1].
    pub fraction: f64,
    /// Time, s; `None` for a path without time.
    pub time: Option<f64>,
    /// The pair in contact.
    pub pair: Pair,
}

/// Finds first contacts by conservative advancement with a motion bound: nothing is sampled, and a motion without
/// contact is proven free. It wraps one [`Checker`].
#[derive(Debug, Clone)]
pub struct ContinuousCollisionDetector {
    checker: Checker,
}

impl ContinuousCollisionDetector {
    /// A detector for the scene as it is now.
    ///
    /// # Errors
    /// As [`Scene::checker`].
    pub fn new(scene: &Scene, config: &CCDConfig) -> Result<Self> {
        let robot = scene.robot();
        let group = config.group.as_ref().unwrap_or(&robot.groups[robot.default_group].name);
        Ok(Self { checker: scene.checker(group, config.margins)? })
    }

    /// First contact on the straight joint-space segment; `None` when it is proven free.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn check_segment(&mut self, from: &[f64], to: &[f64]) -> Result<Option<FirstContact>> {
        self.checker.check_input(from)?;
        self.checker.check_input(to)?;
        let found = self.checker.first_contact(from, to);
        Ok(found.map(|(fraction, pair)| FirstContact { segment: 0, fraction, time: None, pair }))
    }

    /// First contact along the waypoints of a path.
    ///
    /// # Errors
    /// As [`check_segment`](Self::check_segment), or [`KineticError::InvalidValue`] for a path without waypoints.
    pub fn check_path(&mut self, path: &Trajectory) -> Result<Option<FirstContact>> {
        if path.is_empty() {
            return Err(KineticError::invalid("path", "no waypoints", "at least one waypoint"));
        }
        let ends = [(path.positions(0), path.positions(0))];
        let segments: Vec<_> = if path.len() == 1 { ends.to_vec() } else { path.segments().collect() };
        for (segment, (from, to)) in segments.into_iter().enumerate() {
            if let Some(found) = self.check_segment(from, to)? {
                return Ok(Some(FirstContact { segment, ..found }));
            }
        }
        Ok(None)
    }

    /// First contact along a timed trajectory: when, and between which waypoints.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for a trajectory of other joints.
    pub fn check_trajectory(&mut self, trajectory: &TimedTrajectory) -> Result<Option<FirstContact>> {
        let curve = trajectory.curve();
        kinetic_core::error::check_len("trajectory", curve.dof(), self.checker.dof())?;
        let Some((time, pair)) = self.checker.first_curve_contact(curve) else { return Ok(None) };
        let (segment, fraction) = place(trajectory.waypoint_times(), curve, time);
        Ok(Some(FirstContact { segment, fraction, time: Some(time), pair }))
    }
}

/// The segment of a time, and the fraction of its duration.
fn place(waypoint_times: &[f64], curve: &PiecewisePolynomial, time: f64) -> (usize, f64) {
    let segments = waypoint_times.len().saturating_sub(1);
    let segment =
        waypoint_times.partition_point(|start| *start <= time).saturating_sub(1).min(segments.saturating_sub(1));
    let start = waypoint_times.get(segment).copied().unwrap_or(0.0);
    let end = waypoint_times.get(segment + 1).copied().unwrap_or_else(|| curve.duration());
    let fraction = if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) } else { 0.0 };
    (segment, fraction)
}
