//! Obstacles between the tool and its target.

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::{Servo, ServoConfig};
use kinetic_scene::{LiveScene, Margins, Scene};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::support::{free_configuration, live, scene_of};

/// Thickness of walls, m.
const THICKNESS: f64 = 0.02;

/// A way that something stands in.
pub(crate) struct Blocked {
    pub(crate) scene: Scene,
    pub(crate) start: Vec<f64>,
    pub(crate) target: Pose,
}

impl Blocked {
    pub(crate) fn live(&self) -> LiveScene {
        live(self.scene.clone())
    }

    /// Whether a servo alone is within a millimetre after so many ticks.
    pub(crate) fn is_reached_by_a_servo(&self, config: &ServoConfig, ticks: usize) -> bool {
        let config = ServoConfig { command_timeout: 1e3, ..config.clone() };
        let mut servo = Servo::new(self.live(), None, config).unwrap();
        servo.set_state(&self.start, &vec![0.0; self.start.len()]).unwrap();
        servo.track_pose(&self.target).unwrap();
        for _ in 0..ticks {
            servo.tick().unwrap();
        }
        servo.tool_pose().unwrap().translation_distance(&self.target) < 1e-3
    }
}

/// A configuration, and a pose within some tenths of a metre with something between them; both keep 5 cm from it.
pub(crate) fn blocked(
    robot: &str,
    rng: &mut SeededRng,
    obstacle: impl Fn(&mut SeededRng, &mut Scene, &Pose, &Pose),
) -> Blocked {
    loop {
        if let Some(found) = try_blocked(robot, rng, &obstacle) {
            return found;
        }
    }
}

fn try_blocked(
    robot: &str,
    rng: &mut SeededRng,
    obstacle: &impl Fn(&mut SeededRng, &mut Scene, &Pose, &Pose),
) -> Option<Blocked> {
    let mut scene = scene_of(robot);
    let chain = KinematicChain::from_robot(scene.robot(), None).unwrap();
    let start = free_configuration(&scene, 0.0, rng)?;
    let end: Vec<f64> = start.iter().map(|q| q + rng.uniform(-0.7, 0.7)).collect();
    let group = scene.robot().group_or_default(None).unwrap().clone();
    let ranges = scene.robot().position_limits(&group);
    let is_inside = |q: &f64, (low, high): &(f64, f64)| *q > low + 0.1 && *q < high - 0.1;
    if !start.iter().chain(&end).zip(ranges.iter().chain(&ranges)).all(|(q, range)| is_inside(q, range)) {
        return None;
    }
    let (from, target) = (chain.tip_pose(&start), chain.tip_pose(&end));
    if !(0.35..0.8).contains(&from.translation_distance(&target)) {
        return None;
    }
    obstacle(rng, &mut scene, &from, &target);
    let mut checker = scene.checker(&group.name, Margins::new(0.05, 0.003)).unwrap();
    (checker.is_free(&start) && checker.is_free(&end)).then_some(Blocked { scene, start, target })
}

/// A ball halfway.
pub(crate) fn a_ball(_: &mut SeededRng, scene: &mut Scene, from: &Pose, to: &Pose) {
    let middle = 0.5 * (from.translation() + to.translation());
    scene.add("ball", Shape::sphere(0.05).unwrap(), Pose::from_xyz(middle.x, middle.y, middle.z)).unwrap();
}

/// A box halfway.
pub(crate) fn a_box(rng: &mut SeededRng, scene: &mut Scene, from: &Pose, to: &Pose) {
    let middle = 0.5 * (from.translation() + to.translation());
    let mut size = || rng.uniform(0.04, 0.15);
    let shape = Shape::box_from_size(size(), size(), size()).unwrap();
    scene.add("box", shape, Pose::from_xyz(middle.x, middle.y, middle.z)).unwrap();
}

/// A wall across the way, and one on either side of the tool: open only where the tool comes from.
pub(crate) fn a_dead_end(rng: &mut SeededRng, scene: &mut Scene, from: &Pose, to: &Pose) {
    let way = to.translation() - from.translation();
    let across = way.cross(&Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)));
    let turn = UnitQuaternion::face_towards(&way, &across);
    let (width, height, depth) = (rng.uniform(0.2, 0.4), rng.uniform(0.15, 0.4), rng.uniform(0.15, 0.25));
    let middle = from.translation() + 0.5 * way;
    let place = |offset: Vector3<f64>| Pose(Isometry3::from_parts(Translation3::from(middle + turn * offset), turn));
    let wall = Shape::box_from_size(width, height, THICKNESS).unwrap();
    let side = Shape::box_from_size(THICKNESS, height, depth).unwrap();
    scene.add("wall", wall, place(Vector3::zeros())).unwrap();
    scene.add("left", side.clone(), place(Vector3::new(0.5 * width, 0.0, -0.5 * depth))).unwrap();
    scene.add("right", side, place(Vector3::new(-0.5 * width, 0.0, -0.5 * depth))).unwrap();
}
