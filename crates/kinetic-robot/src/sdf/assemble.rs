//! Assembly of a description from frames and joints: every link in the frame that the file gives it.

use std::collections::{BTreeMap, BTreeSet};

use kinetic_core::{Pose, Result};
use nalgebra::{Unit, Vector3};

use super::frames::{Carrier, WORLD_FRAME};
use super::placed::{Parts, Placed, fixed, massless};
use super::reader::SdfReader;
use super::source::{AxisSource, JointSource, LinkSource, MimicSource, OutermostModel, SdfJointKind};
use crate::description::{Description, JointDescription, LinkDescription, MimicDescription};
use crate::model::JointType;

/// Name of the link that stands for the world.
const WORLD_LINK: &str = "world";

/// An axis that passes the child's origin at less than this distance passes through it, m: rounding of products of
/// poses, far below what is manufactured.
const SAME_POINT_M: f64 = 1e-12;

/// What a reader read, with every frame placed in the world.
pub(super) struct SdfAssembly {
    reader: SdfReader,
    /// Pose of every frame in the world.
    poses: Vec<Pose>,
    carriers: Vec<Carrier>,
    /// Frame of every link.
    link_frames: Vec<usize>,
    /// All links, with their shapes in their frames.
    links: Vec<LinkDescription>,
    /// Joint that a frame belongs to.
    joint_at: BTreeMap<usize, usize>,
}

impl SdfAssembly {
    pub(super) fn new(mut reader: SdfReader) -> Result<Self> {
        let poses = reader.frames.poses()?;
        let carriers = reader.frames.carriers()?;
        let joint_at = reader.joints.iter().enumerate().map(|(index, joint)| (joint.frame, index)).collect();
        let mut assembly = Self { reader, poses, carriers, link_frames: Vec::new(), links: Vec::new(), joint_at };
        assembly.place_links()?;
        Ok(assembly)
    }

    fn place_links(&mut self) -> Result<()> {
        for LinkSource { frame, mut link, visual_bases, collision_bases } in std::mem::take(&mut self.reader.links) {
            let place = &self.reader.frames.frames[frame].place;
            let bases = visual_bases.iter().chain(&collision_bases);
            for (base, shape) in bases.zip(link.visuals.iter_mut().chain(&mut link.collisions)) {
                let base = self.reader.frames.find(base, place, &link.name)?;
                if base != frame {
                    shape.link_from_shape = self.poses[frame].inverse() * self.poses[base] * shape.link_from_shape;
                }
                let is_finite = shape.link_from_shape.check_finite("pose").is_ok();
                if !is_finite {
                    return Err(place.error(format!("link \"{}\": a pose is too large for a number", link.name)));
                }
            }
            self.link_frames.push(frame);
            self.links.push(link);
        }
        Ok(())
    }

    /// What was read and not used, one sentence each.
    pub(super) fn notes(&mut self) -> Vec<String> {
        let mut notes = std::mem::take(&mut self.reader.notes);
        notes.extend(self.reader.ignored_notes());
        notes.dedup();
        notes
    }

    /// One of the outermost models, without the [`notes`](Self::notes) of all; `file` names the document in errors.
    pub(super) fn description(&self, model: &OutermostModel, file: &str) -> Result<Description> {
        let mut carried = BTreeSet::new();
        let mut is_mounted = false;
        let mut parts = Parts::default();
        for joint in &self.reader.joints[model.joints.clone()] {
            let (placed, child) = self.place(joint)?;
            is_mounted |= placed.is_mounted;
            carried.insert(child);
            self.expand(&placed, &mut parts)?;
        }
        let mut held = self.reader.static_links.clone();
        held.retain(|link| model.links.contains(link) && carried.insert(*link));
        is_mounted |= !held.is_empty();
        let loose = model.loose_bodies(&carried, is_mounted);
        is_mounted |= !loose.is_empty();
        parts.joints.extend(held.iter().chain(&loose).map(|link| self.mount(*link)));
        // The world comes first and intermediate links last, so that links keep the order of the file.
        let mut links = if is_mounted { vec![massless(0, WORLD_LINK)] } else { Vec::new() };
        links.extend_from_slice(&self.links[model.links.clone()]);
        links.append(&mut parts.links);
        let notes = self.note_of_loose_bodies(&loose).into_iter().collect();
        let (name, file) = (model.name.clone(), file.to_owned());
        Ok(Description { name, file, links, joints: parts.joints, notes, fault: super::fault })
    }

