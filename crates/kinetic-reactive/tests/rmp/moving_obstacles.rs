//! Arms before obstacles that move. Contact is judged by a checker of its own, which proves every cycle free or finds the contact.

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{Pose, Shape};
use kinetic_kinematics::KinematicChain;
use kinetic_reactive::rmp::{Policy, Rmp};
use kinetic_robot::Robot;
use kinetic_scene::{Checker, LiveScene, Margins, Scene};
use nalgebra::Vector3;

use crate::cases;
use crate::rmp::support::{Arm, built_in, cycle_curve, free_configuration};

/// Length of a cycle, s.
const DT: f64 = 0.005;
/// Cycles of a scene.
const CYCLES: u32 = 1_000;
/// Length of a scene, s.
const DURATION: f64 = CYCLES as f64 * DT;
/// Fastest obstacle, m/s.
const SPEED: f64 = 0.25;
/// Distance at which obstacles are first seen, m.
const FIRST_SEEN: f64 = 0.4;
/// Escape velocities that are tried for a scene.
const ESCAPES: usize = 400;
/// Samples of an escape.
const SAMPLES: u32 = 200;
/// Clearance that an escape keeps at its samples, m: as far as an obstacle moves from one to the middle between two.
const ESCAPE_CLEARANCE: f64 = SPEED * DURATION / SAMPLES as f64 / 2.0;

/// An object that moves along a line.
struct Mover {
    start: Pose,
    velocity: Vector3<f64>,
}

impl Mover {
    fn at(&self, time: f64) -> Pose {
        let shift = self.start.translation() + self.velocity * time;
        let mut pose = self.start;
        pose.0.translation.vector = shift;
        pose
    }
}

pub(crate) struct World {
    robot: Arc<Robot>,
    scene: Scene,
    movers: Vec<Mover>,
    start: Vec<f64>,
}

impl World {
    /// A random world, or none where the arm needs no escape or no constant velocity is one.
    fn random(name: &str, seed: u64) -> Option<Self> {
        let robot = built_in(name);
        let mut rng = SeededRng::stream(seed, 7);
        let start = free_configuration(&robot, &mut rng);
        let mut world = Self { scene: Scene::new(&robot).unwrap(), movers: Vec::new(), start, robot };
        for index in 0..=rng.below(2) {
            world.add_mover(index, &mut rng)?;
        }
        let escapes = |velocity: &[f64]| world.is_escape(velocity);
        if escapes(&vec![0.0; world.start.len()]) {
            return None;
        }
        let group = &world.robot.groups[world.robot.default_group];
        let limits = world.robot.limits(group);
        let mut found = false;
        for _ in 0..ESCAPES {
            let scale = rng.uniform(0.02, 0.5);
            let velocity: Vec<f64> = limits.velocity.iter().map(|most| scale * rng.uniform(-*most, *most)).collect();
            if world.is_escape(&velocity) {
                found = true;
                break;
            }
        }
        found.then_some(world)
    }

    /// Adds an object, far enough away, that moves towards the arm.
    fn add_mover(&mut self, index: usize, rng: &mut SeededRng) -> Option<()> {
        for _ in 0..50 {
            let shape = match rng.below(3) {
                0 => Shape::sphere(rng.uniform(0.03, 0.1)),
                1 => Shape::cuboid(rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1), rng.uniform(0.03, 0.1)),
                _ => Shape::cylinder(rng.uniform(0.03, 0.08), rng.uniform(0.05, 0.2)),
            };
            let direction = Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0));
            let links = self.scene.link_poses(&self.start).unwrap();
            let aim = links[rng.below(links.len())].translation();
            let place = aim + direction.normalize() * rng.uniform(0.5, 1.0);
            let turn = [rng.uniform(-3.0, 3.0), rng.uniform(-1.5, 1.5), rng.uniform(-3.0, 3.0)];
            let start = Pose::from_xyz_rpy(place.x, place.y, place.z, turn[0], turn[1], turn[2]);
            let name = format!("mover{index}");
            self.scene.add(&name, shape.unwrap(), start).unwrap();
            if self.scene.min_distance(&self.start).unwrap() >= FIRST_SEEN {
                let velocity = (aim - place).normalize() * rng.uniform(0.1, SPEED);
                self.movers.push(Mover { start, velocity });
                return Some(());
            }
            self.scene.remove(&name);
        }
        None
    }

    fn move_to(&self, scene: &mut Scene, time: f64) {
        for (index, mover) in self.movers.iter().enumerate() {
            scene.update_pose(&format!("mover{index}"), mover.at(time)).unwrap();
        }
    }

    /// Whether the arm stays free at a constant velocity, by samples.
    fn is_escape(&self, velocity: &[f64]) -> bool {
        let group = &self.robot.groups[self.robot.default_group];
        let mut scene = self.scene.clone();
        (0..=SAMPLES).all(|sample| {
            let time = f64::from(sample) / f64::from(SAMPLES) * DURATION;
            let q: Vec<f64> = self.start.iter().zip(velocity).map(|(q, v)| q + v * time).collect();
            if self.robot.check_limits(group, &q, 0.0).is_err() {
                return false;
            }
            self.move_to(&mut scene, time);
            !scene.check_collision(&q).unwrap() && scene.min_distance(&q).unwrap() > ESCAPE_CLEARANCE
        })
    }
}

/// What went wrong in a world, and when: the first contact.
fn first_contact(world: &World) -> Option<(f64, String)> {
    let live = LiveScene::new(world.scene.clone());
    let mut rmp = Rmp::new(&world.robot).unwrap();
    let target = KinematicChain::auto_detect(&world.robot).unwrap().tip_pose(&world.start);
    let policies = [
        Policy::ReachTarget { target, gain: 4.0 },
        Policy::AvoidObstacles { scene: live.clone(), influence_distance: 0.3, gain: 20.0 },
        Policy::AvoidSelfCollision { gain: 20.0 },
        Policy::JointLimitAvoidance { margin: 0.1, gain: 10.0 },
        Policy::Damping { coefficient: 1.0 },
    ];
    for policy in &policies {
        rmp.add(policy).unwrap();
    }
    let group = world.robot.groups[world.robot.default_group].name.clone();
    let mut arm = Arm::at(&world.start);
    let mut judged = world.scene.clone();
    for cycle in 0..CYCLES {
        let time = f64::from(cycle) * DT;
        live.edit(|scene| {
            world.move_to(scene, time);
            Ok(())
        })
        .unwrap();
        let before = arm.clone();
        let command = arm.step(&mut rmp, DT);
        for side in [time, time + DT] {
            world.move_to(&mut judged, side);
            let mut checker: Checker = judged.checker(&group, Margins::ZERO).unwrap();
            if let Some((_, pair)) = checker.curve_contact(&cycle_curve(&before, &command, DT)) {
                return Some((time, format!("{pair:?}, q {:?} qd {:?}", before.q, before.qd)));
            }
        }
    }
    None
}

#[test]
fn arms_evade_what_moves_at_them() {
    let wanted = cases(20, 1_000);
    let (mut kept, mut seed, mut failed) = (0, 0, Vec::new());
    while kept < wanted {
        let name = ["ur5e", "franka_panda", "xarm6", "kuka_iiwa14"][seed as usize % 4];
        if let Some(world) = World::random(name, seed) {
            kept += 1;
            if let Some((time, contact)) = first_contact(&world) {
                failed.push((name, seed, time, contact));
            }
        }
        seed += 1;
    }
    assert!(failed.is_empty(), "{} contacts in {kept} worlds: {failed:?}", failed.len());
}
