//! Shortcuts along the configurations that keep constraints.

use kinetic_core::rng::SeededRng;

use super::CbirrtSearch;
use super::walk::Walk;

/// A shortcut must gain this part of the length of what it replaces.
const LEAST_GAIN_RATIO: f64 = 0.02;

/// Shortcuts in a row that gain nothing end the shortening: one per waypoint, and this many more.
const MAX_EXTRA_SHORTCUT_FAILURES: usize = 5;

impl CbirrtSearch<'_> {
    /// Walks between random waypoints of the path, and puts what is shorter in place.
    pub(super) fn shorten(&mut self, points: &mut Vec<f64>) {
        let (space, dof) = (self.problem.space(), self.problem.space().dof());
        let mut rng = SeededRng::new(self.problem.seed());
        let mut walk = Walk::new(space, self.config);
        let mut failures = 0;
        for _ in 0..self.config.shortcuts {
            let count = points.len() / dof;
            if count < 3 || failures > count + MAX_EXTRA_SHORTCUT_FAILURES || self.control.is_over(0) {
                break;
            }
            let (first, second) = (rng.below(count), rng.below(count));
            let (first, last) = (first.min(second), first.max(second));
            let section = &points[first * dof..(last + 1) * dof];
            let length: f64 = section
                .chunks_exact(dof)
                .zip(section.chunks_exact(dof).skip(1))
                .map(|(a, b)| space.distance(a, b))
                .sum();
            let shorter = if last > first + 1 { self.shortcut(&mut walk, section, length) } else { None };
            let Some(shorter) = shorter else {
                failures += 1;
                continue;
            };
            points.splice((first + 1) * dof..last * dof, shorter);
            failures = 0;
        }
    }

    /// Waypoints between the ends of a section, where that is shorter than `length`.
    fn shortcut(&mut self, walk: &mut Walk, section: &[f64], length: f64) -> Option<Vec<f64>> {
        let (space, dof) = (self.problem.space(), self.problem.space().dof());
        let (from, to) = (&section[..dof], &section[section.len() - dof..]);
        let most = (1.0 - LEAST_GAIN_RATIO) * length;
        let (mut way, mut between, mut here) = (0.0, Vec::new(), from.to_vec());
        loop {
            if way + space.distance(&here, to) > most || self.control.is_over(0) {
                return None;
            }
            let step = walk.step(space, &here, to, self.validity)?;
            way += step.length;
            if step.is_last {
                return (way <= most).then_some(between);
            }
            here.copy_from_slice(walk.end());
            between.extend_from_slice(&here);
        }
    }
}
