//! Attaching and detaching bodies.

use std::sync::Arc;

use kinetic_core::{KineticError, Payload, Pose, Result, Shape};

use super::Scene;
use crate::attachment::Attachment;
use crate::margins::Margins;

/// A body that is attached is released from objects that are nearer than this, m.
const RELEASE_WITHIN_M: f64 = 0.01;

/// Objects nearer than this, m, touch it: distances below are no matter of proofs.
const LEAST_RELEASED_M: f64 = 2e-4;

/// What [`Scene::attach_existing`] found out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttachedFrom {
    /// Links that may touch the body.
    pub touch_links: Vec<String>,
    /// Objects that it was released from, and the margins towards them, m.
    pub released: Vec<(String, f64)>,
    /// Objects that it touches, or nearly does.
    pub touching: Vec<String>,
}

impl Scene {
    /// Attaches a new body to a link. It is checked against the world and against all links except `link` and
    /// `touch_links`.
    ///
    /// # Errors
    /// [`KineticError::LinkNotFound`], [`KineticError::InvalidValue`] for a name in use, an unbounded shape or one that is
    /// no solid.
    pub fn attach(
        &mut self,
        name: &str,
        shape: Shape,
        link_from_shape: impl Into<Pose>,
        link: &str,
        touch_links: &[&str],
    ) -> Result<()> {
        let link_from_shape = link_from_shape.into();
        link_from_shape.check_finite(&format!("grasp transform of \"{name}\""))?;
        self.check_new_name(name)?;
        if self.content.objects.contains_key(name) {
            return Err(KineticError::invalid("attached body name", name, "a name no object has; or attach_existing"));
        }
        if matches!(shape, Shape::HalfSpace { .. }) {
            return Err(KineticError::invalid("attached shape", "half_space", "a bounded shape"));
        }
        let link = self.content.robot.link_index(link)?;
        let touch_links =
            touch_links.iter().map(|touch| self.content.robot.link_index(touch)).collect::<Result<_>>()?;
        let attachment = Attachment::new(shape, link_from_shape, link, touch_links)?;
        // A map without occupied cells is no object, but it has the name.
        self.forget_octree(name);
        Arc::make_mut(&mut self.content.attached).insert(name.to_owned(), attachment);
        self.edited();
        Ok(())
    }

    /// Turns an object into an attached body that keeps its pose when the robot stands at `q` (default group or robot
    /// length). Without touch links, those of the [hand](kinetic_robot::Robot::hand_links) may touch it.
    ///
    /// What it stands on is released: the margin towards objects that are nearer than a centimetre becomes half of the distance that
    /// there is, where none is stated for the pair, until it is detached. So the body can be lifted off, and is still not drawn through
    /// its support. Objects that touch it are reported and not released: their collision has to be allowed for as long as it takes to
    /// lift it.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`], [`KineticError::LinkNotFound`], or errors of `q`; the scene is then as before.
    pub fn attach_existing(
        &mut self,
        name: &str,
        link: &str,
        q: &[f64],
        touch_links: Option<&[&str]>,
    ) -> Result<AttachedFrom> {
        let object = self.object(name)?.clone();
        let link_index = self.content.robot.link_index(link)?;
        let root_from_link = self.link_poses(q)?[link_index];
        let robot = Arc::clone(&self.content.robot);
        let hand = || robot.hand_links(link_index).into_iter().filter(|other| *other != link_index);
        let touch_links: Vec<&str> =
            touch_links.map_or_else(|| hand().map(|link| robot.links[link].name.as_str()).collect(), <[&str]>::to_vec);
        let mut edited = self.clone();
        edited.remove(name);
        edited.attach(name, object.shape, root_from_link.inverse() * object.pose, link, &touch_links)?;
        let near = edited.objects_near(name, q)?;
        let released = edited.release(name, &near)?;
        let touching = near.into_iter().filter(|(_, distance)| *distance < LEAST_RELEASED_M).map(|(name, _)| name);
        let report = AttachedFrom {
            touch_links: touch_links.into_iter().map(str::to_owned).collect(),
            touching: touching.collect(),
            released,
        };
        *self = edited;
        Ok(report)
    }

    /// Objects that an attached body is near to at `q`, with the signed distances, m.
    fn objects_near(&self, name: &str, q: &[f64]) -> Result<Vec<(String, f64)>> {
        let explanation = self.explain(q, Margins::ZERO, RELEASE_WITHIN_M)?;
        let checked = explanation.near.iter().map(|near| (&near.pair, near.distance));
        // Those that the default group does not move against each other are listed apart.
        let others = explanation.unchecked.iter().map(|near| (&near.pair, near.distance));
        let is_meant = |(other, distance): &(&String, f64)| {
            let is_object = self.content.objects.contains_key(other);
            is_object && *distance < RELEASE_WITHIN_M && !self.allowed().is_allowed(name, other)
        };
        let of_body = checked.chain(others).filter_map(|(pair, distance)| match name {
            _ if pair.link == name => Some((&pair.other, distance)),
            _ if pair.other == name => Some((&pair.link, distance)),
            _ => None,
        });
        Ok(of_body.filter(is_meant).map(|(other, distance)| (other.clone(), distance)).collect())
    }

