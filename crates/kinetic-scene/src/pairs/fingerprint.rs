//! Fingerprint of everything that the facts about pairs depend on.

use kinetic_collision_simd::stored_results::rounded;
use kinetic_core::{Pose, Shape};
use kinetic_robot::{Robot, SelfCollisionPairs};

use crate::link_geometry::LinkGeometry;

/// FNV-1a (Fowler, Noll, Vo) over numbers.
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn integer(&mut self, value: u64) {
        for byte in value.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    fn number(&mut self, value: f64) {
        self.integer(rounded(value));
    }

    fn numbers(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.number(value));
    }

    fn pose(&mut self, pose: &Pose) {
        // A rotation matrix, since a quaternion and its negative are the same rotation.
        self.numbers(pose.0.to_homogeneous().iter().copied());
    }

    fn shape(&mut self, shape: &Shape) {
        for byte in shape.kind().bytes() {
            self.integer(u64::from(byte));
        }
        match shape {
            Shape::Sphere { radius } => self.number(*radius),
            Shape::Capsule { radius, half_height } | Shape::Cylinder { radius, half_height } => {
                self.numbers([*radius, *half_height]);
            }
            Shape::Cuboid { half_extents } => self.numbers(half_extents.iter().copied()),
            Shape::Convex { vertices, radius } => {
                self.number(*radius);
                self.numbers(vertices.iter().flat_map(|vertex| [vertex.x, vertex.y, vertex.z]));
            }
            // No link is a half-space, and new kinds get an arm of their own here.
            _ => {}
        }
    }
}

/// Fingerprint of joints, limits, shapes (per link) and switched-off pairs of a robot.
pub(crate) fn fingerprint(robot: &Robot, shapes: &[Vec<(Pose, Shape)>]) -> u64 {
    let mut print = Fingerprint::new();
    for joint in &robot.joints {
        print.numbers([joint.joint_type as u8, u8::from(joint.mimic.is_some())].map(f64::from));
        print.numbers([joint.parent, joint.child].map(|index| index as f64));
        print.pose(&joint.parent_from_joint);
        print.numbers(joint.axis.iter().copied());
        if let Some(mimic) = &joint.mimic {
            print.numbers([mimic.joint as f64, mimic.multiplier, mimic.offset]);
        }
    }
    print.numbers(robot.joint_limits.iter().flat_map(|limits| [limits.lower, limits.upper]));
    for link in shapes {
        print.integer(link.len() as u64);
        for (pose, shape) in link {
            print.pose(pose);
            print.shape(shape);
        }
    }
    print.integer(u64::from(robot.collision.self_collision_pairs == SelfCollisionPairs::None));
    for skip in &robot.collision.skip_pairs {
        print.integer(skip.links.0 as u64);
        print.integer(skip.links.1 as u64);
    }
    print.0
}

/// A fingerprint that changes with the spheres of links too.
pub(crate) fn with_spheres(fingerprint: u64, links: &[LinkGeometry]) -> u64 {
    let mut print = Fingerprint(fingerprint);
    for link in links {
        print.integer(link.spheres.len() as u64);
        for sphere in &link.spheres {
            print.numbers(sphere.center.iter().copied().chain([sphere.radius]));
        }
    }
    print.0
}
