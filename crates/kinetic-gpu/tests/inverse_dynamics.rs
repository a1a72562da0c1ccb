//! Inverse dynamics in single precision against that in double precision, and against laws of mechanics.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Control, KineticError, ManualClock, Payload, Pose, StopFlag};
use kinetic_dynamics::{BaseMotion, DynamicsModel};
use kinetic_gpu::{ComputeDevice, CpuInverseDynamics, DeviceInverseDynamics, GpuError, GpuInverseDynamics};
use kinetic_robot::Robot;
use nalgebra::{Matrix3, Vector3};

use crate::cases;
use crate::robots::{chain, random_configuration, random_robot};
use crate::support::{device, small_device, turn_with_shared_device};

/// Of the largest effort of a joint in a batch: single precision over up to 24 joints.
const TOLERANCE: f64 = 1e-5;
/// Rows of a batch.
const ROWS: usize = 16;

/// Values, velocities and accelerations of a batch.
struct States([Vec<f64>; 3]);

impl States {
    fn random(model: &DynamicsModel, seed: u64, rows: usize) -> Self {
        let mut rng = SeededRng::new(seed);
        let mut numbers = |size: f64| (0..rows * model.dof()).map(|_| rng.uniform(-size, size)).collect();
        Self([numbers(3.0), numbers(2.0), numbers(5.0)])
    }

    fn of_robot(robot: &Robot, seed: u64, rows: usize) -> Self {
        let mut rng = SeededRng::new(seed);
        let q: Vec<f64> = (0..rows).flat_map(|_| random_configuration(robot, &mut rng)).collect();
        let mut numbers = |size: f64| (0..q.len()).map(|_| rng.uniform(-size, size)).collect();
        let (v, a) = (numbers(2.0), numbers(5.0));
        Self([q, v, a])
    }

    fn views(&self) -> [&[f64]; 3] {
        self.0.each_ref().map(|values| &values[..])
    }
}

fn reference(model: &DynamicsModel, states: &States) -> Vec<f64> {
    let mut tau = vec![0.0; states.0[0].len()];
    model.inverse_dynamics_batch(states.views(), &mut tau).unwrap();
    tau
}

/// Largest difference as a part of the largest effort of its joint in the batch.
fn difference(found: &[f32], wanted: &[f64], dof: usize) -> f64 {
    assert_eq!(found.len(), wanted.len());
    let of_joint = |joint: usize| {
        let (found, wanted) = (found.iter().skip(joint).step_by(dof), wanted.iter().skip(joint).step_by(dof));
        let size = wanted.clone().fold(0.0_f64, |size, effort| size.max(effort.abs()));
        found.zip(wanted).map(|(found, wanted)| (f64::from(*found) - wanted).abs() / size).fold(0.0, f64::max)
    };
    (0..dof).map(of_joint).fold(0.0, f64::max)
}

/// The twin's efforts and, where there is a device, the shader's.
fn both(model: &DynamicsModel, states: &States) -> Vec<(&'static str, Vec<f32>)> {
    let mut found = vec![("twin", CpuInverseDynamics::new(model).efforts(states.views()).unwrap())];
    if let Some(device) = device() {
        found.push(("device", GpuInverseDynamics::new(&device, model).unwrap().efforts(states.views()).unwrap()));
    }
    found
}

/// Both against double precision; the largest difference.
fn check(name: &str, model: &DynamicsModel, states: &States) -> f64 {
    let wanted = reference(model, states);
    let mut worst = 0.0_f64;
    for (who, found) in both(model, states) {
        let difference = difference(&found, &wanted, model.dof());
        assert!(difference < TOLERANCE, "{name}, {who}: {difference:e}");
        worst = worst.max(difference);
    }
    worst
}

