//! The escape from a singularity that a servo is on.

use std::f64::consts::PI;

use kinetic_core::Result;
use kinetic_trajectory::state::AxisLimits;

use crate::differential_ik::{DifferentialIk, EscapeSearch, VelocityCommand};

/// Speed along a way, rad/s or m/s, per unit of the wish, and the part of the joints' velocity limits that it takes at most: a light
/// touch of a joystick does not spin a wrist.
const SPEED_PER_WISH: f64 = 5.0;
const LARGEST_VELOCITY_PART: f64 = 0.2;

/// A way that is longer, rad or m, leads nowhere: a quarter turn takes any direction to any other.
const LONGEST_WAY: f64 = PI;

/// Where none was found, the next search is so many ticks later; and so many after a way that led nowhere.
const TICKS_BETWEEN_SEARCHES: u64 = 16;
const TICKS_AFTER_LONGEST_WAY: u64 = 500;

/// An escape, or none.
#[derive(Debug)]
pub(super) struct SingularityEscape {
    /// Unit joint velocities, and those with which the way is taken.
    way: Vec<f64>,
    velocities: Vec<f64>,
    /// Largest velocities and ranges of the joints.
    fastest: Vec<f64>,
    ranges: Vec<[f64; 2]>,
    period: f64,
    travelled: f64,
    /// The tick in which it was taken or looked for last, and before which no search begins.
    last_tick: u64,
    next_search: u64,
    is_taken: bool,
    is_searching: bool,
}

impl SingularityEscape {
    /// For joints with these limits and ranges of positions, and ticks of so many seconds.
    pub(super) fn new(limits: &[AxisLimits], ranges: &[[f64; 2]], period: f64) -> Self {
        let zeros = vec![0.0; limits.len()];
        Self {
            way: zeros.clone(),
            velocities: zeros,
            fastest: limits.iter().map(|limits| LARGEST_VELOCITY_PART * limits.velocity[1]).collect(),
            ranges: ranges.to_vec(),
            period,
            travelled: 0.0,
            last_tick: 0,
            next_search: 0,
            is_taken: false,
            is_searching: false,
        }
    }

    /// Forgets the way and the search, for an arm that begins elsewhere.
    pub(super) fn forget(&mut self) {
        (self.is_taken, self.is_searching, self.next_search) = (false, false, 0);
    }

    /// Joint velocities along the way; none without one.
    pub(super) fn velocities(&self) -> &[f64] {
        if self.is_taken { &self.velocities } else { &[] }
    }

    /// Goes on along the way that was taken in the tick before, if there was one; whether it is still on.
    pub(super) fn go_on(
        &mut self,
        ik: &mut DifferentialIk,
        (q, wish): (&[f64], VelocityCommand<'_>),
        tick: u64,
    ) -> Result<bool> {
        let was_taken = self.is_taken && tick <= self.last_tick + 1;
        self.is_taken = false;
        if !was_taken {
            return Ok(false);
        }
        if self.travelled > LONGEST_WAY {
            self.next_search = tick + TICKS_AFTER_LONGEST_WAY;
            return Ok(false);
        }
        if let Some(length) = ik.follow_escape(q, wish, &mut self.way)? {
            self.take(length, tick);
        }
        Ok(self.is_taken)
    }

    /// Looks for a way, a trial in each tick, unless it did so just now; whether there is one.
    pub(super) fn search(
        &mut self,
        ik: &mut DifferentialIk,
        (q, wish): (&[f64], VelocityCommand<'_>),
        tick: u64,
    ) -> Result<bool> {
        let goes_on = self.is_searching && tick <= self.last_tick + TICKS_BETWEEN_SEARCHES;
        if !goes_on && tick < self.next_search {
            return Ok(false);
        }
        let is_searched = goes_on || ik.begin_escape(q, wish)?;
        let search =
            if is_searched { ik.try_escape(q, wish, &self.ranges, &mut self.way)? } else { EscapeSearch::Nothing };
        (self.is_searching, self.last_tick) = (search == EscapeSearch::Searching, tick);
        match search {
            EscapeSearch::Searching => {}
            EscapeSearch::Nothing => self.next_search = tick + TICKS_BETWEEN_SEARCHES,
            EscapeSearch::Found(length) => {
                self.travelled = 0.0;
                self.take(length, tick);
            }
        }
        Ok(self.is_taken)
    }

    fn take(&mut self, length: f64, tick: u64) {
        let fastest = self.way.iter().zip(&self.fastest).map(|(way, fastest)| fastest / way.abs());
        let speed = fastest.fold(SPEED_PER_WISH * length, f64::min);
        self.velocities.iter_mut().zip(&self.way).for_each(|(velocity, way)| *velocity = speed * way);
        self.travelled += speed * self.period;
        (self.is_taken, self.last_tick) = (true, tick);
    }
}
