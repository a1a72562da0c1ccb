//! Live scene: one scene that is edited while planners and others take snapshots of it.
//!
//! The role of `MoveIt`'s `PlanningSceneMonitor` and of Tesseract's `Environment` with its revisions; it listens to nothing
//! itself. Published contents never change: an edit works on a copy, which shares everything that it leaves as it is, and the
//! copy replaces the published content when the edit is done (read-copy-update; `McKenney` and Slingwine 1998). Snapshots do
//! not wait for edits, and never hold half of one.

pub mod changes;
pub mod checker;
mod compare;
mod edits;
mod log;

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};
use std::time::Duration;

use kinetic_core::{ContentHash, Control, KineticError, Result};
use kinetic_robot::Robot;

use crate::scene::Scene;
use changes::{Changes, SceneUpdate};
use compare::changes_between;
use log::ChangeLog;

/// How often a wait looks at its control. A change ends it at once.
const CONTROL_INTERVAL: Duration = Duration::from_millis(20);

/// A handle to one scene that is edited while others use it. Clones are handles to the same scene.
///
/// What is asked, planned or shown works on a [`snapshot`](Self::snapshot). Edits are atomic, and one at a time:
///
/// ```
/// use std::sync::Arc;
/// use kinetic_core::{Pose, Shape};
/// use kinetic_robot::Robot;
/// use kinetic_scene::{Changes, LiveScene, Scene};
///
/// let live = LiveScene::new(Scene::new(&Arc::new(Robot::from_name("ur5e")?))?);
/// let before = live.revision();
/// live.edit(|scene| {
///     scene.add("table", Shape::box_from_size(1.0, 1.0, 0.05)?, Pose::from_xyz(0.0, 0.0, -0.1))?;
///     scene.allow_collision("table", "base_link_inertia")
/// })?;
/// let update = live.changes_since(before);
/// assert!(matches!(update.changes, Changes::Diff(diff) if diff.added == ["table"] && diff.allowed));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct LiveScene(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// Held for as long as it takes to copy or replace the pointer.
    published: Mutex<Arc<Published>>,
    /// Notified when a content is published.
    changed: Condvar,
    /// Locked before `published`.
    log: Mutex<ChangeLog>,
    /// The thread that edits.
    editor: Mutex<Option<ThreadId>>,
    /// Notified when an edit ends.
    ended: Condvar,
}

/// A content and its number.
#[derive(Debug)]
struct Published {
    scene: Scene,
    revision: u64,
}

