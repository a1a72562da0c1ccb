//! Kinematics of a robot's default group as methods of the robot.

use kinetic_core::{JointValues, Pose, Result};
use kinetic_kinematics::KinematicChain;
use kinetic_kinematics::tree::TreeKinematics;
use kinetic_robot::Robot;
use nalgebra::{DMatrix, Matrix6xX, Vector3};

use crate::inverse_kinematics::InverseKinematics;
use crate::solvers::IKConfig;

/// The short way to the kinematics of a robot's default group. Each call compiles the group's chain; loops take a
/// [`KinematicChain`] and an [`InverseKinematics`] of their own.
///
/// Joint values may have the group's or the robot's length, as everywhere; in the group's length the other joints stand
/// in the neutral configuration.
pub trait RobotKinematics {
    /// Pose of the tool in the group's base, `base_from_tcp`.
    ///
    /// # Errors
    /// [`kinetic_core::KineticError::ChainExtraction`] when the group is no chain,
    /// [`kinetic_core::KineticError::DimensionMismatch`] or [`kinetic_core::KineticError::NotFinite`].
    fn fk(&self, q: &[f64]) -> Result<Pose>;

    /// Joint values that bring the tool to a pose: in closed form where the arm has one, else by [`crate::solve_ik`]. The
    /// seed, when there is one, has the group's length.
    ///
    /// # Errors
    /// Those of [`crate::solve_ik_auto`].
    fn ik(&self, base_from_tcp: &Pose, seed: Option<&[f64]>) -> Result<JointValues>;

    /// Geometric Jacobian of the tool, as [`kinetic_kinematics::jacobian()`].
    ///
    /// # Errors
    /// As [`fk`](Self::fk).
    fn jacobian(&self, q: &[f64]) -> Result<Matrix6xX<f64>>;

    /// Yoshikawa's measure, as [`kinetic_kinematics::manipulability`].
    ///
    /// # Errors
    /// As [`fk`](Self::fk).
    fn manipulability(&self, q: &[f64]) -> Result<f64>;

    /// Centre of gravity of the whole robot in its root, m.
    ///
    /// # Errors
    /// Those of [`TreeKinematics::com`].
    fn com(&self, q: &[f64]) -> Result<Vector3<f64>>;

    /// Jacobian of the centre of gravity over the group's joints, 3 × dof.
    ///
    /// # Errors
    /// Those of [`TreeKinematics::com`].
    fn com_jacobian(&self, q: &[f64]) -> Result<DMatrix<f64>>;
}

impl RobotKinematics for Robot {
    fn fk(&self, q: &[f64]) -> Result<Pose> {
        let (chain, q) = chain_at(self, q)?;
        kinetic_kinematics::forward_kinematics(&chain, &q)
    }

    fn ik(&self, base_from_tcp: &Pose, seed: Option<&[f64]>) -> Result<JointValues> {
        let ik = InverseKinematics::from_robot(self)?;
        let config = IKConfig { seed: seed.map(Into::into), ..ik.config() };
        ik.solve(base_from_tcp, &config).map(|solution| solution.joints)
    }

    fn jacobian(&self, q: &[f64]) -> Result<Matrix6xX<f64>> {
        let (chain, q) = chain_at(self, q)?;
        kinetic_kinematics::jacobian(&chain, &q)
    }

    fn manipulability(&self, q: &[f64]) -> Result<f64> {
        let (chain, q) = chain_at(self, q)?;
        kinetic_kinematics::manipulability(&chain, &q)
    }

    fn com(&self, q: &[f64]) -> Result<Vector3<f64>> {
        let (tree, q) = tree_at(self, q)?;
        tree.com(&q)
    }

    fn com_jacobian(&self, q: &[f64]) -> Result<DMatrix<f64>> {
        let (tree, q) = tree_at(self, q)?;
        tree.com_jacobian(&q)
    }
}

/// The default group's chain, the joints outside it where `q` says, and the group's values.
fn chain_at(robot: &Robot, q: &[f64]) -> Result<(KinematicChain, JointValues)> {
    let group = &robot.groups[robot.default_group];
    let held = robot.full_configuration(group, q)?;
    Ok((KinematicChain::from_group_held(robot, group, &held)?, robot.group_configuration(group, q)?))
}

fn tree_at(robot: &Robot, q: &[f64]) -> Result<(TreeKinematics, JointValues)> {
    let group = &robot.groups[robot.default_group];
    let held = robot.full_configuration(group, q)?;
    Ok((TreeKinematics::from_group(robot, group, &held)?, robot.group_configuration(group, q)?))
}
