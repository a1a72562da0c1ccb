//! Limits on the squared path speeds at the ends of a stage, as linear rows.
//!
//! With x = ṡ² linear in s on the interval, s̈ = (x₁ − x₀) / 2Δ is constant, and the acceleration of a joint is
//! γ′(s) s̈ + γ″(s) x(s): a polynomial of s whose Bernstein coefficients are linear in x₀ and x₁. A polynomial lies between
//! its smallest and largest Bernstein coefficient, so that rows on these hold the limit on the whole interval, and not at
//! grid points alone as in Pham and Pham 2018. The coefficients at both ends are the accelerations there.
//!
//! Velocity limits inside a stage rarely bind, so that their rows are added only where a solution without them exceeds one.
//!
//! Four joints go side by side ([`lanes`](crate::lanes)): these loops take a good part of the time of the law.

#![allow(clippy::inline_always, reason = "what is not inlined is compiled without the wide instructions")]

use kinetic_core::Limits;
use kinetic_core::curve::MAX_DEGREE;

use super::row::{NEGLIGIBLE_SLOPE, SpeedRange, StageRow};
use super::stage::{Stage, StageGrid};
use crate::curve_element::CurveElement;
use crate::lanes::{Lanes, Mask, WIDTH};
use crate::quick_check::columns;

/// Part of a velocity limit that rounding may take where one joint stands for all.
const VELOCITY_ROUNDING: f64 = 1e-9;

/// Four rows `low ≤ x₁ + at_start · x₀ ≤ high`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowBlock {
    pub(crate) at_start: Lanes,
    pub(crate) low: Lanes,
    pub(crate) high: Lanes,
}

/// Four rows `|x₁ + at_start · x₀| ≤ most`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symmetric {
    pub(crate) at_start: Lanes,
    pub(crate) most: Lanes,
}

/// Four joints and their limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointBounds {
    pub(crate) first: usize,
    pub(crate) acceleration: Lanes,
    pub(crate) velocity: Lanes,
    /// 1 by the velocity.
    pub(crate) slowness: Lanes,
}

impl JointBounds {
    /// All joints; the last four reach back into those before, if need be, and without a joint the last one stands.
    pub(crate) fn all(limits: &Limits) -> Vec<Self> {
        let dof = limits.dof();
        let four = |begin: usize| {
            let first = begin.min(dof.saturating_sub(WIDTH));
            let lanes = |list: &[f64]| Lanes(std::array::from_fn(|lane| list[(first + lane).min(dof - 1)]));
            let (acceleration, velocity) = (lanes(&limits.acceleration), lanes(&limits.velocity));
            Self { first, acceleration, velocity, slowness: velocity.inverse() }
        };
        (0..dof).step_by(WIDTH).map(four).collect()
    }
}

/// The rows of one stage, in memory that is used again for the next one.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// Acceleration limits, by fours of joints.
    accelerations: Vec<Symmetric>,
    /// What else bounds x₁.
    others: Vec<RowBlock>,
    /// What bounds x₀ alone.
    flat: Vec<StageRow>,
    /// Largest squared path speeds at both ends that velocity limits allow.
    pub(crate) fastest: SpeedRange,
    /// Largest |γ′| by the velocity limit at both ends, over all joints; 0 on a straight.
    slowest: [f64; 2],
    /// Bounds on |γ′| at both ends, four joints each.
    slopes: Vec<[Lanes; 2]>,
    shape: ElementCoefficients,
}

/// Rows that bound x₁.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steep<'a> {
    pub(crate) accelerations: &'a [Symmetric],
    pub(crate) others: &'a [RowBlock],
}

/// The coefficients of an element, power by power, four joints each.
#[derive(Debug, Default)]
pub(crate) struct ElementCoefficients {
    element: Option<usize>,
    columns: Vec<[Lanes; MAX_DEGREE + 1]>,
}

impl ElementCoefficients {
    /// Stages of one element follow each other: mostly it is the one before.
    #[inline(always)]
    pub(crate) fn of(
        &mut self,
        index: usize,
        element: &CurveElement,
        joints: &[JointBounds],
    ) -> &[[Lanes; MAX_DEGREE + 1]] {
        if self.element != Some(index) {
            self.element = Some(index);
            self.columns.clear();
            for four in joints {
                self.columns.push(columns(&element.shape, four.first));
            }
        }
        &self.columns
    }
}

