//! Name resolution of a `kinetic.toml`: from names to indices in a robot.

use std::collections::BTreeMap;
use std::ops::Range;

use kinetic_core::config::JOINT_WEIGHTS;
use kinetic_core::{JointLimits, KineticError, Pose, Result};
use toml::Spanned;

use super::{RobotConfig, fault, schema, tool};
use crate::group;
use crate::model::{
    EndEffector, IK_SOLVERS, INERTIALS, JointType, NamedPose, PlanningGroup, Provenance, SelfCollisionPairs, SkipPair,
};
use crate::robot::Robot;
use crate::tolerance::PRINTED_LIMIT_ROUNDING_RAD_M;

impl RobotConfig {
    pub(super) fn apply(&self, robot: &mut Robot) -> Result<()> {
        let about = &self.document.robot;
        about.name.clone_into(&mut robot.name);
        self.groups(robot)?;
        self.names(robot)?;
        self.end_effectors(robot)?;
        self.ik(robot)?;
        self.collision(robot)?;
        self.limits(robot)?;
        self.metric(robot)?;
        self.named_poses(robot)?;
        self.profiles(robot)?;
        robot.provenance = self.provenance(robot)?;
        Ok(())
    }

    fn provenance(&self, robot: &Robot) -> Result<Provenance> {
        let about = &self.document.robot;
        let stated = self.document.limits.acceleration_source.clone();
        Ok(Provenance {
            maker: about.maker.clone(),
            licence: about.licence.clone(),
            source: about.source.clone(),
            quality: about.quality.clone(),
            inertials: self.inertials()?,
            estimated_tensors: self.estimated_tensors(robot)?,
            acceleration_source: stated.unwrap_or_else(|| robot.provenance.acceleration_source.clone()),
        })
    }

    fn inertials(&self) -> Result<String> {
        let Some(given) = &self.document.robot.inertials else { return Ok(String::new()) };
        if INERTIALS.contains(&given.as_ref().as_str()) {
            return Ok(given.as_ref().clone());
        }
        let error = KineticError::unknown_name("origin of inertials", given.as_ref().clone(), INERTIALS);
        self.place(given.span(), "inertials", Err(error))
    }

    fn estimated_tensors(&self, robot: &Robot) -> Result<Vec<String>> {
        let Some(given) = &self.document.robot.estimated_tensors else { return Ok(Vec::new()) };
        for link in given.as_ref() {
            self.place(given.span(), "estimated_tensors", robot.link_index(link))?;
        }
        Ok(given.as_ref().clone())
    }

    /// Takes on a name that is given from outside, and the group that goes with it.
    pub(super) fn select(&self, robot: &mut Robot, name: &str) -> Result<()> {
        name.clone_into(&mut robot.name);
        if let Some(group) = self.document.names.get(name) {
            let group = self.place(group.span(), "names", robot.group_index(group.as_ref()))?;
            robot.set_default_group(group);
        }
        Ok(())
    }

    /// Checks that every name selects a group that exists.
    fn names(&self, robot: &Robot) -> Result<()> {
        for (name, group) in schema::in_order(&self.document.names) {
            self.place(group.span(), &format!("names: \"{name}\""), robot.group_index(group.as_ref()))?;
        }
        Ok(())
    }

    /// Error at a place in the text.
    pub(super) fn at(&self, span: Range<usize>, detail: impl Into<String>) -> KineticError {
        fault(self.file.clone(), self.lines.line(span.start), detail.into())
    }

