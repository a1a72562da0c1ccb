//! Inverse kinematics of many poses: every answer is one, in double precision, and most poses that can be reached are.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, Pose, StopFlag};
use kinetic_gpu::{BatchIkOptions, BatchIkSolution, CpuInverseKinematics, GpuError, GpuInverseKinematics};
use kinetic_kinematics::{KinematicChain, forward_kinematics};
use kinetic_robot::Robot;

use crate::cases;
use crate::support::{device, small_device};

pub(crate) fn chain_of(name: &str) -> KinematicChain {
    KinematicChain::auto_detect(&Robot::from_name(name).unwrap()).unwrap()
}

/// Poses that random configurations reach, and the middle of the limits.
pub(crate) fn targets_of(chain: &KinematicChain, seed: u64, count: usize) -> (Vec<Pose>, Vec<f64>) {
    let mut rng = SeededRng::new(seed);
    let bounds: Vec<(f64, f64)> = chain.bounds().iter().map(|(low, high)| (low.max(-3.1), high.min(3.1))).collect();
    let mut pose = || {
        let q: Vec<f64> = bounds.iter().map(|(low, high)| rng.uniform(*low, *high)).collect();
        forward_kinematics(chain, &q).unwrap()
    };
    ((0..count).map(|_| pose()).collect(), bounds.iter().map(|(low, high)| (low + high) / 2.0).collect())
}

/// Checks every answer by forward kinematics; returns how many poses have one.
pub(crate) fn solved(
    chain: &KinematicChain,
    targets: &[Pose],
    answers: &[Vec<BatchIkSolution>],
    start: &[f64],
) -> usize {
    assert_eq!(answers.len(), targets.len());
    for (target, answers) in targets.iter().zip(answers) {
        for answer in answers {
            let reached = forward_kinematics(chain, &answer.configuration).unwrap();
            assert!((reached.translation() - target.translation()).norm() < 1e-8);
            assert!(reached.rotation().angle_to(&target.rotation()) < 1e-7);
            let mut inside = answer.configuration.iter().zip(chain.bounds());
            assert!(inside.all(|(value, (low, high))| value >= low && value <= high), "{answer:?}");
        }
        let travels: Vec<f64> = answers.iter().map(|answer| chain.travel(start, &answer.configuration)).collect();
        assert!(travels.is_sorted(), "the nearest first");
    }
    answers.iter().filter(|answers| !answers.is_empty()).count()
}

#[test]
fn poses_that_can_be_reached_are_reached() {
    for name in ["ur5e", "franka_panda", "kuka_iiwa7"] {
        let chain = chain_of(name);
        let count = cases(50, 2000);
        let (targets, start) = targets_of(&chain, 1, count);
        let mut twin = CpuInverseKinematics::new(&chain, BatchIkOptions::default()).unwrap();
        let found = twin.solve(&targets, &start).unwrap();
        let by_twin = solved(&chain, &targets, &found, &start);
        assert!(by_twin * 100 >= count * 97, "{name}: {by_twin} of {count}");
        let Some(device) = device() else { continue };
        let mut solver = GpuInverseKinematics::new(&device, &chain, BatchIkOptions::default()).unwrap();
        let on_device = solver.solve(&targets, &start).unwrap();
        let by_device = solved(&chain, &targets, &on_device, &start);
        assert!(by_device * 100 >= count * 97, "{name}: {by_device} of {count}");
        assert!(on_device == solver.solve(&targets, &start).unwrap(), "{name}: the same bytes again");
        eprintln!("{name}: twin {by_twin}, device {by_device} of {count}; equal: {}", on_device == found);
    }
}