impl Rows {
    /// Those that bound x₁.
    #[inline(always)]
    pub(crate) fn steep(&self) -> Steep<'_> {
        Steep { accelerations: &self.accelerations, others: &self.others }
    }

    /// The part of a range of x₀ that rows without x₁ leave.
    #[inline(always)]
    pub(crate) fn flat_range(&self, mut start: SpeedRange) -> SpeedRange {
        for row in &self.flat {
            let bounds = [row.low / row.at_start, row.high / row.at_start];
            start[0] = start[0].max(bounds[0].min(bounds[1]));
            start[1] = start[1].min(bounds[0].max(bounds[1]));
        }
        start
    }

    #[inline(always)]
    fn begin(&mut self) {
        self.others.clear();
        self.flat.clear();
        self.slopes.clear();
    }

    #[inline(always)]
    fn push(&mut self, row: StageRow) {
        if row.is_flat {
            self.flat.push(row);
        } else {
            let [at_start, low, high] = [row.at_start, row.low, row.high].map(Lanes::splat);
            self.others.push(RowBlock { at_start, low, high });
        }
    }
}

impl RowBlock {
    /// No rows.
    const EMPTY: Self = Self {
        at_start: Lanes([0.0; WIDTH]),
        low: Lanes([f64::NEG_INFINITY; WIDTH]),
        high: Lanes([f64::INFINITY; WIDTH]),
    };
}

impl Symmetric {
    /// No rows.
    const EMPTY: Self = Self { at_start: Lanes([0.0; WIDTH]), most: Lanes([f64::INFINITY; WIDTH]) };

    /// |`at_start` · x₀ + `at_end` · x₁| ≤ `limit` of four joints, and which of them are without x₁.
    #[inline(always)]
    fn set(&mut self, at_start: Lanes, at_end: Lanes, limit: Lanes) -> Mask {
        let scale = at_end.inverse();
        self.at_start = at_start * scale;
        self.most = limit * scale.abs();
        at_end.abs().at_most(at_start.abs() * Lanes::splat(NEGLIGIBLE_SLOPE))
    }

    /// Takes rows without x₁ out.
    fn flatten(&mut self, is_flat: Mask, at_start: Lanes, limit: Lanes, flat: &mut Vec<StageRow>) {
        for lane in (0..WIDTH).filter(|lane| is_flat.0[*lane] != 0) {
            let (low, high) = (-limit.0[lane], limit.0[lane]);
            flat.push(StageRow { at_start: at_start.0[lane], low, high, is_flat: true });
            (self.at_start.0[lane], self.most.0[lane]) = (0.0, f64::INFINITY);
        }
    }
}

impl StageGrid<'_> {
    /// The rows of a stage.
    #[inline(always)]
    pub(crate) fn rows_of(&self, stage: &Stage, joints: &[JointBounds], rows: &mut Rows) {
        rows.begin();
        if stage.acceleration.is_finite() {
            let slope = 1.0 / (2.0 * stage.length);
            rows.accelerations.clear();
            rows.push(StageRow::new(-slope, slope, -stage.acceleration, stage.acceleration));
            (rows.slowest, rows.fastest) = ([0.0; 2], [stage.fastest; 2]);
            return;
        }
        let element = &self.elements[stage.element];
        match self.degrees[stage.element] {
            0 | 1 => rows.push_joints::<1>(element, stage, joints),
            2 => rows.push_joints::<2>(element, stage, joints),
            3 => rows.push_joints::<3>(element, stage, joints),
            4 => rows.push_joints::<4>(element, stage, joints),
            _ => rows.push_joints::<5>(element, stage, joints),
        }
        self.constraints[stage.constraints.clone()].iter().for_each(|row| rows.push(*row));
    }
}

/// Four joints on one stage: γ′ and γ″ by Bernstein coefficients. The degree is known when this is compiled.
struct LocalShape<const DEGREE: usize> {
    length: f64,
    /// Bernstein coefficients of γ′, of degree `DEGREE − 1`.
    tangents: [Lanes; MAX_DEGREE],
    /// Bernstein coefficients of γ″, of degree `DEGREE − 2`.
    curvatures: [Lanes; MAX_DEGREE],
}

