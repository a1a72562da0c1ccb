//! Filters of commands: what a person or a tracked device gives is smoothed before it is followed.

use kinetic_core::error::check_len;
use kinetic_core::{Pose, Result, Twist};
use nalgebra::{UnitQuaternion, Vector3};

use super::command::CommandKind;
use super::config::ServoConfig;
use crate::differential_ik::TwistFrame;
use crate::filter::{CommandFilter, CommandFilterSpec, FilterOptions};
use crate::rotation_vector::{nearest_rotation_vector, pose_from};

/// Filters of one servo; of joints and of the tool.
#[derive(Debug)]
pub(super) struct CommandFilters {
    joints: Option<Box<dyn CommandFilter>>,
    tool: Option<Box<dyn CommandFilter>>,
    /// What was filtered last: another kind of command begins anew.
    last: (CommandKind, TwistFrame),
    /// Filtered joint velocities or positions.
    values: Vec<f64>,
    /// Orientation of the first pose, and rotation vector of the last one from there.
    first: UnitQuaternion<f64>,
    turned: Vector3<f64>,
}

impl CommandFilters {
    pub(super) fn new(dof: usize, config: &ServoConfig) -> Result<Self> {
        let spec = CommandFilterSpec::by_name(&config.filter)?;
        let options = FilterOptions {
            period: config.period(),
            cutoff: config.filter_cutoff,
            beta: config.filter_beta,
            speed_cutoff: config.filter_speed_cutoff,
        };
        let make = |length: usize| spec.changes_commands().then(|| spec.make(length, &options)).transpose();
        Ok(Self {
            joints: make(dof)?,
            tool: make(6)?,
            last: (CommandKind::Stand, TwistFrame::Base),
            values: vec![0.0; dof],
            first: UnitQuaternion::identity(),
            turned: Vector3::zeros(),
        })
    }

    /// Takes filters of the caller's own; `None` filters nothing.
    pub(super) fn replace(&mut self, joints: Option<Box<dyn CommandFilter>>, tool: Option<Box<dyn CommandFilter>>) {
        (self.joints, self.tool) = (joints, tool);
        self.forget();
    }

    /// Begins anew with the next command.
    pub(super) fn forget(&mut self) {
        self.last.0 = CommandKind::Stand;
    }

    /// Whether the command is the first of its kind; the filters have forgotten the others then.
    fn begins(&mut self, kind: CommandKind, frame: TwistFrame) -> bool {
        let begins = self.last != (kind, frame);
        self.last = (kind, frame);
        if begins {
            self.joints.iter_mut().chain(&mut self.tool).for_each(|filter| filter.reset());
        }
        begins
    }

    /// Joint velocities or positions, filtered.
    ///
    /// # Errors
    /// Those of filters of the caller's own, for numbers that are not finite or of another length.
    pub(super) fn joints<'a>(&'a mut self, kind: CommandKind, given: &'a [f64]) -> Result<&'a [f64]> {
        self.begins(kind, TwistFrame::Base);
        let Some(filter) = &mut self.joints else { return Ok(given) };
        self.values.copy_from_slice(given);
        filter.apply(&mut self.values)?;
        check_len("filtered command", self.values.len(), given.len())?;
        Ok(&self.values)
    }

    /// A velocity of the tool, filtered.
    ///
    /// # Errors
    /// As [`joints`](Self::joints).
    pub(super) fn twist(&mut self, given: &Twist, frame: TwistFrame) -> Result<Twist> {
        self.begins(CommandKind::Twist, frame);
        let Some(filter) = &mut self.tool else { return Ok(*given) };
        let mut values = given.to_array();
        filter.apply(&mut values)?;
        let [x, y, z, a, b, c] = values;
        Ok(Twist::new(Vector3::new(x, y, z), Vector3::new(a, b, c)))
    }

    /// A pose of the tool, `base_from_tool`, filtered: its position, and its rotation vector from the first orientation.
    ///
    /// # Errors
    /// As [`joints`](Self::joints).
    pub(super) fn pose(&mut self, given: &Pose) -> Result<Pose> {
        if self.begins(CommandKind::PoseTracking, TwistFrame::Base) {
            (self.first, self.turned) = (given.rotation(), Vector3::zeros());
        }
        let Some(filter) = &mut self.tool else { return Ok(*given) };
        let turn = (given.rotation() * self.first.inverse()).scaled_axis();
        self.turned = nearest_rotation_vector(turn, self.turned);
        let (position, turned) = (given.translation(), self.turned);
        let mut values = [position.x, position.y, position.z, turned.x, turned.y, turned.z];
        filter.apply(&mut values)?;
        let [x, y, z, a, b, c] = values;
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(a, b, c)) * self.first;
        Ok(pose_from(Vector3::new(x, y, z), rotation))
    }
}
