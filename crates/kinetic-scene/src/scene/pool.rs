//! Checkers that wait for the next question.

use std::sync::{Mutex, PoisonError};

use crate::checker::Checker;

/// Most checkers that wait: one per thread that asks at the same time.
const MOST: usize = 16;

/// Checkers for plain questions to one content of a scene, made when first needed: making one costs many times what a
/// question does. Clones of a scene share it until one of them is edited.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Waiting>>);

/// A checker, and whether it may be asked about configurations inside the joint limits only.
#[derive(Debug)]
struct Waiting {
    is_inside: bool,
    /// In a box, because it is large and moves twice per question.
    checker: Box<Checker>,
}

impl Pool {
    /// A checker of the kind, for the caller alone.
    pub(super) fn take(&self, is_inside: bool) -> Option<Box<Checker>> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().position(|waiting| waiting.is_inside == is_inside)?;
        Some(waiting.swap_remove(place).checker)
    }

    /// Keeps a checker for the next question.
    pub(super) fn give_back(&self, is_inside: bool, checker: Box<Checker>) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push(Waiting { is_inside, checker });
        }
    }
}
