//! Contact of the robot with itself in random configurations: by its shapes, and by its spheres alone.

use kinetic_core::Pose;
use kinetic_core::rng::SeededRng;
use kinetic_scene::pairs::Sampler;
use kinetic_scene::{LinkPair, PairClass};

use super::{Check, Level, PairFigures, Report, SampledShare, Subject};

pub(super) const CHECK: Check =
    Check { id: "self_collision", summary: "pairs of links that touch in most random configurations", run };

pub(super) const DISABLED: Check = Check {
    id: "disabled_pairs",
    summary: "pairs that the description switches off although they touch in some configurations",
    run: disabled,
};

/// Random configurations looked at; a pair that touches in none is, with 95 % confidence, touching in at most 0.3 %.
const TESTED_CONFIGURATIONS: usize = 1000;

/// A pair that touches in more than this share of the configurations leaves the robot little room.
const MAX_COLLIDING_RATIO: f64 = 0.5;

fn run(subject: &Subject<'_>, report: &mut Report) {
    let Ok(scene) = &subject.scene else { return };
    let geometry = scene.geometry();
    let pairs: Vec<&LinkPair> =
        geometry.pairs().iter().filter(|pair| !matches!(pair.class, PairClass::Rigid | PairClass::Adjacent)).collect();
    let sampler = Sampler::new(subject.robot, geometry.links());
    let mut rng = SeededRng::stream(subject.seed, 0);
    let mut tally = Tally::new(pairs.len());
    for _ in 0..TESTED_CONFIGURATIONS {
        tally.add(&sampler, &pairs, &sampler.link_poses(&subject.robot.random_variables(&mut rng)));
    }
    tally.report(subject, &pairs, report);
}

/// Counts of configurations.
struct Tally {
    touching: Vec<usize>,
    spheres_alone: Vec<usize>,
    colliding: usize,
    only_spheres: usize,
}

impl Tally {
    fn new(pairs: usize) -> Self {
        Self { touching: vec![0; pairs], spheres_alone: vec![0; pairs], colliding: 0, only_spheres: 0 }
    }

    fn add(&mut self, sampler: &Sampler<'_>, pairs: &[&LinkPair], poses: &[Pose]) {
        let (mut is_colliding, mut is_suspected) = (false, false);
        for (index, pair) in pairs.iter().enumerate() {
            let is_checked = pair.class == PairClass::Checked;
            if !sampler.spheres_touch(pair.links, poses) {
                continue;
            }
            if sampler.touches(pair.links, poses) {
                self.touching[index] += 1;
                is_colliding |= is_checked;
            } else {
                self.spheres_alone[index] += 1;
                is_suspected |= is_checked;
            }
        }
        self.colliding += usize::from(is_colliding);
        self.only_spheres += usize::from(is_suspected && !is_colliding);
    }

    fn report(&self, subject: &Subject<'_>, pairs: &[&LinkPair], report: &mut Report) {
        for (index, pair) in pairs.iter().enumerate() {
            let share = share(self.touching[index]);
            if pair.class == PairClass::Checked && share > MAX_COLLIDING_RATIO {
                let message = format!(
                    "touch in {:.1} % of random configurations; if they are meant to, switch the pair off (skip_pairs)",
                    100.0 * share
                );
                CHECK.add(report, Level::Warning, subject.pair(pair.links), message);
            }
            report.pairs.push(PairFigures {
                links: (subject.link(pair.links.0).to_owned(), subject.link(pair.links.1).to_owned()),
                class: pair.class.name(),
                reason: pair.reason.clone(),
                touching: share,
                spheres_alone: self::share(self.spheres_alone[index]),
            });
        }
        report.self_collision = Some(SampledShare {
            configurations: TESTED_CONFIGURATIONS,
            colliding: share(self.colliding),
            spheres_alone: share(self.only_spheres),
        });
    }
}

fn share(count: usize) -> f64 {
    count as f64 / TESTED_CONFIGURATIONS as f64
}

/// Looks at what the samples of [`run`] showed.
fn disabled(_: &Subject<'_>, report: &mut Report) {
    let touching: Vec<(String, String)> = report
        .pairs
        .iter()
        .filter(|pair| pair.class == PairClass::Disabled.name() && pair.touching > 0.0 && pair.touching < 1.0)
        .map(|pair| {
            let message = format!("touch in {:.1} % of random configurations; {}", 100.0 * pair.touching, pair.reason);
            (format!("{} – {}", pair.links.0, pair.links.1), message)
        })
        .collect();
    for (subject, message) in touching {
        DISABLED.add(report, Level::Warning, subject, message);
    }
}
