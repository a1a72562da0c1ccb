//! Ladder search: layers, paths through them, obstacles, refinement of tolerances.

use std::ops::Range;

use kinetic_core::{Pose, Result};
use kinetic_kinematics::{KinematicChain, Rigid};

use super::candidates::Candidates;
use super::ladder::{Ladder, Objective};
use super::layers::{Extent, Layers, Waypoint};
use super::obstacle::{self, Edge, Obstacle};
use super::tolerance::Freedom;
use super::turns::{lifted, step};
use super::validity::{Edges, PathValidity, Verdicts};
use super::{IKPath, PathOptions, check_targets};
use crate::watch::Watch;

/// Halvings of the distance between the samples of what tolerances leave free.
const MOST_TOLERANCE_REFINEMENTS: i32 = 6;

/// As [`super::solve_ik_path`], with configurations from any source.
///
/// # Errors
/// As [`super::solve_ik_path`].
pub fn solve_ik_path_with(
    source: &mut dyn Candidates,
    base_from_tcp: &[Pose],
    options: &PathOptions,
) -> Result<IKPath> {
    search_ladder(source, base_from_tcp, options, &mut Verdicts::none())
}

/// As [`solve_ik_path_with`], through configurations and along steps that `validity` takes.
///
/// # Errors
/// As [`super::solve_ik_path`].
pub fn solve_ik_path_with_where(
    source: &mut dyn Candidates,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    validity: &mut dyn PathValidity,
) -> Result<IKPath> {
    search_ladder(source, base_from_tcp, options, &mut Verdicts::of(validity))
}

/// The best path through the ladder graph of the valid configurations.
pub(super) fn search_ladder(
    source: &mut dyn Candidates,
    base_from_tcp: &[Pose],
    options: &PathOptions,
    verdicts: &mut Verdicts<'_>,
) -> Result<IKPath> {
    check_targets(source.chain(), base_from_tcp, options)?;
    let search = LadderSearch::new(source.chain(), options);
    let mut waypoints = waypoints(base_from_tcp, options);
    let (mut path, mut chosen) = search.solve(source, &waypoints, verdicts)?;
    for level in 1..=MOST_TOLERANCE_REFINEMENTS {
        if waypoints.iter().all(|waypoint| waypoint.choices.len() == 1) {
            break;
        }
        for (waypoint, choice) in waypoints.iter_mut().zip(&chosen) {
            waypoint.choices = match choice {
                Some(choice) => waypoint.tolerance.around(choice, level),
                None => waypoint.tolerance.samples(),
            };
        }
        (path, chosen) = search.solve(source, &waypoints, verdicts)?;
    }
    Ok(path)
}

fn waypoints(targets: &[Pose], options: &PathOptions) -> Vec<Waypoint> {
    let waypoint = |(index, target): (usize, &Pose)| {
        let tolerance = options.tolerance_of(index);
        Waypoint { target: Rigid::from(target), choices: tolerance.samples(), tolerance }
    };
    targets.iter().enumerate().map(waypoint).collect()
}

/// What stays the same through a search.
struct LadderSearch<'a> {
    options: &'a PathOptions,
    steps: Vec<f64>,
    watch: Watch<'a>,
    is_rotation: Vec<bool>,
    bounds: Vec<(f64, f64)>,
}

/// The configuration chosen for a layer, on its turn, and its choice; `starts` a segment.
struct Chosen {
    layer: usize,
    row: usize,
    starts: bool,
    q: Vec<f64>,
}

impl<'a> LadderSearch<'a> {
    fn new(chain: &KinematicChain, options: &'a PathOptions) -> Self {
        Self {
            options,
            steps: options.steps(chain),
            watch: Watch::new(&options.stop),
            is_rotation: (0..chain.dof()).map(|joint| chain.is_rotation(joint)).collect(),
            bounds: chain.bounds().to_vec(),
        }
    }

    /// # Errors
    /// Those of [`Watch::check`].
    fn proceed(&self) -> Result<()> {
        self.watch.check(0)
    }

