//! Joints that are locked: fixed at a value, with those that follow them.

use kinetic_core::{KineticError, Pose, Result};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::model::{Joint, JointDynamics, JointType, PlanningGroup};
use crate::robot::Robot;

impl Robot {
    /// The same robot with some joints fixed at values, rad or m. Configurations, groups and named poses lose their entries;
    /// groups that nothing moves any more are left out with their poses, unless all are.
    ///
    /// # Errors
    /// [`KineticError::JointNotFound`]; [`KineticError::InvalidValue`] for a joint that does not move, follows another one or is
    /// named twice; [`KineticError::NotFinite`]; [`KineticError::JointLimitViolation`].
    pub fn with_locked_joints(mut self, locked: &[(&str, f64)]) -> Result<Self> {
        let mut values = vec![None; self.num_variables()];
        for (name, value) in locked {
            let variable = self.lockable(name, *value)?;
            if values[variable].replace(*value).is_some() {
                return Err(KineticError::invalid("locked joints", format!("\"{name}\" twice"), "each joint once"));
            }
        }
        // Followers refer to the variables of their leaders, so they are fixed first.
        let fixed: Vec<Option<f64>> = self.joints.iter().map(|joint| self.locked_value(joint, &values)).collect();
        for (joint, value) in self.joints.iter_mut().zip(fixed) {
            if let Some(value) = value {
                fix(joint, value);
            }
        }
        self.renumber(&values);
        Ok(self)
    }

    /// The variable of a joint that can be locked at a value.
    fn lockable(&self, name: &str, value: f64) -> Result<usize> {
        let joint = &self.joints[self.joint_index(name)?];
        kinetic_core::error::check_finite("locked joint", &[value])?;
        let wrong = |given: &str, wanted: String| KineticError::invalid(format!("joint \"{name}\""), given, wanted);
        if let Some(mimic) = joint.mimic {
            return Err(wrong("a follower", format!("joint \"{}\", which it follows", self.joints[mimic.joint].name)));
        }
        let Some(variable) = joint.variable else { return Err(wrong("fixed", "a joint that moves".to_owned())) };
        let limits = &self.joint_limits[variable];
        if limits.contains(value, 0.0) {
            return Ok(variable);
        }
        Err(KineticError::JointLimitViolation { name: name.to_owned(), value, min: limits.lower, max: limits.upper })
    }

    /// Where a joint is fixed, itself or with its leader.
    fn locked_value(&self, joint: &Joint, values: &[Option<f64>]) -> Option<f64> {
        match joint.mimic {
            Some(mimic) => {
                let leader = values[self.joints[mimic.joint].variable?]?;
                Some(mimic.multiplier * leader + mimic.offset)
            }
            None => values[joint.variable?],
        }
    }

    /// Takes the entries of variables that have a value off everything that is listed per variable.
    fn renumber(&mut self, values: &[Option<f64>]) {
        let is_free = |variable: usize| values[variable].is_none();
        let (mut free, mut index) = (0, vec![0; values.len()]);
        for (variable, index) in index.iter_mut().enumerate() {
            *index = free;
            free += usize::from(is_free(variable));
        }
        for joint in &mut self.joints {
            joint.variable = joint.variable.map(|variable| index[variable]);
        }
        let old = std::mem::take(&mut self.groups);
        self.active_joints = kept(&self.active_joints, is_free);
        self.joint_limits = kept(&self.joint_limits, is_free);
        self.joint_weights = kept(&self.joint_weights, is_free);
        for pose in &mut self.named_poses {
            let variables = &old[pose.group].variables;
            let values = pose.values.iter().zip(variables).filter(|(_, variable)| is_free(**variable));
            pose.values = values.map(|(value, _)| *value).collect();
        }
        let groups: Vec<PlanningGroup> =
            old.iter().map(|group| without(group, &self.joints, &index, is_free)).collect();
        self.keep_moving_groups(groups);
        self.collision.pair_facts = None;
    }

    fn keep_moving_groups(&mut self, groups: Vec<PlanningGroup>) {
        let stay =
            |index: usize, group: &PlanningGroup| group.dof() > 0 || (index == self.default_group && all_rest(&groups));
        let mut places = Vec::new();
        let mut kept_groups = 0;
        for (index, group) in groups.iter().enumerate() {
            let stays = stay(index, group);
            places.push(stays.then_some(kept_groups));
            kept_groups += usize::from(stays);
        }
        let place = |group: Option<usize>| group.and_then(|group| places[group]);
        self.named_poses.retain(|pose| places[pose.group].is_some());
        for pose in &mut self.named_poses {
            pose.group = places[pose.group].unwrap_or_default();
        }
        for end_effector in &mut self.end_effectors {
            end_effector.group = place(end_effector.group);
            end_effector.parent_group = place(end_effector.parent_group);
        }
        let default = places[self.default_group].unwrap_or_default();
        self.groups =
            groups.into_iter().zip(&places).filter(|(_, place)| place.is_some()).map(|(group, _)| group).collect();
        self.set_default_group(default);
    }
}

fn all_rest(groups: &[PlanningGroup]) -> bool {
    groups.iter().all(|group| group.dof() == 0)
}

fn kept<T: Clone>(values: &[T], is_free: impl Fn(usize) -> bool) -> Vec<T> {
    values.iter().enumerate().filter(|(variable, _)| is_free(*variable)).map(|(_, value)| value.clone()).collect()
}

fn without(group: &PlanningGroup, joints: &[Joint], index: &[usize], is_free: impl Fn(usize) -> bool) -> PlanningGroup {
    let moving = |joint: &&usize| joints[**joint].joint_type.is_moving();
    PlanningGroup {
        joints: group.joints.iter().filter(moving).copied().collect(),
        variables: group.variables.iter().filter(|v| is_free(**v)).map(|variable| index[*variable]).collect(),
        ..group.clone()
    }
}

fn fix(joint: &mut Joint, value: f64) {
    let motion = match joint.joint_type {
        JointType::Prismatic => {
            Isometry3::from_parts(Translation3::from(joint.axis.into_inner() * value), UnitQuaternion::identity())
        }
        JointType::Revolute | JointType::Continuous => {
            Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&joint.axis, value))
        }
        JointType::Fixed => Isometry3::identity(),
    };
    joint.parent_from_joint = joint.parent_from_joint * Pose(motion);
    joint.joint_type = JointType::Fixed;
    joint.axis = Vector3::x_axis();
    joint.limits = None;
    joint.mimic = None;
    joint.variable = None;
    joint.dynamics = JointDynamics::default();
}
