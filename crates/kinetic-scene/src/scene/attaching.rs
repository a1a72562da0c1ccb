//! Attaching and detaching bodies.

use std::sync::Arc;

use kinetic_core::{KineticError, Payload, Pose, Result, Shape};

use super::Scene;
use crate::attachment::Attachment;

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
        Arc::make_mut(&mut self.content.attached).insert(name.to_owned(), attachment);
        self.edited();
        Ok(())
    }

    /// Turns an object into an attached body that keeps its pose when the robot stands at `q` (default group or robot
    /// length).
    ///
    /// # Errors
    /// [`KineticError::ObjectNotFound`], [`KineticError::LinkNotFound`], or errors of `q`.
    pub fn attach_existing(&mut self, name: &str, link: &str, q: &[f64], touch_links: &[&str]) -> Result<()> {
        let object = self.object(name)?.clone();
        let link_index = self.content.robot.link_index(link)?;
        let root_from_link = self.link_poses(q)?[link_index];
        let mut edited = self.clone();
        edited.remove(name);
        edited.attach(name, object.shape, root_from_link.inverse() * object.pose, link, touch_links)?;
        *self = edited;
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
        Arc::make_mut(&mut self.content.attached).remove(name);
        self.edited();
        self.add(name, body.shape, pose)?;
        Ok(true)
    }
}
