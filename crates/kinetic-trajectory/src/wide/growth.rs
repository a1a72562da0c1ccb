//! How wide corners grow: as long as the curve stays within its deviation from the polyline, in turns.
//!
//! The offset from the polyline is kept at every vertex, so that another width of one corner is judged by what it changes:
//! work in proportion to the vertices that it reaches.

use kinetic_core::Result;

use crate::watch::Watch;

/// A corner grows by this factor at first; where that is too much, by the root of the factor next time.
const FIRST_FACTOR: f64 = 2.0;

/// Growth by less is not worth a try.
const LAST_FACTOR: f64 = 1.04;

/// Rounds of growth, and of making narrower.
const ROUNDS: usize = 60;

/// Joints whose offsets are summed up at once.
const MOST_JOINTS: usize = 8;

/// Factor by which a corner becomes narrower in a round.
const NARROWER: f64 = 0.9;

/// Corners of a polyline with their widths.
pub(super) struct Growth<'a> {
    stations: &'a [f64],
    bends: &'a [Vec<f64>],
    /// Largest distance from the polyline.
    allowed: f64,
    pub(super) widths: Vec<f64>,
    /// Offset from the polyline at every vertex, joint after joint.
    offsets: Vec<f64>,
    dof: usize,
    /// No width is larger.
    widest: f64,
}

/// Offset by a corner of `width` at `distance`, in changes of direction.
pub(super) fn height(width: f64, distance: f64) -> f64 {
    let rest = width - distance.abs();
    if width > 0.0 && rest > 0.0 { rest * rest * rest / (6.0 * width * width) } else { 0.0 }
}

impl<'a> Growth<'a> {
    /// Corners of these widths.
    pub(super) fn new(stations: &'a [f64], bends: &'a [Vec<f64>], widths: &[f64], allowed: f64) -> Self {
        let dof = bends[0].len();
        let none = vec![0.0; widths.len()];
        let mut growth =
            Self { stations, bends, allowed, widths: none, offsets: vec![0.0; dof * widths.len()], dof, widest: 0.0 };
        widths.iter().enumerate().for_each(|(vertex, width)| growth.set(vertex, *width));
        growth
    }

    /// Makes corners narrower until none leaves the deviation, where that is possible.
    pub(super) fn narrow(&mut self, watch: &Watch) -> Result<()> {
        for _ in 0..ROUNDS {
            let mut inside = true;
            for vertex in 1..self.widths.len() - 1 {
                watch.check_at(vertex)?;
                if self.widths[vertex] > 0.0 && !self.is_inside(vertex) {
                    self.set(vertex, NARROWER * self.widths[vertex]);
                    inside = false;
                }
            }
            if inside {
                break;
            }
        }
        self.widest = self.widths.iter().copied().fold(0.0, f64::max);
        Ok(())
    }

