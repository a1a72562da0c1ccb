//! Random shortcuts between points on edges.

use kinetic_core::rng::SeededRng;

use super::edge_check::EdgeCheck;
use super::polyline::{Polyline, mix};
use crate::validity::edges;

/// Attempts end for the round after one per waypoint, and this many more, in a row without gain.
const MAX_EXTRA_FAILURES: usize = 2;

/// Points nearer to a waypoint than this part of their edge are not taken, so that no tiny edges appear.
const EDGE_MARGIN_RATIO: f64 = 1e-3;

/// A source of attempts, with memory that serves all of them.
#[derive(Debug)]
pub(crate) struct RandomShortcut {
    per_joint: bool,
    /// A shortcut must gain at least this part of the path's length, so that the effort goes where there is something.
    least_gain: f64,
    rng: SeededRng,
    /// Of the edges.
    lengths: Vec<f64>,
    section: Vec<f64>,
    straight: Vec<f64>,
    /// Attempts that were refused on the path as it is.
    refused: Vec<Span>,
}

/// What an attempt is about: the part of the path between two arc lengths, and the joint that is straightened, if not all.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: f64,
    to: f64,
    joint: Option<usize>,
}

impl Span {
    fn holds(self, other: Self) -> bool {
        self.joint == other.joint && self.from <= other.from && other.to <= self.to
    }
}

/// A point on a path.
#[derive(Debug, Clone, Copy)]
struct Place {
    edge: usize,
    /// Fraction of the edge.
    t: f64,
}

impl Place {
    fn is_inside(self) -> bool {
        self.t > EDGE_MARGIN_RATIO && self.t < 1.0 - EDGE_MARGIN_RATIO
    }
}

impl RandomShortcut {
    pub(crate) fn new(per_joint: bool, least_gain: f64, seed: u64) -> Self {
        let (lengths, section, straight, refused) = Default::default();
        Self { per_joint, least_gain, rng: SeededRng::new(seed), lengths, section, straight, refused }
    }

    /// Tries shortcuts until the attempts are used up, or several in a row gained nothing.
    pub(crate) fn shortcut(&mut self, line: &mut Polyline, attempts: &mut usize, edge_check: &mut EdgeCheck<'_>) {
        let mut failures = 0;
        self.measure(line);
        while *attempts > 0 && failures < line.len() + MAX_EXTRA_FAILURES && line.len() > 2 {
            *attempts -= 1;
            failures = if self.attempt(line, edge_check) { 0 } else { failures + 1 };
        }
    }

    /// Takes in a path that is new.
    fn measure(&mut self, line: &Polyline) {
        self.refused.clear();
        self.lengths.clear();
        self.lengths.extend((1..line.len()).map(|index| line.edge_length(index - 1)));
    }

    fn attempt(&mut self, line: &mut Polyline, edge_check: &mut EdgeCheck<'_>) -> bool {
        let length: f64 = self.lengths.iter().sum();
        let (a, b) = (self.rng.uniform(0.0, length), self.rng.uniform(0.0, length));
        let (first, second) = (self.locate(a.min(b)), self.locate(a.max(b)));
        let joint = (self.per_joint && self.rng.below(2) == 1).then(|| self.rng.below(line.dof()));
        let span = Span { from: a.min(b), to: a.max(b), joint };
        // What goes around something on a part of the path does so on a longer one, nearly always.
        let is_hopeless = self.refused.iter().any(|refused| span.holds(*refused));
        if is_hopeless || first.edge == second.edge || !first.is_inside() || !second.is_inside() {
            return false;
        }
        let arc = self.cut_out(line, first, second);
        match joint {
            Some(joint) => self.straighten_joint((joint, line.dof()), first, arc),
            None => self.straighten(line.dof()),
        }
        if !(self.length_of_straight(line) < arc - self.least_gain * length) {
            return false;
        }
        if !edge_check.is_path_free(&self.straight, line.dof()) {
            self.refused.push(span);
            return false;
        }
        self.splice(line, first, second, edge_check.proves);
        true
    }

    /// The point at an arc length.
    fn locate(&self, arc: f64) -> Place {
        let mut left = arc;
        for (edge, length) in self.lengths.iter().enumerate() {
            if left < *length {
                return Place { edge, t: left / length };
            }
            left -= length;
        }
        Place { edge: self.lengths.len() - 1, t: 1.0 }
    }

