//! Branch and bound over the efforts of a piece of a trajectory.
//!
//! Inverse dynamics over intervals bounds the efforts of an interval of time (Moore 1966), which is halved until a judge has
//! decided.

use kinetic_core::curve::{Coefficients, enclosure, evaluate};
use kinetic_core::{Control, KineticError, Result};

use crate::data::{DynamicsData, Workspace};
use crate::interval::Interval;
use crate::model::DynamicsModel;
use crate::recursions;

/// Intervals that are looked at per piece: some seconds.
const MOST_INTERVALS: usize = 1 << 21;
/// Intervals between two readings of the clock, some microseconds each.
const INTERVALS_PER_CLOCK: usize = 256;

/// What is wanted of the efforts.
pub(crate) trait Judge {
    /// Takes note of the efforts at a time since the piece began.
    fn meet(&mut self, time: f64, efforts: &[f64]);

    /// True when bounds of the efforts over an interval of time need not be narrower.
    fn is_decided(&mut self, bounds: &[Interval]) -> bool;
}

/// Efforts at instants and over intervals of time.
pub(crate) struct EffortBounds<'a> {
    model: &'a DynamicsModel,
    control: &'a Control,
    data: DynamicsData,
    work: Workspace<Interval>,
    efforts: Vec<f64>,
    bounds: Vec<Interval>,
}

impl<'a> EffortBounds<'a> {
    pub(crate) fn new(model: &'a DynamicsModel, control: &'a Control) -> Self {
        let zero = Interval { low: 0.0, high: 0.0 };
        let (efforts, bounds) = (vec![0.0; model.dof()], vec![zero; model.dof()]);
        Self { model, control, data: model.data(), work: Workspace::new(model), efforts, bounds }
    }

    /// Shows a judge the efforts at an instant.
    pub(crate) fn meet(&mut self, rows: &[&Coefficients], time: f64, judge: &mut impl Judge) -> Result<()> {
        let at = |order: usize| rows.iter().map(|row| evaluate(row, order, time)).collect::<Vec<f64>>();
        let inputs = [&at(0)[..], &at(1), &at(2)];
        self.model.inverse_dynamics_into(&mut self.data, inputs, &[], &mut self.efforts)?;
        judge.meet(time, &self.efforts);
        Ok(())
    }

    /// Halves a piece until `judge` has decided everywhere.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] where that takes too many intervals for `tolerance`; what the control says.
    pub(crate) fn bisect(
        &mut self,
        rows: &[&Coefficients],
        duration: f64,
        tolerance: f64,
        judge: &mut impl Judge,
    ) -> Result<()> {
        let mut open = vec![(0.0, duration)];
        for count in 0..MOST_INTERVALS {
            let Some((start, end)) = open.pop() else { return Ok(()) };
            if count % INTERVALS_PER_CLOCK == 0 {
                self.control.check(0)?;
            }
            self.enclose(rows, start, end);
            if !judge.is_decided(&self.bounds) {
                let middle = f64::midpoint(start, end);
                self.meet(rows, middle, judge)?;
                open.extend([(middle, end), (start, middle)]);
            }
        }
        let wanted = format!("a larger one: {MOST_INTERVALS} intervals of a piece do not decide it");
        Err(KineticError::invalid("tolerance", tolerance, wanted))
    }

    /// Bounds the efforts between two instants.
    fn enclose(&mut self, rows: &[&Coefficients], start: f64, end: f64) {
        let over = |order: usize| {
            let interval = |row: &&Coefficients| {
                let (low, high) = enclosure(row, order, start, end);
                Interval { low, high }
            };
            rows.iter().map(interval).collect::<Vec<Interval>>()
        };
        let inputs = [&over(0)[..], &over(1), &over(2)];
        recursions::inverse_dynamics(self.model, &mut self.work.states, inputs, |_| (), &mut self.bounds);
    }
}
