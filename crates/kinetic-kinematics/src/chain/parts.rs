//! A chain as plain data: for files and other processes.

use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{KineticError, Pose, Result};
use nalgebra::Matrix3;

use super::KinematicChain;
use crate::kernel::Constant;
use crate::program::{Frame, JointProgram};
use crate::rigid::Rigid;

/// A rotation matrix is one up to this.
const ORTHONORMAL_TOLERANCE: f64 = 1e-9;

/// What a [`KinematicChain`] is made of. A chain from the parts of another computes what that one does, bit by bit.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainParts {
    /// Name of the chain.
    pub name: String,
    /// See [`KinematicChain::all_joints`].
    pub joints: Vec<usize>,
    /// See [`KinematicChain::variables`].
    pub variables: Vec<usize>,
    /// See [`KinematicChain::joint_names`].
    pub joint_names: Vec<String>,
    /// See [`KinematicChain::bounds`].
    pub bounds: Vec<(f64, f64)>,
    /// See [`KinematicChain::is_rotation`].
    pub turns: Vec<bool>,
    /// See [`KinematicChain::weights`].
    pub weights: Vec<f64>,
    /// The moving frames, parents first.
    pub frames: Vec<Frame>,
    /// Per link its frame and `frame_from_link`, base first.
    pub links: Vec<(usize, Rigid)>,
    /// The tool at the last link.
    pub tip_from_tcp: Pose,
}

impl KinematicChain {
    /// Data of the chain.
    pub fn to_parts(&self) -> ChainParts {
        let link = |index: usize| {
            let (frame, frame_from_link) = self.program.link(index);
            (frame, *frame_from_link)
        };
        ChainParts {
            name: self.name.clone(),
            joints: self.joints.clone(),
            variables: self.variables.clone(),
            joint_names: self.joint_names.clone(),
            bounds: self.bounds.clone(),
            turns: self.turns.clone(),
            weights: self.weights.clone(),
            frames: self.program.frames().to_vec(),
            links: (0..self.program.num_links()).map(link).collect(),
            tip_from_tcp: self.tip_from_tcp,
        }
    }

    /// The chain of parts.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::InvalidValue`] for parts that
    /// no chain has.
    pub fn from_parts(parts: ChainParts) -> Result<Self> {
        parts.check()?;
        let ChainParts { name, joints, variables, joint_names, bounds, turns, weights, frames, links, tip_from_tcp } =
            parts;
        let program = JointProgram::new(frames, links, variables.len());
        let tip = (0, Rigid::identity());
        let tip_constant = Constant::new(&tip.1);
        let chain = Self {
            name,
            joints,
            variables,
            joint_names,
            bounds,
            turns,
            weights,
            program,
            tip,
            tip_constant,
            tip_from_tcp,
        };
        Ok(chain.with_tcp(&tip_from_tcp))
    }
}

impl ChainParts {
    fn check(&self) -> Result<()> {
        let dof = self.variables.len();
        let lengths = [
            ("joint names", self.joint_names.len()),
            ("bounds", self.bounds.len()),
            ("turns", self.turns.len()),
            ("weights", self.weights.len()),
        ];
        for (name, len) in lengths {
            check_len(&format!("{name} of a chain"), len, dof)?;
        }
        if let Some(weight) = self.weights.iter().find(|weight| !(**weight > 0.0 && weight.is_finite())) {
            return Err(KineticError::invalid("weight of a chain", weight, "a positive finite number"));
        }
        if let Some((low, high)) = self.bounds.iter().find(|(low, high)| !(low <= high)) {
            return Err(KineticError::invalid("bounds of a chain", format!("({low}, {high})"), "lower <= upper"));
        }
        for (index, frame) in self.frames.iter().enumerate() {
            check_finite("joint of a chain", &[frame.multiplier, frame.offset])?;
            check_rigid(&frame.parent_from_frame)?;
            if frame.parent > index || frame.variable >= dof {
                let given = format!("parent {} and variable {}", frame.parent, frame.variable);
                let wanted = format!("a parent up to {index} and a variable below {dof}");
                return Err(KineticError::invalid(format!("frame {} of a chain", index + 1), given, wanted));
            }
        }
        if self.links.is_empty() {
            return Err(KineticError::invalid("links of a chain", "none", "at least the base"));
        }
        for (frame, frame_from_link) in &self.links {
            check_rigid(frame_from_link)?;
            if *frame > self.frames.len() {
                let wanted = format!("a frame up to {}", self.frames.len());
                return Err(KineticError::invalid("link of a chain", frame, wanted));
            }
        }
        self.tip_from_tcp.check_finite("tool of a chain")
    }
}

fn check_rigid(pose: &Rigid) -> Result<()> {
    check_finite("pose in a chain", pose.translation.as_slice())?;
    check_finite("pose in a chain", pose.rotation.as_slice())?;
    let off = (pose.rotation * pose.rotation.transpose() - Matrix3::identity()).amax();
    if off > ORTHONORMAL_TOLERANCE || pose.rotation.determinant() < 0.0 {
        return Err(KineticError::invalid("rotation in a chain", off, "an orthonormal, right-handed matrix"));
    }
    Ok(())
}
