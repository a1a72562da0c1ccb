//! What a checker was made from, and other obstacles around its bodies.
//!
//! Most of a checker is about the robot: bodies, pairs, gates between them. A scene with other objects around the same robot
//! needs a world only, which takes a small part of the time. That holds as long as nothing is said about objects by name,
//! since what bodies have to keep from them decides which bodies are looked at together.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::ObstacleSet;
use kinetic_collision_simd::{CollisionModel, Obstacle, ObstacleGroup};
use kinetic_core::Result;

use crate::builder::{padding, world_bodies};
use crate::checker::Checker;
use crate::content::{Object, SceneContent};
use crate::exact::PlacedModel;
use crate::margins::{Margins, Required, Side};

/// The content of a scene but its objects.
#[derive(Debug)]
pub(crate) struct CheckerKey {
    content: SceneContent,
    /// Whether configurations are inside the joint limits, and the values held too.
    is_inside: bool,
}

impl CheckerKey {
    /// That of a scene's content; `None` where it states something about one of its objects.
    pub(crate) fn of(content: &SceneContent, is_inside: bool) -> Option<Self> {
        let without_objects = || SceneContent { objects: Arc::default(), ..content.clone() };
        (!names_objects(content)).then(|| Self { content: without_objects(), is_inside })
    }

    /// Whether a checker would be made from the same. Shared data is the same without a comparison.
    fn is_same(&self, other: &Self) -> bool {
        let (own, others) = (&self.content, &other.content);
        let is_same_body = |a: &Arc<_>, b: &Arc<BTreeMap<_, _>>| Arc::ptr_eq(a, b) || a.is_empty() && b.is_empty();
        Arc::ptr_eq(&own.robot, &others.robot)
            && Arc::ptr_eq(&own.geometry, &others.geometry)
            && is_same_body(&own.attached, &others.attached)
            && (Arc::ptr_eq(&own.allowed, &others.allowed) || own.allowed == others.allowed)
            && (Arc::ptr_eq(&own.margins, &others.margins) || own.margins == others.margins)
            && (Arc::ptr_eq(&own.held, &others.held) || own.held == others.held)
            && self.is_inside == other.is_inside
    }
}

fn names_objects(content: &SceneContent) -> bool {
    let is_object = |name: &str| content.objects.contains_key(name);
    let margins = &content.margins;
    content.allowed.pairs().any(|(a, b)| is_object(a) || is_object(b))
        || margins.names().any(|(name, _, _)| is_object(name))
        || margins.pairs().any(|(a, b, _)| is_object(a) || is_object(b))
        || margins.paddings().any(|(name, _)| is_object(name))
}

impl Checker {
    /// Whether it answers for the same robot, in whatever world.
    pub(crate) fn is_from(&self, key: &CheckerKey, group: &str, margins: Margins) -> bool {
        self.margins() == margins && self.group() == group && self.key.as_ref().is_some_and(|mine| mine.is_same(key))
    }

    /// Takes over the objects of a scene of the same origin; answers are then those of a new checker.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn enter(&mut self, content: &SceneContent) -> Result<()> {
        let margins = self.margins();
        self.surround(world_bodies(content)?, |exact, body| {
            let name = &exact.model.bodies[body].name;
            let is_link = exact.model.links[body].is_some();
            let padded = (name.as_str(), padding(content, name, is_link));
            // Nothing is said about objects, so that all are as one without a name.
            content.margins.required(padded, ("", 0.0), Side::World, margins)
        });
        Ok(())
    }

    /// Takes over where some objects of its scene are now. False when that is not all that changes, or when so much was moved
    /// that its trees should be made anew: then it must be put into the scene.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn follow(&mut self, content: &SceneContent, moved: &[String]) -> Result<bool> {
        let count = content.objects.len();
        self.moved += moved.len();
        if self.moved > count {
            return Ok(false);
        }
        for name in moved {
            let objects = &self.tiers.exact.model.world[..count];
            let Ok(place) = objects.binary_search_by(|known| known.name.as_str().cmp(name)) else { return Ok(false) };
            let obstacle = place as u32;
            self.tiers.exact.move_obstacle(obstacle, content.object(name)?)?;
            if !self.tiers.engine.move_obstacle(&self.tiers.exact.model, obstacle) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Drops the objects that it knows.
    pub(crate) fn leave(&mut self) {
        self.surround(Vec::new(), |_, _| Required::NOTHING);
    }

    fn surround(&mut self, world: Vec<Obstacle>, required: impl Fn(&PlacedModel, usize) -> Required) {
        self.tiers.exact.set_obstacles(world, required);
        self.tiers.engine.set_obstacles(&self.tiers.exact.model);
        self.tiers.continuous.checks = 0;
        self.moved = 0;
    }
}

impl PlacedModel {
    /// The pose of an obstacle as it is now.
    fn move_obstacle(&mut self, obstacle: u32, object: &Object) -> Result<()> {
        let Self { model: CollisionModel { world, sets, .. }, separation, .. } = self;
        let this = &mut world[obstacle as usize];
        this.world_from_body = object.pose.0;
        this.shape = this.body.prepared(&object.pose.0)?;
        for set in sets {
            if let Some(index) = set.index_of(obstacle) {
                Arc::make_mut(set).move_shape(index, this.shape.clone());
            }
        }
        separation.move_obstacle(obstacle, this);
        Ok(())
    }

    /// Other obstacles, from all of which each moving body keeps one distance.
    fn set_obstacles(&mut self, world: Vec<Obstacle>, required: impl Fn(&Self, usize) -> Required) {
        let numbered = world.iter().enumerate().map(|(id, body)| (id as u32, body.shape.clone()));
        self.model.sets = vec![Arc::new(ObstacleSet::new(numbered))];
        self.model.world = world;
        for body in 0..self.model.bodies.len() {
            let is_alone = self.model.bodies[body].frame == 0 || self.model.world.is_empty();
            let keeps = (!is_alone).then(|| required(self, body));
            let surroundings =
                keeps.map(|required| ObstacleGroup { set: 0, margin: required.total(), padding: required.padding });
            let this = &mut self.model.bodies[body].world;
            this.clear();
            this.extend(surroundings);
        }
        self.separation.set_obstacles(&self.model.world);
    }
}
