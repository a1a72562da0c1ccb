//! Chunks, one after another, as one target.

use std::collections::VecDeque;

use kinetic_core::{KineticError, Result};

use super::blend::BlendWeight;
use super::chunk::Chunk;

/// Blends that overlap; with more, the oldest are forgotten.
const MOST_CHUNKS: usize = 32;

/// A chunk, and when it takes over.
#[derive(Debug)]
struct Successor<C> {
    chunk: C,
    from: f64,
}

/// Chunks of one kind.
#[derive(Debug)]
pub(crate) struct ChunkStream<C> {
    /// In the order in which they take over.
    chunks: VecDeque<Successor<C>>,
    blend_time: f64,
}

impl<C: Chunk> ChunkStream<C> {
    /// Without chunks; blends take `blend_time` seconds.
    pub(crate) fn new(blend_time: f64) -> Self {
        Self { chunks: VecDeque::with_capacity(MOST_CHUNKS + 1), blend_time }
    }

    pub(crate) fn clear(&mut self) {
        self.chunks.clear();
    }

    /// Takes a chunk that comes at the time `now`.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for one that is over.
    pub(crate) fn push(&mut self, chunk: C, now: f64) -> Result<()> {
        let [start, end] = chunk.span();
        if end < now {
            let wanted = format!("not before the time of the servo, {now}");
            return Err(KineticError::invalid("last time of the chunk", end, wanted));
        }
        let from = start.max(now);
        self.chunks.retain(|earlier| earlier.from < from);
        let last_whole = self.chunks.iter().rposition(|chunk| chunk.from + self.blend_time <= now).unwrap_or(0);
        let forgotten = last_whole.max((self.chunks.len() + 1).saturating_sub(MOST_CHUNKS));
        self.chunks.drain(..forgotten);
        self.chunks.push_back(Successor { chunk, from });
        Ok(())
    }

    /// When the first of them begins, and the last one ends; `None` without chunks.
    pub(crate) fn span(&self) -> Option<[f64; 2]> {
        Some([self.chunks.front()?.from, self.chunks.back()?.chunk.span()[1]])
    }

    /// The target at a time, with `buffer` for one chunk's. Without chunks nothing is written.
    pub(crate) fn sample(&self, time: f64, target: &mut C::Target, buffer: &mut C::Target) {
        let begun = self.chunks.partition_point(|successor| successor.from <= time).max(1);
        let mut before_ends = f64::NEG_INFINITY;
        for Successor { chunk, from } in self.chunks.iter().take(begun) {
            match BlendWeight::after(time - from, self.blend_time) {
                // Where nothing was wanted in between there is nothing to go over from.
                Some(weight) if before_ends >= *from => {
                    chunk.sample(time, buffer);
                    C::mix(target, buffer, weight);
                }
                _ => chunk.sample(time, target),
            }
            before_ends = chunk.span()[1];
        }
    }
}