    /// Lets corners grow up to `most`.
    pub(super) fn grow(&mut self, most: &[f64], watch: &Watch) -> Result<()> {
        let mut order: Vec<usize> = (0..most.len())
            .filter(|vertex| self.widths[*vertex] > 0.0 && self.widths[*vertex] < most[*vertex])
            .collect();
        let mut factors = vec![FIRST_FACTOR; most.len()];
        for _ in 0..ROUNDS {
            // The narrowest first: it is what slows the motion down.
            order.sort_by(|a, b| self.widths[*a].total_cmp(&self.widths[*b]).then(a.cmp(b)));
            for (step, vertex) in order.iter().enumerate() {
                watch.check_at(step)?;
                let now = self.widths[*vertex];
                self.set(*vertex, (now * factors[*vertex]).min(most[*vertex]));
                if !self.is_inside(*vertex) {
                    self.set(*vertex, now);
                    factors[*vertex] = factors[*vertex].sqrt();
                }
            }
            order.retain(|vertex| self.widths[*vertex] < most[*vertex] && factors[*vertex] > LAST_FACTOR);
            if order.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn set(&mut self, vertex: usize, width: f64) {
        let (at, before) = (self.stations[vertex], self.widths[vertex]);
        for other in self.within(at, width.max(before)) {
            let distance = self.stations[other] - at;
            let change = height(width, distance) - height(before, distance);
            let offset = &mut self.offsets[other * self.dof..(other + 1) * self.dof];
            offset.iter_mut().zip(&self.bends[vertex]).for_each(|(offset, bend)| *offset += change * bend);
        }
        self.widths[vertex] = width;
        self.widest = self.widest.max(width);
    }

    /// Vertices closer than `reach` to a station.
    fn within(&self, station: f64, reach: f64) -> std::ops::Range<usize> {
        let first = self.stations.partition_point(|other| *other <= station - reach);
        let last = self.stations.partition_point(|other| *other < station + reach);
        first..last.max(first)
    }

    /// True when the offset is allowed on the support of a corner: at vertices, close to which it is largest, and half-way.
    fn is_inside(&self, vertex: usize) -> bool {
        let (at, width) = (self.stations[vertex], self.widths[vertex]);
        let allowed = self.allowed * self.allowed;
        let square = |offset: &[f64]| offset.iter().map(|value| value * value).sum::<f64>();
        let range = self.within(at, width);
        self.offsets[range.start * self.dof..range.end * self.dof]
            .chunks_exact(self.dof)
            .all(|offset| square(offset) <= allowed)
            && [-0.5, 0.5].iter().all(|part| self.square_at(at + part * width) <= allowed)
    }

    /// Squared offset at any station.
    fn square_at(&self, station: f64) -> f64 {
        let mut offset = [0.0; MOST_JOINTS];
        let mut square = 0.0;
        for first in (0..self.dof).step_by(MOST_JOINTS) {
            offset.fill(0.0);
            for vertex in self.within(station, self.widest) {
                let height = height(self.widths[vertex], station - self.stations[vertex]);
                let bend = &self.bends[vertex][first..];
                offset.iter_mut().zip(bend).for_each(|(offset, bend)| *offset += height * bend);
            }
            square += offset.iter().map(|value| value * value).sum::<f64>();
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kinetic_core::rng::SeededRng;

    #[test]
    fn offsets_that_were_kept_are_those_summed_up_anew_and_allowed() {
        for seed in 0..20 {
            let mut rng = SeededRng::new(seed);
            let count = 3 + rng.below(40);
            let dof = 1 + rng.below(10);
            let mut stations = vec![0.0];
            (1..count).for_each(|index| stations.push(stations[index - 1] + rng.uniform(0.01, 0.3)));
            let mut bends: Vec<Vec<f64>> =
                (0..count).map(|_| (0..dof).map(|_| rng.uniform(-0.5, 0.5)).collect()).collect();
            bends[0].fill(0.0);
            bends[count - 1].fill(0.0);
            let mut widths = vec![0.05; count];
            (widths[0], widths[count - 1]) = (0.0, 0.0);
            let mut growth = Growth::new(&stations, &bends, &widths, 0.01);
            growth.narrow(&Watch::default()).expect("nothing ends it");
            let narrow = growth.widths.clone();
            growth.grow(&vec![0.5; count], &Watch::default()).expect("nothing ends it");
            assert!(growth.widths.iter().zip(&narrow).all(|(now, before)| now >= before), "seed {seed}");
            assert!(growth.widths.iter().sum::<f64>() > 1.2 * narrow.iter().sum::<f64>(), "seed {seed}: no growth");
            for (vertex, at) in stations.iter().enumerate() {
                let offset = |joint: usize| -> f64 {
                    let part = |other: usize| bends[other][joint] * height(growth.widths[other], at - stations[other]);
                    (0..count).map(part).sum()
                };
                let anew: Vec<f64> = (0..dof).map(offset).collect();
                let kept = &growth.offsets[vertex * dof..(vertex + 1) * dof];
                assert!(anew.iter().zip(kept).all(|(a, b)| (a - b).abs() < 1e-15), "seed {seed}");
                let distance = anew.iter().map(|value| value * value).sum::<f64>().sqrt();
                assert!(distance <= 0.01 + 1e-15, "seed {seed}: {distance}");
                assert!((growth.square_at(*at) - distance * distance).abs() < 1e-15, "seed {seed}");
            }
        }
    }
}