/// A random robot with rotors, under another gravity, with a payload, on a base that moves.
fn random_model(seed: u64) -> (Arc<Robot>, DynamicsModel) {
    let mut rng = SeededRng::new(seed + 77);
    let mut robot = (*random_robot(seed)).clone();
    for joint in &mut robot.joints {
        joint.dynamics.armature = rng.uniform(0.0, 0.2);
    }
    let mut vector = |size: f64| Vector3::from_fn(|_, _| rng.uniform(-size, size));
    let base =
        BaseMotion { acceleration: vector(2.0), angular_velocity: vector(1.0), angular_acceleration: vector(1.0) };
    let gravity = vector(10.0);
    let mut model = DynamicsModel::from_robot(&robot).unwrap().with_gravity(gravity).unwrap();
    if seed % 2 == 1 {
        let payload = Payload::new(1.5, Vector3::new(0.01, 0.02, 0.05), Matrix3::identity() * 0.003).unwrap();
        let link = robot.links[robot.links.len() - 1].name.clone();
        model = model.with_payload(&link, &Pose::from_xyz_rpy(0.0, 0.1, 0.0, 0.3, 0.2, 0.1), &payload).unwrap();
        model = model.with_base_motion(base).unwrap();
    }
    (Arc::new(robot), model)
}

#[test]
fn built_in_robots_agree_with_double_precision() {
    for name in ["franka_panda", "ur5e", "fetch", "kuka_iiwa14", "abb_yumi_left"] {
        let robot = Robot::from_name(name).unwrap();
        let arm = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
        let worst = check(name, &arm, &States::random(&arm, 3, 10 * ROWS));
        eprintln!("{name}: {worst:e}");
    }
}

#[test]
fn random_robots_agree_with_double_precision() {
    let mut worst = 0.0_f64;
    for seed in 0..cases(40, 600) as u64 {
        let (robot, model) = random_model(seed);
        worst = worst.max(check(&format!("robot {seed}"), &model, &States::of_robot(&robot, seed, ROWS)));
    }
    eprintln!("random robots: {worst:e}");
}

#[test]
fn the_shader_is_its_twin() {
    let Some(device) = device() else { return };
    let mut worst = 0.0_f64;
    for seed in 0..cases(20, 300) as u64 {
        let (robot, model) = random_model(seed);
        let states = States::of_robot(&robot, seed, ROWS);
        let twin = CpuInverseDynamics::new(&model).efforts(states.views()).unwrap();
        let found = GpuInverseDynamics::new(&device, &model).unwrap().efforts(states.views()).unwrap();
        let wanted: Vec<f64> = twin.into_iter().map(f64::from).collect();
        let difference = difference(&found, &wanted, model.dof());
        assert!(difference < TOLERANCE, "robot {seed}: {difference:e}");
        worst = worst.max(difference);
    }
    eprintln!("{}: {worst:e} from the twin", device.info());
}

#[test]
fn efforts_are_mass_times_acceleration_and_what_rest_takes() {
    for seed in 0..cases(10, 100) as u64 {
        let (robot, model) = random_model(seed);
        let (States([q, v, a]), n) = (States::of_robot(&robot, seed, ROWS), model.dof());
        let mut mass = vec![0.0; ROWS * n * n];
        model.mass_matrix_batch(&q, &mut mass).unwrap();
        let still = States([q.clone(), v.clone(), vec![0.0; q.len()]]);
        let moving = States([q, v, a.clone()]);
        for ((who, with), (_, without)) in both(&model, &moving).into_iter().zip(both(&model, &still)) {
            let size = with.iter().fold(0.0_f32, |size, effort| size.max(effort.abs()));
            for (index, (with, without)) in with.iter().zip(&without).enumerate() {
                let (row, joint) = (index / n, index % n);
                let line = &mass[(row * n + joint) * n..][..n];
                let wanted: f64 = line.iter().zip(&a[row * n..]).map(|(mass, a)| mass * a).sum();
                let difference = (f64::from(with - without) - wanted).abs() / f64::from(size);
                assert!(difference < 2.0 * TOLERANCE, "robot {seed}, {who}, row {row}: {difference:e}");
            }
        }
    }
}

