//! Checkers that wait for the next question.

use std::sync::{Mutex, PoisonError};

use kinetic_core::config::WorkspaceBounds;

use crate::checker::Checker;
use crate::margins::Margins;

/// Most checkers that wait: one per thread that asks at the same time. The oldest goes first.
const MOST: usize = 16;

/// Checkers of one content of a scene, made when first needed: making one costs many times what a question does. Clones
/// of a scene share it until one of them is edited.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Waiting>>);

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
    /// A checker of the kind, for the caller alone.
    pub(super) fn take(&self, kind: Kind<'_>) -> Option<Box<Checker>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().rposition(|waiting| waiting.is_of(kind))?;
        Some(waiting.remove(place).checker)
    }

    /// Keeps a checker of the kind for the next question.
    pub(super) fn give_back(&self, kind: Kind<'_>, checker: Box<Checker>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MOST {
            waiting.remove(0);
        }
        waiting.push(Waiting { workspace: kind.workspace.copied(), is_inside: kind.is_inside, checker });
    }
}