    /// Gives an error the place in the text that caused it.
    fn place<T>(&self, span: Range<usize>, owner: &str, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.at(span, format!("{owner}: {error}")))
    }

    fn groups(&self, robot: &mut Robot) -> Result<()> {
        let mut groups = Vec::new();
        for (name, table) in schema::in_order(&self.document.planning_group) {
            groups.push(self.group(robot, name, table)?);
        }
        if !groups.is_empty() {
            robot.groups = groups;
            robot.named_poses.clear();
            robot.end_effectors.clear();
        }
        let about = &self.document.robot;
        let default = match &about.default_group {
            Some(name) => self.place(name.span(), "default_group", robot.group_index(name.as_ref()))?,
            None => 0,
        };
        robot.set_default_group(default);
        match &about.dof {
            Some(dof) if *dof.as_ref() != robot.dof => {
                let name = &robot.groups[default].name;
                Err(self.at(dof.span(), format!("dof = {}, but group \"{name}\" has {}", dof.as_ref(), robot.dof)))
            }
            _ => Ok(()),
        }
    }

    fn group(&self, robot: &Robot, name: &str, table: &Spanned<schema::Group>) -> Result<PlanningGroup> {
        let owner = format!("planning_group \"{name}\"");
        match (&table.as_ref().chain, &table.as_ref().joints) {
            (Some(chain), None) => {
                let [base, tip] = chain.as_ref().as_slice() else {
                    let count = chain.as_ref().len();
                    return Err(
                        self.at(chain.span(), format!("{owner}: chain has {count} links; [base, tip] is needed"))
                    );
                };
                let group = robot.link_index(base).and_then(|base| {
                    let tip = robot.link_index(tip)?;
                    group::from_chain(robot, name, base, tip)
                });
                self.place(chain.span(), &owner, group)
            }
            (None, Some(joints)) => {
                let indices = self.group_joints(robot, &owner, joints)?;
                Ok(group::listed(robot, name, &indices))
            }
            _ => Err(self.at(table.span(), format!("{owner}: either chain or joints is needed"))),
        }
    }

    /// Joints of a list: independent, each once, at least one.
    fn group_joints(&self, robot: &Robot, owner: &str, names: &Spanned<Vec<String>>) -> Result<Vec<usize>> {
        let mut joints = Vec::new();
        for name in names.as_ref() {
            let joint = self.independent_joint(robot, owner, name, names.span())?;
            if joints.contains(&joint) {
                return Err(self.at(names.span(), format!("{owner}: joint \"{name}\" is listed twice")));
            }
            joints.push(joint);
        }
        if joints.is_empty() {
            return Err(self.at(names.span(), format!("{owner}: the list of joints is empty")));
        }
        Ok(joints)
    }

    fn independent_joint(&self, robot: &Robot, owner: &str, name: &str, span: Range<usize>) -> Result<usize> {
        let index = self.place(span.clone(), owner, robot.joint_index(name))?;
        let joint = &robot.joints[index];
        match joint.mimic {
            Some(mimic) => {
                let leader = &robot.joints[mimic.joint].name;
                Err(self.at(span, format!("{owner}: joint \"{name}\" follows \"{leader}\"; name that one instead")))
            }
            None if joint.variable.is_none() => Err(self.at(span, format!("{owner}: joint \"{name}\" is fixed"))),
            None => Ok(index),
        }
    }

    fn end_effectors(&self, robot: &mut Robot) -> Result<()> {
        let mut tools = BTreeMap::new();
        for (name, table) in schema::in_order(&self.document.end_effector) {
            let owner = format!("end_effector \"{name}\"");
            let given = table.as_ref();
            let link = &given.parent_link;
            let find = |group: &Option<Spanned<String>>| {
                let group = group.as_ref();
                group.map(|group| self.place(group.span(), &owner, robot.group_index(group.as_ref()))).transpose()
            };
            let (parent_group, group) = (find(&given.parent_group)?, find(&given.group)?);
            let parent_link = self.place(link.span(), &owner, robot.link_index(link.as_ref()))?;
            let tcp = self.frame(&owner, ["tcp_xyz", "tcp_rpy"], [&given.tcp_xyz, &given.tcp_rpy])?;
            let grasp = self.frame(&owner, ["grasp_xyz", "grasp_rpy"], [&given.grasp_xyz, &given.grasp_rpy])?;
            if let Some(parent_from_tcp) = tcp {
                let span = given.parent_group.as_ref().map_or(link.span(), Spanned::span);
                let moved_by = tool::group_of(robot, parent_link, parent_group);
                let group = self.place(span, &owner, moved_by)?;
                if let Some(other) = tools.insert(group, name.clone()) {
                    let group = &robot.groups[group].name;
                    let detail =
                        format!("{owner}: end_effector \"{other}\" states the tool of group \"{group}\" already");
                    return Err(self.at(link.span(), detail));
                }
                let tip_from_tcp = tool::at_tip(robot, parent_link, group, &parent_from_tcp);
                robot.groups[group].tip_from_tcp = self.place(link.span(), &owner, tip_from_tcp)?;
            }
            robot.end_effectors.push(EndEffector {
                name: name.clone(),
                parent_link,
                parent_group,
                group,
                grasp_frame: grasp.or(tcp).unwrap_or_default(),
            });
        }
        Ok(())
    }

    /// The pose of a position (m) and fixed-axis angles (rad); `None` where neither is stated.
    fn frame(&self, owner: &str, keys: [&str; 2], values: [&Option<Spanned<Vec<f64>>>; 2]) -> Result<Option<Pose>> {
        let [x, y, z] = self.triple(owner, keys[0], values[0].as_ref())?;
        let [roll, pitch, yaw] = self.triple(owner, keys[1], values[1].as_ref())?;
        let is_stated = values.iter().any(|value| value.is_some());
        Ok(is_stated.then(|| Pose::from_xyz_rpy(x, y, z, roll, pitch, yaw)))
    }

    /// Three finite numbers; zeros when absent.
    fn triple(&self, owner: &str, key: &str, values: Option<&Spanned<Vec<f64>>>) -> Result<[f64; 3]> {
        let Some(values) = values else {
            return Ok([0.0; 3]);
        };
        match *values.as_ref().as_slice() {
            [x, y, z] if [x, y, z].iter().all(|value| value.is_finite()) => Ok([x, y, z]),
            _ => Err(self.at(values.span(), format!("{owner}: {key} must be three finite numbers"))),
        }
    }

    fn ik(&self, robot: &mut Robot) -> Result<()> {
        if let Some(solver) = &self.document.ik.solver {
            if !IK_SOLVERS.contains(&solver.as_ref().as_str()) {
                let known = IK_SOLVERS.join(", ");
                return Err(
                    self.at(solver.span(), format!("ik: no solver \"{}\"; solvers are {known}", solver.as_ref()))
                );
            }
            solver.as_ref().clone_into(&mut robot.ik_preference.solver);
        }
        if let Some(damping) = &self.document.ik.damping {
            robot.ik_preference.damping = self.at_least_zero("ik: damping", damping)?;
        }
        Ok(())
    }

    fn at_least_zero(&self, name: &str, value: &Spanned<f64>) -> Result<f64> {
        let number = *value.as_ref();
        if number.is_finite() && number >= 0.0 {
            return Ok(number);
        }
        Err(self.at(value.span(), format!("{name} = {number}; a finite number of at least 0 is needed")))
    }

    fn collision(&self, robot: &mut Robot) -> Result<()> {
        let given = &self.document.collision;
        if let Some(pairs) = &given.self_collision_pairs {
            robot.collision.self_collision_pairs = match pairs.as_ref().as_str() {
                "auto" => SelfCollisionPairs::Auto,
                "none" => SelfCollisionPairs::None,
                other => {
                    let detail =
                        format!("collision: self_collision_pairs = \"{other}\"; \"auto\" or \"none\" is needed");
                    return Err(self.at(pairs.span(), detail));
                }
            };
        }
        if let Some(padding) = &given.padding {
            robot.collision.padding = self.at_least_zero("collision: padding", padding)?;
        }
        for pair in &given.skip_pairs {
            let pair = self.skip_pair(robot, pair)?;
            robot.collision.skip_pairs.push(pair);
        }
        robot.collision.normalise();
        Ok(())
    }

    fn skip_pair(&self, robot: &Robot, pair: &Spanned<Vec<String>>) -> Result<SkipPair> {
        let (first, second, reason) = match pair.as_ref().as_slice() {
            [first, second] => (first, second, String::new()),
            [first, second, reason] => (first, second, reason.clone()),
            other => {
                let detail = format!("skip_pairs: an entry has {} words; [link, link, reason] is needed", other.len());
                return Err(self.at(pair.span(), detail));
            }
        };
        let index = |name| self.place(pair.span(), "skip_pairs", robot.link_index(name));
        let (a, b) = (index(first)?, index(second)?);
        if a == b {
            return Err(self.at(pair.span(), format!("skip_pairs: \"{first}\" is paired with itself")));
        }
        Ok(SkipPair { links: (a.min(b), a.max(b)), reason })
    }

    fn limits(&self, robot: &mut Robot) -> Result<()> {
        let given = &self.document.limits;
        self.position_limits(robot, "lower", &given.lower, |limits, value| limits.lower = limits.lower.max(value))?;
        self.position_limits(robot, "upper", &given.upper, |limits, value| limits.upper = limits.upper.min(value))?;
        self.limit(robot, "velocity", &given.velocity, |limits, value| limits.velocity = value)?;
        self.limit(robot, "acceleration", &given.acceleration, |limits, value| limits.acceleration = Some(value))?;
        self.limit(robot, "jerk", &given.jerk, |limits, value| limits.jerk = Some(value))
    }

    /// Narrower limits of positions: what a joint cannot reach by its URDF, it does not reach by configuration.
    fn position_limits(
        &self,
        robot: &mut Robot,
        key: &str,
        table: &schema::Tables<f64>,
        set: fn(&mut JointLimits, f64),
    ) -> Result<()> {
        for (name, value) in schema::in_order(table) {
            let owner = format!("limits: {key}");
            let joint = self.independent_joint(robot, &owner, name, value.span())?;
            let (number, limits) = (*value.as_ref(), robot.joints[joint].limits);
            let (lower, upper) = limits.map_or((0.0, 0.0), |limits| (limits.lower, limits.upper));
            let is_endless = robot.joints[joint].joint_type == JointType::Continuous;
            if is_endless || !(lower <= number && number <= upper) {
                let range = if is_endless { "is continuous".to_owned() } else { format!("has [{lower}, {upper}]") };
                let detail =
                    format!("{owner} of \"{name}\" = {number}, but the joint {range}; narrower limits are needed");
                return Err(self.at(value.span(), detail));
            }
            change_limits(robot, joint, |limits| set(limits, number));
            let narrowed = robot.joints[joint].variable.map(|variable| robot.joint_limits[variable]);
            if narrowed.is_some_and(|limits| limits.lower > limits.upper) {
                return Err(self.at(value.span(), format!("{owner} of \"{name}\" = {number} leaves no room")));
            }
        }
        Ok(())
    }

    fn limit(
        &self,
        robot: &mut Robot,
        key: &str,
        table: &schema::Tables<f64>,
        set: fn(&mut JointLimits, f64),
    ) -> Result<()> {
        for (name, value) in schema::in_order(table) {
            let owner = format!("limits: {key}");
            let joint = self.independent_joint(robot, &owner, name, value.span())?;
            let number = *value.as_ref();
            if !(number.is_finite() && number > 0.0) {
                let detail = format!("{owner} of \"{name}\" = {number}; a positive finite number is needed");
                return Err(self.at(value.span(), detail));
            }
            change_limits(robot, joint, |limits| set(limits, number));
        }
        Ok(())
    }

    /// Weights of joints in distances.
    fn metric(&self, robot: &mut Robot) -> Result<()> {
        for (name, value) in schema::in_order(&self.document.metric.weights) {
            let joint = self.independent_joint(robot, "metric: weights", name, value.span())?;
            let weight = *value.as_ref();
            if !JOINT_WEIGHTS.contains(&weight) {
                let (least, most) = (JOINT_WEIGHTS.start(), JOINT_WEIGHTS.end());
                let detail =
                    format!("metric: weight of \"{name}\" = {weight}; a number from {least:e} to {most:e} is needed");
                return Err(self.at(value.span(), detail));
            }
            robot.joint_weights.resize(robot.num_variables(), 1.0);
            if let Some(variable) = robot.joints[joint].variable {
                robot.joint_weights[variable] = weight;
            }
        }
        Ok(())
    }

    fn named_poses(&self, robot: &mut Robot) -> Result<()> {
        for (group_name, poses) in schema::in_order(&self.document.named_poses) {
            let group = self.place(poses.span(), "named_poses", robot.group_index(group_name))?;
            for (name, values) in schema::in_order(poses.as_ref()) {
                self.check_pose(robot, &robot.groups[group], name, values)?;
                let values = values.as_ref().as_slice().into();
                robot.named_poses.push(NamedPose { name: name.clone(), group, values });
            }
        }
        Ok(())
    }

    fn check_pose(&self, robot: &Robot, group: &PlanningGroup, name: &str, values: &Spanned<Vec<f64>>) -> Result<()> {
        let owner = format!("named pose \"{name}\" of group \"{}\"", group.name);
        let (count, dof) = (values.as_ref().len(), group.dof());
        if count != dof {
            return Err(self.at(values.span(), format!("{owner}: has {count} values, but the group has {dof} joints")));
        }
        self.place(values.span(), &owner, robot.check_limits(group, values.as_ref(), PRINTED_LIMIT_ROUNDING_RAD_M))
    }
}

/// Changes the limits of an independent joint: its own, and those that its followers have narrowed.
fn change_limits(robot: &mut Robot, joint: usize, change: impl Fn(&mut JointLimits)) {
    let joint = &mut robot.joints[joint];
    if let (Some(own), Some(variable)) = (&mut joint.limits, joint.variable) {
        change(own);
        change(&mut robot.joint_limits[variable]);
    }
}