#[test]
fn power_is_what_energy_grows_by() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap().with_friction(false);
    let (states, n, mut data) = (States::random(&model, 8, ROWS), model.dof(), model.data());
    let mut energy = |q: &[f64], v: &[f64]| {
        model.kinetic_energy(&mut data, q, v).unwrap() + model.potential_energy(&mut data, q).unwrap()
    };
    let [q, v, a] = &states.0;
    let rows: Vec<[&[f64]; 3]> = (0..ROWS).map(|row| [q, v, a].map(|values| &values[row * n..(row + 1) * n])).collect();
    let growth = |energy: &mut dyn FnMut(&[f64], &[f64]) -> f64, [q, v, a]: [&[f64]; 3], step: f64| {
        let moved: Vec<f64> = (0..n).map(|j| q[j] + step * (v[j] + 0.5 * step * a[j])).collect();
        let faster: Vec<f64> = (0..n).map(|j| v[j] + step * a[j]).collect();
        energy(&moved, &faster)
    };
    for (who, found) in both(&model, &states) {
        for (row, efforts) in rows.iter().zip(found.chunks_exact(n)) {
            let step = 1e-5;
            let rate = (growth(&mut energy, *row, step) - growth(&mut energy, *row, -step)) / (2.0 * step);
            let power: f64 = efforts.iter().zip(row[1]).map(|(effort, v)| f64::from(*effort) * v).sum();
            let size: f64 = efforts.iter().zip(row[1]).map(|(effort, v)| (f64::from(*effort) * v).abs()).sum();
            assert!((rate - power).abs() < TOLERANCE * size, "{who}: {rate} W, {power} W");
        }
    }
}

#[test]
fn what_the_model_is_told_counts() {
    let robot = Robot::from_name("franka_panda").unwrap();
    let arm = || DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    let turning = BaseMotion { angular_velocity: Vector3::new(0.5, -1.0, 2.0), ..BaseMotion::default() };
    let payload = Payload::new(3.0, Vector3::new(0.0, 0.0, 0.1), Matrix3::zeros()).unwrap();
    let tip = robot.links[robot.groups[robot.default_group].tip_link].name.clone();
    let changed = [
        ("payload", arm().with_payload(&tip, &Pose::identity(), &payload).unwrap()),
        ("gravity", arm().with_gravity(Vector3::new(0.0, 3.0, -1.6)).unwrap()),
        ("base", arm().with_base_motion(turning).unwrap()),
    ];
    let states = States::random(&arm(), 11, ROWS);
    let plain = reference(&arm(), &states);
    for (name, model) in changed {
        check(name, &model, &states);
        for (who, found) in both(&model, &states) {
            assert!(difference(&found, &plain, model.dof()) > 1e-3, "{name}, {who}");
        }
    }
}

#[test]
fn friction_counts_where_the_model_says_so_and_however_slow_a_joint_is() {
    let mut robot = chain(2);
    for joint in &mut robot.joints {
        (joint.dynamics.damping, joint.dynamics.friction) = (0.3, 0.7);
    }
    let model = || DynamicsModel::from_robot(&robot).unwrap().with_gravity(Vector3::zeros()).unwrap();
    // Smaller than what single precision holds.
    let states = States([vec![0.2, 0.4], vec![1e-300, -1e-40], vec![0.0; 2]]);
    for (who, found) in both(&model(), &states) {
        assert!((found[0] - 0.7).abs() < 1e-6 && (found[1] + 0.7).abs() < 1e-6, "{who}: {found:?}");
    }
    for (who, found) in both(&model().with_friction(false), &states) {
        assert!(found.iter().all(|effort| effort.abs() < 1e-30), "{who}: {found:?}");
    }
    let still = States([vec![0.2, 0.4], vec![0.0, -0.0], vec![0.0; 2]]);
    for (who, found) in both(&model(), &still) {
        assert!(found.iter().all(|effort| *effort == 0.0), "{who}: {found:?}");
    }
}

#[test]
fn continuous_joints_keep_their_accuracy_after_many_turns() {
    let robot = Robot::from_name("fetch").unwrap();
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    let States([mut q, v, a]) = States::random(&model, 21, ROWS);
    for row in q.chunks_exact_mut(model.dof()) {
        row[model.dof() - 1] += 1000.0 * std::f64::consts::TAU;
    }
    check("fetch", &model, &States([q, v, a]));
}

