//! Where the joints of a robot were.

use std::f64::consts::{PI, TAU};

use kinetic_core::{Around, StampedHistory};
use kinetic_robot::{JointType, Robot};

/// Joint values of a robot (robot length) over time.
#[derive(Debug)]
pub(super) struct JointHistory {
    values: StampedHistory<Vec<f64>>,
    /// Per variable whether a full turn is the same value.
    is_continuous: Vec<bool>,
}

impl JointHistory {
    pub(super) fn new(robot: &Robot) -> Self {
        let kind = |joint: &usize| robot.joints[*joint].joint_type == JointType::Continuous;
        Self { values: StampedHistory::default(), is_continuous: robot.active_joints.iter().map(kind).collect() }
    }

    pub(super) fn insert(&mut self, stamp: f64, q: Vec<f64>, kept: f64) {
        self.values.insert(stamp, q, kept);
    }

    /// The first time and the last one.
    pub(super) fn span(&self) -> Option<(f64, f64)> {
        self.values.span()
    }

    /// The joint values at a time, on lines between those before and after it; the shorter way round for joints without limits.
    pub(super) fn at(&self, stamp: f64) -> Option<Vec<f64>> {
        Some(match self.values.around(stamp)? {
            Around::At(q) => q.clone(),
            Around::Between(before, after, ratio) => {
                let step = |(index, (a, b)): (usize, (&f64, &f64))| {
                    let turn = if self.is_continuous[index] { (b - a + PI).rem_euclid(TAU) - PI } else { b - a };
                    a + ratio * turn
                };
                before.iter().zip(after).enumerate().map(step).collect()
            }
        })
    }
}
