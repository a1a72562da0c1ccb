//! Random shortcuts between points on edges.

use kinetic_core::rng::SeededRng;

use super::polyline::{Polyline, mix};
use super::question::Question;

/// Attempts end for the round after one per waypoint, and this many more, in a row without gain.
const PATIENCE: usize = 2;

/// Points nearer to a waypoint than this part of their edge are not taken, so that no tiny edges appear.
const EDGE_MARGIN: f64 = 1e-3;

/// A source of attempts.
#[derive(Debug)]
pub(crate) struct RandomShortcut {
    per_joint: bool,
    /// A shortcut must gain at least this part of the path's length, so that the effort goes where there is something.
    least_gain: f64,
    rng: SeededRng,
}

/// A point on a path.
#[derive(Debug, Clone, Copy)]
struct Place {
    edge: usize,
    /// Fraction of the edge.
    t: f64,
}

impl RandomShortcut {
    pub(crate) fn new(per_joint: bool, least_gain: f64, seed: u64) -> Self {
        Self { per_joint, least_gain, rng: SeededRng::new(seed) }
    }

    /// Tries shortcuts until the attempts are used up, or several in a row gained nothing.
    pub(crate) fn shortcut(&mut self, line: &mut Polyline, attempts: &mut usize, question: &mut Question<'_>) {
        let mut failures = 0;
        while *attempts > 0 && failures < line.len() + PATIENCE && line.len() > 2 {
            *attempts -= 1;
            failures = if self.attempt(line, question) { 0 } else { failures + 1 };
        }
    }

    fn attempt(&mut self, line: &mut Polyline, question: &mut Question<'_>) -> bool {
        let length = line.length();
        let (a, b) = (self.rng.uniform(0.0, length), self.rng.uniform(0.0, length));
        let (first, second) = (locate(line, a.min(b)), locate(line, a.max(b)));
        let joint = (self.per_joint && self.rng.below(2) == 1).then(|| self.rng.below(line.dof()));
        let is_inside = |place: Place| place.t > EDGE_MARGIN && place.t < 1.0 - EDGE_MARGIN;
        if first.edge == second.edge || !is_inside(first) || !is_inside(second) {
            return false;
        }
        let section = section(line, first, second);
        let straight = straightened(&section, joint);
        if !(straight.length() < section.length() - self.least_gain * length) || !is_free(&straight, question) {
            return false;
        }
        *line = spliced(line, first, &straight, second, question.proves);
        true
    }
}

/// The point at an arc length.
fn locate(line: &Polyline, arc: f64) -> Place {
    let mut left = arc;
    for edge in 0..line.len() - 1 {
        let length = line.edge_length(edge);
        if left < length {
            return Place { edge, t: left / length };
        }
        left -= length;
    }
    Place { edge: line.len() - 2, t: 1.0 }
}

/// The part of a path between two points on it.
fn section(line: &Polyline, first: Place, second: Place) -> Polyline {
    let mut section = line.emptied();
    let mut end = vec![0.0; line.dof()];
    mix(line.point(first.edge), line.point(first.edge + 1), first.t, &mut end);
    section.push(&end, false);
    (first.edge + 1..=second.edge).for_each(|index| section.push(line.point(index), false));
    mix(line.point(second.edge), line.point(second.edge + 1), second.t, &mut end);
    section.push(&end, false);
    section
}

/// The straight between the ends of a section; or the section with one joint moving linearly in its arc length.
fn straightened(section: &Polyline, joint: Option<usize>) -> Polyline {
    let last = section.len() - 1;
    let mut straight = section.emptied();
    straight.push(section.point(0), false);
    if let Some(joint) = joint {
        let (from, to) = (section.point(0)[joint], section.point(last)[joint]);
        let length = section.length();
        let mut arc = 0.0;
        for index in 1..last {
            arc += section.edge_length(index - 1);
            let mut point = section.point(index).to_vec();
            mix(&[from], &[to], arc / length, &mut point[joint..=joint]);
            straight.push(&point, false);
        }
    }
    straight.push(section.point(last), false);
    straight
}

fn is_free(line: &Polyline, question: &mut Question<'_>) -> bool {
    (1..line.len()).all(|index| question.is_free(line.point(index - 1), line.point(index)))
}

/// `line` with the part between two points on it replaced.
fn spliced(line: &Polyline, first: Place, part: &Polyline, second: Place, is_proven: bool) -> Polyline {
    let mut whole = line.emptied();
    for index in 0..=first.edge {
        whole.push(line.point(index), index > 0 && line.is_proven(index - 1));
    }
    for index in 0..part.len() {
        whole.push(part.point(index), index > 0 && is_proven);
    }
    for index in second.edge + 1..line.len() {
        whole.push(line.point(index), index > second.edge + 1 && line.is_proven(index - 1));
    }
    whole
}
