//! Public functions of a generated file.

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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            q_seed: None,
            max_solutions: None,
            respect_limits: true,
            allow_refinement: false,
            refinement_max_iters: 15,
        }
    }
}

/// Memory of a solve, and its branches; reused, a solve allocates nothing.
#[derive(Debug, Default)]
pub struct Branches {
    rows: Vec<Row>,
    found: Vec<Solution>,
}

impl Branches {
    /// The branches of the last solve.
    pub fn as_slice(&self) -> &[Solution] {
        &self.found
    }
}

/// Residual up to which a branch counts as closed. Forward kinematics of six joints rounds at about 1e-15.
const CLOSED_RESIDUAL: f64 = 1e-10;
/// Residual above which a branch has lost digits that Newton's method can bring back.
const SHARP_RESIDUAL: f64 = 1e-12;
/// Residual up to which rounding, and not reach, may be why a branch does not close.
const RECOVERABLE_RESIDUAL: f64 = 1e-3;
/// Newton steps that take back what rounding did to a branch near a singularity.
const RECOVERY_STEPS: usize = 3;
/// And that bring the others back to the target when joints were put onto their limits.
const SETTLING_STEPS: usize = 10;

/// All branches of a pose, limits not looked at, joint values in (−π, π]: without allocation once `branches` has been
/// used. The pose must be rigid to rounding; [`solve`] looks.
pub fn branches(base_from_tcp: &Pose, branches: &mut Branches) {
    search(&rigid(base_from_tcp), branches);
    branches.found.retain(|branch| branch.fk_residual <= CLOSED_RESIDUAL);
}

/// Solutions for the pose of the tool in the base of the chain. An unreachable pose has none.
///
/// # Errors
/// [`Error::NotFinite`] and [`Error::NotRigid`].
pub fn solve(base_from_tcp: &Pose, options: &Options) -> Result<Vec<Solution>, Error> {
    Ok(explain(base_from_tcp, options)?.0)
}

/// As [`solve`], with the story.
///
/// # Errors
/// As [`solve`].
pub fn explain(base_from_tcp: &Pose, options: &Options) -> Result<(Vec<Solution>, Diagnostic), Error> {
    let target = checked(base_from_tcp)?;
    if options.q_seed.is_some_and(|seed| seed.iter().any(|value| !value.is_finite())) {
        return Err(Error::NotFinite);
    }
    let mut branches = Branches::default();
    search(&target, &mut branches);
    let mut closed: Vec<Solution> = branches.found.iter().filter_map(|found| closed(found, &target, options)).collect();
    let mut kept: Vec<Solution> = closed.iter().filter_map(|solution| placed(solution, &target, options)).collect();
    if let Some(itself) = itself(&kept, &target, options) {
        closed.push(itself);
        kept.push(itself);
    }
    let dropped_by_limits = closed.len() - kept.len();
    if let Some(seed) = &options.q_seed {
        let apart = |solution: &Solution| travel(seed, &solution.q);
        kept.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
    }
    let placed = kept.len();
    kept.truncate(options.max_solutions.unwrap_or(usize::MAX));
    let diagnostic = Diagnostic {
        raw_candidates: closed.len(),
        dropped_by_limits,
        dropped_by_max_solutions: placed - kept.len(),
        final_count: kept.len(),
        max_fk_residual: kept.iter().map(|solution| solution.fk_residual).fold(f64::NAN, f64::max),
    };
    Ok((kept, diagnostic))
}

