//! What tests of a polytope see of its ends.

use super::*;

/// A passage along the diagonal, of which half of its width is 0.01 and half of its length 1, in differences and sums of the joints.
struct Passage;

impl Validity for Passage {
    fn is_valid(&mut self, q: &[f64]) -> bool {
        (q[0] - q[1]).abs() < 0.01 && (q[0] + q[1]).abs() < 1.0
    }

    fn is_motion_valid(&mut self, from: &[f64], to: &[f64]) -> bool {
        self.is_valid(from) && self.is_valid(to)
    }

    fn checks(&self) -> u64 {
        0
    }
}

#[test]
fn a_polytope_that_lies_askew_and_collides_at_its_ends_does_not_pass() {
    let space = Space::from_bounds(&[(-3.0, 3.0); 2]).expect("limits");
    let options = IrisOptions { collision_fraction: 0.05, ..IrisOptions::default() };
    let mut domain = Polytope::of_bounds(space.lower(), space.upper());
    let half = std::f64::consts::FRAC_1_SQRT_2;
    domain.add(&[half, -half], 0.009 * half);
    domain.add(&[-half, half], 0.009 * half);
    for seed in 0..20 {
        let (rng, control) = (SeededRng::new(seed), Control::default());
        let mut inflation = Inflation {
            space: &space,
            edge: &Edge::point(&[0.0; 2]),
            options: &options,
            rng,
            validity: Box::new(Passage),
            control: &control,
        };
        // Along the axes of a ball samples go as far as the passage is wide.
        let ball = Ellipsoid::ball(&[0.0; 2], FIRST_RADIUS).expect("a ball");
        let (polytope, _) = inflation.separated(domain.clone(), &ball).expect("no limit").expect("a polytope");
        let end = (0..3_000).map(f64::from).take_while(|step| polytope.contains(&[0.001 * step; 2])).count();
        assert!((100..=530).contains(&end), "seed {seed}: it ends at {end} mm");
    }
}

/// Balls around edges would fill them with a row of small regions; one that grows around the edge has all of it.
#[test]
fn a_region_around_an_edge_has_both_its_ends() {
    let space = Space::from_bounds(&[(-3.0, 3.0); 2]).expect("limits");
    let options = IrisOptions { collision_fraction: 0.05, ..IrisOptions::default() };
    for seed in 0..20 {
        // Near one side of the passage, and up to its ends.
        let edge = Edge::new(&[-0.49, -0.4905], &[0.49, 0.4815]);
        let control = Control::default();
        let mut inflation = Inflation {
            space: &space,
            edge: &edge,
            options: &options,
            rng: SeededRng::new(seed),
            validity: Box::new(Passage),
            control: &control,
        };
        let region = inflation.grow().expect("no limit").expect("a region");
        assert!(edge.ends.iter().all(|end| region.polytope.contains(end)), "seed {seed}");
        let samples = region.sample(4_000, 1, &Control::default()).expect("samples");
        let colliding = samples.chunks_exact(2).filter(|q| !Passage.is_valid(q)).count();
        assert!(colliding <= 200, "seed {seed}: {colliding} of 4000 collide");
    }
}
