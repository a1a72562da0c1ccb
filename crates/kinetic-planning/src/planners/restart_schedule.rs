//! Restart schedule: in long searches a second pair of trees takes turns with the first, and restarts again and again.
//!
//! How long a tree takes to find a narrow passage is heavy-tailed: the nodes around its mouth decide, and those that came
//! first stay the nearest to every sample inside, whether a straight motion joins them or not. A tree that restarts gets other ones
//! (Wedge and Branicky, "On heavy-tailed runtimes and restarts in rapidly-exploring random trees", AAAI workshop on search
//! in artificial intelligence and robotics, 2008), and shorter edges fit into a mouth that longer ones must hit exactly. Most
//! problems are solved before, and of those that are not some are large rather than narrow. So the first trees stay and
//! keep most of the iterations: what is lost is at most the second pair's share.

/// Iterations of a turn.
const ITERATIONS_PER_TURN: u64 = 256;

/// One turn of so many is the second pair's.
const TURNS_PER_SECOND_TURN: u64 = 4;

/// Turns of the second pair until it restarts, the first two times: once with shorter edges, once with long ones. Twice
/// as many for every further two.
const FIRST_TURNS_PER_RESTART: u64 = 16;

/// A switch from one pair of trees to the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TreeSwitch {
    /// Longest edge of the pair whose turn begins, relative to that of the first pair.
    pub(crate) range: f64,
    /// Whether that pair restarts from its roots.
    pub(crate) restarts: bool,
}

/// Which pair of trees grows at an iteration.
#[derive(Debug)]
pub(crate) struct RestartSchedule {
    after: u64,
    range: f64,
    is_second: bool,
    /// How often the second pair has started.
    starts: u32,
    turns_left: u64,
}

impl RestartSchedule {
    /// The second pair takes part after `after` iterations; its shorter edges are `range` times as long as the first's.
    pub(crate) fn new(after: u64, range: f64) -> Self {
        Self { after, range, is_second: false, starts: 0, turns_left: 0 }
    }

    /// The switch before an iteration, if there is one; called before every iteration with the number of those before it.
    pub(crate) fn switch(&mut self, iterations: u64) -> Option<TreeSwitch> {
        let since = iterations.checked_sub(self.after)?;
        let is_second = (since / ITERATIONS_PER_TURN).is_multiple_of(TURNS_PER_SECOND_TURN);
        if is_second == self.is_second {
            return None;
        }
        self.is_second = is_second;
        Some(if is_second { self.second_turn() } else { TreeSwitch { range: 1.0, restarts: false } })
    }

    fn second_turn(&mut self) -> TreeSwitch {
        let restarts = self.turns_left == 0;
        if restarts {
            self.turns_left = FIRST_TURNS_PER_RESTART << (self.starts / 2).min(32);
            self.starts += 1;
        }
        self.turns_left -= 1;
        TreeSwitch { range: if self.starts % 2 == 1 { self.range } else { 1.0 }, restarts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The switches of a long search, with the iteration of each.
    fn switches(after: u64, iterations: u64) -> Vec<(u64, TreeSwitch)> {
        let mut schedule = RestartSchedule::new(after, 0.25);
        (0..iterations).filter_map(|iteration| schedule.switch(iteration).map(|switch| (iteration, switch))).collect()
    }

    #[test]
    fn a_quarter_of_the_iterations_after_the_first_ones_is_the_second_pairs() {
        let changes = switches(1_000, 401_000);
        assert_eq!(changes[0], (1_000, TreeSwitch { range: 0.25, restarts: true }));
        let turns = changes.chunks_exact(2).map(|pair| pair[1].0 - pair[0].0);
        let second: u64 = turns.sum();
        assert!((99_000..101_000).contains(&second), "{second}");
        assert!(changes.chunks_exact(2).all(|pair| pair[1].1 == TreeSwitch { range: 1.0, restarts: false }));
    }

    #[test]
    fn it_restarts_with_short_and_long_edges_by_turns_and_runs_longer_each_second_time() {
        let turns: Vec<TreeSwitch> = switches(0, 1 << 20).into_iter().step_by(2).map(|(_, change)| change).collect();
        let starts: Vec<usize> = (0..turns.len()).filter(|turn| turns[*turn].restarts).collect();
        let lengths: Vec<usize> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(lengths[..6], [16, 16, 32, 32, 64, 64]);
        for (run, pair) in starts.windows(2).enumerate() {
            let range = if run % 2 == 0 { 0.25 } else { 1.0 };
            assert!(turns[pair[0]..pair[1]].iter().all(|turn| turn.range == range), "run {run}");
        }
    }

    #[test]
    fn without_a_second_pair_nothing_changes() {
        assert!(switches(u64::MAX, 100_000).is_empty());
    }
}
