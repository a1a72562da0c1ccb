//! Paths of redundant arms between obstacles: the coarse search through free configurations, smoothed as far as it stays free.

use kinetic_core::Pose;
use kinetic_kinematics::Rigid;

use super::SelfMotionSearch;
use super::knot_path::KnotPath;
use super::knots::Resolution;
use super::polish::measured;
use crate::analytic::Manipulator;
use crate::path::validity::Verdicts;
use crate::path::{IKPath, PathOptions};

/// How closely a path is looked at, more and more closely: obstacles leave narrow parts of the self-motion.
const RESOLUTIONS: [Resolution; 3] = [
    Resolution { motion: 0.5, segments: 8, curve_step: 0.25, surface_step: 0.12 },
    Resolution { motion: 0.2, segments: 16, curve_step: 0.12, surface_step: 0.06 },
    Resolution { motion: 0.1, segments: 32, curve_step: 0.06, surface_step: 0.0 },
];
/// Linear programs that are tried, fewer where more lead into obstacles.
const LINEAR_PROGRAMS: [usize; 4] = [12, 3, 1, 0];

/// A path that `verdicts` takes, whose steps are within their bounds; `None` where none was found.
pub(super) fn path(
    manipulator: &Manipulator,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Option<IKPath> {
    let targets: Vec<Rigid> = base_from_tcp.iter().map(Rigid::from).collect();
    match manipulator.dof() {
        7 => search::<1>(manipulator, &targets, options, verdicts),
        8 => search::<2>(manipulator, &targets, options, verdicts),
        _ => None,
    }
}

fn search<const D: usize>(
    manipulator: &Manipulator,
    targets: &[Rigid],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Option<IKPath> {
    let mut search = SelfMotionSearch::<D>::new(manipulator, targets, options);
    for resolution in RESOLUTIONS {
        let paths = search.coarse_paths(&resolution, options, Some(&mut |q: &[f64]| verdicts.is_valid(q)));
        for path in paths {
            if let Some(found) = search.smoothest_free(&path, options, verdicts) {
                return Some(found);
            }
        }
    }
    None
}

impl<const D: usize> SelfMotionSearch<'_, D> {
    /// The path with a configuration for every pose, as smooth as it can be while it is free.
    fn smoothest_free(
        &mut self,
        path: &KnotPath,
        options: &PathOptions,
        verdicts: &mut Verdicts<'_>,
    ) -> Option<IKPath> {
        let chain = self.manipulator.chain();
        for rounds in LINEAR_PROGRAMS {
            let mut smooth = path.clone();
            smooth.smooth(&self.problem, &mut self.projector, &mut self.program, rounds);
            let full = smooth.full(&self.problem, &mut self.projector);
            let found = full.map(|full| measured(chain, options, &full.rows));
            let is_taken = |found: &IKPath| {
                found.keeps(chain, options)
                    && is_inside(chain.bounds(), found)
                    && verdicts.is_path_valid(found, options.start.as_deref())
            };
            if let Some(found) = found.filter(is_taken) {
                return Some(found);
            }
        }
        None
    }
}

/// Whether all configurations are inside the limits.
fn is_inside(bounds: &[(f64, f64)], path: &IKPath) -> bool {
    let is_inside = |q: &[f64]| q.iter().zip(bounds).all(|(value, (low, high))| (low..=high).contains(&value));
    path.q.chunks_exact(path.dof).all(is_inside)
}