impl<const DEGREE: usize> LocalShape<DEGREE> {
    #[inline(always)]
    fn new(shape: &[Lanes; MAX_DEGREE + 1], offset: f64, length: f64) -> Self {
        if DEGREE <= 3 {
            return Self::of_cubic(shape, offset, length);
        }
        let (mut local, at) = (*shape, Lanes::splat(offset));
        // As `shifted`, but for the position.
        for lowest in 0..DEGREE {
            for power in (lowest.max(1)..DEGREE).rev() {
                local[power] += at * local[power + 1];
            }
        }
        let zero = Lanes::splat(0.0);
        let (mut tangents, mut curvatures) = ([zero; MAX_DEGREE], [zero; MAX_DEGREE]);
        let mut scale = 1.0;
        for power in 1..=DEGREE {
            tangents[power - 1] = Lanes::splat(power as f64) * local[power] * Lanes::splat(scale);
            scale *= length;
        }
        scale = 1.0;
        for power in 2..=DEGREE {
            curvatures[power - 2] = Lanes::splat((power * (power - 1)) as f64) * local[power] * Lanes::splat(scale);
            scale *= length;
        }
        to_bernstein(&mut tangents, DEGREE - 1);
        to_bernstein(&mut curvatures, DEGREE.saturating_sub(2));
        Self { length, tangents, curvatures }
    }

    /// As [`new`](Self::new), of a cubic at most: what most elements are.
    #[inline(always)]
    fn of_cubic([_, c1, c2, c3, ..]: &[Lanes; MAX_DEGREE + 1], offset: f64, length: f64) -> Self {
        let (at, half) = (Lanes::splat(offset), Lanes::splat(0.5 * length));
        let (mut tangents, mut curvatures) = ([Lanes::splat(0.0); MAX_DEGREE], [Lanes::splat(0.0); MAX_DEGREE]);
        let (twice, slope) = (*c2 + *c2, Lanes::splat(6.0) * *c3);
        tangents[0] = *c1 + at * (twice + Lanes::splat(0.5) * (at * slope));
        curvatures[0] = twice + at * slope;
        curvatures[1] = curvatures[0] + Lanes::splat(length) * slope;
        if DEGREE >= 2 {
            tangents[1] = tangents[0] + half * curvatures[0];
            tangents[2] = tangents[1] + half * curvatures[1];
        }
        if DEGREE == 2 {
            tangents[1] = tangents[2];
        }
        Self { length, tangents, curvatures }
    }

    /// |Bernstein coefficient of γ′ s̈ + γ″ x| ≤ limit, with γ″ x by the product rule of Bernstein polynomials; rows without x₁
    /// go to `flat`.
    #[inline(always)]
    fn acceleration_rows(&self, limit: Lanes, rows: &mut [Symmetric; DEGREE], flat: &mut Vec<StageRow>) {
        let mut is_any_flat = Mask::NONE;
        for (index, row) in rows.iter_mut().enumerate() {
            let ends = self.acceleration(index);
            is_any_flat = is_any_flat.or(row.set(ends[0], ends[1], limit));
        }
        if !is_any_flat.is_none() {
            self.flatten(limit, rows, flat);
        }
    }

    /// Factors of x₀ and x₁ of a Bernstein coefficient of the acceleration.
    #[inline(always)]
    fn acceleration(&self, index: usize) -> [Lanes; 2] {
        let order = DEGREE - 1;
        let part = index as f64 / order.max(1) as f64;
        let slope = self.tangents[index] * Lanes::splat(0.5 / self.length);
        let mut ends = [Lanes::splat(0.0) - slope, slope];
        if index > 0 {
            ends[1] += self.curvatures[index - 1] * Lanes::splat(part);
        }
        if index < order {
            ends[0] += self.curvatures[index] * Lanes::splat(1.0 - part);
        }
        ends
    }

    /// Takes rows without x₁ out.
    #[cold]
    #[inline(never)]
    fn flatten(&self, limit: Lanes, rows: &mut [Symmetric; DEGREE], flat: &mut Vec<StageRow>) {
        for (index, row) in rows.iter_mut().enumerate() {
            let ends = self.acceleration(index);
            let is_flat = row.set(ends[0], ends[1], limit);
            row.flatten(is_flat, ends[0], limit, flat);
        }
    }

    /// Values at both ends of a line that |γ′| does not exceed: the line between the values of |γ′| there, raised by what
    /// the Bernstein coefficients lie above it.
    #[inline(always)]
    fn tangent_bounds(&self) -> [Lanes; 2] {
        let order = DEGREE - 1;
        let [start, end] = [self.tangents[0].abs(), self.tangents[order].abs()];
        let mut raise = Lanes::splat(0.0);
        for index in 1..order {
            let part = Lanes::splat(index as f64 / order.max(1) as f64);
            raise = raise.max(self.tangents[index].abs() - (start + part * (end - start)));
        }
        [start + raise, end + raise]
    }
}

