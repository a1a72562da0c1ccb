//! Motion bounds of links: how far a link can turn and its origin can move while joints move by so much.

use kinetic_kinematics::{JointProgram, Motion, Rigid};

use crate::goal_context::LIMIT_TOLERANCE;

/// A link in a compiled tree: the frame that carries it, and its pose there.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkFrame {
    pub(super) frame: usize,
    pub(super) frame_from_link: Rigid,
}

impl LinkFrame {
    /// `root_from_link`.
    pub(super) fn pose(&self, frames: &[Rigid]) -> Rigid {
        frames[self.frame].then(&self.frame_from_link)
    }
}

/// Largest change of a link per unit of motion of each joint of the group, in any configuration inside the limits.
#[derive(Debug, Clone)]
pub(super) struct MotionBounds {
    /// Rotation of the link, rad per rad.
    pub(super) rotation: Vec<f64>,
    /// Way of its origin, m per rad or m.
    pub(super) translation: Vec<f64>,
}

impl MotionBounds {
    /// Of a link against the frame `fixed`, an ancestor of its frame; 0 is the root. A joint turns the origin about an axis that
    /// is at most as far away as the lengths of all links in between say.
    pub(super) fn of(program: &JointProgram, ranges: &[(f64, f64)], link: &LinkFrame, fixed: usize) -> Self {
        let dof = program.num_variables();
        let mut bounds = Self { rotation: vec![0.0; dof], translation: vec![0.0; dof] };
        let mut reach = link.frame_from_link.translation.norm();
        let mut current = link.frame;
        while current != fixed && current != 0 {
            let frame = &program.frames()[current - 1];
            let rate = frame.multiplier.abs();
            match frame.motion {
                Motion::Rotation => {
                    bounds.rotation[frame.variable] += rate;
                    bounds.translation[frame.variable] += rate * reach;
                }
                Motion::Translation => {
                    let (low, high) = ranges[frame.variable];
                    let at = |q: f64| (frame.multiplier * q + frame.offset).abs();
                    bounds.translation[frame.variable] += rate;
                    reach += at(low).max(at(high)) + rate * LIMIT_TOLERANCE;
                }
            }
            reach += frame.parent_from_frame.translation.norm();
            current = frame.parent;
        }
        bounds
    }

    /// The sum of two.
    pub(super) fn plus(mut self, other: &Self) -> Self {
        self.rotation.iter_mut().zip(&other.rotation).for_each(|(sum, part)| *sum += part);
        self.translation.iter_mut().zip(&other.translation).for_each(|(sum, part)| *sum += part);
        self
    }

    /// With the way of a point that is this far from the origin, m, in place of the origin's.
    pub(super) fn of_point(mut self, distance: f64) -> Self {
        self.translation.iter_mut().zip(&self.rotation).for_each(|(way, turn)| *way += distance * turn);
        self
    }
}

/// The last frame that carries both links.
pub(super) fn common_frame(program: &JointProgram, a: &LinkFrame, b: &LinkFrame) -> usize {
    let of_a = program.ancestors(a.frame);
    let mut current = b.frame;
    while current != 0 && current != a.frame && !of_a.contains(&current) {
        current = program.frames()[current - 1].parent;
    }
    current
}