#[test]
fn mimic_and_sliding_joints_are_solved() {
    let joint = |name: &str, kind: &str, parent: usize, axis: &str, rest: &str| {
        format!(
            "<link name=\"l{child}\"/><joint name=\"{name}\" type=\"{kind}\"><parent link=\"l{parent}\"/>\
             <child link=\"l{child}\"/><origin xyz=\"0.1 0 0.2\"/><axis xyz=\"{axis}\"/>\
             <limit lower=\"-2\" upper=\"2\" velocity=\"1\" effort=\"1\"/>{rest}</joint>",
            child = parent + 1
        )
    };
    let urdf = [
        "<robot name=\"mixed\"><link name=\"l0\"/>".to_owned(),
        joint("a", "revolute", 0, "0 0 1", ""),
        joint("b", "prismatic", 1, "0 1 0", ""),
        joint("c", "revolute", 2, "0 1 0", ""),
        joint("d", "revolute", 3, "1 0 0", ""),
        joint("e", "continuous", 4, "0 0 1", ""),
        joint("f", "revolute", 5, "0 1 0", "<mimic joint=\"c\" multiplier=\"-0.5\" offset=\"0.1\"/>"),
        joint("g", "revolute", 6, "1 0 0", ""),
        "</robot>".to_owned(),
    ];
    let chain = KinematicChain::extract(&Robot::from_urdf_string(&urdf.concat()).unwrap(), "l0", "l7").unwrap();
    assert_eq!(chain.dof(), 6);
    let (targets, start) = targets_of(&chain, 2, 60);
    let found = CpuInverseKinematics::new(&chain, BatchIkOptions::default()).unwrap().solve(&targets, &start).unwrap();
    let count = solved(&chain, &targets, &found, &start);
    assert!(count >= 54, "{count} of 60");
}

#[test]
fn limits_of_a_device_and_divided_batches_change_no_bit() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    let chain = chain_of("ur5e");
    let options = BatchIkOptions { starts: 8, iterations: 30, seed: 7 };
    let (targets, start) = targets_of(&chain, 3, 100);
    let of = |device| GpuInverseKinematics::new(device, &chain, options).unwrap().solve(&targets, &start).unwrap();
    assert!(of(&device) == of(&small));
    let other = BatchIkOptions { seed: 8, ..options };
    let differently = GpuInverseKinematics::new(&device, &chain, other).unwrap().solve(&targets, &start).unwrap();
    assert!(differently != of(&device), "another seed has other starts");
}

#[test]
fn poses_out_of_reach_have_no_answer_and_bad_input_has_typed_errors() {
    let chain = chain_of("ur5e");
    let mut twin = CpuInverseKinematics::new(&chain, BatchIkOptions::default()).unwrap();
    let far = Pose::from_xyz(3.0, 0.0, 0.0);
    assert_eq!(twin.solve(&[far], &[0.0; 6]).unwrap(), [vec![]]);
    assert_eq!(twin.solve(&[], &[0.0; 6]).unwrap(), Vec::<Vec<BatchIkSolution>>::new());
    assert!(matches!(twin.solve(&[far], &[0.0; 5]), Err(KineticError::DimensionMismatch { .. })));
    assert!(matches!(twin.solve(&[far], &[f64::NAN; 6]), Err(KineticError::NotFinite { .. })));
    assert!(matches!(
        twin.solve(&[Pose::from_xyz(f64::NAN, 0.0, 0.0)], &[0.0; 6]),
        Err(KineticError::NotFinite { .. })
    ));
    for (starts, iterations) in [(0, 10), (10, 0), (1 << 17, 10)] {
        let options = BatchIkOptions { starts, iterations, seed: 0 };
        assert!(matches!(CpuInverseKinematics::new(&chain, options), Err(KineticError::InvalidValue { .. })));
    }
    let Some(device) = device() else { return };
    let mut solver = GpuInverseKinematics::new(&device, &chain, BatchIkOptions::default()).unwrap();
    assert_eq!(solver.solve(&[far], &[0.0; 6]).unwrap(), [vec![]]);
    let stop = StopFlag::default();
    stop.stop();
    let control = Control::new(std::sync::Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop);
    let ended = solver.solve_within(&[far], &[0.0; 6], &control);
    assert!(matches!(ended, Err(GpuError::Input(KineticError::Cancelled { .. }))));
}
