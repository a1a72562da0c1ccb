//! Reading a robot document: every index and number is validated before it is used.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::config::check_joint_weights;
use kinetic_core::error::{check_finite, check_len};
use kinetic_core::{JointLimits, KineticError, Result};
use kinetic_robot::{
    CollisionSettings, EndEffector, Geometry, GeometryShape, IkPreference, Joint, JointDynamics, JointType, Link,
    Mimic, NamedPose, PairFacts, PlanningGroup, Provenance, Robot, SelfCollisionPairs, SkipPair,
};
use nalgebra::{Unit, Vector3};

use super::{DOCUMENT_VERSION, GroupEntry, JointEntry, LimitsEntry, LinkEntry, RobotDocument};

/// Tolerance on the norm of joint axes, for rounding.
const AXIS_NORM_TOLERANCE: f64 = 1e-9;

pub(super) fn robot(text: &str, file: &str) -> Result<Robot> {
    let fault = |detail: String| KineticError::FileParse { file: file.to_owned(), line: 0, detail };
    let document: RobotDocument = serde_json::from_str(text).map_err(|error| fault(format!("robot model: {error}")))?;
    if document.version != DOCUMENT_VERSION {
        return Err(fault(format!("robot model of version {}; version {DOCUMENT_VERSION} is read", document.version)));
    }
    assemble(document).map_err(|error| fault(format!("robot model: {error}")))
}

fn assemble(document: RobotDocument) -> Result<Robot> {
    check_tree(&document)?;
    let RobotDocument { groups, joints, active_joints, .. } = &document;
    let groups = groups.iter().map(|entry| group(entry, &document)).collect::<Result<Vec<_>>>()?;
    let dof = groups[below("default group", document.default_group, groups.len())?].dof();
    let joints = joints.iter().map(joint).collect::<Result<Vec<_>>>()?;
    let named_poses = named_poses(&document, &groups)?;
    let end_effectors = end_effectors(&document)?;
    let joint_limits = document.limits.iter().map(limits).collect::<Result<_>>()?;
    Ok(Robot {
        dof,
        joints,
        active_joints: active_joints.clone(),
        joint_limits,
        joint_weights: document.joint_weights.clone(),
        groups,
        default_group: document.default_group,
        end_effectors,
        named_poses,
        collision: settings(&document)?,
        ik_preference: ik_preference(&document)?,
        sphere_model: spheres(&document)?,
        links: document.links.into_iter().map(link).collect::<Result<_>>()?,
        name: document.name,
        // What a profile says is in the options of a problem.
        profiles: BTreeMap::new(),
        provenance: Provenance::default(),
        notes: Vec::new(),
    })
}

fn below(what: &str, index: usize, count: usize) -> Result<usize> {
    if index < count {
        return Ok(index);
    }
    Err(KineticError::invalid(format!("index of the {what}"), index, format!("an index below {count}")))
}

fn positive_count(what: &str, count: usize) -> Result<()> {
    if count > 0 { Ok(()) } else { Err(KineticError::invalid(format!("number of {what}"), 0, "at least 1")) }
}

/// Links and joints are a tree in order; active joints, variables and mimic joints belong together.
fn check_tree(document: &RobotDocument) -> Result<()> {
    let RobotDocument { links, joints, active_joints, .. } = document;
    positive_count("links", links.len())?;
    positive_count("groups", document.groups.len())?;
    check_len("joints", joints.len(), links.len() - 1)?;
    check_len("limits", document.limits.len(), active_joints.len())?;
    if !document.joint_weights.is_empty() {
        check_len("joint weights", document.joint_weights.len(), active_joints.len())?;
        check_joint_weights(&document.joint_weights)?;
    }
    let wrong =
        |what: String| KineticError::invalid(what, "not a tree", "links and joints with parents before children");
    for (index, link) in links.iter().enumerate() {
        let is_right = match link.parent_joint {
            None => index == 0,
            Some(joint) => joints.get(joint).is_some_and(|joint| joint.child == index && joint.parent < index),
        };
        if !is_right {
            return Err(wrong(format!("link \"{}\"", link.name)));
        }
    }
    for (index, joint) in joints.iter().enumerate() {
        let is_active = |joint: usize| active_joints.contains(&joint);
        let is_right = match (joint.joint_type.as_str(), &joint.mimic, joint.variable) {
            ("fixed", None, None) => true,
            ("fixed", ..) => false,
            (_, Some((leader, ..)), None) => is_active(*leader),
            (_, None, Some(variable)) => active_joints.get(variable) == Some(&index),
            _ => false,
        };
        if !is_right || joint.limits.is_some() == (joint.joint_type == "fixed") {
            return Err(wrong(format!("joint \"{}\"", joint.name)));
        }
    }
    active_joints.iter().try_for_each(|joint| below("active joint", *joint, joints.len()).map(drop))
}

fn link(entry: LinkEntry) -> Result<Link> {
    let collisions = entry
        .collisions
        .into_iter()
        .map(|(pose, shape)| Ok(Geometry::new(pose, GeometryShape::Shape(shape.shape()?))))
        .collect::<Result<_>>()?;
    Ok(Link { name: entry.name, parent_joint: entry.parent_joint, inertial: None, visuals: Vec::new(), collisions })
}