/// A seed that reaches the target and is none of the solutions: in a singular pose these may be others of a continuum.
fn itself(kept: &[Solution], target: &Rigid, options: &Options) -> Option<Solution> {
    let q = options.q_seed?;
    if kept.iter().any(|solution| travel(&q, &solution.q) <= LIMIT_TOLERANCE_RAD_M) {
        return None;
    }
    let row: Row = std::array::from_fn(|joint| CosSin::from_angle(q[SCREWS[joint].variable]));
    let fk_residual = DH_CHAIN.residual(&row, &DH_CHAIN.base_from_last(target), &mut FrameCache::new());
    let is_inside = q.iter().zip(&LIMITS).all(|(value, (low, high))| low <= value && value <= high);
    let is_one = fk_residual <= CLOSED_RESIDUAL && (is_inside || !options.respect_limits);
    is_one.then_some(Solution { q, fk_residual, is_refined: false })
}

/// Branches that close or nearly do.
fn search(target: &Rigid, branches: &mut Branches) {
    branches.rows.clear();
    branches.found.clear();
    let displacement = target.then(&TCP_FROM_HOME);
    if READ_FROM_TIP {
        SOLVER.branches(&inverse(&displacement), &mut branches.rows);
        branches.rows.iter_mut().for_each(|row| row.reverse());
    } else {
        SOLVER.branches(&displacement, &mut branches.rows);
    }
    let (base_from_last, mut cache) = (DH_CHAIN.base_from_last(target), FrameCache::new());
    let (mut last, mut q) = ([CosSin::ZERO; DOF], [0.0; DOF]);
    for row in &branches.rows {
        let (mut row, mut residual) = (*row, DH_CHAIN.residual(row, &base_from_last, &mut cache));
        if residual > SHARP_RESIDUAL && residual <= RECOVERABLE_RESIDUAL {
            row = DH_CHAIN.polished(row, target, RECOVERY_STEPS);
            residual = DH_CHAIN.residual(&row, &base_from_last, &mut cache);
        }
        if !(residual <= POLICY.subproblem_numerical) {
            continue;
        }
        // Neighbouring branches share joints, whose angles need not be computed again.
        for (joint, screw) in SCREWS.iter().enumerate() {
            if last[joint] != row[joint] {
                q[screw.variable] = row[joint].angle();
            }
        }
        last = row;
        add(&mut branches.found, Solution { q, fk_residual: residual, is_refined: false }, &base_from_last);
    }
}

/// Adds a branch unless it is known; of two that are the same the one that closes better stays. Branches that are near each
/// other are two where the middle between them does not close.
fn add(found: &mut Vec<Solution>, branch: Solution, base_from_last: &Rigid) {
    let near = |a: &f64, b: &f64| wrapped(a - b).abs() <= POLICY.subproblem_dedup;
    let is_near = |known: &Solution| known.q.iter().zip(&branch.q).all(|(a, b)| near(a, b));
    match found.iter_mut().find(|known| is_near(known) && is_one(known, &branch, base_from_last)) {
        Some(known) if known.fk_residual <= branch.fk_residual => {}
        Some(known) => *known = branch,
        None => found.push(branch),
    }
}

/// The middle between two branches closes as well as they do.
fn is_one(a: &Solution, b: &Solution, base_from_last: &Rigid) -> bool {
    let middle: Row = std::array::from_fn(|joint| {
        let variable = SCREWS[joint].variable;
        CosSin::from_angle(a.q[variable] + 0.5 * wrapped(b.q[variable] - a.q[variable]))
    });
    let rounding = a.fk_residual.max(b.fk_residual).max(IMAGE_RESIDUAL);
    DH_CHAIN.residual(&middle, base_from_last, &mut FrameCache::new()) <= rounding.max(SAME_BRANCH_RESIDUAL_FACTOR * POLICY.subproblem_dedup.powi(4))
}

/// Residual of the middle between two images of one root.
const IMAGE_RESIDUAL: f64 = 1e-12;
/// And between two branches that the policy calls the same, against the fourth power of its distance.
const SAME_BRANCH_RESIDUAL_FACTOR: f64 = 0.1;