    /// Takes the part of a path between two points on it; its length.
    fn cut_out(&mut self, line: &Polyline, first: Place, second: Place) -> f64 {
        let dof = line.dof();
        self.section.clear();
        self.section.resize(dof, 0.0);
        mix(line.point(first.edge), line.point(first.edge + 1), first.t, &mut self.section);
        (first.edge + 1..=second.edge).for_each(|index| self.section.extend_from_slice(line.point(index)));
        let last = self.section.len();
        self.section.resize(last + dof, 0.0);
        mix(line.point(second.edge), line.point(second.edge + 1), second.t, &mut self.section[last..]);
        let whole: f64 = self.lengths[first.edge + 1..second.edge].iter().sum();
        (1.0 - first.t) * self.lengths[first.edge] + whole + second.t * self.lengths[second.edge]
    }

    /// The straight between the ends of the section.
    fn straighten(&mut self, dof: usize) {
        let last = self.section.len() - dof;
        self.straight.clear();
        self.straight.extend_from_slice(&self.section[..dof]);
        self.straight.extend_from_slice(&self.section[last..]);
    }

    /// The section, of length `arc`, with one joint moving linearly in its arc length.
    fn straighten_joint(&mut self, (joint, dof): (usize, usize), first: Place, arc: f64) {
        self.straight.clone_from(&self.section);
        let last = self.section.len() - dof;
        let (from, to) = (self.section[joint], self.section[last + joint]);
        let mut run = (1.0 - first.t) * self.lengths[first.edge];
        for (place, length) in (dof..last).step_by(dof).zip(&self.lengths[first.edge + 1..]) {
            mix(&[from], &[to], run / arc, &mut self.straight[place + joint..=place + joint]);
            run += length;
        }
    }

    fn length_of_straight(&self, line: &Polyline) -> f64 {
        edges(&self.straight, line.dof()).map(|(from, to)| line.distance(from, to)).sum()
    }

    /// Puts the straight in place of what is between two points on the path.
    fn splice(&mut self, line: &mut Polyline, first: Place, second: Place, is_proven: bool) {
        line.splice((first.edge, second.edge), &self.straight, is_proven);
        // Edges that stay keep their lengths.
        let new = first.edge..first.edge + self.straight.len() / line.dof() + 1;
        self.lengths.splice(first.edge..=second.edge, new.map(|edge| line.edge_length(edge)));
        self.refused.clear();
    }
}

#[cfg(test)]
mod tests {
    use kinetic_core::{Control, Trajectory};

    use super::*;
    use crate::validity::Validity;

    /// Nothing is in the way.
    struct Free;

    impl Validity for Free {
        fn is_valid(&mut self, _: &[f64]) -> bool {
            true
        }

        fn is_motion_valid(&mut self, _: &[f64], _: &[f64]) -> bool {
            true
        }

        fn checks(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_path_that_was_spliced_has_the_lengths_of_its_edges() -> kinetic_core::Result<()> {
        let mut rng = SeededRng::new(2);
        let waypoints: Vec<[f64; 3]> = (0..12).map(|_| std::array::from_fn(|_| rng.uniform(-1.0, 1.0))).collect();
        let path = Trajectory::from_waypoints(&waypoints)?;
        let control = Control::default();
        for (seed, proves) in (0..20).zip([false, true].into_iter().cycle()) {
            let mut line = Polyline::with_every_waypoint(&path, &[1.0, 2.0, 0.5]);
            let mut random = RandomShortcut::new(true, 1e-3, seed);
            let mut validity = Free;
            let mut edge_check = EdgeCheck::new(&mut validity, &control, proves);
            random.measure(&line);
            let mut made = 0;
            for _ in 0..100 {
                let before = line.length();
                if !random.attempt(&mut line, &mut edge_check) {
                    continue;
                }
                made += 1;
                let lengths: Vec<f64> = (1..line.len()).map(|index| line.edge_length(index - 1)).collect();
                assert_eq!(random.lengths, lengths, "seed {seed}");
                assert!(line.length() < before, "seed {seed}");
                // The cut pieces of edges are not proven as they stand.
                let proven = (0..lengths.len()).filter(|edge| line.is_proven(*edge)).count();
                assert!(if proves { proven < lengths.len() } else { proven == 0 }, "seed {seed}");
                assert_eq!((line.point(0), line.last()), (&waypoints[0][..], &waypoints[11][..]));
            }
            assert!(made > 3, "seed {seed}: {made}");
        }
        Ok(())
    }
}