    /// The best path through these choices, and the choice of each pose that has a configuration.
    fn solve(
        &self,
        source: &mut dyn Candidates,
        waypoints: &[Waypoint],
        verdicts: &mut Verdicts<'_>,
    ) -> Result<(IKPath, Vec<Option<Freedom>>)> {
        let start = self.options.start.as_deref();
        let extent = Extent { steps: &self.steps, ends_at_obstacle: self.options.ends_at_obstacle && start.is_some() };
        let layers = Layers::build(source, start, waypoints, &extent, verdicts, &|| self.proceed())?;
        let offset = usize::from(start.is_some());
        let mut chosen: Vec<Chosen> = Vec::new();
        let mut obstacles = Vec::new();
        let mut layer = 0;
        while layer < layers.len() && (obstacles.is_empty() || !extent.ends_at_obstacle) {
            let run = run_from(&layers, layer);
            if run.is_empty() {
                let near = chosen.last().map_or_else(|| self.middle(), |last| last.q.clone());
                obstacles.push(obstacle::of_pose(source, &waypoints[layer - offset], &near, layer - offset, verdicts));
                layer += (layer..layers.len()).take_while(|layer| layers.of(*layer).is_empty()).count();
                continue;
            }
            let mut edges = Edges::new(verdicts);
            let before = obstacles.len();
            while !self.cross(source, waypoints, &layers, &run, &mut chosen, &mut obstacles, &mut edges)? {
                obstacles.truncate(before);
            }
            layer = run.end;
        }
        let choices = choices(&layers, waypoints, &chosen, offset);
        Ok((self.path(waypoints.len(), offset, &chosen, obstacles), choices))
    }

    /// The best path through a run of layers that all have configurations; false when it needs edges that turned out to be
    /// refused, for another search that knows them.
    #[expect(clippy::too_many_arguments, reason = "what is searched, and where the answer goes")]
    fn cross(
        &self,
        source: &mut dyn Candidates,
        waypoints: &[Waypoint],
        layers: &Layers,
        run: &Range<usize>,
        chosen: &mut Vec<Chosen>,
        obstacles: &mut Vec<Obstacle>,
        edges: &mut Edges<'_, '_>,
    ) -> Result<bool> {
        let (before, mut begin) = (obstacles.len(), run.start);
        let mut ladder = Ladder::new(source.chain(), layers, &self.steps);
        ladder.begin(run.start);
        for layer in run.start + 1..run.end {
            self.proceed()?;
            if !ladder.advance(layer, Objective::LargestStep, false, edges) {
                ladder.retreat();
                if let Some(best) = ladder.best()
                    && !self.is_path_valid(&ladder, begin, best, edges)?
                {
                    return Ok(false);
                }
                let index = layer - usize::from(self.options.start.is_some());
                let waypoint = &waypoints[index];
                let edge = Edge { ladder: &ladder, layers, steps: &self.steps, waypoint, index };
                obstacles.push(edge.obstacle(source, edges.verdicts));
                ladder.begin(layer);
                begin = layer;
            }
        }
        let may_split = obstacles.len() > before;
        let best = if may_split { ladder.pass(run, Objective::LargestStep, true, edges) } else { ladder.best() };
        let most = best.map_or(0.0, |best| ladder.label(best).cost.value);
        self.proceed()?;
        if let Some(last) = ladder.pass(run, Objective::Length { most }, may_split, edges) {
            if !self.is_path_valid(&ladder, run.start, last, edges)? {
                return Ok(false);
            }
            self.collect(&ladder, layers, run, last, chosen);
        }
        Ok(true)
    }

    /// Whether all edges on the way to a label are valid, where the first label is one of layer `first`.
    fn is_path_valid(&self, ladder: &Ladder<'_>, first: usize, last: usize, edges: &mut Edges<'_, '_>) -> Result<bool> {
        if !edges.verdicts.can_refuse() {
            return Ok(true);
        }
        let mut is_valid = true;
        for (position, pair) in ladder.path_to(last).windows(2).enumerate() {
            self.proceed()?;
            if ladder.label(pair[1]).is_first {
                continue;
            }
            let rows = (ladder.label(pair[0]).row, ladder.label(pair[1]).row);
            is_valid &= edges.is_valid(first + position + 1, rows, || ladder.motion_to(pair[1]));
        }
        Ok(is_valid)
    }

    /// The configurations along the labels to `last`, segment by segment, each on turns near the end of the one before.
    fn collect(&self, ladder: &Ladder<'_>, layers: &Layers, run: &Range<usize>, last: usize, chosen: &mut Vec<Chosen>) {
        let path = ladder.path_to(last);
        let mut begin = 0;
        while begin < path.len() {
            let more = path[begin + 1..].iter().take_while(|label| !ladder.label(**label).is_first).count();
            let segment = &path[begin..=begin + more];
            let near = chosen.last().map_or_else(|| self.middle(), |last| last.q.clone());
            let unwound = self.unwound(ladder, layers, segment, &near);
            for (position, q) in unwound.into_iter().enumerate() {
                let row = ladder.label(segment[position]).row;
                chosen.push(Chosen { layer: run.start + begin + position, row, starts: position == 0, q });
            }
            begin += segment.len();
        }
    }

