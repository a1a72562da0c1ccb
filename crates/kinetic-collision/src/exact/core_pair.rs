//! Distances of two cores by GJK and EPA, each proven by a separating direction.

use nalgebra::{Isometry3, Point3, Vector3};

use super::convex::{Convex, CorePair, Witness};
use super::{Separation, expansion};
use crate::descent::{self, SupportSample};
use crate::parry_bridge::{self, Answer, Comparison};
use crate::tolerance::DISTANCE_ERROR_RATIO;

/// Gaps that differ by less, relative to the sum of the bounding radii, are equal: our expansion ends within this.
const EQUAL_GAP_RATIO: f64 = 1e-10;

/// Distance and witness points in the frame of `a`; `None` when the bodies are proven to be farther apart than `cutoff`.
pub(super) fn separation(a: Convex<'_>, b: Convex<'_>, a_from_b: &Isometry3<f64>, cutoff: f64) -> Option<Separation> {
    let pair = CorePair::new(a, b, a_from_b);
    let proposed = parry_bridge::closest(&pair, cutoff + a.radius + b.radius);
    judged(&pair, proposed, cutoff)
}

/// The proven result: the proposed one, or that of our own algorithms.
fn judged(pair: &CorePair<'_>, proposed: Answer, cutoff: f64) -> Option<Separation> {
    let (a, rounding) = (pair.a, pair.a.radius + pair.b.radius);
    let witness = match proposed {
        Answer::Beyond(direction) if pair.gap(&direction) > cutoff + rounding => return None,
        Answer::Witness(witness) if is_proven(pair, &witness) => witness,
        answer => unproven(pair, answer),
    };
    let Witness { normal, on_a, on_b } = witness;
    // The witnesses of the cores lie on a line along the normal up to the tolerance; the second is put exactly there.
    let core_distance = pair.gap(&normal);
    let middle = nalgebra::center(&Point3::from(on_a), &Point3::from(on_b));
    let distance = core_distance - rounding;
    let point_a = middle + normal * (a.radius - core_distance / 2.0);
    Some(Separation { distance, point_a, point_b: point_a + normal * distance, normal })
}

/// The better one of the results of our own algorithms and of a proposal that could not be proven. Of two that are equal it is
/// ours, whose points belong to its direction.
fn unproven(pair: &CorePair<'_>, answer: Answer) -> Witness {
    let ours = apart(pair).unwrap_or_else(|| expansion::deepest(pair));
    let enough = pair.gap(&ours.normal) + EQUAL_GAP_RATIO * pair.size;
    match answer {
        Answer::Witness(theirs) if pair.gap(&theirs.normal) > enough => theirs,
        _ => ours,
    }
}

/// Closest points of cores that are apart; `None` when they touch or overlap.
fn apart(pair: &CorePair<'_>) -> Option<Witness> {
    let support = |direction: &Vector3<f64>| {
        let (on_a, on_b) = pair.supports(direction);
        SupportSample { point: on_a - on_b, source: (on_a, on_b) }
    };
    let found = descent::closest(support, &Vector3::x(), pair.size);
    let normal = (-found.closest).try_normalize(1e-12 * pair.size)?;
    // Only a positive gap shows that the cores are apart.
    let is_apart = pair.gap(&normal) > 0.0;
    is_apart.then(|| Witness { normal, on_a: found.blend(|source| source.0), on_b: found.blend(|source| source.1) })
}

/// True when the direction's gap agrees with the distance of the witnesses.
fn is_proven(pair: &CorePair<'_>, witness: &Witness) -> bool {
    let between = witness.normal.dot(&(witness.on_b - witness.on_a));
    (between - pair.gap(&witness.normal)).abs() <= DISTANCE_ERROR_RATIO * pair.size
}

