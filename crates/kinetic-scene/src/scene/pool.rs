//! Checkers that wait for the next question.

use std::sync::{Arc, Mutex, PoisonError};

use kinetic_core::config::WorkspaceBounds;

use crate::checker::Checker;
use crate::checker::key::CheckerKey;
use crate::margins::Margins;

/// Most checkers that wait: one per thread that asks at the same time. The oldest goes first.
const MOST: usize = 16;

/// Most moves of objects that checkers take over one by one.
const MOST_MOVES: usize = 64;

/// Checkers of one content of a scene, made when first needed: making one costs many times what a question does. Clones
/// of a scene share it until one of them is edited.
#[derive(Debug, Default)]
pub(super) struct Pool {
    waiting: Mutex<Vec<Waiting>>,
    /// Names of objects that were moved, one after the other, since the first of those that wait was asked.
    moved: Vec<String>,
    /// Where checkers go when there is no scene of this content any more.
    spares: Arc<Spares>,
}

/// Checkers of contents that are gone, without their worlds. All versions of a scene share them.
#[derive(Debug, Default)]
#[allow(clippy::vec_box, reason = "checkers are large, and come and go in their boxes")]
pub(super) struct Spares(Mutex<Vec<Box<Checker>>>);

impl Spares {
    /// A checker for the caller alone, to be put into a world.
    pub(super) fn take(&self, key: &CheckerKey, kind: Kind<'_>) -> Option<Box<Checker>> {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = spares.iter().rposition(|checker| checker.is_from(key, kind.group, kind.margins))?;
        Some(spares.remove(place))
    }

    fn keep(&self, mut checker: Box<Checker>) {
        checker.leave();
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spares.len() >= MOST {
            spares.remove(0);
        }
        spares.push(checker);
    }
}

/// What a checker is asked about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind<'a> {
    pub(super) group: &'a str,
    pub(super) margins: Margins,
    pub(super) workspace: Option<&'a WorkspaceBounds>,
    /// Whether it may be asked about configurations inside the joint limits only.
    pub(super) is_inside: bool,
}

#[derive(Debug)]
struct Waiting {
    workspace: Option<WorkspaceBounds>,
    is_inside: bool,
    /// How many of the moves it knows.
    known: usize,
    /// In a box, because it is large and moves twice per question.
    checker: Box<Checker>,
}

impl Waiting {
    fn is_of(&self, kind: Kind<'_>) -> bool {
        self.is_inside == kind.is_inside
            && self.checker.margins() == kind.margins
            && self.workspace.as_ref() == kind.workspace
            && self.checker.group() == kind.group
    }
}

impl Pool {
    /// An empty one.
    pub(super) fn new(spares: &Arc<Spares>) -> Self {
        Self { waiting: Mutex::default(), moved: Vec::new(), spares: Arc::clone(spares) }
    }

    /// A checker of the kind, for the caller alone, and the objects that were moved since it was asked.
    pub(super) fn take(&self, kind: Kind<'_>) -> Option<(Box<Checker>, &[String])> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().rposition(|waiting| waiting.is_of(kind))?;
        let Waiting { checker, known, .. } = waiting.remove(place);
        Some((checker, &self.moved[known..]))
    }

    /// Notes that an object was moved. False when so many were that checkers should be made anew.
    pub(super) fn note_move(&mut self, name: &str) -> bool {
        let waiting = self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        if waiting.iter().all(|waiting| waiting.known == self.moved.len()) {
            self.moved.clear();
            for waiting in waiting.iter_mut() {
                waiting.known = 0;
            }
        }
        if !waiting.is_empty() {
            self.moved.push(name.to_owned());
        }
        self.moved.len() <= MOST_MOVES
    }

    /// Keeps a checker of the kind for the next question.
    pub(super) fn give_back(&self, kind: Kind<'_>, checker: Box<Checker>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST {
            waiting.remove(0);
        }
        let (workspace, is_inside, known) = (kind.workspace.copied(), kind.is_inside, self.moved.len());
        waiting.push(Waiting { workspace, is_inside, known, checker });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let waiting = self.waiting.get_mut().unwrap_or_else(PoisonError::into_inner);
        for Waiting { workspace, checker, .. } in waiting.drain(..) {
            if workspace.is_none() && checker.key.is_some() {
                self.spares.keep(checker);
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

    fn kind(world: f64) -> Kind<'static> {
        Kind { group: "arm", margins: Margins::new(world, 0.0), workspace: None, is_inside: true }
    }

    fn spares(scene: &Scene) -> usize {
        scene.spares.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    #[test]
    fn an_edited_scene_renews_what_it_had_unless_something_is_said_about_an_object() -> Result<()> {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
        let ask = |scene: &Scene| scene.ask_checker_within("arm", Margins::ZERO, None, |_| ());
        for step in 0..4 {
            ask(&scene)?;
            scene.add("box", Shape::cuboid(0.1, 0.1, 0.1)?, Pose::from_xyz(0.1 * f64::from(step), 1.0, 0.0))?;
            assert_eq!(spares(&scene), 1, "step {step}");
        }
        ask(&scene)?;
        assert_eq!(spares(&scene), 0);
        scene.allow_collision("box", "forearm_link")?;
        ask(&scene)?;
        assert_eq!(spares(&scene), 1, "bodies keep different obstacles");
        scene.clear();
        ask(&scene)?;
        assert_eq!(spares(&scene), 1, "what was made with an exception is not used again");
        Ok(())
    }

    #[test]
    fn no_more_than_a_few_wait_without_a_world() -> Result<()> {
        let mut scene = Scene::new(&Arc::new(Robot::from_name("ur5e")?))?;
        for step in 0..2 * MOST {
            let kind = kind(1e-3 * step as f64);
            let checker = scene.take_or_build(kind)?;
            scene.pool.give_back(kind, checker);
            scene.add("ball", Shape::sphere(0.1)?, Pose::from_xyz(1.0, 0.0, 0.0))?;
        }
        assert_eq!(spares(&scene), MOST);
        Ok(())
    }
}