fn joint(entry: &JointEntry) -> Result<Joint> {
    let types = [JointType::Revolute, JointType::Prismatic, JointType::Continuous, JointType::Fixed];
    let Some(joint_type) = types.into_iter().find(|known| known.name() == entry.joint_type) else {
        return Err(KineticError::unknown_name("joint type", entry.joint_type.clone(), types.map(JointType::name)));
    };
    check_finite(&format!("axis of \"{}\"", entry.name), &entry.axis)?;
    let axis = Vector3::from(entry.axis);
    if (axis.norm() - 1.0).abs() > AXIS_NORM_TOLERANCE {
        return Err(KineticError::invalid(format!("axis of \"{}\"", entry.name), axis.norm(), "a unit vector"));
    }
    if let Some((_, multiplier, offset)) = entry.mimic {
        check_finite(&format!("mimic of \"{}\"", entry.name), &[multiplier, offset])?;
    }
    Ok(Joint {
        name: entry.name.clone(),
        joint_type,
        parent: entry.parent,
        child: entry.child,
        parent_from_joint: entry.parent_from_joint,
        axis: Unit::new_unchecked(axis),
        limits: entry.limits.as_ref().map(limits).transpose()?,
        mimic: entry.mimic.map(|(joint, multiplier, offset)| Mimic { joint, multiplier, offset }),
        variable: entry.variable,
        dynamics: JointDynamics::default(),
    })
}

fn limits(entry: &LimitsEntry) -> Result<JointLimits> {
    let limits = JointLimits {
        lower: entry.lower.unwrap_or(f64::NEG_INFINITY),
        upper: entry.upper.unwrap_or(f64::INFINITY),
        velocity: entry.velocity.unwrap_or(f64::INFINITY),
        effort: entry.effort.unwrap_or(f64::INFINITY),
        acceleration: entry.acceleration,
        jerk: entry.jerk,
    };
    if limits.lower <= limits.upper {
        return Ok(limits);
    }
    Err(KineticError::invalid("limits", format!("[{}, {}]", limits.lower, limits.upper), "ascending numbers"))
}

fn group(entry: &GroupEntry, document: &RobotDocument) -> Result<PlanningGroup> {
    let active = &document.active_joints;
    let joint = |variable: &usize| Ok(active[below("variable", *variable, active.len())?]);
    Ok(PlanningGroup {
        name: entry.name.clone(),
        base_link: below("base link", entry.base_link, document.links.len())?,
        tip_link: below("tip link", entry.tip_link, document.links.len())?,
        joints: entry.variables.iter().map(joint).collect::<Result<_>>()?,
        variables: entry.variables.clone(),
        tip_from_tcp: entry.tip_from_tcp,
    })
}

fn named_poses(document: &RobotDocument, groups: &[PlanningGroup]) -> Result<Vec<NamedPose>> {
    let pose = |entry: &super::NamedPoseEntry| {
        let group = below("group of a named pose", entry.group, groups.len())?;
        check_len(&format!("named pose \"{}\"", entry.name), entry.values.len(), groups[group].dof())?;
        check_finite(&format!("named pose \"{}\"", entry.name), &entry.values)?;
        Ok(NamedPose { name: entry.name.clone(), group, values: entry.values.clone().into() })
    };
    document.named_poses.iter().map(pose).collect()
}

fn end_effectors(document: &RobotDocument) -> Result<Vec<EndEffector>> {
    let group = |index: Option<usize>| index.map(|index| below("group", index, document.groups.len())).transpose();
    let effector = |entry: &super::EndEffectorEntry| {
        Ok(EndEffector {
            name: entry.name.clone(),
            parent_link: below("link of an end effector", entry.parent_link, document.links.len())?,
            parent_group: group(entry.parent_group)?,
            group: group(entry.group)?,
            grasp_frame: entry.grasp_frame,
        })
    };
    document.end_effectors.iter().map(effector).collect()
}

fn settings(document: &RobotDocument) -> Result<CollisionSettings> {
    let pair = |(a, b): (usize, usize)| {
        let count = document.links.len();
        Ok((below("link of a pair", a, count)?, below("link of a pair", b, count)?))
    };
    check_finite("padding", &[document.padding])?;
    let skip =
        |(a, b, reason): &(usize, usize, String)| Ok(SkipPair { links: pair((*a, *b))?, reason: reason.clone() });
    let facts = |entry: &super::PairFactsEntry| {
        entry
            .always
            .iter()
            .chain(entry.never.iter().map(|(links, _)| links))
            .try_for_each(|links| pair(*links).map(drop))?;
        Ok(PairFacts { fingerprint: entry.fingerprint, always: entry.always.clone(), never: entry.never.clone() })
    };
    Ok(CollisionSettings {
        self_collision_pairs: if document.checks_itself { SelfCollisionPairs::Auto } else { SelfCollisionPairs::None },
        padding: document.padding,
        skip_pairs: document.skip_pairs.iter().map(skip).collect::<Result<_>>()?,
        pair_facts: document.pair_facts.as_ref().map(facts).transpose()?,
        precomputed: Arc::default(),
    })
}

fn ik_preference(document: &RobotDocument) -> Result<IkPreference> {
    let (solver, damping) = &document.ik;
    if !kinetic_robot::IK_SOLVERS.contains(&solver.as_str()) {
        return Err(KineticError::unknown_name("solver", solver.clone(), kinetic_robot::IK_SOLVERS));
    }
    check_finite("damping", &[*damping])?;
    Ok(IkPreference { solver: solver.clone(), damping: *damping })
}

fn spheres(document: &RobotDocument) -> Result<Option<Vec<Vec<[f64; 4]>>>> {
    if let Some(model) = &document.spheres {
        check_len("sphere model", model.len(), document.links.len())?;
        model.iter().try_for_each(|link| check_finite("sphere model", link.as_flattened()))?;
    }
    Ok(document.spheres.clone())
}
