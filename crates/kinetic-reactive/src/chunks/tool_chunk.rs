//! Chunks of tool poses.

use kinetic_core::{Pose, Result, Twist};
use nalgebra::{UnitQuaternion, Vector3};

use super::blend::BlendWeight;
use super::chunk::{Chunk, ChunkCurve};
use crate::rotation_vector::{angular_velocity, nearest_rotation_vector, pose_from};

/// Where the tool is to be, `base_from_tool`, and its velocity along the axes of the base.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ToolTarget {
    pub(crate) pose: Pose,
    pub(crate) twist: Twist,
}

/// Poses of the tool over time: splines of the position, and of the rotation vector from the first orientation.
#[derive(Debug, Clone)]
pub(crate) struct ToolChunk {
    curve: ChunkCurve,
    first: UnitQuaternion<f64>,
}

impl ToolChunk {
    pub(crate) fn new(base_from_tool: &[Pose], times: &[f64]) -> Result<Self> {
        let first = base_from_tool.first().map_or_else(UnitQuaternion::identity, Pose::rotation);
        let mut last = Vector3::zeros();
        let mut rows = Vec::with_capacity(base_from_tool.len());
        for pose in base_from_tool {
            pose.check_finite("chunk pose")?;
            last = nearest_rotation_vector((pose.rotation() * first.inverse()).scaled_axis(), last);
            let position = pose.translation();
            rows.push(position.iter().chain(last.iter()).copied().collect());
        }
        Ok(Self { curve: ChunkCurve::new(&rows, times)?, first })
    }
}

impl Chunk for ToolChunk {
    type Target = ToolTarget;

    fn span(&self) -> [f64; 2] {
        self.curve.span()
    }

    fn sample(&self, time: f64, target: &mut ToolTarget) {
        let [mut values, mut rates, mut curvatures] = [[0.0; 6]; 3];
        self.curve.sample(time, [&mut values, &mut rates, &mut curvatures]);
        let turned = Vector3::from_column_slice(&values[3..]);
        let turning = Vector3::from_column_slice(&rates[3..]);
        let rotation = UnitQuaternion::from_scaled_axis(turned) * self.first;
        target.pose = pose_from(Vector3::from_column_slice(&values[..3]), rotation);
        target.twist = Twist::new(Vector3::from_column_slice(&rates[..3]), angular_velocity(&turned, &turning));
    }

    /// The angular velocity is right to first order in the angle between the two.
    fn mix(target: &mut ToolTarget, next: &ToolTarget, weight: BlendWeight) {
        let BlendWeight { value, rate, .. } = weight;
        let apart = next.pose.translation() - target.pose.translation();
        let turn = (next.pose.rotation() * target.pose.rotation().inverse()).scaled_axis();
        let rotation = UnitQuaternion::from_scaled_axis(value * turn) * target.pose.rotation();
        target.pose = pose_from(target.pose.translation() + value * apart, rotation);
        let [from, to] = [target.twist, next.twist];
        target.twist = Twist::new(
            from.linear + value * (to.linear - from.linear) + rate * apart,
            from.angular + value * (to.angular - from.angular) + rate * turn,
        );
    }
}
