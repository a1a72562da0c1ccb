//! Scene diff: what was edited between two contents of a live scene, by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use kinetic_core::{KineticError, Result};

use super::compare::{Change, Event, changes_between};
use crate::scene::Scene;

/// Edits since a revision, and the content that they lead to.
#[derive(Debug, Clone)]
pub struct SceneUpdate {
    /// The content.
    pub scene: Scene,
    /// Its revision: what to ask from the next time.
    pub revision: u64,
    /// Differences from the content of the given revision.
    pub changes: Changes,
}

/// Differences of a content from an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// By no more than this.
    Diff(SceneDiff),
    /// The bounded log does not say: a copy of the earlier content has to be replaced by the whole scene.
    Resync,
}

/// Names of what was edited, each list in name order; values are in the scenes. An object that was edited back counts as
/// moved or replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneDiff {
    /// Objects that were not there.
    pub added: Vec<String>,
    /// Objects whose pose alone has changed.
    pub moved: Vec<String>,
    /// Objects that have another shape.
    pub replaced: Vec<String>,
    /// Objects that are not there any more.
    pub removed: Vec<String>,
    /// Bodies that were attached, or attached otherwise.
    pub attached: Vec<String>,
    /// Bodies that are not attached any more.
    pub detached: Vec<String>,
    /// Whether other pairs may touch.
    pub allowed: bool,
    /// Whether margins, paddings or scales were edited.
    pub margins: bool,
    /// Whether joints outside the planning group are held elsewhere.
    pub held: bool,
}

/// All changes of one name, taken together.
#[derive(Debug, Clone, Copy)]
struct History {
    first: Event,
    last: Event,
    is_moved_only: bool,
}

impl History {
    /// The event with the same effect; `None` for what came and went.
    fn net(self) -> Option<Event> {
        match (self.first == Event::Added, self.last == Event::Removed) {
            (true, true) => None,
            (true, false) => Some(Event::Added),
            (false, true) => Some(Event::Removed),
            (false, false) if self.is_moved_only => Some(Event::Moved),
            (false, false) => Some(Event::Replaced),
        }
    }
}

type Histories<'a> = BTreeMap<&'a str, History>;

fn happened<'a>(histories: &mut Histories<'a>, name: &'a str, event: Event) {
    let is_move = event == Event::Moved;
    let history = histories.entry(name).or_insert(History { first: event, last: event, is_moved_only: is_move });
    history.last = event;
    history.is_moved_only &= is_move;
}

impl SceneDiff {
    /// True when nothing was edited.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Changes in the order in which they were made, taken together.
    pub(super) fn of<'a>(changes: impl Iterator<Item = &'a Change>) -> Self {
        let (mut objects, mut bodies) = (Histories::new(), Histories::new());
        let mut diff = Self::default();
        for change in changes {
            match change {
                Change::Object(name, event) => happened(&mut objects, name, *event),
                Change::Body(name, event) => happened(&mut bodies, name, *event),
                Change::Allowed => diff.allowed = true,
                Change::Margins => diff.margins = true,
                Change::Held => diff.held = true,
            }
        }
        for (name, history) in objects {
            let list = match history.net() {
                None => continue,
                Some(Event::Added) => &mut diff.added,
                Some(Event::Moved) => &mut diff.moved,
                Some(Event::Replaced) => &mut diff.replaced,
                Some(Event::Removed) => &mut diff.removed,
            };
            list.push(name.to_owned());
        }
        for (name, history) in bodies {
            match history.net() {
                None => {}
                Some(Event::Removed) => diff.detached.push(name.to_owned()),
                Some(_) => diff.attached.push(name.to_owned()),
            }
        }
        diff
    }
}

impl Scene {
    /// What was edited from an earlier content of a scene, or from another scene of the robot, to this one. Scenes without a
    /// difference have the same [`version`](Self::version).
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for a scene of another robot.
    pub fn diff(&self, before: &Self) -> Result<SceneDiff> {
        let (robot, other) = (self.robot(), before.robot());
        if !Arc::ptr_eq(robot, other) && robot != other {
            let wanted = format!("a scene of robot \"{}\", with the same tool", robot.name);
            return Err(KineticError::invalid("scene before", format!("of robot \"{}\"", other.name), wanted));
        }
        Ok(SceneDiff::of(changes_between(before, self).iter()))
    }
}
