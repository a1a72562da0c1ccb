//! Obstacles that move. Oracle: exact distances of the scene as it is in every tick.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_reactive::{Servo, ServoConfig};

use super::joints::random_command;
use super::{Bounds, DISTANCE_TOLERANCE, ROBOTS, checker};
use crate::cases;
use crate::support::{cluttered, live};

#[test]
fn an_arm_stops_before_an_obstacle_of_the_declared_speed_reaches_it() {
    let mut closest = f64::INFINITY;
    for seed in 0..cases(8, 400) as u64 {
        let mut rng = SeededRng::new(seed);
        let name = ROBOTS[rng.below(ROBOTS.len())];
        let (scene, start) = cluttered(name, 3, 0.4, &mut rng);
        let scene = live(scene);
        let speed = rng.uniform(0.1, 0.5);
        let config = ServoConfig { obstacle_speed: speed, command_timeout: 1e3, ..ServoConfig::tracking() };
        let (bounds, period) = (Bounds::of(&scene.robot(), &config), config.period());
        let mut servo = Servo::new(scene.clone(), None, config).unwrap();
        servo.set_state(&start, &vec![0.0; start.len()]).unwrap();
        for _ in 0..3000 {
            if rng.below(40) == 0 {
                random_command(&mut servo, &mut rng, &bounds);
            }
            if servo.tick().unwrap().min_distance < f64::INFINITY && rng.below(10) == 0 {
                break;
            }
        }
        // From now on the nearest object flies at the arm, while it stops.
        servo.stop();
        while servo.output().state.velocities.iter().any(|velocity| velocity.abs() > 1e-9) {
            let q = servo.output().state.positions.clone();
            let nearest =
                scene.snapshot().contacts(&q, 5.0).unwrap().into_iter().find(|c| c.pair.other.starts_with("object"));
            if let Some(contact) = nearest {
                let towards = -contact.normal * speed * period;
                scene
                    .edit(|own| {
                        let pose = own.object(&contact.pair.other).unwrap().pose;
                        own.update_pose(&contact.pair.other, Pose::from_xyz(towards.x, towards.y, towards.z) * pose)
                    })
                    .unwrap();
            }
            let output = servo.tick().unwrap();
            let distance = checker(&scene, 0.0).world_distance(&output.state.positions).0;
            closest = closest.min(distance);
            assert!(distance > 0.03 - DISTANCE_TOLERANCE, "seed {seed}, {name}: {distance} {output:?}");
        }
    }
    assert!(closest < 0.15, "{closest}");
}