#[test]
fn batches_of_many_dispatches_have_the_rows_of_small_ones() {
    let (Some(device), Some(small)) = (device(), small_device()) else { return };
    let robot = Robot::from_name("franka_panda").unwrap();
    let (model, count) = (DynamicsModel::from_robot(&robot).unwrap(), 9000);
    let (states, n) = (States::random(&model, 5, count), model.dof());
    let of = |device| GpuInverseDynamics::new(device, &model).unwrap();
    let (mut whole, mut parts) = (of(&device), of(&small));
    let found = whole.efforts(states.views()).unwrap();
    let is_same = |other: &[f32]| found.iter().zip(other).all(|(a, b)| a.to_bits() == b.to_bits());
    assert!(is_same(&whole.efforts(states.views()).unwrap()), "a repetition changes no bit");
    assert!(is_same(&parts.efforts(states.views()).unwrap()), "limits change no bit");
    for row in [0, 1, 4095, 4096, 8999] {
        let one = whole.efforts(states.views().map(|values| &values[row * n..(row + 1) * n])).unwrap();
        assert!(one == found[row * n..(row + 1) * n], "row {row}");
    }
    let twin = CpuInverseDynamics::new(&model);
    let together = twin.efforts(states.views()).unwrap();
    let last = twin.efforts(states.views().map(|values| &values[8999 * n..])).unwrap();
    assert!(last == together[8999 * n..], "the twin's rows do not depend on their batch");
}

#[test]
fn a_robot_of_127_joints_fits_a_device() {
    let Some(device) = small_device() else { return };
    let model = DynamicsModel::from_robot(&chain(127)).unwrap();
    let states = States([vec![0.01; 127], vec![0.02; 127], vec![0.1; 127]]);
    let found = GpuInverseDynamics::new(&device, &model).unwrap().efforts(states.views()).unwrap();
    // One row has joints with hardly any effort, so the measure is the largest of all.
    let difference = difference(&found, &reference(&model, &states), 1);
    assert!(difference < TOLERANCE, "{difference:e}");
}

#[test]
fn bad_input_is_refused_and_no_rows_are_an_answer() {
    let model = DynamicsModel::from_robot(&chain(3)).unwrap();
    let twin = CpuInverseDynamics::new(&model);
    let zeros = [0.0; 6];
    assert_eq!(twin.efforts([&[], &[], &[]]).unwrap(), Vec::<f32>::new());
    for states in
        [[&zeros[..4], &zeros[..4], &zeros[..4]], [&zeros, &zeros[..3], &zeros], [&zeros, &zeros, &zeros[..3]]]
    {
        assert!(matches!(twin.efforts(states), Err(KineticError::DimensionMismatch { .. })));
    }
    let bad = [0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0];
    for states in [[&bad, &zeros, &zeros], [&zeros, &bad, &zeros], [&zeros, &zeros, &bad]] {
        let error = twin.efforts(states.map(|values| &values[..])).unwrap_err();
        assert!(matches!(error, KineticError::NotFinite { index: 4, .. }), "{error}");
    }
    let Some(device) = device() else { return };
    let mut on_device = GpuInverseDynamics::new(&device, &model).unwrap();
    assert_eq!(on_device.efforts([&[], &[], &[]]).unwrap(), Vec::<f32>::new());
    let error = on_device.efforts([&zeros, &bad, &zeros]).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::NotFinite { index: 4, .. })), "{error}");
}

