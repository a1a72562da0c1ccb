//! What a checker was made from, and other obstacles around its bodies.
//!
//! Most of a checker is about the robot: bodies, pairs, gates between them. A scene with other objects around the same robot
//! needs a world only, which takes a small part of the time. That holds as long as nothing is said about objects by name,
//! since what bodies have to keep from them decides which bodies are looked at together.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_collision::{AllowedCollisionMatrix, ObstacleSet};
use kinetic_core::Result;
use kinetic_robot::Robot;

use crate::attachment::Attachment;
use crate::builder::{padding, world_bodies};
use crate::checker::Checker;
use crate::evaluation::{Evaluation, Surroundings, WorldBody};
use crate::geometry::RobotGeometry;
use crate::margins::{MarginModel, Margins, Required, Side};
use crate::scene::{Object, Scene};

/// All of a scene but its objects.
#[derive(Debug)]
pub(crate) struct Origin {
    robot: Arc<Robot>,
    geometry: Arc<RobotGeometry>,
    attached: Arc<BTreeMap<String, Attachment>>,
    allowed: Arc<AllowedCollisionMatrix>,
    margins: Arc<MarginModel>,
    held: Arc<Vec<f64>>,
    /// Whether configurations are inside the joint limits, and the values held too.
    is_inside: bool,
}

impl Origin {
    /// That of a scene; `None` where the scene says something about one of its objects.
    pub(crate) fn of(scene: &Scene, is_inside: bool) -> Option<Self> {
        (!says_something_of_objects(scene)).then(|| Self {
            robot: Arc::clone(&scene.robot),
            geometry: Arc::clone(&scene.geometry),
            attached: Arc::clone(&scene.attached),
            allowed: Arc::clone(&scene.allowed),
            margins: Arc::clone(&scene.margins),
            held: Arc::clone(&scene.held),
            is_inside,
        })
    }

    /// Whether a checker would be made from the same. What is shared is not looked into.
    fn is_same(&self, other: &Self) -> bool {
        let is_same_body = |a: &Arc<_>, b: &Arc<BTreeMap<_, _>>| Arc::ptr_eq(a, b) || a.is_empty() && b.is_empty();
        Arc::ptr_eq(&self.robot, &other.robot)
            && Arc::ptr_eq(&self.geometry, &other.geometry)
            && is_same_body(&self.attached, &other.attached)
            && (Arc::ptr_eq(&self.allowed, &other.allowed) || self.allowed == other.allowed)
            && (Arc::ptr_eq(&self.margins, &other.margins) || self.margins == other.margins)
            && (Arc::ptr_eq(&self.held, &other.held) || self.held == other.held)
            && self.is_inside == other.is_inside
    }
}

fn says_something_of_objects(scene: &Scene) -> bool {
    let is_object = |name: &str| scene.objects().contains_key(name);
    let margins = scene.margins();
    scene.allowed().pairs().any(|(a, b)| is_object(a) || is_object(b))
        || margins.names().any(|(name, _, _)| is_object(name))
        || margins.pairs().any(|(a, b, _)| is_object(a) || is_object(b))
        || margins.paddings().any(|(name, _)| is_object(name))
}

impl Checker {
    /// Whether it answers for the same robot, in whatever world.
    pub(crate) fn is_from(&self, origin: &Origin, group: &str, margins: Margins) -> bool {
        self.margins() == margins
            && self.group() == group
            && self.origin.as_ref().is_some_and(|mine| mine.is_same(origin))
    }

    /// Takes over the objects of a scene of the same origin; answers are then those of a new checker.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn enter(&mut self, scene: &Scene) -> Result<()> {
        let margins = self.margins();
        self.surround(world_bodies(scene)?, |evaluation, body| {
            let name = &evaluation.bodies[body].name;
            let is_link = evaluation.links[body].is_some();
            let padded = (name.as_str(), padding(scene, name, is_link));
            // Nothing is said about objects, so that all are as one without a name.
            scene.margins().required(padded, ("", 0.0), Side::World, margins)
        });
        Ok(())
    }

    /// Takes over where some objects of its scene are now. False when that is not all that changes, or when so much was moved
    /// that its trees should be made anew: then it must be put into the scene.
    ///
    /// # Errors
    /// For a shape that is no solid.
    pub(crate) fn follow(&mut self, scene: &Scene, moved: &[String]) -> Result<bool> {
        let count = scene.objects().len();
        self.moved += moved.len();
        if self.moved > count {
            return Ok(false);
        }
        for name in moved {
            let objects = &self.evaluation.world[..count];
            let Ok(place) = objects.binary_search_by(|known| known.name.as_str().cmp(name)) else { return Ok(false) };
            let obstacle = place as u32;
            self.evaluation.move_obstacle(obstacle, scene.object(name)?)?;
            if !self.filter.move_obstacle(&self.evaluation, obstacle) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Drops the objects that it knows.
    pub(crate) fn leave(&mut self) {
        self.surround(Vec::new(), |_, _| Required::NOTHING);
    }

    fn surround(&mut self, world: Vec<WorldBody>, required: impl Fn(&Evaluation, usize) -> Required) {
        self.evaluation.surround(world, required);
        self.filter.surround(&self.evaluation);
        self.sweep.checks = 0;
        self.moved = 0;
    }
}

impl Evaluation {
    /// The pose of an obstacle as it is now.
    fn move_obstacle(&mut self, obstacle: u32, object: &Object) -> Result<()> {
        let this = &mut self.world[obstacle as usize];
        this.world_from_body = object.pose.0;
        this.shape = this.body.prepared(&object.pose.0)?;
        for set in &mut self.sets {
            if let Some(index) = set.index_of(obstacle) {
                Arc::make_mut(set).move_shape(index, this.shape.clone());
            }
        }
        self.parting.move_obstacle(obstacle, this);
        Ok(())
    }

    /// Other obstacles, from all of which each moving body keeps one distance.
    fn surround(&mut self, world: Vec<WorldBody>, required: impl Fn(&Self, usize) -> Required) {
        let numbered = world.iter().enumerate().map(|(id, body)| (id as u32, body.shape.clone()));
        self.sets = vec![Arc::new(ObstacleSet::new(numbered))];
        self.world = world;
        for body in 0..self.bodies.len() {
            let is_alone = self.bodies[body].frame == 0 || self.world.is_empty();
            let keeps = (!is_alone).then(|| required(self, body));
            let surroundings =
                keeps.map(|required| Surroundings { set: 0, margin: required.total(), padding: required.padding });
            let this = &mut self.bodies[body].world;
            this.clear();
            this.extend(surroundings);
        }
        self.parting.surround(&self.world);
    }
}
