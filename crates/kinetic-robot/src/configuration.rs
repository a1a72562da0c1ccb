//! Configurations: conversion between the group's and the robot's length, special ones, and checks.

use kinetic_core::error::check_finite;
use kinetic_core::rng::SeededRng;
use kinetic_core::{JointLimits, JointValues, KineticError, Result};

use crate::model::PlanningGroup;
use crate::robot::Robot;

/// Which of the two accepted lengths a vector has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorKind {
    /// One value per joint of the group, in group order.
    Group,
    /// One value per independent moving joint of the robot, in tree order.
    Robot,
}

impl Robot {
    /// How `q` is read: as a group's vector when it has the group's length, else as the robot's.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] naming both lengths.
    pub fn vector_kind(&self, group: &PlanningGroup, q: &[f64]) -> Result<VectorKind> {
        if q.len() == group.dof() {
            return Ok(VectorKind::Group);
        }
        if q.len() == self.num_variables() {
            return Ok(VectorKind::Robot);
        }
        let (dof, all) = (group.dof(), self.num_variables());
        Err(KineticError::DimensionMismatch {
            context: "joint vector".to_owned(),
            expected: format!("{dof} (group \"{}\") or {all} (robot \"{}\")", group.name, self.name),
            got: q.len(),
        })
    }

    /// Robot-length configuration from either length; joints outside the group are at the neutral configuration.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn full_configuration(&self, group: &PlanningGroup, q: &[f64]) -> Result<Vec<f64>> {
        let kind = self.vector_kind(group, q)?;
        check_finite("joint vector", q)?;
        if kind == VectorKind::Robot {
            return Ok(q.to_vec());
        }
        let mut full = self.neutral_configuration();
        for (variable, value) in group.variables.iter().zip(q) {
            full[*variable] = *value;
        }
        Ok(full)
    }

    /// Group-length configuration from either length.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn group_configuration(&self, group: &PlanningGroup, q: &[f64]) -> Result<JointValues> {
        let kind = self.vector_kind(group, q)?;
        check_finite("joint vector", q)?;
        Ok(match kind {
            VectorKind::Group => q.into(),
            VectorKind::Robot => group.variables.iter().map(|variable| q[*variable]).collect(),
        })
    }

    /// Robot-length configuration of joints without a command: the pose `home` of every group that has
    /// one (the default group's last, so that it wins), else 0, clamped into the limits.
    pub fn neutral_configuration(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.num_variables()];
        let others = self.groups.iter().enumerate().filter(|(index, _)| *index != self.default_group);
        for group in others.map(|(_, group)| group).chain(self.groups.get(self.default_group)) {
            for (variable, value) in group.variables.iter().zip(self.home(group)) {
                q[*variable] = *value;
            }
        }
        q.iter().zip(&self.joint_limits).map(|(value, limits)| value.max(limits.lower).min(limits.upper)).collect()
    }

    fn home(&self, group: &PlanningGroup) -> &[f64] {
        self.named_pose(group, "home").map_or(&[], |values| values)
    }

    /// All joints at 0. A model may exclude 0; [`check_limits`](Self::check_limits) tells.
    pub fn zero_configuration(&self, group: &PlanningGroup) -> JointValues {
        JointValues::zeros(group.dof())
    }

    /// Every joint in the middle of its range; joints without limits at 0, those with one limit at the value next to 0.
    pub fn mid_configuration(&self, group: &PlanningGroup) -> JointValues {
        let middle = |limits: &JointLimits| {
            if is_bounded(limits) {
                between(limits.lower, limits.upper, 0.5)
            } else {
                0.0_f64.clamp(limits.lower, limits.upper)
            }
        };
        group.variables.iter().map(|variable| middle(&self.joint_limits[*variable])).collect()
    }

    /// Uniform inside the limits; continuous joints in [-π, π), sliding joints without limits within
    /// [`UNBOUNDED_SLIDE`](crate::limits::UNBOUNDED_SLIDE) of 0.
    pub fn random_configuration(&self, group: &PlanningGroup, rng: &mut SeededRng) -> JointValues {
        group.variables.iter().map(|variable| self.draw(*variable, rng)).collect()
    }

    /// As [`random_configuration`](Self::random_configuration), of all joints (robot length).
    pub fn random_variables(&self, rng: &mut SeededRng) -> Vec<f64> {
        (0..self.num_variables()).map(|variable| self.draw(variable, rng)).collect()
    }

    fn draw(&self, variable: usize, rng: &mut SeededRng) -> f64 {
        let (lower, upper) = self.finite_range(variable);
        between(lower, upper, rng.unit())
    }

    /// Group-length copy with every value moved into its limits.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] or [`KineticError::NotFinite`].
    pub fn clip(&self, group: &PlanningGroup, q: &[f64]) -> Result<JointValues> {
        let mut values = self.group_configuration(group, q)?;
        for (value, variable) in values.iter_mut().zip(&group.variables) {
            let limits = &self.joint_limits[*variable];
            *value = value.clamp(limits.lower, limits.upper);
        }
        Ok(values)
    }

    /// Checks positions against the limits, which `tolerance` (rad or m) widens on either side. A robot-length vector
    /// is checked in all its values.
    ///
    /// # Errors
    /// [`KineticError::JointLimitViolation`] naming the first joint outside, [`KineticError::DimensionMismatch`] or
    /// [`KineticError::NotFinite`].
    pub fn check_limits(&self, group: &PlanningGroup, q: &[f64], tolerance: f64) -> Result<()> {
        let kind = self.vector_kind(group, q)?;
        check_finite("joint vector", q)?;
        for (position, value) in q.iter().enumerate() {
            let variable = if kind == VectorKind::Group { group.variables[position] } else { position };
            let limits = &self.joint_limits[variable];
            if !limits.contains(*value, tolerance) {
                return Err(KineticError::JointLimitViolation {
                    name: self.joints[self.active_joints[variable]].name.clone(),
                    value: *value,
                    min: limits.lower,
                    max: limits.upper,
                });
            }
        }
        Ok(())
    }
}

fn is_bounded(limits: &JointLimits) -> bool {
    limits.lower.is_finite() && limits.upper.is_finite()
}

/// Weighted so that neither a wide range overflows nor rounding leaves it.
fn between(lower: f64, upper: f64, part: f64) -> f64 {
    (lower * (1.0 - part) + upper * part).clamp(lower, upper)
}