#[test]
fn what_single_precision_cannot_hold_is_refused_and_what_it_can_is_right() {
    let model = DynamicsModel::from_robot(&chain(3)).unwrap();
    let twin = CpuInverseDynamics::new(&model);
    let (q, zero) = ([0.1, 0.2, 0.3], [0.0; 3]);
    for (fast, strong) in [(1e19, 0.0), (1e300, 0.0), (0.0, 1e38), (0.0, f64::MAX), (f64::MAX, f64::MAX)] {
        let error = twin.efforts([&q, &[fast; 3], &[strong; 3]]).unwrap_err();
        assert!(matches!(error, KineticError::InvalidValue { .. }), "{error}");
    }
    // The largest that are accepted: efforts are finite, and right.
    for exponent in 0..45 {
        let size = 10.0_f64.powi(exponent);
        for states in [[q, [size, -size, size], zero], [q, zero, [size, size, -size]], [q, [size.sqrt(); 3], [size; 3]]]
        {
            let states = States(states.map(|values| values.to_vec()));
            if twin.efforts(states.views()).is_ok() {
                check(&format!("size {size:e}"), &model, &states);
            }
        }
    }
    assert!(twin.efforts([&q, &[1e16, 0.0, 0.0], &[1e33; 3]]).is_ok(), "the bound is no narrower than this");
    let heavy = DynamicsModel::from_robot(&chain(1)).unwrap().with_gravity(Vector3::new(0.0, 1e300, 0.0)).unwrap();
    assert!(matches!(CpuInverseDynamics::new(&heavy).efforts([&[0.0]; 3]), Err(KineticError::InvalidValue { .. })));
}

#[test]
fn a_stop_ends_a_batch() {
    let model = DynamicsModel::from_robot(&chain(2)).unwrap();
    let stop = StopFlag::default();
    let control = Control::new(Arc::new(ManualClock::default()), f64::INFINITY, u64::MAX, stop.clone());
    let (zeros, twin) = ([0.0; 4], CpuInverseDynamics::new(&model));
    let mut on_processor = DeviceInverseDynamics::new(&"cpu".parse().unwrap(), model.clone()).unwrap();
    assert!(twin.efforts_within([&zeros; 3], &control).is_ok());
    stop.stop();
    assert!(matches!(twin.efforts_within([&zeros; 3], &control), Err(KineticError::Cancelled { .. })));
    let error = on_processor.efforts_into([&zeros; 3], &control, &mut [0.0; 4]).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::Cancelled { .. })), "{error}");
    let Some(device) = device() else { return };
    let error = GpuInverseDynamics::new(&device, &model).unwrap().efforts_within([&zeros; 3], &control).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::Cancelled { .. })), "{error}");
}

#[test]
fn on_the_processor_it_is_the_model_itself() {
    let robot = Robot::from_name("ur5e").unwrap();
    let model = DynamicsModel::from_group(&robot, &robot.groups[robot.default_group]).unwrap();
    // More than there are between two looks at the control.
    let states = States::random(&model, 13, 40_000);
    let mut dynamics = DeviceInverseDynamics::new(&"cpu".parse().unwrap(), model.clone()).unwrap();
    assert!(!dynamics.device().is_gpu() && dynamics.model().dof() == 6);
    let mut tau = vec![0.0; states.0[0].len()];
    dynamics.efforts_into(states.views(), &Control::default(), &mut tau).unwrap();
    assert!(tau == reference(&model, &states));
    let error = dynamics.efforts_into(states.views(), &Control::default(), &mut tau[1..]).unwrap_err();
    assert!(matches!(error, GpuError::Input(KineticError::DimensionMismatch { .. })), "{error}");
    dynamics.efforts_into([&[], &[], &[]], &Control::default(), &mut []).unwrap();
}

#[test]
fn a_lost_device_is_opened_anew() {
    let _turn = turn_with_shared_device();
    if device().is_none() {
        return;
    }
    let model = DynamicsModel::from_robot(&chain(4)).unwrap();
    let (states, control) = (States::random(&model, 1, ROWS), Control::default());
    let mut dynamics = DeviceInverseDynamics::new(&"gpu".parse().unwrap(), model.clone()).unwrap();
    let [mut before, mut after] = [vec![0.0; 4 * ROWS], vec![0.0; 4 * ROWS]];
    dynamics.efforts_into(states.views(), &control, &mut before).unwrap();
    let ComputeDevice::Gpu(device) = dynamics.device() else { panic!("the processor was not asked for") };
    device.destroy();
    assert!(dynamics.device().is_lost());
    dynamics.efforts_into(states.views(), &control, &mut after).unwrap();
    assert!(!dynamics.device().is_lost() && before == after);
    let after: Vec<f32> = after.into_iter().map(|effort| effort as f32).collect();
    assert!(difference(&after, &reference(&model, &states), 4) < TOLERANCE);
}
