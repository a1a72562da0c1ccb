//! Public functions of a generated file, for arms that are swept along their self-motion or reach a part of the pose.

/// What a solve takes beside the pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Order by distance from this configuration, closest first, with the turns of 2π that are closest to it.
    pub q_seed: Option<[f64; DOF]>,
    /// At most so many solutions, counted after filtering and ordering.
    pub max_solutions: Option<usize>,
    /// Bring joints into their limits by turns of 2π where that is possible, drop the others.
    pub respect_limits: bool,
    /// Refine near misses.
    pub allow_refinement: bool,
    /// Iterations of a refinement.
    pub refinement_max_iters: usize,
    /// Number of values at which the self-motion is sampled; the class's own number when `None`.
    pub samples: Option<usize>,
    /// Values of what the self-motion is measured by (swivel angle, locked joints) to solve at, instead of a sweep; inside
    /// the limits where these are respected.
    pub at: Option<[f64; SELF_MOTION]>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            q_seed: None,
            max_solutions: None,
            respect_limits: true,
            allow_refinement: false,
            refinement_max_iters: 15,
            samples: None,
            at: None,
        }
    }
}

/// Solutions for the pose of the tool in the base of the chain. An unreachable pose has none; of an arm with self-motion
/// they are samples, the values nearest to the seed first.
///
/// # Errors
/// [`Error::NotFinite`], [`Error::NotRigid`] and [`Error::SelfMotion`].
pub fn solve(base_from_tcp: &Pose, options: &Options) -> Result<Vec<Solution>, Error> {
    Ok(explain(base_from_tcp, options)?.0)
}

/// As [`solve`], with the story.
///
/// # Errors
/// As [`solve`].
pub fn explain(base_from_tcp: &Pose, options: &Options) -> Result<(Vec<Solution>, Diagnostic), Error> {
    let target = Target::new(&checked(base_from_tcp)?, &HOME);
    check(options)?;
    let given = SolveOptions {
        seed: options.q_seed.map(Vec::from),
        max_solutions: options.max_solutions,
        respect_limits: options.respect_limits,
        allow_refinement: options.allow_refinement,
        refinement_max_iters: options.refinement_max_iters,
        samples: options.samples,
        stop: Never,
    };
    let arm = ProductOfExponentials { screws: SCREWS.to_vec(), home: HOME };
    let start = options.q_seed.map(|seed| SOLVER.parameters(&arm, &seed));
    let mut search = BranchSearch::new(&*SOLVER, &KinematicChain, &target, &given, IS_SLOW);
    match &options.at {
        Some(at) => search.solve_only_at(at),
        None => search.sweep(start, None),
    }
    Ok(reported(search.finished()))
}

/// Solutions and story of a search.
fn reported(found: SearchOutcome) -> (Vec<Solution>, Diagnostic) {
    let solution = |accepted: &AcceptedBranch| Solution {
        q: std::array::from_fn(|joint| accepted.branch.q[joint]),
        fk_residual: accepted.branch.fk_residual,
        is_refined: accepted.refinement == Refinement::Lm,
    };
    let kept: Vec<Solution> = found.accepted.iter().map(solution).collect();
    let diagnostic = Diagnostic {
        raw_candidates: found.raw_candidates,
        dropped_by_limits: found.dropped_by_limits,
        dropped_by_max_solutions: found.dropped_by_max_solutions,
        final_count: kept.len(),
        max_fk_residual: kept.iter().map(|solution| solution.fk_residual).fold(f64::NAN, f64::max),
    };
    (kept, diagnostic)
}

fn check(options: &Options) -> Result<(), Error> {
    let given = options.q_seed.iter().flatten().chain(options.at.iter().flatten());
    if given.into_iter().any(|value| !value.is_finite()) {
        return Err(Error::NotFinite);
    }
    let has_none = SELF_MOTION == 0 && (options.samples.is_some() || options.at.is_some());
    let most = if SELF_MOTION == 2 { 1_000 } else { 100_000 };
    let is_outside = options.respect_limits && options.at.is_some_and(|at| is_outside(&at));
    if has_none || is_outside || options.samples.is_some_and(|count| count == 0 || count > most) {
        return Err(Error::SelfMotion);
    }
    Ok(())
}

/// How far outside a limit a value that is given may be, rad or m: rounding.
const LIMIT_ROUNDING_RAD_M: f64 = 1e-9;

/// Whether no configuration inside the limits has these values of the self-motion. Those of a circle are the same a turn
/// farther.
fn is_outside(at: &[f64; SELF_MOTION]) -> bool {
    SOLVER.ranges().iter().zip(at).any(|(range, value)| {
        let inside = range.low - LIMIT_ROUNDING_RAD_M..=range.high + LIMIT_ROUNDING_RAD_M;
        !range.is_circle && !inside.contains(value)
    })
}

/// The options as the search knows them.
struct SolveOptions {
    seed: Option<Vec<f64>>,
    max_solutions: Option<usize>,
    respect_limits: bool,
    allow_refinement: bool,
    refinement_max_iters: usize,
    samples: Option<usize>,
    stop: Never,
}

/// Nobody interrupts a search here.
struct Never;

impl Never {
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What the search asks about the chain.
struct KinematicChain;

impl KinematicChain {
    fn bounds(&self) -> &[(f64, f64)] {
        &LIMITS
    }

    fn weights(&self) -> &[f64] {
        &WEIGHTS
    }

    /// How far the joints travel, as they stand, each with its weight.
    fn travel(&self, from: &[f64], to: &[f64]) -> f64 {
        let steps = from.iter().zip(to).zip(&WEIGHTS);
        steps.map(|((from, to), weight)| (weight * (to - from)).powi(2)).sum::<f64>().sqrt()
    }

    fn is_rotation(&self, joint: usize) -> bool {
        SCREWS.iter().all(|screw| screw.variable != joint || screw.motion == Motion::Rotation)
    }
}

/// What is known about `W` rows.
struct RowResiduals<const N: usize, const W: usize> {
    residuals: [f64; W],
    angles: [[f64; W]; N],
}

/// Residuals and angles of one to `W` rows.
fn row_residuals<const N: usize, const W: usize>(dh_chain: &DhChain<N>, base_from_last: &Rigid, rows: &[[CosSin; N]]) -> RowResiduals<N, W> {
    let mut out = RowResiduals { residuals: [0.0; W], angles: [[0.0; W]; N] };
    let mut cache = FrameCache::new();
    for (lane, row) in rows.iter().enumerate() {
        out.residuals[lane] = dh_chain.residual(row, base_from_last, &mut cache);
        for (angles, turn) in out.angles.iter_mut().zip(row) {
            angles[lane] = turn.angle();
        }
    }
    out
}

type Vector4 = SVector<f64, 4>;
type Matrix4 = SMatrix<f64, 4, 4>;

impl SVector<f64, 4> {
    const fn new(a: f64, b: f64, c: f64, d: f64) -> Self {
        Self { columns: [[a, b, c, d]] }
    }
}

impl Matrix4 {
    fn from_columns(columns: &[Vector4; 4]) -> Self {
        Self { columns: columns.map(|column| column.columns[0]) }
    }
}

impl Vector3<f64> {
    /// `None` for a vector that is no longer than `least`.
    fn try_normalize(&self, least: f64) -> Option<Self> {
        let length = self.norm();
        (length > least).then(|| *self / length)
    }
}

impl std::ops::Index<(usize, usize)> for Matrix3<f64> {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.columns[column][row]
    }
}

impl std::ops::MulAssign for Matrix3<f64> {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}