impl Rows {
    #[inline(always)]
    fn push_joints<const DEGREE: usize>(&mut self, element: &CurveElement, stage: &Stage, joints: &[JointBounds]) {
        let mut slowest = [Lanes::splat(0.0); 2];
        let columns = self.shape.of(stage.element, element, joints);
        self.accelerations.resize(DEGREE * joints.len(), Symmetric::EMPTY);
        for ((four, columns), rows) in joints.iter().zip(columns).zip(self.accelerations.as_chunks_mut::<DEGREE>().0) {
            let local = LocalShape::<DEGREE>::new(columns, stage.offset, stage.length);
            local.acceleration_rows(four.acceleration, rows, &mut self.flat);
            let slopes = local.tangent_bounds();
            self.slopes.push(slopes);
            slowest = [slowest[0].max(slopes[0] * four.slowness), slowest[1].max(slopes[1] * four.slowness)];
        }
        self.slowest = [slowest[0].largest(), slowest[1].largest()];
        self.fastest = self.slowest.map(|slowest| (1.0 / slowest).powi(2));
    }

    /// Adds the velocity limits inside the stage that squared speeds of up to `most` at its ends can exceed; true where there are
    /// some, which is rare. They are γ′² x ≤ limit², where a line from `start` to `end` bounds |γ′|.
    #[inline(always)]
    pub(crate) fn add_velocity_rows(&mut self, joints: &[JointBounds], most: SpeedRange) -> bool {
        if self.velocities_hold(most) {
            return false;
        }
        let count = self.others.len();
        let at = most.map(Lanes::splat);
        for (index, four) in joints.iter().enumerate().take(self.slopes.len()) {
            let [start, end] = self.slopes[index];
            let (twice, limit) = (Lanes::splat(2.0) * start * end, Lanes::splat(3.0) * four.velocity * four.velocity);
            // The cubic line² · x is at most its Bernstein coefficients, of which the outer two are the bounds on x₀ and x₁.
            for (at_start, at_end) in [(twice, start * start), (end * end, twice)] {
                let holds = (at_start * at[0] + at_end * at[1]).at_most(limit);
                if !holds.is_all() {
                    self.push_velocity_rows(at_start, at_end, limit, holds);
                }
            }
        }
        self.others.len() > count
    }

    /// Whether the slowest joint at either end alone tells that no velocity limit inside the stage binds: it is slower than every
    /// joint of which [`add_velocity_rows`](Self::add_velocity_rows) asks.
    #[inline(always)]
    fn velocities_hold(&self, [x0, x1]: SpeedRange) -> bool {
        let [start, end] = self.slowest;
        let (twice, limit) = (2.0 * start * end, 3.0 * (1.0 - VELOCITY_ROUNDING));
        twice * x0 + start * start * x1 <= limit && end * end * x0 + twice * x1 <= limit
    }

    /// `at_start` · x₀ + `at_end` · x₁ ≤ `limit`, where it does not hold anyway.
    #[cold]
    #[inline(never)]
    fn push_velocity_rows(&mut self, at_start: Lanes, at_end: Lanes, limit: Lanes, holds: Mask) {
        let mut block = RowBlock::EMPTY;
        for lane in (0..WIDTH).filter(|lane| holds.0[*lane] == 0) {
            let row = StageRow::new(at_start.0[lane], at_end.0[lane], f64::NEG_INFINITY, limit.0[lane]);
            if row.is_flat {
                self.flat.push(row);
            } else {
                (block.at_start.0[lane], block.high.0[lane]) = (row.at_start, row.high);
            }
        }
        self.others.push(block);
    }
}

/// Bernstein from power coefficients on the unit interval: `b_i = Σ_k C(i, k) / C(n, k) a_k`.
#[inline(always)]
fn to_bernstein(list: &mut [Lanes; MAX_DEGREE], degree: usize) {
    let mut binomial = 1.0;
    for power in 1..=degree {
        binomial *= (degree + 1 - power) as f64 / power as f64;
        list[power] = list[power] * Lanes::splat(1.0 / binomial);
    }
    for row in 1..=degree {
        for power in (row..=degree).rev() {
            let before = list[power - 1];
            list[power] += before;
        }
    }
}
