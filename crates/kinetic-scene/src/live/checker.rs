//! Live checker: a collision checker that follows the edits of a live scene.

use kinetic_core::{Pose, Result};

use super::LiveScene;
use super::compare::{Change, Event, changes_between};
use crate::checker::Checker;
use crate::margins::Margins;
use crate::scene::Scene;

/// A [`Checker`] of a group that has the content of a [`LiveScene`] as it was at the last [`refresh`](Self::refresh): for loops
/// that ask in every cycle. A refresh costs a look at the revision where nothing was edited, moves obstacles where objects were
/// moved, and compiles the checker anew after any other edit.
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::{Pose, Shape};
/// use kinetic_robot::Robot;
/// use kinetic_scene::{LiveChecker, LiveScene, Margins, Refresh, Scene};
///
/// let live = LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?);
/// live.edit(|scene| scene.add("box", Shape::cuboid(0.1, 0.1, 0.1)?, Pose::from_xyz(2.0, 0.0, 0.3)))?;
/// let group = live.robot().groups[0].name.clone();
/// let mut checker = LiveChecker::new(&live, &group, Margins::ZERO)?;
/// assert_eq!(checker.refresh()?, Refresh::Unchanged);
/// live.edit(|scene| scene.update_pose("box", Pose::from_xyz(1.0, 0.0, 0.3)))?;
/// assert_eq!(checker.refresh()?, Refresh::Moved);
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug)]
pub struct LiveChecker {
    live: LiveScene,
    /// The content that the checker is of.
    scene: Scene,
    revision: u64,
    checker: Checker,
}

/// What a refresh found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// No edit.
    Unchanged,
    /// Objects have other poses; their numbers are those of before.
    Moved,
    /// Anything else: bodies and obstacles may have other numbers.
    Rebuilt,
}

impl LiveChecker {
    /// A checker of a group for configurations inside the joint limits, as
    /// [`Scene::checker_within`](crate::Scene::checker_within).
    ///
    /// # Errors
    /// As [`Scene::checker_within`](crate::Scene::checker_within).
    pub fn new(live: &LiveScene, group: &str, margins: Margins) -> Result<Self> {
        let (scene, revision) = content(live);
        let checker = scene.checker_within(group, margins, None)?;
        Ok(Self { live: live.clone(), scene, revision, checker })
    }

    /// Takes over the edits since the last refresh. After an error the checker has the content of before, and the next refresh
    /// tries again.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn refresh(&mut self) -> Result<Refresh> {
        if self.live.revision() == self.revision {
            return Ok(Refresh::Unchanged);
        }
        let (scene, revision) = content(&self.live);
        let is_move = |change: &Change| matches!(change, Change::Object(_, Event::Moved));
        let refresh = if changes_between(&self.scene, &scene).iter().all(is_move) {
            let objects = &scene.content.objects;
            if !self.checker.move_objects(&scene.content, objects.moved_since(&self.scene.content.objects))? {
                self.renew(&scene)?;
            }
            Refresh::Moved
        } else {
            self.checker = scene.checker_within(self.checker.group(), self.checker.margins(), None)?;
            Refresh::Rebuilt
        };
        (self.scene, self.revision) = (scene, revision);
        Ok(refresh)
    }

    fn renew(&mut self, scene: &Scene) -> Result<()> {
        if self.checker.key.is_some() {
            return self.checker.set_world(&scene.content);
        }
        self.checker = scene.checker_within(self.checker.group(), self.checker.margins(), None)?;
        Ok(())
    }

    /// The checker, of the content at the last refresh.
    pub fn checker(&mut self) -> &mut Checker {
        &mut self.checker
    }

    /// The content at the last refresh.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The live scene.
    pub fn live(&self) -> &LiveScene {
        &self.live
    }

    /// Name and pose (`root_from_object`) of every obstacle at the last refresh, in the order of their numbers.
    pub fn obstacles(&self) -> impl Iterator<Item = (&str, &Pose)> {
        self.scene.objects().iter().map(|(name, object)| (name.as_str(), &object.pose))
    }
}

fn content(live: &LiveScene) -> (Scene, u64) {
    let published = live.published();
    (published.scene.clone(), published.revision)
}
