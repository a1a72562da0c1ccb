//! Numbers of the cells of a grid, in the order in which they are met.

/// Fibonacci hashing (Knuth, "The Art of Computer Programming" 3, 6.4): 2⁶⁴ over the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Places of a new table.
const FIRST_PLACES: usize = 1 << 12;

/// A hash table with linear probing. Numbers do not depend on the hash.
pub(super) struct CellTable {
    /// One more than the number of a cell; 0 where there is none. A power of two of places, of which at most half are taken.
    places: Vec<u32>,
    /// Keys of the cells by their numbers.
    keys: Vec<u64>,
    /// The cell that was asked for last.
    last: usize,
}

impl CellTable {
    pub(super) fn new() -> Self {
        Self { places: vec![0; FIRST_PLACES], keys: Vec::new(), last: 0 }
    }

    /// Keys of the cells by their numbers.
    pub(super) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// The number of a cell, a new one if it was not met before.
    #[inline]
    pub(super) fn number(&mut self, key: u64) -> usize {
        // Neighbours in a picture are neighbours in space.
        if self.keys.get(self.last) != Some(&key) {
            self.last = self.find_or_add(key);
        }
        self.last
    }

    /// The number of a cell that was met.
    pub(super) fn find(&self, key: u64) -> Option<usize> {
        self.search(key).ok()
    }

    fn find_or_add(&mut self, key: u64) -> usize {
        self.search(key).unwrap_or_else(|place| self.add(key, place))
    }

    /// The number of a cell, or the place where it is added.
    fn search(&self, key: u64) -> Result<usize, usize> {
        let mut place = self.first_place(key);
        loop {
            match self.places[place] {
                0 => return Err(place),
                taken if self.keys[taken as usize - 1] == key => return Ok(taken as usize - 1),
                _ => place = (place + 1) & (self.places.len() - 1),
            }
        }
    }

    fn first_place(&self, key: u64) -> usize {
        (key.wrapping_mul(MULTIPLIER) >> (u64::BITS - self.places.len().trailing_zeros())) as usize
    }

    fn add(&mut self, key: u64, place: usize) -> usize {
        self.keys.push(key);
        self.places[place] = self.keys.len() as u32;
        if 2 * self.keys.len() > self.places.len() {
            self.enlarge();
        }
        self.keys.len() - 1
    }

    fn enlarge(&mut self) {
        self.places = vec![0; 4 * self.places.len()];
        for number in 0..self.keys.len() {
            let mut place = self.first_place(self.keys[number]);
            while self.places[place] != 0 {
                place = (place + 1) & (self.places.len() - 1);
            }
            self.places[place] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use kinetic_core::rng::SeededRng;

    use super::*;

    #[test]
    fn numbers_count_the_keys_in_the_order_in_which_they_come() {
        for (seed, range) in [(1, 10), (2, 5_000), (3, 1 << 40)] {
            let (mut rng, mut table, mut wanted) = (SeededRng::new(seed), CellTable::new(), HashMap::new());
            for _ in 0..20_000 {
                // Neighbours along any axis.
                let key = (rng.below(range) as u64) << [0, 21, 42][rng.below(3)];
                let next = wanted.len();
                assert_eq!(table.number(key), *wanted.entry(key).or_insert(next), "seed {seed}");
            }
            assert!((0..1_000).all(|key| table.find(key) == wanted.get(&key).copied()));
            assert!(table.keys().iter().enumerate().all(|(number, key)| wanted[key] == number));
        }
    }
}
