//! A vector of at most `N` elements without allocation.

use std::ops::{Deref, DerefMut};

/// At most `N` values; behaves as a slice.
#[derive(Debug, Clone, Copy)]
pub struct Few<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> Few<T, N> {
    /// `len` times `item`, at most `N`.
    #[inline]
    pub(crate) fn filled(item: T, len: usize) -> Self {
        Self { items: [item; N], len: len.min(N) }
    }

    /// Forgets all but the first `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// None; `filler` is never seen.
    #[inline]
    pub(crate) fn none(filler: T) -> Self {
        Self { items: [filler; N], len: 0 }
    }

    /// All places and how many of them are filled.
    pub(crate) fn parts(&self) -> (&[T; N], usize) {
        (&self.items, self.len)
    }

    /// Adds one; more than `N` cannot occur where this type is used, and one too many is left out.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if let Some(slot) = self.items.get_mut(self.len) {
            *slot = item;
            self.len += 1;
        }
    }
}

impl<T, const N: usize> Deref for Few<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl<T, const N: usize> DerefMut for Few<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Few<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