/// None of the locks is held while code of callers runs, so that a panic leaves what they guard whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveScene {
    /// A live scene that begins with the content of a scene, at revision 0.
    pub fn new(scene: Scene) -> Self {
        Self(Arc::new(Shared {
            published: Mutex::new(Arc::new(Published { scene, revision: 0 })),
            changed: Condvar::new(),
            log: Mutex::default(),
            editor: Mutex::default(),
            ended: Condvar::new(),
        }))
    }

    fn published(&self) -> Arc<Published> {
        Arc::clone(&lock(&self.0.published))
    }

    /// The content as it is now: a scene of its own, which later edits do not reach. Its queries use the checkers that
    /// earlier snapshots have made.
    pub fn snapshot(&self) -> Scene {
        self.read(Scene::clone)
    }

    /// Asks the content as it is now, without a copy of it. Edits go on meanwhile.
    pub fn read<T>(&self, ask: impl FnOnce(&Scene) -> T) -> T {
        ask(&self.published().scene)
    }

    /// The robot. Edits do not replace it.
    pub fn robot(&self) -> Arc<Robot> {
        self.read(|scene| Arc::clone(scene.robot()))
    }

    /// Number of the content: 0 for the first, one more with each edit that changes something.
    pub fn revision(&self) -> u64 {
        lock(&self.0.published).revision
    }

    /// Identifies the content as it is now, see [`Scene::version`].
    pub fn version(&self) -> ContentHash {
        self.read(Scene::version)
    }

    /// Edits the content: all of it or, when `edit` fails or panics, nothing. One edit at a time; others wait, snapshots do
    /// not. An edit that changes nothing is not published.
    ///
    /// # Errors
    /// Those of `edit`; [`KineticError::InvalidValue`] inside an edit of the same thread, and for another robot.
    pub fn edit<T>(&self, edit: impl FnOnce(&mut Scene) -> Result<T>) -> Result<T> {
        let mut draft = self.begin_edit()?;
        let value = edit(&mut draft)?;
        draft.commit()?;
        Ok(value)
    }

    /// As [`edit`](Self::edit), for work of which a control says how long it may wait for another edit.
    ///
    /// # Errors
    /// As [`edit`](Self::edit), and what [`Control::check`] says.
    pub fn edit_within<T>(&self, control: &Control, edit: impl FnOnce(&mut Scene) -> Result<T>) -> Result<T> {
        let mut draft = loop {
            control.check(0)?;
            if let Some(draft) = self.begin_edit_within(control)? {
                break draft;
            }
        };
        let value = edit(&mut draft)?;
        draft.commit()?;
        Ok(value)
    }

    /// Begins an edit that is published by [`SceneEdit::commit`], and waits until no other is going on.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] inside an edit of the same thread, which would wait for itself.
    pub fn begin_edit(&self) -> Result<SceneEdit> {
        let editor = self.other_editor()?;
        let is_busy = |editor: &mut Option<ThreadId>| editor.is_some();
        let editor = self.0.ended.wait_while(editor, is_busy).unwrap_or_else(PoisonError::into_inner);
        Ok(self.edit_of(editor))
    }

    /// As [`begin_edit`](Self::begin_edit), without waiting: `None` while another edit is going on.
    ///
    /// # Errors
    /// As [`begin_edit`](Self::begin_edit).
    pub fn try_begin_edit(&self) -> Result<Option<SceneEdit>> {
        let editor = self.other_editor()?;
        Ok(editor.is_none().then(|| self.edit_of(editor)))
    }

    /// As [`begin_edit`](Self::begin_edit), until `control` ends the wait: then `None`. Iterations do not count.
    ///
    /// # Errors
    /// As [`begin_edit`](Self::begin_edit).
    pub fn begin_edit_within(&self, control: &Control) -> Result<Option<SceneEdit>> {
        let mut editor = self.other_editor()?;
        while editor.is_some() {
            if control.is_over(0) {
                return Ok(None);
            }
            let woken = self.0.ended.wait_timeout(editor, CONTROL_INTERVAL);
            editor = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Some(self.edit_of(editor)))
    }

    /// Refuses an edit inside another one of this thread, for callers that make it on a thread of its own, where it would wait for ever.
    ///
    /// # Errors
    /// As [`begin_edit`](Self::begin_edit).
    pub fn check_is_not_editing(&self) -> Result<()> {
        self.other_editor().map(drop)
    }

    /// Whether an edit is going on, so that another one would wait.
    pub fn is_being_edited(&self) -> bool {
        lock(&self.0.editor).is_some()
    }

    fn other_editor(&self) -> Result<MutexGuard<'_, Option<ThreadId>>> {
        let editor = lock(&self.0.editor);
        if *editor == Some(current().id()) {
            let wanted = "edits of the draft, or one after the other";
            return Err(KineticError::invalid("edit of a live scene", "one inside another of the same thread", wanted));
        }
        Ok(editor)
    }

    fn edit_of(&self, mut editor: MutexGuard<'_, Option<ThreadId>>) -> SceneEdit {
        *editor = Some(current().id());
        let editor = Editor(self.clone());
        let before = self.published();
        SceneEdit { draft: before.scene.clone(), before, editor }
    }

    /// Edits since a revision, with the content that they lead to.
    ///
    /// The log holds some thousand changes. For a revision that it no longer reaches back to, or that this scene never had,
    /// the answer is [`Changes::Resync`].
    pub fn changes_since(&self, revision: u64) -> SceneUpdate {
        let log = lock(&self.0.log);
        let published = self.published();
        let diff = log.diff(revision, published.revision);
        drop(log);
        let changes = diff.map_or(Changes::Resync, Changes::Diff);
        SceneUpdate { scene: published.scene.clone(), revision: published.revision, changes }
    }

    /// Waits until the revision is another one, and returns it; `None` when `control` ends the wait first. Iterations do not
    /// count.
    pub fn wait_for_change(&self, revision: u64, control: &Control) -> Option<u64> {
        let mut published = lock(&self.0.published);
        while published.revision == revision {
            if control.is_over(0) {
                return None;
            }
            let woken = self.0.changed.wait_timeout(published, CONTROL_INTERVAL);
            published = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(published.revision)
    }
}

/// The right to edit; others wait while it lives.
#[derive(Debug)]
struct Editor(LiveScene);

impl Drop for Editor {
    fn drop(&mut self) {
        *lock(&self.0.0.editor) = None;
        self.0.0.ended.notify_one();
    }
}

/// An edit of a live scene: a draft that is published as a whole, or dropped. Other edits wait while it lives.
#[derive(Debug)]
pub struct SceneEdit {
    before: Arc<Published>,
    draft: Scene,
    editor: Editor,
}

impl SceneEdit {
    /// Publishes the draft, and returns its revision: that of before where nothing has changed.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] when the draft was replaced by a scene of another robot; then nothing is published.
    pub fn commit(self) -> Result<u64> {
        let Self { before, draft, editor } = self;
        let (robot, other) = (before.scene.robot(), draft.robot());
        if !Arc::ptr_eq(robot, other) && robot != other {
            let wanted = format!("the robot \"{}\" of the live scene, with the same tool", robot.name);
            return Err(KineticError::invalid("robot of an edited scene", format!("\"{}\"", other.name), wanted));
        }
        let changes = changes_between(&before.scene, &draft);
        let shared = &editor.0.0;
        if changes.is_empty() {
            if !Arc::ptr_eq(&before.scene.content.octrees, &draft.content.octrees) {
                // What maps remember is no content: no verdict depends on it.
                *lock(&shared.published) = Arc::new(Published { scene: draft, revision: before.revision });
            }
            return Ok(before.revision);
        }
        let revision = before.revision + 1;
        let mut log = lock(&shared.log);
        log.add(revision, changes);
        *lock(&shared.published) = Arc::new(Published { scene: draft, revision });
        drop(log);
        shared.changed.notify_all();
        Ok(revision)
    }
}

impl Deref for SceneEdit {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        &self.draft
    }
}

impl DerefMut for SceneEdit {
    fn deref_mut(&mut self) -> &mut Scene {
        &mut self.draft
    }
}
