//! Energies and the centre of mass.

use kinetic_core::{AxisMask, Result};
use kinetic_kinematics::{FrameVelocity, Rigid, SpatialInertia};
use nalgebra::{DMatrix, Vector3};

use crate::data::DynamicsData;
use crate::model::DynamicsModel;

impl DynamicsModel {
    /// Poses and velocities of all frames in the root.
    fn move_frames(&self, data: &mut DynamicsData, q: &[f64], v: &[f64]) -> Result<()> {
        self.check_state(q, v)?;
        self.tree().place(q, &mut data.frames)?;
        self.tree().frame_velocities_into(&data.frames, v, &mut data.velocities)
    }

    /// Kinetic energy against the root, J, with the rotors': `½ vᵀ M(q) v`.
    ///
    /// # Errors
    /// [`DimensionMismatch`](kinetic_core::KineticError::DimensionMismatch) or
    /// [`NotFinite`](kinetic_core::KineticError::NotFinite).
    pub fn kinetic_energy(&self, data: &mut DynamicsData, q: &[f64], v: &[f64]) -> Result<f64> {
        self.check_data(data)?;
        self.move_frames(data, q, v)?;
        let moving = self.inertias().iter().zip(&data.frames).zip(&data.velocities);
        let bodies: f64 = moving.map(|((inertia, pose), velocity)| twice_energy(inertia, pose, velocity)).sum();
        let rotors: f64 = self.resistances().iter().zip(v).map(|(joint, v)| joint.armature * v * v).sum();
        Ok(0.5 * (bodies + rotors))
    }

    /// Potential energy of all links and payloads under gravity, J: 0 where their centre of mass lies in the root's origin.
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy).
    pub fn potential_energy(&self, data: &mut DynamicsData, q: &[f64]) -> Result<f64> {
        Ok(-self.mass() * self.gravity().dot(&self.center_of_mass(data, q)?))
    }

    /// Centre of mass of all links and payloads in the root, m.
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy).
    pub fn center_of_mass(&self, data: &mut DynamicsData, q: &[f64]) -> Result<Vector3<f64>> {
        self.check_data(data)?;
        self.tree().place(q, &mut data.frames)?;
        self.tree().com_at(&data.frames)
    }

    /// Velocity of the centre of mass in the root's axes, m/s.
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy).
    pub fn center_of_mass_velocity(&self, data: &mut DynamicsData, q: &[f64], v: &[f64]) -> Result<Vector3<f64>> {
        self.check_data(data)?;
        self.move_frames(data, q, v)?;
        self.tree().com_velocity_at(&data.frames, &data.velocities)
    }

    /// Jacobian of the centre of mass, 3 × n, in the root's axes.
    ///
    /// # Errors
    /// As [`kinetic_energy`](Self::kinetic_energy); `out` must be 3 × n.
    pub fn center_of_mass_jacobian_into(
        &self,
        data: &mut DynamicsData,
        q: &[f64],
        out: &mut DMatrix<f64>,
    ) -> Result<()> {
        self.check_data(data)?;
        self.tree().place(q, &mut data.frames)?;
        self.tree().com_jacobian_into(&data.frames, AxisMask::ALL, 0, out)
    }
}

/// `m v² + 2 v · (ω × h) + ω · I ω`.
fn twice_energy(inertia: &SpatialInertia, pose: &Rigid, velocity: &FrameVelocity) -> f64 {
    let angular = pose.rotation.transpose() * velocity.angular;
    let moment = pose.rotation * inertia.moment;
    inertia.mass * velocity.linear.norm_squared()
        + 2.0 * velocity.linear.dot(&velocity.angular.cross(&moment))
        + angular.dot(&(inertia.inertia * angular))
}
