//! `<keyframe>`: configurations with names.

use std::collections::BTreeMap;

use kinetic_core::{JointValues, Pose, Result};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::element::Element;
use super::joint::MjcfJointKind;
use super::tree::Coordinate;
use crate::model::NamedPose;
use crate::notes::Notes;
use crate::robot::Robot;

/// Values that are this little outside their limits come from printing them with few digits, rad or m.
const PRINTED_KEYFRAME_ROUNDING_RAD_M: f64 = 1e-3;

/// A key as values of our joints, by name.
#[derive(Debug)]
pub(super) struct Key {
    name: String,
    values: BTreeMap<String, f64>,
}

/// The keys that have a full `qpos`.
pub(super) fn read(root: &Element, coordinates: &[Coordinate], notes: &mut Notes) -> Result<Vec<Key>> {
    let mut keys = Vec::new();
    let elements = root.children("keyframe").flat_map(|section| section.children("key"));
    for (index, element) in elements.enumerate() {
        let name = element.get("name").map_or_else(|| format!("key_{index}"), str::to_owned);
        let Some(qpos) = element.plain().list("qpos")? else { continue };
        match values(&qpos, coordinates) {
            Some(values) => keys.push(Key { name, values }),
            None => {
                notes.add(format!("keyframe \"{name}\" is not used: its qpos does not fit the joints"), || {
                    element.place()
                });
            }
        }
    }
    Ok(keys)
}

fn values(qpos: &[f64], coordinates: &[Coordinate]) -> Option<BTreeMap<String, f64>> {
    let mut rest = qpos;
    let mut values = BTreeMap::new();
    for coordinate in coordinates {
        let mut put = |part: &str, value: f64| values.insert(format!("{}{part}", coordinate.name), value);
        match coordinate.kind {
            MjcfJointKind::Hinge | MjcfJointKind::Slide => {
                let (value, after) = rest.split_first()?;
                rest = after;
                put("", *value);
            }
            MjcfJointKind::Ball | MjcfJointKind::Free => {
                let mut pose = Pose::identity();
                if coordinate.kind == MjcfJointKind::Free {
                    let (position, after) = rest.split_first_chunk::<3>()?;
                    rest = after;
                    pose.0.translation = Translation3::from(Vector3::from(*position));
                }
                let ([w, x, y, z], after) = rest.split_first_chunk::<4>()?;
                rest = after;
                pose.0.rotation = UnitQuaternion::try_new(Quaternion::new(*w, *x, *y, *z), 1e-9)?;
                if coordinate.kind == MjcfJointKind::Free {
                    // MuJoCo states the pose in the world, we the motion from where the model puts the body.
                    let moved: Isometry3<f64> = coordinate.world_from_body.0.inverse() * pose.0;
                    pose = Pose(moved);
                    let t = pose.translation.vector;
                    put("/x", t.x);
                    put("/y", t.y);
                    put("/z", t.z);
                }
                let (roll, pitch, yaw) = pose.rotation.euler_angles();
                put("/yaw", yaw);
                put("/pitch", pitch);
                put("/roll", roll);
            }
        }
    }
    rest.is_empty().then_some(values)
}

/// Adds the keys as named poses of the default group, where they are within its limits.
pub(super) fn apply(keys: &[Key], robot: &mut Robot) {
    let group = robot.groups[robot.default_group].clone();
    for key in keys {
        let value = |joint: &usize| key.values.get(&robot.joints[*joint].name).copied();
        let Some(values) = group.joints.iter().map(value).collect::<Option<JointValues>>() else { continue };
        let inside = robot
            .clip(&group, &values)
            .ok()
            .filter(|_| robot.check_limits(&group, &values, PRINTED_KEYFRAME_ROUNDING_RAD_M).is_ok());
        let is_new = robot.named_pose(&group, &key.name).is_none();
        match inside {
            Some(values) if is_new => {
                robot.named_poses.push(NamedPose { name: key.name.clone(), group: robot.default_group, values });
            }
            Some(_) => robot.notes.push(format!("keyframe \"{}\" is not used: its name is used twice", key.name)),
            None => robot.notes.push(format!("keyframe \"{}\" is not used: it violates joint limits", key.name)),
        }
    }
}
