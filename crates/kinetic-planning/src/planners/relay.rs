//! A second pair of trees that takes turns with the first in long searches, and begins anew again and again.
//!
//! How long a tree takes to find a narrow passage is heavy-tailed: the nodes around its mouth decide, and those that came
//! first stay the nearest to every sample inside, whether they see it or not. A tree that begins anew gets other ones
//! (Wedge and Branicky, "On heavy-tailed runtimes and restarts in rapidly-exploring random trees", AAAI workshop on search
//! in artificial intelligence and robotics, 2008), and shorter edges fit into a mouth that longer ones must hit exactly. Most
//! problems are solved before, and of those that are not some are large rather than narrow. So the first trees stay and
//! keep most of the iterations: what is lost is at most the second pair's share.

/// Iterations of a turn.
const TURN: u64 = 256;

/// One turn of so many is the second pair's.
const SHARE: u64 = 4;

/// Turns of the second pair before it begins anew, the first two times: once with shorter edges, once with long ones. Twice
/// as many for every further two.
const FIRST_LIFE: u64 = 16;

/// A change of turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    /// Longest edge of the pair whose turn begins, relative to that of the first pair.
    pub(crate) range: f64,
    /// Whether that pair begins anew.
    pub(crate) is_anew: bool,
}

/// Whose turn it is.
#[derive(Debug)]
pub(crate) struct Relay {
    after: u64,
    range: f64,
    is_second: bool,
    /// How often the second pair began.
    lives: u32,
    turns_left: u64,
}

impl Relay {
    /// The second pair takes part after `after` iterations; its shorter edges are `range` times as long as the first's.
    pub(crate) fn new(after: u64, range: f64) -> Self {
        Self { after, range, is_second: false, lives: 0, turns_left: 0 }
    }

    /// To be asked before every iteration, with the number of those before it.
    pub(crate) fn change(&mut self, iterations: u64) -> Option<Change> {
        let since = iterations.checked_sub(self.after)?;
        let is_second = (since / TURN).is_multiple_of(SHARE);
        if is_second == self.is_second {
            return None;
        }
        self.is_second = is_second;
        Some(if is_second { self.second_turn() } else { Change { range: 1.0, is_anew: false } })
    }

    fn second_turn(&mut self) -> Change {
        let is_anew = self.turns_left == 0;
        if is_anew {
            self.turns_left = FIRST_LIFE << (self.lives / 2).min(32);
            self.lives += 1;
        }
        self.turns_left -= 1;
        Change { range: if self.lives % 2 == 1 { self.range } else { 1.0 }, is_anew }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The changes of a long search, with the iteration of each.
    fn changes(after: u64, iterations: u64) -> Vec<(u64, Change)> {
        let mut relay = Relay::new(after, 0.25);
        (0..iterations).filter_map(|iteration| relay.change(iteration).map(|change| (iteration, change))).collect()
    }

    #[test]
    fn a_quarter_of_the_iterations_after_the_first_ones_is_the_second_pairs() {
        let changes = changes(1_000, 401_000);
        assert_eq!(changes[0], (1_000, Change { range: 0.25, is_anew: true }));
        let turns = changes.chunks_exact(2).map(|pair| pair[1].0 - pair[0].0);
        let second: u64 = turns.sum();
        assert!((99_000..101_000).contains(&second), "{second}");
        assert!(changes.chunks_exact(2).all(|pair| pair[1].1 == Change { range: 1.0, is_anew: false }));
    }

    #[test]
    fn it_begins_anew_with_short_and_long_edges_by_turns_and_lives_longer_each_second_time() {
        let turns: Vec<Change> = changes(0, 1 << 20).into_iter().step_by(2).map(|(_, change)| change).collect();
        let starts: Vec<usize> = (0..turns.len()).filter(|turn| turns[*turn].is_anew).collect();
        let lives: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(lives[..6], [16, 16, 32, 32, 64, 64]);
        for (life, pair) in starts.windows(2).enumerate() {
            let range = if life % 2 == 0 { 0.25 } else { 1.0 };
            assert!(turns[pair[0]..pair[1]].iter().all(|turn| turn.range == range), "life {life}");
        }
    }

    #[test]
    fn without_a_second_pair_nothing_changes() {
        assert!(changes(u64::MAX, 100_000).is_empty());
    }
}
