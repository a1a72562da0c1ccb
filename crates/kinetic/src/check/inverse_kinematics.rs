//! Numerical inverse kinematics of poses that can be reached.

use kinetic_core::rng::SeededRng;
use kinetic_ik::{IKConfig, solve_ik};
use kinetic_kinematics::KinematicChain;

use super::{Check, IkFigures, Level, Report, Subject};

pub(super) const CHECK: Check =
    Check { id: "inverse_kinematics", summary: "reachable poses that inverse kinematics does not find", run };

/// Poses asked for.
const TESTED_POSES: usize = 100;

/// A rate below this is worth a look.
const MIN_SUCCESS_RATE: f64 = 0.95;

fn run(subject: &Subject<'_>, report: &mut Report) {
    let robot = subject.robot;
    let group = &robot.groups[robot.default_group];
    let Ok(chain) = KinematicChain::from_group(robot, group) else {
        let message = "no chain leads from its base to its tip: no inverse kinematics".to_owned();
        CHECK.add(report, Level::Note, &*group.name, message);
        return;
    };
    let mut rng = SeededRng::stream(subject.seed, 1);
    let mut solved = 0;
    for pose in 0..TESTED_POSES {
        let target = chain.tip_pose(&robot.random_configuration(group, &mut rng));
        let config = IKConfig { rng_seed: pose as u64, ..IKConfig::for_robot(robot) };
        solved += usize::from(solve_ik(&chain, &target, &config).is_ok());
    }
    if (solved as f64) < MIN_SUCCESS_RATE * TESTED_POSES as f64 {
        let message = format!("inverse kinematics finds {solved} of {TESTED_POSES} reachable poses");
        CHECK.add(report, Level::Warning, &*group.name, message);
    }
    report.ik = Some(IkFigures { group: group.name.clone(), poses: TESTED_POSES, solved });
}
