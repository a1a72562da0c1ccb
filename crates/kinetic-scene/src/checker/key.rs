//! Cache key of a checker, and replacement of its obstacles. Most of a checker describes the robot: bodies, pairs,
//! cluster pairs. For a scene with other objects around the same robot only the obstacles are compiled anew, which
//! takes a small fraction of the time. This requires that no margin, padding or allowed collision names an object,
//! because required clearances decide which bodies form a cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::ObstacleSet;
use kinetic_collision_simd::{CollisionModel, Obstacle, ObstacleGroup};
use kinetic_core::Result;

use crate::builder::{padding, world_bodies};
use crate::checker::Checker;
use crate::content::objects::{ObjectEntry, Objects};
use crate::content::{Object, SceneContent};
use crate::exact::PlacedModel;
use crate::margins::{Margins, Required, Side};

/// Moved objects that a checker follows one by one; when there are more, its obstacles are compiled anew.
const MAX_FOLLOWED_MOVES: usize = 64;

/// Cache key: the content of a scene without its objects.
#[derive(Debug)]
pub(crate) struct CheckerKey {
    content: SceneContent,
    /// Whether configurations are inside the joint limits, the values of fixed joints included.
    is_inside: bool,
}

impl CheckerKey {
    /// The key of a scene's content; `None` where margins, paddings or allowed collisions name an object.
    pub(crate) fn of(content: &SceneContent, is_inside: bool) -> Option<Self> {
        let without_objects = || SceneContent { objects: Objects::default(), ..content.clone() };
        (!names_objects(content)).then(|| Self { content: without_objects(), is_inside })
    }

    /// Whether two keys are equal. Shared data is equal without a comparison.
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
        || content.allowed.names().next().is_some()
        || margins.names().any(|(name, _, _)| is_object(name))
        || margins.pairs().any(|(a, b, _)| is_object(a) || is_object(b))
        || margins.paddings().any(|(name, _)| is_object(name))
}

impl Checker {
    /// Whether the checker is for the same robot, group and margins, with any obstacles.
    pub(crate) fn has_key(&self, key: &CheckerKey, group: &str, margins: Margins) -> bool {
        self.margins() == margins && self.group() == group && self.key.as_ref().is_some_and(|mine| mine.is_same(key))
    }

    /// Replaces the obstacles by the objects of a scene with the same key. Results are then those of a new checker.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn set_world(&mut self, content: &SceneContent) -> Result<()> {
        let margins = self.margins();
        self.surround(world_bodies(content)?, |exact, body| {
            let name = &exact.model.bodies[body].name;
            let is_link = exact.model.links[body].is_some();
            let padded = (name.as_str(), padding(content, name, is_link));
            // No margin names an object, so that an empty name stands for all of them.
            content.margins.required(padded, ("", 0.0), Side::World, margins)
        });
        Ok(())
    }

    /// Updates the poses of objects of its scene. False when the checker has to be compiled anew, or when so many
    /// objects were moved that its trees should be rebuilt. Its obstacles must be replaced then.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn move_objects<'a>(
        &mut self,
        content: &SceneContent,
        moved: impl Iterator<Item = &'a ObjectEntry>,
    ) -> Result<bool> {
        let count = content.objects.len();
        for (index, ObjectEntry { name, object }) in moved.enumerate() {
            self.moved += 1;
            if self.moved > count || index >= MAX_FOLLOWED_MOVES {
                return Ok(false);
            }
            let objects = &self.tiers.exact.model.world[..count];
            let Ok(place) = objects.binary_search_by(|known| known.name.cmp(name)) else { return Ok(false) };
            let obstacle = place as u32;
            self.tiers.exact.move_obstacle(obstacle, object)?;
            if !self.tiers.engine.move_obstacle(&self.tiers.exact.model, obstacle) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Removes all obstacles.
    pub(crate) fn clear_world(&mut self) {
        self.surround(Vec::new(), |_, _| Required::NOTHING);
    }

    fn surround(&mut self, world: Vec<Obstacle>, required: impl Fn(&PlacedModel, usize) -> Required) {
        self.tiers.exact.set_obstacles(world, required);
        self.tiers.engine.set_obstacles(&self.tiers.exact.model);
        self.tiers.weigh();
        self.tiers.continuous.checks = 0;
        self.moved = 0;
    }
}

impl PlacedModel {
    /// Updates the pose of an obstacle.
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

    /// Replaces the obstacles by others, all of which require the same clearance from a body.
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
