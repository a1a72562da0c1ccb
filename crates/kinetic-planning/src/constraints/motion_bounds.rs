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
    /// The same frame by frame, from the link to the root; one list per link.
    chains: Vec<Vec<FrameBound>>,
}

/// Largest change of a link per unit of motion of one frame.
#[derive(Debug, Clone, Copy)]
struct FrameBound {
    variable: usize,
    rotation: f64,
    translation: f64,
}

impl MotionBounds {
    /// Of a link against the frame `fixed`, an ancestor of its frame; 0 is the root. A joint turns the origin about an axis that
    /// is at most as far away as the lengths of all links in between say.
    pub(super) fn of(program: &JointProgram, ranges: &[(f64, f64)], link: &LinkFrame, fixed: usize) -> Self {
        let dof = program.num_variables();
        let (mut rotation, mut translation, mut chain) = (vec![0.0; dof], vec![0.0; dof], Vec::new());
        let mut reach = link.frame_from_link.translation.norm();
        let mut current = link.frame;
        while current != fixed && current != 0 {
            let frame = &program.frames()[current - 1];
            let rate = frame.multiplier.abs();
            let (turn, way) = match frame.motion {
                Motion::Rotation => (rate, rate * reach),
                Motion::Translation => (0.0, rate),
            };
            rotation[frame.variable] += turn;
            translation[frame.variable] += way;
            chain.push(FrameBound { variable: frame.variable, rotation: turn, translation: way });
            if frame.motion == Motion::Translation {
                let (low, high) = ranges[frame.variable];
                let at = |q: f64| (frame.multiplier * q + frame.offset).abs();
                reach += at(low).max(at(high)) + rate * LIMIT_TOLERANCE;
            }
            reach += frame.parent_from_frame.translation.norm();
            current = frame.parent;
        }
        Self { rotation, translation, chains: vec![chain] }
    }

    /// The sum of two.
    pub(super) fn plus(mut self, other: Self) -> Self {
        self.rotation.iter_mut().zip(&other.rotation).for_each(|(sum, part)| *sum += part);
        self.translation.iter_mut().zip(&other.translation).for_each(|(sum, part)| *sum += part);
        self.chains.extend(other.chains);
        self
    }

    /// With the way of a point that is this far from the origin, m, in place of the origin's.
    pub(super) fn of_point(mut self, distance: f64) -> Self {
        self.translation.iter_mut().zip(&self.rotation).for_each(|(way, turn)| *way += distance * turn);
        self.chains.iter_mut().flatten().for_each(|bound| bound.translation += distance * bound.rotation);
        self
    }

    /// What the position of a point can differ from its first-order change along a straight way: joints leave the way by
    /// `off_straight` and are at most `radii` from where the derivative was taken.
    pub(super) fn rest_of_translation(&self, off_straight: &[f64], radii: &[f64]) -> f64 {
        sum(&self.translation, off_straight) + 0.5 * self.curvature(radii, |bound| bound.translation)
    }

    /// The same of a direction on the link, or of the rotation in the scale of chords.
    pub(super) fn rest_of_rotation(&self, off_straight: &[f64], radii: &[f64]) -> f64 {
        sum(&self.rotation, off_straight) + 0.5 * self.curvature(radii, |bound| bound.rotation)
    }

    /// `Σ_k w_k δ_k (ω_k δ_k + 2 Σ_{j before k} ω_j δ_j)` over the joints of each link from the root on.
    fn curvature(&self, radii: &[f64], rate: impl Fn(&FrameBound) -> f64) -> f64 {
        let mut total = 0.0;
        for chain in &self.chains {
            let mut turned = 0.0;
            for bound in chain.iter().rev() {
                let (radius, turn) = (radii[bound.variable], bound.rotation * radii[bound.variable]);
                total += rate(bound) * radius * (turn + 2.0 * turned);
                turned += turn;
            }
        }
        total
    }
}

/// What motions by `radii` add up to.
pub(super) fn sum(weights: &[f64], radii: &[f64]) -> f64 {
    weights.iter().zip(radii).map(|(weight, radius)| weight * radius).sum()
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
