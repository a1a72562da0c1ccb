//! Mimic joints: chains of followers, and the limits that a follower sets for its leader.

use std::collections::BTreeMap;

use kinetic_core::{JointLimits, Result};

use crate::description::{Description, JointDescription, MimicDescription};
use crate::limits::acceleration;
use crate::model::{Joint, Mimic};
use crate::tree::Tree;

/// `value = multiplier · leader + offset`, with the leader as an index in the description.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Follower {
    leader: usize,
    multiplier: f64,
    offset: f64,
}

impl Follower {
    pub(crate) fn to_mimic(self, tree: &Tree) -> Mimic {
        Mimic { joint: tree.joint_position[self.leader], multiplier: self.multiplier, offset: self.offset }
    }
}

/// Per joint of the description, the independent joint it follows in the end.
pub(crate) fn resolve(description: &Description) -> Result<Vec<Option<Follower>>> {
    let names: BTreeMap<&str, usize> =
        description.joints.iter().enumerate().map(|(index, joint)| (joint.name.as_str(), index)).collect();
    let mut followers = vec![None; description.joints.len()];
    for start in 0..description.joints.len() {
        let mut path = Vec::new();
        let mut current = start;
        while let (Some(mimic), None) = (&description.joints[current].mimic, followers[current]) {
            if path.len() > description.joints.len() {
                return Err(wrong(description, start, "is part of, or follows, a cycle of mimic joints"));
            }
            path.push(current);
            current = leader(description, &names, current, mimic)?;
        }
        for joint in path.into_iter().rev() {
            followers[joint] = Some(link(description, joint, current, &followers)?);
            current = joint;
        }
    }
    Ok(followers)
}

fn leader(
    description: &Description,
    names: &BTreeMap<&str, usize>,
    joint: usize,
    mimic: &MimicDescription,
) -> Result<usize> {
    match names.get(mimic.joint.as_str()) {
        None => Err(wrong(description, joint, "does not exist")),
        Some(leader) if !description.joints[*leader].joint_type.is_moving() => {
            Err(wrong(description, joint, "is fixed and cannot be followed"))
        }
        Some(leader) => Ok(*leader),
    }
}

/// The follower relation of `joint`, whose direct leader's own relation is known.
fn link(description: &Description, joint: usize, leader: usize, followers: &[Option<Follower>]) -> Result<Follower> {
    let Some(mimic) = &description.joints[joint].mimic else {
        return Ok(Follower { leader, multiplier: 1.0, offset: 0.0 });
    };
    let (multiplier, offset) = (mimic.multiplier, mimic.offset);
    let follower = match followers[leader] {
        None => Follower { leader, multiplier, offset },
        // m₁ (m₂ q + o₂) + o₁
        Some(above) => Follower {
            leader: above.leader,
            multiplier: multiplier * above.multiplier,
            offset: multiplier * above.offset + offset,
        },
    };
    if follower.multiplier.is_finite() && follower.offset.is_finite() {
        return Ok(follower);
    }
    Err(wrong(description, joint, "leads to a multiplier or offset beyond the range of numbers"))
}

fn wrong(description: &Description, joint: usize, why: &str) -> kinetic_core::KineticError {
    let joint = &description.joints[joint];
    let (line, leader) = joint.mimic.as_ref().map_or((joint.line, ""), |mimic| (mimic.line, &mimic.joint));
    description.error(line, format!("joint \"{}\": <mimic>: joint \"{leader}\" {why}", joint.name))
}

/// Narrows the limits of leaders so that their followers keep theirs.
///
/// A follower whose range is a single value states nothing usable (absent limits read as 0, 0) and is passed over. One
/// whose range leaves its leader no room contradicts it: the leader keeps its range, and a note says so.
pub(crate) fn narrow(
    description: &Description,
    tree: &Tree,
    joints: &[Joint],
    joint_limits: &mut [JointLimits],
) -> Vec<String> {
    let mut notes = Vec::new();
    for (position, joint) in joints.iter().enumerate() {
        let Some(mimic) = joint.mimic.filter(|mimic| mimic.multiplier != 0.0) else {
            continue;
        };
        let (Some(variable), Some(own)) = (joints[mimic.joint].variable, joint.limits) else {
            continue;
        };
        let given = &description.joints[tree.joints[position]];
        let limits = &mut joint_limits[variable];
        narrow_rates(limits, given, mimic.multiplier.abs());
        if own.lower < own.upper && !narrow_range(limits, &own, &mimic) {
            notes.push(format!(
                "joint \"{}\" (line {}) follows \"{}\", whose range [{}, {}] leaves no room to keep it in [{}, {}]; its own \
                 range is ignored",
                joint.name, given.line, joints[mimic.joint].name, limits.lower, limits.upper, own.lower, own.upper
            ));
        }
    }
    notes
}

/// False, and nothing changed, when a range of more than one value would shrink to one value or none.
fn narrow_range(limits: &mut JointLimits, own: &JointLimits, mimic: &Mimic) -> bool {
    let at = |value: f64| (value - mimic.offset) / mimic.multiplier;
    let (a, b) = (at(own.lower), at(own.upper));
    let (lower, upper) = (limits.lower.max(a.min(b)), limits.upper.min(a.max(b)));
    let has_room = lower < upper || (lower == upper && limits.lower == limits.upper);
    if has_room {
        (limits.lower, limits.upper) = (lower, upper);
    }
    has_room
}

fn narrow_rates(limits: &mut JointLimits, follower: &JointDescription, factor: f64) {
    let Some(stated) = follower.limits else { return };
    if let Some(velocity) = stated.velocity {
        limits.velocity = positive_minimum(limits.velocity, velocity / factor);
    }
    if let Some(stated) = stated.acceleration {
        limits.acceleration = Some(positive_minimum(acceleration(limits), stated / factor));
    }
}

/// The smaller; a quotient that underflowed to 0 or overflowed is no limit.
fn positive_minimum(limit: f64, bound: f64) -> f64 {
    if bound > 0.0 { limit.min(bound) } else { limit }
}
