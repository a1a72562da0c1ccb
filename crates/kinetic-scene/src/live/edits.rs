//! Single edits of a live scene: each as the method of that name of [`Scene`], published at once.

use kinetic_core::{Payload, Pose, Result, Shape};

use super::LiveScene;
use crate::content::Object;
use crate::scene::AttachedFrom;

impl LiveScene {
    /// As [`Scene::add`](crate::Scene::add). The shape is prepared before the edit begins.
    ///
    /// # Errors
    /// As [`Scene::add`](crate::Scene::add), and those of [`edit`](Self::edit).
    pub fn add(&self, name: &str, shape: Shape, pose: impl Into<Pose>) -> Result<()> {
        self.add_object(name, Object::new(shape, pose)?)
    }

    /// As [`Scene::add_object`](crate::Scene::add_object).
    ///
    /// # Errors
    /// As [`Scene::add_object`](crate::Scene::add_object), and those of [`edit`](Self::edit).
    pub fn add_object(&self, name: &str, object: Object) -> Result<()> {
        self.edit(|scene| scene.add_object(name, object))
    }

    /// As [`Scene::update_pose`](crate::Scene::update_pose).
    ///
    /// # Errors
    /// As [`Scene::update_pose`](crate::Scene::update_pose), and those of [`edit`](Self::edit).
    pub fn update_pose(&self, name: &str, pose: impl Into<Pose>) -> Result<()> {
        self.edit(|scene| scene.update_pose(name, pose))
    }

    /// As [`Scene::remove`](crate::Scene::remove).
    ///
    /// # Errors
    /// Those of [`edit`](Self::edit).
    pub fn remove(&self, name: &str) -> Result<bool> {
        self.edit(|scene| Ok(scene.remove(name)))
    }

    /// As [`Scene::clear`](crate::Scene::clear).
    ///
    /// # Errors
    /// Those of [`edit`](Self::edit).
    pub fn clear(&self) -> Result<()> {
        self.edit(|scene| {
            scene.clear();
            Ok(())
        })
    }

    /// As [`Scene::attach`](crate::Scene::attach).
    ///
    /// # Errors
    /// As [`Scene::attach`](crate::Scene::attach), and those of [`edit`](Self::edit).
    pub fn attach(
        &self,
        name: &str,
        shape: Shape,
        link_from_shape: impl Into<Pose>,
        link: &str,
        touch_links: &[&str],
    ) -> Result<()> {
        self.edit(|scene| scene.attach(name, shape, link_from_shape, link, touch_links))
    }

    /// As [`Scene::set_payload`](crate::Scene::set_payload).
    ///
    /// # Errors
    /// As [`Scene::set_payload`](crate::Scene::set_payload), and those of [`edit`](Self::edit).
    pub fn set_payload(&self, name: &str, payload: Option<Payload>) -> Result<()> {
        self.edit(|scene| scene.set_payload(name, payload))
    }

    /// As [`Scene::attach_existing`](crate::Scene::attach_existing).
    ///
    /// # Errors
    /// As [`Scene::attach_existing`](crate::Scene::attach_existing), and those of [`edit`](Self::edit).
    pub fn attach_existing(
        &self,
        name: &str,
        link: &str,
        q: &[f64],
        touch_links: Option<&[&str]>,
    ) -> Result<AttachedFrom> {
        self.edit(|scene| scene.attach_existing(name, link, q, touch_links))
    }

    /// As [`Scene::detach`](crate::Scene::detach).
    ///
    /// # Errors
    /// As [`Scene::detach`](crate::Scene::detach), and those of [`edit`](Self::edit).
    pub fn detach(&self, name: &str, pose: impl Into<Pose>) -> Result<bool> {
        self.edit(|scene| scene.detach(name, pose))
    }

    /// As [`Scene::hold`](crate::Scene::hold).
    ///
    /// # Errors
    /// As [`Scene::hold`](crate::Scene::hold), and those of [`edit`](Self::edit).
    pub fn hold(&self, configuration: &[f64]) -> Result<()> {
        self.edit(|scene| scene.hold(configuration))
    }
}
