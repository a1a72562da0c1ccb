//! Memory of the algorithms.

use kinetic_kinematics::{FrameVelocity, Rigid};

use crate::aba::Articulated;
use crate::carrier::Carrier;
use crate::crba::Composite;
use crate::model::DynamicsModel;
use crate::scalar::Scalar;
use crate::state::State;
use crate::wrenches::Wrenches;

/// What the recursions write, for any number type.
#[derive(Debug, Clone)]
pub(crate) struct Workspace<T> {
    /// The root's first.
    pub(crate) states: Vec<State<T>>,
    pub(crate) composites: Vec<Composite<T>>,
    pub(crate) articulated: Vec<Articulated<T>>,
    /// One value each per variable.
    pub(crate) efforts: Vec<T>,
    pub(crate) zeros: Vec<T>,
}

impl<T: Scalar> Workspace<T> {
    pub(crate) fn new(model: &DynamicsModel) -> Self {
        let (bodies, dof) = (model.bodies().len(), model.dof());
        Self {
            states: vec![State::at_rest(); bodies + 1],
            composites: vec![Composite::zero(); bodies],
            articulated: vec![Articulated::zero(); bodies],
            efforts: vec![T::splat(0.0); dof],
            zeros: vec![T::splat(0.0); dof],
        }
    }
}

/// Memory of the algorithms of one [`DynamicsModel`]: what Pinocchio calls data. Made once per thread; calls that take it
/// allocate nothing.
#[derive(Debug, Clone)]
pub struct DynamicsData {
    pub(crate) work: Workspace<f64>,
    pub(crate) wrenches: Wrenches,
    pub(crate) matrix: Vec<f64>,
    /// In the root, the root's first.
    pub(crate) frames: Vec<Rigid>,
    pub(crate) velocities: Vec<FrameVelocity>,
    pub(crate) carriers: Vec<Carrier>,
}

impl DynamicsModel {
    /// Memory for the algorithms of this model.
    pub fn data(&self) -> DynamicsData {
        DynamicsData {
            work: Workspace::new(self),
            wrenches: Wrenches::for_columns(self.bodies().len()),
            matrix: vec![0.0; self.dof() * self.dof()],
            frames: self.tree().frame_buffer(),
            velocities: self.tree().velocity_buffer(),
            carriers: vec![Carrier::zero(); self.bodies().len()],
        }
    }
}