/// A branch as a solution, refined if it has to be and may be.
fn closed(branch: &Solution, target: &Rigid, options: &Options) -> Option<Solution> {
    if branch.fk_residual <= CLOSED_RESIDUAL {
        return Some(*branch);
    }
    if !options.allow_refinement {
        return None;
    }
    let row: Row = std::array::from_fn(|joint| CosSin::from_angle(branch.q[SCREWS[joint].variable]));
    let row = DH_CHAIN.polished(row, target, options.refinement_max_iters);
    let fk_residual = DH_CHAIN.residual(&row, &DH_CHAIN.base_from_last(target), &mut FrameCache::new());
    let mut q = [0.0; DOF];
    for (screw, turn) in SCREWS.iter().zip(row) {
        q[screw.variable] = turn.angle();
    }
    Some(Solution { q, fk_residual, is_refined: true })
}

/// How far the joints travel, as they stand, each with its weight.
fn travel(from: &[f64; DOF], to: &[f64; DOF]) -> f64 {
    let steps = from.iter().zip(to).zip(&WEIGHTS);
    steps.map(|((from, to), weight)| (weight * (to - from)).powi(2)).sum::<f64>().sqrt()
}

/// The solution inside its limits; `None` when it cannot be.
fn placed(solution: &Solution, target: &Rigid, options: &Options) -> Option<Solution> {
    let (placed, on_limits) = turned(solution, options, LIMIT_TOLERANCE_RAD_M)?;
    if !on_limits.contains(&true) {
        return Some(placed);
    }
    // More than rounding: what is outside on one turn may be inside on another.
    closed_on_limits(placed, on_limits, target).or_else(|| Some(turned(solution, options, 0.0)?.0))
}

/// A solution some of whose joints were put onto their limits, with the others where they bring the tool back to the
/// target; these may come to their limits, too.
#[cold]
fn closed_on_limits(mut solution: Solution, mut held: [bool; DOF], target: &Rigid) -> Option<Solution> {
    loop {
        let row: Row = std::array::from_fn(|joint| CosSin::from_angle(solution.q[SCREWS[joint].variable]));
        let is_held: [bool; DOF] = std::array::from_fn(|joint| held[SCREWS[joint].variable]);
        let row = DH_CHAIN.polished_holding(row, &is_held, target, SETTLING_STEPS);
        let mut is_inside = true;
        for (screw, turn) in SCREWS.iter().zip(row) {
            let joint = screw.variable;
            if held[joint] {
                continue;
            }
            let value = solution.q[joint] + wrapped(turn.angle() - solution.q[joint]);
            solution.q[joint] = onto(value, LIMITS[joint], LIMIT_TOLERANCE_RAD_M)?;
            held[joint] = solution.q[joint] != value;
            is_inside &= !held[joint];
        }
        if is_inside {
            solution.fk_residual = DH_CHAIN.residual(&row, &DH_CHAIN.base_from_last(target), &mut FrameCache::new());
            return (solution.fk_residual <= CLOSED_RESIDUAL).then_some(solution);
        }
    }
}

/// The solution with the turns of 2π that limits and seed ask for, joints that are outside by at most `tolerance` on their
/// limits, and which are on one; `None` when it cannot be inside the limits.
fn turned(solution: &Solution, options: &Options, tolerance: f64) -> Option<(Solution, [bool; DOF])> {
    let (mut solution, mut on_limits) = (*solution, [false; DOF]);
    for (joint, q) in solution.q.iter_mut().enumerate() {
        let (low, high) = LIMITS[joint];
        let limits = options.respect_limits.then_some((low, high));
        let near = options.q_seed.map_or(*q, |seed| seed[joint]);
        let is_endless = !(low.is_finite() && high.is_finite());
        // Joints without limits keep their angle unless a seed says which turn is meant.
        if options.q_seed.is_some() || (options.respect_limits && !is_endless) {
            *q = into_limits(*q, near, limits, tolerance)?;
            on_limits[joint] = limits.is_some() && (*q == low || *q == high);
        }
    }
    Some((solution, on_limits))
}
