//! The compiled scene of plain contact questions: kept until the scene is edited.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kinetic::scene::ContactChecker;

use crate::error::Result;
use crate::scene::PyScene;

/// What was compiled last, with the version of the scene that it is for.
///
/// Whoever asks takes it out and puts it back: a second thread that asks meanwhile compiles its own.
#[derive(Default)]
pub(crate) struct ContactCache(Mutex<Option<(u64, Box<ContactChecker>)>>);

impl ContactCache {
    fn kept(&self) -> MutexGuard<'_, Option<(u64, Box<ContactChecker>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anything touches at `q`, in the length of the group or of the robot.
    pub(crate) fn check_collision(&self, scene: &PyScene, q: &[f64]) -> Result<bool> {
        let kept = self.kept().take();
        let version = scene.edit().version();
        let mut checker = match kept {
            Some((known, checker)) if known == version => checker,
            _ => Box::new(scene.now().contact_questions()?),
        };
        let is_collision = checker.check_collision(q);
        *self.kept() = Some((version, checker));
        Ok(is_collision?)
    }
}
