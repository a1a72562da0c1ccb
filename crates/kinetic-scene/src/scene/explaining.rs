//! Explanation of a configuration: near pairs, checked or not.

use kinetic_collision::Separation;
use kinetic_collision_simd::ExactTier;
use kinetic_core::{Pair, Result};

use super::Scene;
use super::queries::check_margins;
use crate::builder::{Builder, Unchecked};
use crate::exact::PlacedModel;
use crate::explanation::{DecidedBy, Explanation, NearPair, UncheckedPair};
use crate::margins::{Margins, Required};

/// A pair by index: a body, and a body or an obstacle.
#[derive(Debug, Clone, Copy)]
enum IndexPair {
    Bodies(usize, usize),
    Obstacle(usize, u32),
}

impl IndexPair {
    fn separation(self, exact: &PlacedModel, cutoff: f64) -> Option<Separation> {
        match self {
            Self::Bodies(a, b) => exact.separation_of_bodies(a, b, cutoff),
            Self::Obstacle(body, obstacle) => exact.separation_from_obstacle(body, obstacle, cutoff),
        }
    }

    fn names(self, exact: &PlacedModel) -> Pair {
        let body = |index: usize| exact.model.bodies[index].name.as_str();
        match self {
            Self::Bodies(a, b) => Pair::new(body(a), body(b)),
            Self::Obstacle(a, obstacle) => Pair::new(body(a), &exact.model.world[obstacle as usize].name),
        }
    }

    /// Signed distance of the bounding spheres, and whether they are the bodies themselves.
    fn sphere_gap(self, exact: &mut PlacedModel) -> (f64, bool) {
        match self {
            Self::Bodies(a, b) => {
                let is_exact = exact.model.bodies[a].spheres_are_exact && exact.model.bodies[b].spheres_are_exact;
                (exact.sphere_gap_of_bodies(a, b), is_exact)
            }
            Self::Obstacle(a, obstacle) => {
                (exact.sphere_gap_to_obstacle(a, obstacle), exact.model.bodies[a].spheres_are_exact)
            }
        }
    }
}

impl Scene {
    /// Lists the near pairs at `q` (default group or robot length): every pair within `within` (m, ≥ 0) of its required
    /// clearance, with distance, effective margin and its source, witness points, and whether spheres or exact shapes
    /// decide. Pairs that are as near but not checked are listed with the reason.
    ///
    /// # Errors
    /// Errors of `q`, or [`KineticError::InvalidValue`](kinetic_core::KineticError::InvalidValue) for margins or `within`
    /// that are negative or not finite.
    pub fn explain(&self, q: &[f64], margins: Margins, within: f64) -> Result<Explanation> {
        check_margins(margins)?;
        super::margins::check_distance("within", Some(within))?;
        let (scene, short) = self.holding_at(q)?;
        let group = &scene.robot().groups[scene.robot().default_group];
        let builder = Builder::new(&scene.content, group, margins)?;
        let (checked, unchecked) = all_pairs(&builder);
        let mut exact = PlacedModel::new(builder.finish(scene.is_inside_limits(&scene.content.held)));
        exact.place(&short, &vec![0.0; short.len()]);
        let mut near: Vec<NearPair> =
            checked.into_iter().filter_map(|(pair, required)| near_pair(&mut exact, pair, required, within)).collect();
        near.sort_by(|a, b| a.slack().total_cmp(&b.slack()).then_with(|| a.pair.cmp(&b.pair)));
        let listed = |(pair, why): (IndexPair, Unchecked)| {
            let distance = pair.separation(&exact, within)?.distance;
            Some(UncheckedPair { pair: pair.names(&exact), distance, reason: scene.reason(why, &group.name) })
        };
        let mut unchecked: Vec<UncheckedPair> = unchecked.into_iter().filter_map(listed).collect();
        unchecked.sort_by(|a, b| a.distance.total_cmp(&b.distance).then_with(|| a.pair.cmp(&b.pair)));
        Ok(Explanation { group: group.name.clone(), within, near, unchecked })
    }

    fn reason(&self, why: Unchecked, group: &str) -> String {
        match why {
            Unchecked::Ghost => "the object is a ghost".to_owned(),
            Unchecked::Allowed => "allowed in the scene".to_owned(),
            Unchecked::Links(a, b) => self.geometry().pair(a, b).map_or_else(String::new, |pair| pair.reason.clone()),
            Unchecked::Carried => "the link carries it".to_owned(),
            Unchecked::TouchLink => "named as a touch link when it was attached".to_owned(),
            Unchecked::Unmoved => format!("group \"{group}\" does not move one against the other"),
        }
    }
}

fn near_pair(exact: &mut PlacedModel, pair: IndexPair, required: Required, within: f64) -> Option<NearPair> {
    let separation = pair.separation(exact, required.total() + within)?;
    let (gap, is_exact) = pair.sphere_gap(exact);
    let is_proven = matches!(pair, IndexPair::Bodies(a, b) if exact.is_proven(a, b));
    let decided_by = match is_exact || gap > required.total() {
        _ if is_proven => DecidedBy::Proof,
        true => DecidedBy::Spheres,
        false => DecidedBy::Exact,
    };
    Some(NearPair {
        pair: pair.names(exact),
        distance: separation.distance,
        required,
        point_on_link: separation.point_a,
        point_on_other: separation.point_b,
        decided_by,
    })
}

/// All pairs: the checked ones with their required clearance, and the others with the reason.
#[expect(clippy::type_complexity, reason = "two lists of the same pairs")]
fn all_pairs(builder: &Builder<'_>) -> (Vec<(IndexPair, Required)>, Vec<(IndexPair, Unchecked)>) {
    let (mut checked, mut unchecked) = (Vec::new(), Vec::new());
    for body in 0..builder.bodies.len() {
        for obstacle in 0..builder.world.len() as u32 {
            let pair = IndexPair::Obstacle(body, obstacle);
            if builder.is_ghost(obstacle) {
                unchecked.push((pair, Unchecked::Ghost));
            } else if builder.is_allowed_near(body, obstacle) {
                unchecked.push((pair, Unchecked::Allowed));
            } else if builder.bodies[body].frame == 0 {
                unchecked.push((pair, Unchecked::Unmoved));
            } else {
                checked.push((pair, builder.required_from(body, obstacle)));
            }
        }
        for other in body + 1..builder.bodies.len() {
            match builder.why_unchecked(body, other) {
                Some(why) => unchecked.push((IndexPair::Bodies(body, other), why)),
                None => checked.push((IndexPair::Bodies(body, other), builder.required_between(body, other))),
            }
        }
    }
    (checked, unchecked)
}
