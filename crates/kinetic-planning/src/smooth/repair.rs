//! Continuous collision check of a shortened path, and repair of edges that fail it.

use kinetic_core::error::reason;
use kinetic_core::{Control, KineticError, Result};

use super::polyline::Polyline;
use crate::validity::Validity;

/// Edges between two readings of the clock; paths with fewer are proven without one.
const REPAIRED_EDGES_PER_CLOCK: usize = 1_024;

/// Proves every edge of `line` that is not proven. The ends of edges that are refused move outwards a little; where that does not
/// help, the part of `given` between the nearest common waypoints replaces them. True when none was replaced.
///
/// # Errors
/// [`KineticError::PlannerOutputInvalid`] naming the first waypoint of an edge of `given` that is refused; what `control`
/// says, where the path is very long.
pub(crate) fn repair(
    line: &mut Polyline,
    given: &Polyline,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<bool> {
    let mut is_whole = true;
    loop {
        let mut refused = Vec::with_capacity(line.len());
        for edge in 0..line.len().saturating_sub(1) {
            if edge % REPAIRED_EDGES_PER_CLOCK == REPAIRED_EDGES_PER_CLOCK - 1 {
                control.check(0)?;
            }
            refused.push(!line.prove(edge, validity));
        }
        if !refused.contains(&true) {
            return Ok(is_whole);
        }
        if relax(line, given, &refused, validity) {
            continue;
        }
        is_whole = false;
        *line = repaired(line, given, &refused)?;
    }
}

/// How far the ends of refused edges are moved, relative to their distance from the middle between their neighbours.
const RELAXATIONS: [f64; 3] = [0.05, 0.2, 0.5];

/// Moves the ends of refused edges outwards: a path that was pulled taut touches where it bends, and not a little farther
/// out. They do not leave the box around the waypoints given, which lies inside any limits. True when all edges around them are proven then.
fn relax(line: &mut Polyline, given: &Polyline, refused: &[bool], validity: &mut dyn Validity) -> bool {
    RELAXATIONS.iter().any(|part| {
        let mut relaxed = line.relaxed(refused, *part);
        let is_proven = relaxed.length() <= given.length()
            && relaxed.is_within_box_of(given)
            && (0..refused.len()).all(|edge| relaxed.prove(edge, validity));
        if is_proven {
            *line = relaxed;
        }
        is_proven
    })
}

/// `line` with the parts of `given` in place of refused edges.
fn repaired(line: &Polyline, given: &Polyline, refused: &[bool]) -> Result<Polyline> {
    let common = common_points(line, given);
    let mut repaired = line.emptied();
    repaired.push(line.point(0), false);
    for pair in common.windows(2) {
        let ((first, origin), (last, end)) = (pair[0], pair[1]);
        if !refused[first..last].contains(&true) {
            (first..last).for_each(|edge| repaired.push(line.point(edge + 1), line.is_proven(edge)));
            continue;
        }
        if end == origin + 1 && last == first + 1 {
            let reason = reason::PlannerOutputInvalid::EdgeRefused;
            return Err(KineticError::PlannerOutputInvalid { waypoint: origin, reason });
        }
        (origin..end).for_each(|edge| repaired.push(given.point(edge + 1), given.is_proven(edge)));
    }
    Ok(repaired)
}

/// Points that both have, in the order of both: their numbers in `line` and in `given`. The ends are among them.
fn common_points(line: &Polyline, given: &Polyline) -> Vec<(usize, usize)> {
    let mut common = vec![(0, 0)];
    let mut next = 1;
    for index in 1..line.len() - 1 {
        let found = (next..given.len() - 1).find(|origin| given.point(*origin) == line.point(index));
        if let Some(origin) = found {
            common.push((index, origin));
            next = origin + 1;
        }
    }
    common.push((line.len() - 1, given.len() - 1));
    common
}
