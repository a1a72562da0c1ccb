//! The shortest path through a chain of regions.

use kinetic_core::{Control, Result};

use super::search::Terminal;
use crate::convex::Program;
use crate::regions::ConvexDecomposition;
use crate::regions::polytope::Polytope;
use crate::space::Space;
use crate::validity::Validity;

/// How often planes are laid in front of what is in the way.
const MOST_CUTS: usize = 20;

/// Configurations of a refused edge that are looked at, per unit of its length (rad or m), and the fewest and most of an edge.
const SAMPLES_PER_RAD_M: f64 = 64.0;
const FEWEST_SAMPLES: f64 = 8.0;
const MOST_SAMPLES: f64 = 512.0;

/// Halvings of the way from what is in the way to the centre of its region.
const BISECTIONS: usize = 10;

/// Regions one after the other, each with planes of its own.
pub(super) struct Chain<'a> {
    space: &'a Space,
    /// Places of the regions in the decomposition.
    places: Vec<usize>,
    polytopes: Vec<Polytope>,
    centers: Vec<&'a [f64]>,
    margin: f64,
}

impl<'a> Chain<'a> {
    /// The regions at these places.
    pub(super) fn new(regions: &'a ConvexDecomposition, places: &[usize], space: &'a Space) -> Self {
        let at = |place: &usize| &regions.regions()[*place];
        Self {
            space,
            places: places.to_vec(),
            polytopes: places.iter().map(|place| at(place).polytope.clone()).collect(),
            centers: places.iter().map(|place| at(place).center()).collect(),
            margin: regions.options().margin,
        }
    }

    /// Points from the entry of the start to that of the goal, all edges between them proven; or the place of the region that no
    /// path leads through.
    ///
    /// # Errors
    /// What [`Control::check`] says.
    pub(super) fn path(
        &mut self,
        [start, goal]: [&Terminal; 2],
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<std::result::Result<Vec<Vec<f64>>, usize>> {
        let mut last_cut = 0;
        for _ in 0..=MOST_CUTS {
            control.check(0)?;
            let Some(points) = self.shortest(&start.entry, &goal.entry) else { break };
            let Some(edge) = refused(&points, validity, control)? else { return Ok(Ok(points)) };
            last_cut = edge;
            let Some(contact) = self.contact(edge, &points, validity) else { break };
            if !self.cut(edge, &contact, [&points[0], &points[points.len() - 1]]) {
                break;
            }
        }
        Ok(Err(self.places[last_cut]))
    }

    /// The shortest way between two configurations whose k-th edge is in the k-th region; `None` where there is none.
    fn shortest(&self, start: &[f64], goal: &[f64]) -> Option<Vec<Vec<f64>>> {
        let (dof, edges) = (start.len(), self.polytopes.len());
        let points = edges - 1;
        let variable = |point: usize, joint: usize| point * dof + joint;
        let mut program = Program::new(points * dof + edges);
        for point in 0..points {
            for (normal, offset) in self.polytopes[point].faces().chain(self.polytopes[point + 1].faces()) {
                program.at_most(normal.iter().enumerate().map(|(joint, part)| (variable(point, joint), *part)), offset);
            }
        }
        for edge in 0..edges {
            let length = points * dof + edge;
            program.minimise(length, 1.0);
            let row = |joint: usize| {
                let weight = self.space.weights()[joint];
                let (mut constant, mut terms) = (0.0, Vec::new());
                if edge == 0 {
                    constant -= weight * start[joint]
                } else {
                    terms.push((variable(edge - 1, joint), -weight))
                }
                if edge == points {
                    constant += weight * goal[joint]
                } else {
                    terms.push((variable(edge, joint), weight))
                }
                (constant, terms)
            };
            program.norm_at_most((0..dof).map(row), length);
        }
        let solved = if points == 0 { Vec::new() } else { program.solve()? };
        let between = solved.chunks_exact(dof).take(points).map(|point| self.within_limits(point));
        Some([start.to_vec()].into_iter().chain(between).chain([goal.to_vec()]).collect())
    }

    /// What an interior-point solver leaves outside of a limit by rounding.
    fn within_limits(&self, point: &[f64]) -> Vec<f64> {
        let limits = self.space.lower().iter().zip(self.space.upper());
        point.iter().zip(limits).map(|(value, (low, high))| value.clamp(*low, *high)).collect()
    }

    /// A configuration of an edge that is in collision, moved to the boundary of the obstacle on the way to the centre of the region.
    fn contact(&self, edge: usize, points: &[Vec<f64>], validity: &mut dyn Validity) -> Option<Vec<f64>> {
        let (from, to) = (&points[edge], &points[edge + 1]);
        let at = |t: f64| -> Vec<f64> { from.iter().zip(to).map(|(from, to)| from + t * (to - from)).collect() };
        let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let parts = (length * SAMPLES_PER_RAD_M).ceil().clamp(FEWEST_SAMPLES, MOST_SAMPLES);
        let mut part = 0.0;
        let colliding = loop {
            if part > parts {
                return None;
            }
            let q = at(part / parts);
            if !validity.is_valid(&q) {
                break q;
            }
            part += 1.0;
        };
        let center = self.centers[edge];
        if !validity.is_valid(center) {
            return None;
        }
        let (mut free, mut blocked) = (0.0, 1.0);
        let between = |t: f64| -> Vec<f64> { center.iter().zip(&colliding).map(|(c, q)| c + t * (q - c)).collect() };
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (free + blocked);
            if validity.is_valid(&between(middle)) { free = middle } else { blocked = middle }
        }
        Some(between(blocked))
    }

    /// Lays a plane before a contact in the region of an edge; false where that cuts off an end of the path.
    fn cut(&mut self, edge: usize, contact: &[f64], ends: [&Vec<f64>; 2]) -> bool {
        let center = self.centers[edge];
        let offset: Vec<f64> = contact.iter().zip(center).map(|(q, c)| q - c).collect();
        let length = offset.iter().map(|value| value * value).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return false;
        }
        let normal: Vec<f64> = offset.iter().map(|value| value / length).collect();
        let dot = |x: &[f64]| normal.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        let (middle, at) = (dot(center), dot(contact));
        let bound = (at - self.margin).max(0.5 * (middle + at));
        let last = self.polytopes.len() - 1;
        if (edge == 0 && dot(ends[0]) > bound) || (edge == last && dot(ends[1]) > bound) {
            return false;
        }
        self.polytopes[edge].add(&normal, bound);
        true
    }
}

/// The first edge that is refused: by the quick check, and where that refuses none, by proof.
fn refused(points: &[Vec<f64>], validity: &mut dyn Validity, control: &Control) -> Result<Option<usize>> {
    for proves in [false, true] {
        for (edge, ends) in points.windows(2).enumerate() {
            control.check(0)?;
            let passes = if proves {
                validity.is_motion_valid(&ends[0], &ends[1])
            } else {
                validity.motion_may_be_valid(&ends[0], &ends[1])
            };
            if !passes {
                return Ok(Some(edge));
            }
        }
    }
    Ok(None)
}
