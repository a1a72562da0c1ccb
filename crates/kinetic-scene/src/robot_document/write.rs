//! Writing a robot document.

use kinetic_core::{JointLimits, Result};
use kinetic_robot::{Joint, Link, PairFacts, Robot, SelfCollisionPairs};

use super::shape::LinkShape;
use super::{
    DOCUMENT_VERSION, EndEffectorEntry, GroupEntry, JointEntry, LimitsEntry, LinkEntry, NamedPoseEntry, PairFactsEntry,
    RobotDocument,
};
use crate::mesh_pieces::MeshPieces;
use kinetic_collision_simd::StoredResults;

pub(super) fn document(robot: &Robot) -> Result<RobotDocument> {
    let settings = &robot.collision;
    let mut meshes = MeshPieces::new(StoredResults::of_user());
    Ok(RobotDocument {
        version: DOCUMENT_VERSION,
        name: robot.name.clone(),
        links: robot.links.iter().map(|this| link(this, &mut meshes)).collect::<Result<_>>()?,
        joints: robot.joints.iter().map(joint).collect(),
        active_joints: robot.active_joints.clone(),
        limits: robot.joint_limits.iter().map(limits).collect(),
        joint_weights: robot.joint_weights.clone(),
        groups: groups(robot),
        default_group: robot.default_group,
        end_effectors: end_effectors(robot),
        named_poses: named_poses(robot),
        checks_itself: settings.self_collision_pairs == SelfCollisionPairs::Auto,
        padding: settings.padding,
        skip_pairs: settings.skip_pairs.iter().map(|p| (p.links.0, p.links.1, p.reason.clone())).collect(),
        pair_facts: settings.pair_facts.as_ref().map(pair_facts),
        ik: (robot.ik_preference.solver.clone(), robot.ik_preference.damping),
        spheres: robot.sphere_model.clone(),
    })
}

fn link(link: &Link, meshes: &mut MeshPieces) -> Result<LinkEntry> {
    let shapes = meshes.link_shapes(link)?;
    let collisions = shapes.iter().map(|(pose, shape)| Ok((*pose, LinkShape::of(shape)?))).collect::<Result<_>>()?;
    Ok(LinkEntry { name: link.name.clone(), parent_joint: link.parent_joint, collisions })
}

fn joint(joint: &Joint) -> JointEntry {
    JointEntry {
        name: joint.name.clone(),
        joint_type: joint.joint_type.name().to_owned(),
        parent: joint.parent,
        child: joint.child,
        parent_from_joint: joint.parent_from_joint,
        axis: joint.axis.into_inner().into(),
        limits: joint.limits.as_ref().map(limits),
        mimic: joint.mimic.map(|mimic| (mimic.joint, mimic.multiplier, mimic.offset)),
        variable: joint.variable,
    }
}

fn limits(limits: &JointLimits) -> LimitsEntry {
    let finite = |value: f64| value.is_finite().then_some(value);
    LimitsEntry {
        lower: finite(limits.lower),
        upper: finite(limits.upper),
        velocity: finite(limits.velocity),
        effort: finite(limits.effort),
        acceleration: limits.acceleration,
        jerk: limits.jerk,
    }
}

fn groups(robot: &Robot) -> Vec<GroupEntry> {
    let entry = |group: &kinetic_robot::PlanningGroup| GroupEntry {
        name: group.name.clone(),
        base_link: group.base_link,
        tip_link: group.tip_link,
        variables: group.variables.clone(),
        tip_from_tcp: group.tip_from_tcp,
    };
    robot.groups.iter().map(entry).collect()
}

fn end_effectors(robot: &Robot) -> Vec<EndEffectorEntry> {
    let entry = |effector: &kinetic_robot::EndEffector| EndEffectorEntry {
        name: effector.name.clone(),
        parent_link: effector.parent_link,
        parent_group: effector.parent_group,
        group: effector.group,
        grasp_frame: effector.grasp_frame,
    };
    robot.end_effectors.iter().map(entry).collect()
}

fn named_poses(robot: &Robot) -> Vec<NamedPoseEntry> {
    let entry = |pose: &kinetic_robot::NamedPose| NamedPoseEntry {
        name: pose.name.clone(),
        group: pose.group,
        values: pose.values.0.clone(),
    };
    robot.named_poses.iter().map(entry).collect()
}

fn pair_facts(facts: &PairFacts) -> PairFactsEntry {
    PairFactsEntry { fingerprint: facts.fingerprint, always: facts.always.clone(), never: facts.never.clone() }
}