    /// The configurations of a segment on those turns that the limits allow and whose first is nearest to `near`.
    fn unwound(&self, ladder: &Ladder<'_>, layers: &Layers, segment: &[usize], near: &[f64]) -> Vec<Vec<f64>> {
        let last = segment[segment.len() - 1];
        let turns = ladder.turns(last);
        let mut next: Vec<f64> = layers.row(ladder.label(last).row).to_vec();
        for (value, (low, high)) in next.iter_mut().zip(turns) {
            *value += std::f64::consts::TAU * f64::from(0.clamp(*low, *high));
        }
        let mut out: Vec<Vec<f64>> = Vec::with_capacity(segment.len());
        for label in segment.iter().rev() {
            let row = layers.row(ladder.label(*label).row);
            for (joint, value) in next.iter_mut().enumerate() {
                *value = lifted(row[joint], *value, self.is_rotation[joint]);
            }
            out.push(next.clone());
        }
        out.reverse();
        for joint in 0..near.len() {
            let (low, high) = turns[joint];
            let anchor = 0.clamp(low, high);
            let wanted = ((near[joint] - out[0][joint]) / std::f64::consts::TAU).round();
            let shift = wanted.clamp(f64::from(low - anchor), f64::from(high - anchor)) * std::f64::consts::TAU;
            let (low, high) = self.bounds[joint];
            for (position, q) in out.iter_mut().enumerate() {
                let is_start = ladder.label(segment[position]).row == 0 && self.options.start.is_some();
                let moved = if self.is_rotation[joint] { q[joint] + shift } else { q[joint] };
                q[joint] = if is_start { moved } else { moved.clamp(low, high) };
            }
        }
        out
    }

    fn middle(&self) -> Vec<f64> {
        let middle = |(low, high): &(f64, f64)| {
            if low.is_finite() && high.is_finite() { f64::midpoint(*low, *high) } else { 0.0_f64.clamp(*low, *high) }
        };
        self.bounds.iter().map(middle).collect()
    }

    fn path(&self, count: usize, offset: usize, chosen: &[Chosen], obstacles: Vec<Obstacle>) -> IKPath {
        let dof = self.steps.len();
        let mut path = IKPath {
            q: vec![f64::NAN; count * dof],
            dof,
            success: vec![false; count],
            obstacles,
            splits: Vec::new(),
            largest_step: 0.0,
            length: 0.0,
        };
        for (position, now) in chosen.iter().enumerate() {
            let before = position.checked_sub(1).map(|before| &chosen[before]);
            let follows = before.filter(|before| !now.starts && before.layer + 1 == now.layer);
            if let Some(before) = follows {
                self.measure(&before.q, &now.q, &mut path);
            }
            let Some(index) = now.layer.checked_sub(offset) else { continue };
            path.q[index * dof..(index + 1) * dof].copy_from_slice(&now.q);
            // What begins after poses that are not reached does not jump.
            let jumps = now.starts && before.is_some_and(|before| before.layer + 1 == now.layer);
            path.success[index] = !jumps;
            if now.starts && now.layer > 0 {
                path.splits.push(index);
            }
        }
        path
    }

    fn measure(&self, from: &[f64], to: &[f64], path: &mut IKPath) {
        let steps = (0..from.len()).map(|joint| step(from[joint], to[joint], self.is_rotation[joint]).abs());
        let (largest, squares) = steps.fold((0.0, 0.0), |(most, sum), step| (f64::max(most, step), sum + step * step));
        path.largest_step = path.largest_step.max(largest);
        path.length += squares.sqrt();
    }
}

/// The layers from `layer` on that have configurations.
fn run_from(layers: &Layers, layer: usize) -> Range<usize> {
    layer..layer + (layer..layers.len()).take_while(|layer| !layers.of(*layer).is_empty()).count()
}

/// The choice that the chosen configuration of each pose belongs to.
fn choices(layers: &Layers, waypoints: &[Waypoint], chosen: &[Chosen], offset: usize) -> Vec<Option<Freedom>> {
    let mut out = vec![None; waypoints.len()];
    for now in chosen {
        if let Some(index) = now.layer.checked_sub(offset) {
            out[index] = Some(waypoints[index].choices[layers.choice(now.row)]);
        }
    }
    out
}
