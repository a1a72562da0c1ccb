//! A robot as data: its moving frames in flat arrays, for any description that is read at run time.

use std::f64::consts::TAU;

use kinetic_core::error::check_finite;
use kinetic_core::{KineticError, Result};
use kinetic_kinematics::{Frame, JointProgram, Motion, Rigid};

use crate::layout::{FRAME_STRIDE, Four};

/// Largest joint value, rad or m, where it cannot be reduced to one turn: single precision holds it to 2 µrad.
pub(crate) const MAX_VALUE: f64 = 32.0;

/// Moving frames of a [`JointProgram`] in single precision, parents first; fixed and held joints are folded into them.
///
/// Joint values of revolute and continuous joints are taken modulo a turn, in double precision, where all that they move
/// are rotations by whole multiples; so continuous joints keep their accuracy after many turns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedRobot {
    /// The moving frames.
    elements: Vec<Four>,
    num_variables: usize,
    /// Per variable, whether its value may be taken modulo a turn.
    wraps: Vec<bool>,
    /// Sum of the lengths of all translations, m.
    reach: f64,
}

impl PackedRobot {
    /// The frames of a program.
    pub(crate) fn new(program: &JointProgram) -> Self {
        let mut wraps = vec![true; program.num_variables()];
        for frame in program.frames() {
            wraps[frame.variable] &= frame.motion == Motion::Rotation && frame.multiplier.fract() == 0.0;
        }
        Self {
            elements: program.frames().iter().flat_map(frame_elements).collect(),
            num_variables: program.num_variables(),
            wraps,
            reach: program.frames().iter().map(|frame| frame.parent_from_frame.translation.norm()).sum(),
        }
    }

    /// Length of a configuration.
    pub(crate) fn num_variables(&self) -> usize {
        self.num_variables
    }

    /// Moving frames, the root included.
    pub(crate) fn num_frames(&self) -> usize {
        self.elements.len() / FRAME_STRIDE + 1
    }

    /// Sum of the lengths of all translations between frames, m: no frame is farther from the root, but for what prismatic
    /// joints add.
    pub(crate) fn reach(&self) -> f64 {
        self.reach
    }

    /// Whether some joint value enters as it is, up to the largest that is accepted.
    pub(crate) fn has_unwrapped(&self) -> bool {
        self.wraps.iter().any(|wraps| !wraps)
    }

    /// The moving frames.
    pub(crate) fn elements(&self) -> &[Four] {
        &self.elements
    }

    /// Configurations in single precision, row after row.
    ///
    /// # Errors
    /// [`KineticError::DimensionMismatch`] for an incomplete row, [`KineticError::NotFinite`], and
    /// [`KineticError::InvalidValue`] for joint values beyond ±32 rad or m that cannot be taken modulo a turn.
    pub(crate) fn pack_configurations(&self, configurations: &[f64]) -> Result<Vec<f32>> {
        let width = self.num_variables;
        if !configurations.len().is_multiple_of(width.max(1)) || (width == 0 && !configurations.is_empty()) {
            return Err(KineticError::DimensionMismatch {
                context: "batch of configurations".to_owned(),
                expected: format!("whole rows of {width}"),
                got: configurations.len(),
            });
        }
        check_finite("configurations", configurations)?;
        configurations.iter().enumerate().map(|(index, value)| self.pack(index % width, *value)).collect()
    }

    /// The whole turns that may be taken off a variable so that a value lies within half a turn of 0, rad; 0 where none may.
    pub(crate) fn turns(&self, variable: usize, value: f64) -> f64 {
        if self.wraps[variable] { TAU * (value / TAU).round() } else { 0.0 }
    }

    /// # Errors
    /// [`KineticError::InvalidValue`] for a joint value, less turns, that single precision does not hold well.
    pub(crate) fn check_near(value: f64) -> Result<()> {
        if value.abs() > MAX_VALUE {
            let wanted = format!("within ±{MAX_VALUE} of the turn of the start");
            return Err(KineticError::invalid("joint value", value, wanted));
        }
        Ok(())
    }

    fn pack(&self, variable: usize, value: f64) -> Result<f32> {
        if self.wraps[variable] {
            return Ok((value - self.turns(variable, value)) as f32);
        }
        if value.abs() > MAX_VALUE {
            let wanted = format!("within ±{MAX_VALUE}, for joints that are not taken modulo a turn");
            return Err(KineticError::invalid("joint value", value, wanted));
        }
        Ok(value as f32)
    }
}

fn frame_elements(frame: &Frame) -> [Four; FRAME_STRIDE] {
    let [a, b, c] = rows(&frame.parent_from_frame);
    let slides = f32::from(u8::from(frame.motion == Motion::Translation));
    let joint = [frame.parent as f32, slides, frame.variable as f32, frame.multiplier as f32];
    [a, b, c, joint, [frame.offset as f32, 0.0, 0.0, 0.0]]
}

/// The links: pose in a frame, and that frame.
pub(crate) fn link_elements(program: &JointProgram) -> Vec<Four> {
    let of_link = |link: usize| {
        let (frame, frame_from_link) = program.link(link);
        let [a, b, c] = rows(frame_from_link);
        [a, b, c, [frame as f32, 0.0, 0.0, 0.0]]
    };
    (0..program.num_links()).flat_map(of_link).collect()
}

/// The rows of a 3 × 4 matrix.
pub(crate) fn rows(rigid: &Rigid) -> [Four; 3] {
    let row = |i: usize| {
        let r = rigid.rotation.row(i);
        [r[0], r[1], r[2], rigid.translation[i]].map(|number| number as f32)
    };
    [row(0), row(1), row(2)]
}
