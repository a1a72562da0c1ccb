//! Array-backed vectors: at most `N` elements, without allocation.

use std::ops::{Deref, DerefMut};

/// At most `N` values; behaves as a slice.
#[derive(Debug, Clone, Copy)]
pub struct ArrayVec<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> ArrayVec<T, N> {
    /// `len` times `item`, at most `N`.
    #[inline]
    pub(crate) fn filled(item: T, len: usize) -> Self {
        Self { items: [item; N], len: len.min(N) }
    }

    /// Drops all but the first `len` elements.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// An empty vector; `filler` occupies the storage and is never seen.
    #[inline]
    pub(crate) fn empty(filler: T) -> Self {
        Self { items: [filler; N], len: 0 }
    }

    /// All of the storage, and how many elements of it are in use.
    pub(crate) fn storage(&self) -> (&[T; N], usize) {
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

impl<T, const N: usize> Deref for ArrayVec<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl<T, const N: usize> DerefMut for ArrayVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.len]
    }
}

impl<T: PartialEq, const N: usize> PartialEq for ArrayVec<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