/// See [`super::is_closer_than`].
pub(super) fn is_closer_than(
    a: Convex<'_>,
    b: Convex<'_>,
    a_from_b: &Isometry3<f64>,
    margin: f64,
    axis: &mut Vector3<f64>,
) -> bool {
    let pair = CorePair::new(a, b, a_from_b);
    let reach = margin + a.radius + b.radius;
    if pair.gap(axis) > reach && is_unit(axis) {
        return false;
    }
    if reach >= 0.0
        && let Some(is_closer) = compared(&pair, parry_bridge::compare(&pair, reach), reach, axis)
    {
        return is_closer;
    }
    let Some(found) = separation(a, b, a_from_b, margin) else { return false };
    *axis = found.normal;
    found.distance <= margin
}

/// Whether the cores are within `reach` of each other, where the comparison is proven; of two apart, `axis` is the proof.
fn compared(pair: &CorePair<'_>, proposed: Comparison, reach: f64, axis: &mut Vector3<f64>) -> Option<bool> {
    match proposed {
        Comparison::Within => Some(true),
        Comparison::Beyond(direction) if pair.gap(&direction) > reach => {
            *axis = direction;
            Some(false)
        }
        _ => None,
    }
}

/// A gap along a longer vector would be overstated.
fn is_unit(axis: &Vector3<f64>) -> bool {
    (axis.norm_squared() - 1.0).abs() < 1e-9
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // Tests fail by panicking.
mod tests {
    use super::super::body::Body;
    use super::*;
    use kinetic_core::Shape;
    use kinetic_core::rng::SeededRng;
    use nalgebra::UnitQuaternion;

    fn body(rng: &mut SeededRng, kind: usize) -> Body {
        let mut size = || rng.uniform(0.03, 0.3);
        let shape = match kind {
            0 => Shape::cuboid(size(), size(), size()),
            1 => Shape::capsule(size(), size()),
            2 => Shape::cylinder(size(), size()),
            _ => {
                let points: Vec<Point3<f64>> = (0..20).map(|_| Point3::new(size(), size(), size())).collect();
                Shape::convex(&points, 0.01)
            }
        };
        Body::new(&shape.unwrap()).unwrap()
    }

    /// The two ways to a depth share nothing but the support functions.
    #[test]
    fn our_expansion_and_the_library_find_the_same_depth() {
        let mut rng = SeededRng::new(7);
        let (mut overlaps, mut refused) = (0, 0);
        for case in 0..4000 {
            let (a, b) = (body(&mut rng, case % 4), body(&mut rng, case / 4 % 4));
            let axis = Vector3::from_fn(|_, _| rng.uniform(-2.0, 2.0));
            let offset = Vector3::from_fn(|_, _| rng.uniform(-0.2, 0.2));
            let a_from_b = Isometry3::from_parts(offset.into(), UnitQuaternion::from_scaled_axis(axis));
            let pair = CorePair::new((&a).into(), (&b).into(), &a_from_b);
            let Answer::Witness(found) = parry_bridge::closest(&pair, f64::INFINITY) else {
                refused += 1;
                continue;
            };
            let depth = pair.gap(&found.normal);
            // Touching and separated pairs are not the expansion's business.
            if depth > -1e-6 {
                continue;
            }
            if !is_proven(&pair, &found) {
                refused += 1;
                continue;
            }
            overlaps += 1;
            let witness = expansion::deepest(&pair);
            let ours = pair.gap(&witness.normal);
            let aside = (witness.on_b - witness.on_a) - witness.normal * ours;
            // On rims the triangles come near the surface with the root of the depth's error only.
            assert!(aside.norm() < 1e-4 * pair.size, "case {case}: {aside:?}");
            // EPA stops within 1e-8 of the size on rims.
            assert!((ours - depth).abs() < 1e-8, "case {case}: {ours} and {depth}");
        }
        assert!(overlaps > 1000 && refused < 10, "{overlaps} overlaps, {refused} refused");
    }

    /// Two boxes with the same axes, rotated together: a gap along x, or an overlap that is least along x.
    struct Boxes {
        bodies: [Body; 2],
        a_from_b: Isometry3<f64>,
        distance: f64,
    }

    fn boxes(rng: &mut SeededRng) -> Boxes {
        let mut size = |low: f64, high: f64| rng.uniform(low, high);
        let halves = [0; 2].map(|_| Vector3::new(size(0.05, 0.1), size(0.2, 0.4), size(0.2, 0.4)));
        let distance = size(-0.05, 0.1);
        let offset = Vector3::new(halves[0].x + halves[1].x + distance, size(-0.05, 0.05), size(-0.05, 0.05));
        let bodies = halves.map(|half| Body::new(&Shape::cuboid(half.x, half.y, half.z).unwrap()).unwrap());
        Boxes { bodies, a_from_b: Isometry3::from_parts(offset.into(), UnitQuaternion::identity()), distance }
    }

    fn direction(rng: &mut SeededRng) -> Vector3<f64> {
        Vector3::from_fn(|_, _| rng.uniform(-1.0, 1.0)).normalize()
    }

    #[test]
    fn whatever_the_library_proposes_the_answer_is_the_distance() {
        for seed in 0..500 {
            let mut rng = SeededRng::new(seed);
            let Boxes { bodies: [a, b], a_from_b, distance } = boxes(&mut rng);
            let pair = CorePair::new((&a).into(), (&b).into(), &a_from_b);
            let mut point = || Vector3::from_fn(|_, _| rng.uniform(-0.3, 0.3));
            let (on_a, on_b) = (point(), point());
            let normal = direction(&mut rng);
            let apart = Witness { normal, on_a, on_b };
            // Points that agree with the direction, and a direction that agrees with the points.
            let (edge_a, edge_b) = pair.supports(&normal);
            let inside = Witness { normal, on_a: edge_b - normal * 0.01, on_b: edge_a };
            let along = Witness { normal: (on_b - on_a).normalize(), on_a, on_b };
            for (kind, witness) in [apart, inside, along].into_iter().enumerate() {
                let is_true = (pair.gap(&witness.normal) - distance).abs() < 1e-9;
                let found = judged(&pair, Answer::Witness(witness), f64::INFINITY).unwrap();
                let label = format!("seed {seed}, witness {kind}: {found:?}, {distance}");
                assert!(is_true || (found.distance - distance).abs() < 1e-9, "{label}");
            }
            let found = judged(&pair, Answer::Failed, f64::INFINITY).unwrap();
            assert!((found.distance - distance).abs() < 1e-9, "seed {seed}, no proposal: {found:?}, {distance}");
            for lie in [direction(&mut rng), -Vector3::x(), Vector3::y()] {
                let found = judged(&pair, Answer::Beyond(lie), distance + 1e-6);
                let found = found.map(|found| found.distance);
                assert!(
                    found.is_some_and(|found| (found - distance).abs() < 1e-9),
                    "seed {seed}: {found:?}, {distance}"
                );
            }
        }
    }

    #[test]
    fn a_direction_that_the_library_proposes_is_no_proof_until_its_gap_says_so() {
        for seed in 0..500 {
            let mut rng = SeededRng::new(seed);
            let Boxes { bodies: [a, b], a_from_b, distance } = boxes(&mut rng);
            let pair = CorePair::new((&a).into(), (&b).into(), &a_from_b);
            let reach = distance.max(0.0) + 1e-6;
            for lie in [direction(&mut rng), Vector3::x(), -Vector3::x(), Vector3::y()] {
                let mut axis = Vector3::zeros();
                assert_eq!(compared(&pair, Comparison::Beyond(lie), reach, &mut axis), None, "seed {seed}, {distance}");
                assert_eq!(axis, Vector3::zeros(), "seed {seed}");
            }
            if distance > 1e-3 {
                let mut axis = Vector3::zeros();
                let said = compared(&pair, Comparison::Beyond(Vector3::x()), distance - 1e-6, &mut axis);
                assert_eq!((said, axis), (Some(false), Vector3::x()), "seed {seed}");
            }
            // A longer vector overstates the gap.
            let mut long = Vector3::x() * 100.0;
            assert!(is_closer_than((&a).into(), (&b).into(), &a_from_b, distance + 1e-6, &mut long), "seed {seed}");
        }
    }
}