    fn note_of_loose_bodies(&self, loose: &[usize]) -> Option<String> {
        let names: Vec<String> = loose.iter().map(|link| format!("\"{}\"", self.links[*link].name)).collect();
        let note = || format!("SDF: no joint carries {}, which are held where they stand", names.join(", "));
        (!names.is_empty()).then(note)
    }

    /// Pose in the world of the link `root` of a model; where that is none of its own, it stands for the world.
    pub(super) fn world_from_root(&self, model: &OutermostModel, root: &str) -> Result<Pose> {
        let Some(own) = model.links.clone().find(|link| self.links[*link].name == root) else {
            return Ok(Pose::identity());
        };
        let frame = self.link_frames[own];
        let too_large = |_| {
            let detail = format!("model \"{}\": its place is too large for a number", model.name);
            self.reader.frames.frames[frame].place.error(detail)
        };
        self.poses[frame].check_finite("pose").map(|()| self.poses[frame]).map_err(too_large)
    }

    /// Looks up what a joint connects, and where.
    fn place<'a>(&self, joint: &'a JointSource) -> Result<(Placed<'a>, usize)> {
        let label = format!("joint \"{}\"", joint.name);
        let find = |reference| {
            self.reader.frames.find(reference, &joint.place, &label).map(|frame| (frame, &self.carriers[frame]))
        };
        let wrong = |detail: &str| joint.place.error(format!("{label}: {detail}"));
        let child = match find(&joint.child)? {
            (_, Carrier::Link(link)) => *link,
            _ => return Err(wrong("its child is no link, nor a frame on one")),
        };
        let (parent, world_from_parent, is_mounted) = match find(&joint.parent)? {
            (_, Carrier::Link(link)) if *link == child => return Err(wrong("its parent and its child are one link")),
            (_, Carrier::Link(link)) => (self.link_name(*link), self.poses[self.link_frames[*link]], false),
            (_, Carrier::World) => (WORLD_LINK.to_owned(), self.poses[WORLD_FRAME], true),
            _ => return Err(wrong("its parent is no link, nor a frame on one")),
        };
        let world_from_joint = self.poses[joint.frame];
        let parent_from_joint = world_from_parent.inverse() * world_from_joint;
        let joint_from_child = world_from_joint.inverse() * self.poses[self.link_frames[child]];
        for pose in [&parent_from_joint, &joint_from_child] {
            pose.check_finite("pose").map_err(|_| wrong("its place is too large for a number"))?;
        }
        let names = (parent, self.link_name(child));
        Ok((Placed { joint, parent: names.0, is_mounted, child: names.1, parent_from_joint, joint_from_child }, child))
    }

    fn link_name(&self, link: usize) -> String {
        self.links[link].name.clone()
    }

    /// The joints, and the massless links between them, that move as one joint of the format does.
    fn expand(&self, placed: &Placed<'_>, parts: &mut Parts) -> Result<()> {
        match placed.joint.kind {
            SdfJointKind::Fixed => {
                parts.joints.push(placed.fixed());
                Ok(())
            }
            SdfJointKind::One(joint_type) => self.expand_one(placed, joint_type, parts),
            SdfJointKind::Two => self.expand_two(placed, parts),
            SdfJointKind::Ball => {
                placed.expand_ball(parts);
                Ok(())
            }
        }
    }

    fn expand_one(&self, placed: &Placed<'_>, joint_type: JointType, parts: &mut Parts) -> Result<()> {
        let Placed { joint, parent, child, parent_from_joint, joint_from_child, .. } = placed;
        let axis = self.axis(joint, &joint.axes[0])?;
        let offset = joint_from_child.translation();
        let distance = (offset - axis.into_inner() * offset.dot(&axis)).norm();
        // A slide, and a turn whose axis passes through the child's origin, are the same in the child's frame.
        let is_same = joint_type == JointType::Prismatic || distance < SAME_POINT_M;
        let held = format!("{}/frame", joint.name);
        let (carried, pose, axis) = if is_same {
            (child, *parent_from_joint * *joint_from_child, joint_from_child.rotation().inverse() * axis)
        } else {
            (&held, *parent_from_joint, axis)
        };
        let ends = (joint.name.as_str(), parent.as_str(), carried.as_str());
        parts.joints.push(self.moving(joint, 0, joint_type, ends, (pose, axis))?);
        if !is_same {
            placed.hold(parts);
        }
        Ok(())
    }

    fn expand_two(&self, placed: &Placed<'_>, parts: &mut Parts) -> Result<()> {
        let joint = placed.joint;
        let names = [format!("{}/axis", joint.name), format!("{}/axis2", joint.name)];
        let held = format!("{}/frame", joint.name);
        let poses = [placed.parent_from_joint, Pose::identity()];
        let ends = [(&names[0], &placed.parent, &names[0]), (&names[1], &names[0], &held)];
        for (index, (name, parent, child)) in ends.into_iter().enumerate() {
            let place = (poses[index], self.axis(joint, &joint.axes[index])?);
            parts.joints.push(self.moving(joint, index, JointType::Revolute, (name, parent, child), place)?);
        }
        parts.links.push(massless(joint.line, &names[0]));
        placed.hold(parts);
        Ok(())
    }

    /// Direction of an axis in the joint's frame.
    fn axis(&self, joint: &JointSource, axis: &AxisSource) -> Result<Unit<Vector3<f64>>> {
        let label = format!("joint \"{}\": expressed_in", joint.name);
        let frame = self.reader.frames.find(&axis.expressed_in, &joint.place, &label)?;
        let joint_from_frame = self.poses[joint.frame].rotation().inverse() * self.poses[frame].rotation();
        Ok(if frame == joint.frame { axis.direction } else { joint_from_frame * axis.direction })
    }

    /// A joint that moves about or along one axis of the source.
    fn moving(
        &self,
        joint: &JointSource,
        axis_index: usize,
        joint_type: JointType,
        (name, parent, child): (&str, &str, &str),
        (parent_from_joint, axis): (Pose, Unit<Vector3<f64>>),
    ) -> Result<JointDescription> {
        let source = &joint.axes[axis_index];
        let mut limits = source.limits;
        if joint_type == JointType::Continuous {
            (limits.lower, limits.upper) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        let is_endless = limits.lower == f64::NEG_INFINITY && limits.upper == f64::INFINITY;
        let turns_endlessly = joint_type == JointType::Revolute && is_endless;
        Ok(JointDescription {
            line: joint.line,
            name: name.to_owned(),
            joint_type: if turns_endlessly { JointType::Continuous } else { joint_type },
            parent: parent.to_owned(),
            child: child.to_owned(),
            parent_from_joint,
            axis,
            limits: Some(limits),
            dynamics: source.dynamics,
            mimic: source.mimic.as_ref().map(|mimic| self.mimic(joint, mimic)).transpose()?,
        })
    }

    fn mimic(&self, joint: &JointSource, mimic: &MimicSource) -> Result<MimicDescription> {
        let label = format!("joint \"{}\": <mimic>", joint.name);
        let frame = self.reader.frames.find(&mimic.leader, &joint.place, &label)?;
        let Some(leader) = self.joint_at.get(&frame).map(|index| &self.reader.joints[*index]) else {
            let what = &self.reader.frames.frames[frame].label;
            return Err(joint.place.error(format!("{label} names {what}, which is no joint")));
        };
        let part = match (leader.kind, mimic.second) {
            (SdfJointKind::Two, false) => "/axis",
            (SdfJointKind::Two, true) => "/axis2",
            (SdfJointKind::One(_), false) => "",
            _ => return Err(joint.place.error(format!("{label}: joint \"{}\" has no such axis", leader.name))),
        };
        Ok(MimicDescription {
            line: mimic.line,
            joint: format!("{}{part}", leader.name),
            multiplier: mimic.multiplier,
            offset: mimic.offset,
        })
    }

    /// The joint that holds a link of a static model.
    fn mount(&self, link: usize) -> JointDescription {
        let given = &self.links[link];
        let pose = self.poses[self.link_frames[link]];
        fixed(given.line, &format!("{WORLD_LINK}/{}", given.name), WORLD_LINK, &given.name, pose)
    }
}
