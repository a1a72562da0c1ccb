//! Which of two trees grows next.

/// The two trees take turns, except that one of less than half the other's size keeps its turn: the one in the narrower place grows with
/// few of its extensions.
pub(super) fn next_turn(active: usize, sizes: [usize; 2]) -> usize {
    if sizes[1 - active] >= 2 * sizes[active] { active } else { 1 - active }
}
