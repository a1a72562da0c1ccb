//! Components of a twist that are commanded to be zero: the tool is held there.
//!
//! Joints that follow their velocities one by one leave the line a little whenever these change, and the sum of it is a drift. So where
//! a component is commanded to be zero, the tool goes back to where it was when it came to rest along it.

use kinetic_core::Twist;
use kinetic_kinematics::Rigid;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

use crate::differential_ik::{TwistCommand, TwistFrame};
use crate::rotation_vector::way_to;

/// Along a component that is slower, m/s and rad/s, the tool is at rest.
const REST: [f64; 2] = [2e-3, 1e-2];

/// No component is drawn back from farther away, m and rad: what pushes the tool off its line is not fought.
const FARTHEST: [f64; 2] = [2e-3, 1e-2];

/// Where the tool is held.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldAxes {
    frame: TwistFrame,
    /// Components of the position that are held, and the point whose components they are, in the base.
    is_held: [bool; 3],
    point: Vector3<f64>,
    rotation: Option<UnitQuaternion<f64>>,
    /// The tool one tick ago.
    before: Option<Rigid>,
}

impl HeldAxes {
    /// Forgets where the tool was held.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// What is to be added to a twist, in its frame: `gain` times what is left to where the tool is held, per second.
    pub(super) fn correction(
        &mut self,
        command: &TwistCommand<'_>,
        base_from_tool: &Rigid,
        period: f64,
        gain: f64,
    ) -> Twist {
        if command.frame != self.frame {
            *self = Self { frame: command.frame, ..Self::default() };
        }
        // Before the second tick nothing says whether the tool rests.
        let Some(before) = self.before.replace(*base_from_tool) else { return Twist::default() };
        let (moved, turned) = way_to(&before, &base_from_tool.translation, &rotation_of(base_from_tool));
        let base_from_frame = match command.frame {
            TwistFrame::Base => Matrix3::identity(),
            TwistFrame::Tool => base_from_tool.rotation,
            // Nothing is known here of where another link turns to.
            TwistFrame::Link(_) => return Twist::default(),
        };
        let turn = self.held_rotation(command, base_from_tool, turned / period);
        // Along axes that turn there is no line, but for a tool that stays where it is.
        let has_line = command.frame == TwistFrame::Base || self.rotation.is_some();
        let is_zero = command.twist.linear == Vector3::zeros() && command.position_mask.count() == 3;
        let way = if has_line || is_zero {
            self.held_position(command, base_from_tool, &base_from_frame, moved / period)
        } else {
            self.is_held = [false; 3];
            Vector3::zeros()
        };
        Twist::new(gain * way, gain * (base_from_frame.transpose() * turn))
    }

    /// The way back to the components that are held, in the frame.
    fn held_position(
        &mut self,
        command: &TwistCommand<'_>,
        tool: &Rigid,
        base_from_frame: &Matrix3<f64>,
        velocity: Vector3<f64>,
    ) -> Vector3<f64> {
        let frame_from_base = base_from_frame.transpose();
        let speeds = frame_from_base * velocity;
        let mut way = frame_from_base * (self.point - tool.translation);
        for axis in 0..3 {
            let is_zero = command.position_mask.has(axis) && command.twist.linear[axis] == 0.0;
            // What begins to be held is held where it is.
            let goes_back = is_zero && self.is_held[axis];
            way[axis] = if goes_back { way[axis].clamp(-FARTHEST[0], FARTHEST[0]) } else { 0.0 };
            self.is_held[axis] = is_zero && (goes_back || speeds[axis].abs() < REST[0]);
        }
        self.point = tool.translation + base_from_frame * way;
        way
    }

    /// The way back to the rotation where all components of it are held, in the base.
    fn held_rotation(&mut self, command: &TwistCommand<'_>, tool: &Rigid, velocity: Vector3<f64>) -> Vector3<f64> {
        let is_zero = command.rotation_mask.count() == 3 && command.twist.angular == Vector3::zeros();
        let now = rotation_of(tool);
        self.rotation = match self.rotation {
            Some(held) if is_zero => Some(held),
            _ => (is_zero && velocity.norm() < REST[1]).then_some(now),
        };
        let Some(held) = self.rotation else { return Vector3::zeros() };
        let (_, turn) = way_to(tool, &tool.translation, &held);
        if turn.norm() <= FARTHEST[1] {
            return turn;
        }
        let kept = turn.normalize() * FARTHEST[1];
        self.rotation = Some(UnitQuaternion::from_scaled_axis(kept) * now);
        kept
    }
}

fn rotation_of(tool: &Rigid) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(tool.rotation))
}