    /// Makes the margins of an attached body towards objects near it as small as their distances need; answers with these margins.
    fn release(&mut self, name: &str, near: &[(String, f64)]) -> Result<Vec<(String, f64)>> {
        let is_stated =
            |other: &str| self.margins().pairs().any(|(a, b, _)| (a, b) == (name, other) || (b, a) == (name, other));
        let is_released = |(other, distance): &&(String, f64)| *distance >= LEAST_RELEASED_M && !is_stated(other);
        let released: Vec<(String, f64)> =
            near.iter().filter(is_released).map(|(other, distance)| (other.clone(), 0.5 * distance)).collect();
        for (other, margin) in &released {
            self.set_margin_until_detached(name, other, *margin)?;
        }
        Ok(released)
    }

    /// States a margin between an attached body and something else, which is taken back when that body is detached.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] unless exactly one of the two is attached, or for the margin.
    pub(crate) fn set_margin_until_detached(&mut self, a: &str, b: &str, margin: f64) -> Result<()> {
        let (name, other) = match [a, b].map(|name| self.content.attached.contains_key(name)) {
            [true, false] => (a, b),
            [false, true] => (b, a),
            _ => {
                let given = format!("\"{a}\" and \"{b}\"");
                return Err(KineticError::invalid("until_detached", given, "a pair of which one is attached"));
            }
        };
        self.set_margin(name, other, margin)?;
        if let Some(body) = Arc::make_mut(&mut self.content.attached).get_mut(name) {
            body.released.retain(|(known, _)| known != other);
            body.released.push((other.to_owned(), margin));
        }
        Ok(())
    }

    /// Whether a margin is taken back when a body is detached.
    pub(crate) fn is_until_detached(&self, a: &str, b: &str, margin: f64) -> bool {
        let is_released = |name: &str, other: &str| {
            let released = self.content.attached.get(name).map_or(&[][..], |body| &body.released);
            released.iter().any(|(known, value)| known == other && value.to_bits() == margin.to_bits())
        };
        is_released(a, b) || is_released(b, a)
    }

    /// Takes back the margins of a body that is detached, unless others were stated since.
    fn take_back_released(&mut self, name: &str, released: &[(String, f64)]) -> Result<()> {
        for (other, margin) in released {
            let is_unchanged = |(a, b, value): (&str, &str, f64)| {
                ((a, b) == (name, other) || (b, a) == (name, other)) && value.to_bits() == margin.to_bits()
            };
            if self.margins().pairs().any(is_unchanged) && self.check_known(other).is_ok() {
                self.set_margin(name, other, None)?;
            }
        }
        Ok(())
    }

    /// States the mass of an attached body, with centre of mass and tensor in the frame of its shape; `None` for a body without.
    /// Torques count it, collisions do not.
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`] for a name that no attached body has.
    pub fn set_payload(&mut self, name: &str, payload: Option<Payload>) -> Result<()> {
        let available = || self.content.attached.keys().cloned().collect();
        if !self.content.attached.contains_key(name) {
            return Err(KineticError::ObjectNotFound { name: name.to_owned(), available: available() });
        }
        if let Some(body) = Arc::make_mut(&mut self.content.attached).get_mut(name) {
            body.payload = payload;
        }
        self.edited();
        Ok(())
    }

    /// What the attached bodies weigh: the link that carries one, its pose in the link, and its mass.
    pub fn payloads(&self) -> impl Iterator<Item = (&str, &Pose, &Payload)> {
        let links = &self.content.robot.links;
        self.content.attached.values().filter_map(|body| {
            let payload = body.payload.as_ref()?;
            Some((links[body.link].name.as_str(), &body.link_from_shape, payload))
        })
    }

    /// Turns an attached body into an object at `pose` (root frame); `false` when there is none of that name.
    ///
    /// # Errors
    /// [`KineticError::NotFinite`].
    pub fn detach(&mut self, name: &str, pose: impl Into<Pose>) -> Result<bool> {
        let pose = pose.into();
        pose.check_finite(&format!("pose of object \"{name}\""))?;
        let Some(body) = self.content.attached.get(name).cloned() else {
            return Ok(false);
        };
        self.take_back_released(name, &body.released)?;
        Arc::make_mut(&mut self.content.attached).remove(name);
        self.edited();
        self.add(name, body.shape, pose)?;
        Ok(true)
    }
}
