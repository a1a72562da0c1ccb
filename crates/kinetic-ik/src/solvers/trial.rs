//! Trials: success, time and branches of inverse kinematics on poses that are known to be reachable.

use std::collections::BTreeMap;
use std::time::Instant;

use kinetic_core::rng::SeededRng;
use kinetic_core::{KineticError, Result, StopFlag};
use kinetic_kinematics::KinematicChain;

use super::{IKConfig, solve_ik_auto};
use crate::analytic::{Manipulator, SolveOptions};

/// Results of a trial.
#[derive(Debug, Clone, PartialEq)]
pub struct IKTrial {
    /// Poses that were tried.
    pub poses: usize,
    /// Poses that were reached within the tolerances and the limits.
    pub solved: usize,
    /// Time of each call, s, ascending.
    pub seconds: Vec<f64>,
    /// How many poses have so many branches inside the limits; `None` without closed form and for redundant arms, which
    /// have infinitely many.
    pub branches: Option<BTreeMap<usize, usize>>,
    /// Largest distance between reached and wanted origin among what was solved, m.
    pub position_error: f64,
    /// Largest angle between reached and wanted orientation among what was solved, rad.
    pub orientation_error: f64,
}

/// Tolerances of a trial, m and rad.
pub const TRIAL_TOLERANCE: f64 = 1e-6;

impl IKTrial {
    /// Runs [`solve_ik_auto`] on the poses of `count` random configurations inside the limits (endless joints: one
    /// turn), each from the default start. `stop` ends it early, with fewer poses.
    ///
    /// # Errors
    /// Those of a configuration of the solver that makes no sense.
    pub fn run(
        chain: &KinematicChain,
        closed_form: Option<&Manipulator>,
        config: &IKConfig,
        count: usize,
        rng_seed: u64,
        stop: &StopFlag,
    ) -> Result<Self> {
        let config =
            IKConfig { position_tolerance: TRIAL_TOLERANCE, orientation_tolerance: TRIAL_TOLERANCE, ..config.clone() };
        config.check(chain)?;
        if count == 0 {
            return Err(KineticError::invalid("count", 0, "at least 1"));
        }
        let counted = closed_form.filter(|arm| arm.ranges().is_empty());
        let mut rng = SeededRng::new(rng_seed);
        let mut trial = Self {
            poses: 0,
            solved: 0,
            seconds: Vec::new(),
            branches: counted.map(|_| BTreeMap::new()),
            position_error: 0.0,
            orientation_error: 0.0,
        };
        while trial.poses < count && !stop.is_stopped() {
            trial.run_one(chain, closed_form, &config, &mut rng)?;
        }
        trial.seconds.sort_by(f64::total_cmp);
        Ok(trial)
    }

    fn run_one(
        &mut self,
        chain: &KinematicChain,
        closed_form: Option<&Manipulator>,
        config: &IKConfig,
        rng: &mut SeededRng,
    ) -> Result<()> {
        let target = chain.tip_pose(&configuration(chain, rng));
        let begin = Instant::now();
        let answer = solve_ik_auto(closed_form, chain, &target, config);
        self.seconds.push(begin.elapsed().as_secs_f64());
        self.poses += 1;
        if let Ok(found) = answer {
            self.solved += 1;
            self.position_error = self.position_error.max(found.position_error);
            self.orientation_error = self.orientation_error.max(found.orientation_error);
        }
        if let (Some(arm), Some(branches)) = (closed_form, &mut self.branches) {
            let inside = arm.solve(&target, &SolveOptions::default())?.len();
            *branches.entry(inside).or_insert(0) += 1;
        }
        Ok(())
    }

    /// The time, s, within which a share of the calls returned: 0.5 for the median. NaN without calls.
    pub fn seconds_within(&self, share: f64) -> f64 {
        let wanted = share * self.seconds.len() as f64;
        let reached = self.seconds.iter().enumerate().find(|(index, _)| (index + 1) as f64 >= wanted);
        reached.map_or(f64::NAN, |(_, seconds)| *seconds)
    }
}

fn configuration(chain: &KinematicChain, rng: &mut SeededRng) -> Vec<f64> {
    let turn = (-std::f64::consts::PI, std::f64::consts::PI);
    let range = |(low, high): (f64, f64)| if low.is_finite() && high.is_finite() { (low, high) } else { turn };
    chain.bounds().iter().map(|bounds| range(*bounds)).map(|(low, high)| rng.uniform(low, high)).collect()
}
