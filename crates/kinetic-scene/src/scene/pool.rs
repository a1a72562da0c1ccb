//! Object pool of checkers, because building one costs many times a query.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kinetic_core::ContentHash;
use kinetic_core::config::WorkspaceBounds;

use crate::checker::Checker;
use crate::checker::key::CheckerKey;
use crate::content::objects::Objects;
use crate::margins::Margins;

/// Checkers in a pool, one per thread that queries at the same time. The oldest is evicted first.
const MAX_POOLED_CHECKERS: usize = 16;

/// Pool of checkers for contents of a scene that differ in nothing but the poses of objects. Clones of a scene share it
/// until something else is edited in one of them.
#[derive(Debug, Default)]
pub(super) struct CheckerPool {
    pooled: Mutex<Vec<PooledChecker>>,
    /// Receives the checkers when no scene has such a content any more.
    detached: Arc<DetachedCheckers>,
    /// The content that the last query about other values of the fixed joints was about.
    elsewhere: Mutex<Option<HeldElsewhere>>,
}

/// What scenes share whose contents differ from another one in the values of the fixed joints, and among each other in
/// nothing but the poses of objects.
#[derive(Debug, Clone)]
pub(super) struct HeldElsewhere {
    /// Values of the fixed joints (robot length).
    pub(super) held: Arc<Vec<f64>>,
    pub(super) pool: Arc<CheckerPool>,
    pub(super) rest_hash: Arc<OnceLock<ContentHash>>,
}

/// Pool of checkers without obstacles, whose scene content no longer exists. All versions of a scene share it.
#[derive(Debug, Default)]
#[allow(clippy::vec_box, reason = "checkers are large, and come and go in their boxes")]
pub(super) struct DetachedCheckers(Mutex<Vec<Box<Checker>>>);

impl DetachedCheckers {
    /// Takes a checker out of the pool. The caller has to set its obstacles.
    pub(super) fn take(&self, key: &CheckerKey, kind: CheckerKind<'_>) -> Option<Box<Checker>> {
        let mut detached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = detached.iter().rposition(|checker| checker.has_key(key, kind.group, kind.margins))?;
        Some(detached.remove(index))
    }

    fn add(&self, mut checker: Box<Checker>) {
        checker.clear_world();
        let mut detached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if detached.len() >= MAX_POOLED_CHECKERS {
            detached.remove(0);
        }
        detached.push(checker);
    }
}

/// The kind of a checker: planning group, margins, workspace and range of configurations.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckerKind<'a> {
    pub(super) group: &'a str,
    pub(super) margins: Margins,
    pub(super) workspace: Option<&'a WorkspaceBounds>,
    /// Whether its queries are about configurations inside the joint limits only.
    pub(super) is_inside: bool,
}

#[derive(Debug)]
struct PooledChecker {
    workspace: Option<WorkspaceBounds>,
    is_inside: bool,
    /// The objects that are its obstacles.
    objects: Objects,
    /// Boxed, because it is large and moves twice per query.
    checker: Box<Checker>,
}

impl PooledChecker {
    fn is_of(&self, kind: CheckerKind<'_>) -> bool {
        self.is_inside == kind.is_inside
            && self.checker.margins() == kind.margins
            && self.workspace.as_ref() == kind.workspace
            && self.checker.group() == kind.group
    }
}

impl CheckerPool {
    /// An empty pool.
    pub(super) fn new(detached: &Arc<DetachedCheckers>) -> Self {
        Self { pooled: Mutex::default(), detached: Arc::clone(detached), elsewhere: Mutex::default() }
    }

    /// The pool for the same content with other values of the fixed joints (robot length). The last one is kept, because
    /// callers who state whole configurations mostly leave those joints where they are.
    pub(super) fn elsewhere(&self, held: Vec<f64>) -> HeldElsewhere {
        let mut elsewhere = self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = elsewhere.as_ref().filter(|last| *last.held == held) {
            return last.clone();
        }
        let pool = Arc::new(Self::new(&self.detached));
        elsewhere.insert(HeldElsewhere { held: Arc::new(held), pool, rest_hash: Arc::default() }).clone()
    }

    /// Takes a checker of a kind out of the pool, best one of these objects, with the objects that are its obstacles.
    pub(super) fn take(&self, kind: CheckerKind<'_>, objects: &Objects) -> Option<(Box<Checker>, Objects)> {
        let mut pooled = self.pooled.lock().unwrap_or_else(PoisonError::into_inner);
        let of_kind = || pooled.iter().enumerate().rev().filter(|(_, pooled)| pooled.is_of(kind));
        let of_content = of_kind().find(|(_, pooled)| pooled.objects.is_same(objects));
        let (index, _) = of_content.or_else(|| of_kind().next())?;
        let PooledChecker { checker, objects, .. } = pooled.remove(index);
        Some((checker, objects))
    }

    /// Returns a checker to the pool.
    pub(super) fn give_back(&self, kind: CheckerKind<'_>, objects: &Objects, checker: Box<Checker>) {
        let mut pooled = self.pooled.lock().unwrap_or_else(PoisonError::into_inner);
        if pooled.len() >= MAX_POOLED_CHECKERS {
            pooled.remove(0);
        }
        let (workspace, is_inside, objects) = (kind.workspace.copied(), kind.is_inside, objects.clone());
        pooled.push(PooledChecker { workspace, is_inside, objects, checker });
    }
}

impl Drop for CheckerPool {
    fn drop(&mut self) {
        let pooled = self.pooled.get_mut().unwrap_or_else(PoisonError::into_inner);
        for PooledChecker { workspace, checker, .. } in pooled.drain(..) {
            if workspace.is_none() && checker.key.is_some() {
                self.detached.add(checker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kinetic_core::{Pose, Result, Shape};
    use kinetic_robot::Robot;

    use super::*;
    use crate::scene::Scene;

    fn kind(world: f64) -> CheckerKind<'static> {
        CheckerKind { group: "arm", margins: Margins::new(world, 0.0), workspace: None, is_inside: true }
    }

    fn detached(scene: &Scene) -> usize {
        scene.detached.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    #[test]
    fn an_edited_scene_renews_what_it_had_unless_something_is_said_about_an_object() -> Result<()> {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
        let ask = |scene: &Scene| scene.ask_checker_within("arm", Margins::ZERO, None, |_| ());
        for step in 0..4 {
            ask(&scene)?;
            scene.add("box", Shape::cuboid(0.1, 0.1, 0.1)?, Pose::from_xyz(0.1 * f64::from(step), 1.0, 0.0))?;
            assert_eq!(detached(&scene), 1, "step {step}");
        }
        ask(&scene)?;
        assert_eq!(detached(&scene), 0);
        scene.allow_collision("box", "forearm_link")?;
        ask(&scene)?;
        assert_eq!(detached(&scene), 1, "bodies keep different obstacles");
        scene.clear();
        ask(&scene)?;
        assert_eq!(detached(&scene), 1, "what was made with an exception is not used again");
        Ok(())
    }

    #[test]
    fn no_more_than_a_few_wait_without_a_world() -> Result<()> {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
        for step in 0..2 * MAX_POOLED_CHECKERS {
            let kind = kind(1e-3 * step as f64);
            let checker = scene.take_or_build(kind)?;
            scene.give_back(kind, checker);
            scene.add("ball", Shape::sphere(0.1)?, Pose::from_xyz(1.0, 0.0, 0.0))?;
        }
        assert_eq!(detached(&scene), MAX_POOLED_CHECKERS);
        Ok(())
    }
}
