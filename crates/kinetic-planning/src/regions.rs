//! Convex regions of the joint space of a planning group in a scene, and which of them overlap.
//!
//! Regions are grown by [IRIS](self::iris). What is claimed of one is a probability, and holds in the scene where it was grown:
//! paths through regions are proven before they are used, as every path is.

mod file;
mod inscribed_ellipsoid;
mod iris;
mod largest_ball;
mod options;
pub(crate) mod overlap;
pub(crate) mod polytope;
mod region;

use std::sync::Arc;

use kinetic_core::rng::SeededRng;
use kinetic_core::{ContentHash, Control, KineticError, Result, TrajectoryIdentity};

pub use self::options::IrisOptions;
pub use self::region::ConvexRegion;

use self::iris::Inflation;
use self::overlap::Overlap;
use crate::group_names::GroupNames;
use crate::space::Space;
use crate::validity::Validity;

/// Regions that a decomposition may have.
const MOST_REGIONS: usize = 1000;

/// Random configurations that are looked at for one more seed.
const MOST_DRAWS: usize = 10_000;

/// Convex regions of a planning group, and their overlaps.
///
/// [`Planner::convex_decomposition`](crate::Planner::convex_decomposition) makes one,
/// [`Planner::with_regions`](crate::Planner::with_regions) plans with it.
///
/// ```
/// use std::sync::Arc;
///
/// use kinetic_core::{Control, Goal};
/// use kinetic_planning::{IrisOptions, Planner};
/// use kinetic_robot::Robot;
///
/// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// let home = vec![0.0, -1.57, 0.0, -1.57, 0.0, 0.0];
/// let options = IrisOptions { collision_fraction: 0.05, ..IrisOptions::default() };
/// let regions = planner.convex_decomposition(&[home.clone()], 1, &options, &Control::default())?;
/// assert!(regions.regions()[0].contains(&home)?);
/// let planned = planner.with_regions(&regions)?.plan(&home, &Goal::joints([0.3, -1.4, 0.2, -1.5, 0.1, 0.0]))?;
/// assert_eq!(planned.planner_used, "gcs");
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ConvexDecomposition {
    names: GroupNames,
    space: Space,
    options: IrisOptions,
    scene_version: Option<ContentHash>,
    regions: Arc<Vec<ConvexRegion>>,
    overlaps: Arc<Vec<Overlap>>,
}

impl ConvexDecomposition {
    /// Grows a region around each seed, and then around random free configurations that are in none, until there are `count`, nothing is
    /// found that no region has, or `control` ends the work.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for options outside their domain, no regions or more than 1000, and a seed that is not valid;
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::JointLimitViolation`] for a seed; what
    /// [`Control::error`] says when `control` is cancelled, or ends before the first region.
    pub fn grow(
        (space, rng_seed): (&Space, u64),
        seeds: &[Vec<f64>],
        count: usize,
        options: &IrisOptions,
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Self> {
        options.check()?;
        check_seeds(space, seeds, count, validity)?;
        let mut regions: Vec<ConvexRegion> = Vec::new();
        let mut rng = SeededRng::stream(rng_seed, 0);
        let mut stated = seeds.iter().enumerate();
        while regions.len() < count {
            let (place, seed) = match stated.next() {
                // A seed that is in a region already needs no other.
                Some((_, seed)) if regions.iter().any(|region| region.polytope.contains(seed)) => continue,
                Some((place, seed)) => (Some(place), seed.clone()),
                None => match uncovered(space, &regions, &mut rng, validity, control) {
                    Some(found) => (None, found),
                    None => break,
                },
            };
            let number = regions.len() as u64;
            let mut inflation = Inflation {
                space,
                seed: &seed,
                options,
                rng: SeededRng::stream(rng_seed, number + 1),
                validity: &mut *validity,
                control,
            };
            match (inflation.grow(), place) {
                (Ok(Some(region)), _) => regions.push(region),
                (Ok(None), Some(place)) => return Err(too_narrow(place, options)),
                (Ok(None), None) => {}
                (Err(KineticError::PlanningTimeout { .. }), _) if !regions.is_empty() => break,
                (Err(error), _) => return Err(error),
            }
        }
        if regions.is_empty() {
            control.check(0)?;
            return Err(too_narrow(0, options));
        }
        Ok(Self::of_regions(GroupNames::default(), space, *options, None, regions))
    }

    fn of_regions(
        names: GroupNames,
        space: &Space,
        options: IrisOptions,
        scene_version: Option<ContentHash>,
        regions: Vec<ConvexRegion>,
    ) -> Self {
        let overlaps = Arc::new(overlap::overlaps(&regions));
        Self { names, space: space.clone(), options, scene_version, regions: Arc::new(regions), overlaps }
    }

    /// The same decomposition as one of what motions with this identity move, grown in a scene.
    pub(crate) fn of(self, identity: &TrajectoryIdentity, scene_version: ContentHash) -> Self {
        Self { names: GroupNames::of(identity), scene_version: Some(scene_version), ..self }
    }

    /// The regions, in the order in which they were grown.
    pub fn regions(&self) -> &[ConvexRegion] {
        &self.regions
    }

    /// Pairs of regions that overlap, by their places, smaller ones first.
    pub fn overlaps(&self) -> impl Iterator<Item = [usize; 2]> {
        self.overlaps.iter().map(|overlap| overlap.regions)
    }

    pub(crate) fn portals(&self) -> &[Overlap] {
        &self.overlaps
    }

    /// What is claimed of each region.
    pub fn options(&self) -> &IrisOptions {
        &self.options
    }

    /// Version of the scene that the regions were grown in; `None` where that was no scene.
    pub fn scene_version(&self) -> Option<ContentHash> {
        self.scene_version
    }

    /// Name of its robot.
    pub fn robot_name(&self) -> &str {
        &self.names.robot
    }

    /// Name of its planning group.
    pub fn group_name(&self) -> &str {
        &self.names.group
    }

    /// Number of joints.
    pub fn dof(&self) -> usize {
        self.space.dof()
    }

    /// Refuses regions of another robot, group, or space.
    pub(crate) fn check_is_of(&self, identity: &TrajectoryIdentity, space: &Space) -> Result<()> {
        let wanted = GroupNames::of(identity);
        if self.names != wanted {
            return Err(KineticError::invalid("regions", &self.names, format!("ones {wanted}")));
        }
        let bounds = |of: &Space| (of.lower().to_vec(), of.upper().to_vec());
        if bounds(&self.space) == bounds(space) {
            return Ok(());
        }
        let describe = |of: &Space| format!("with joint limits {:?} to {:?}", of.lower(), of.upper());
        Err(KineticError::invalid("regions", describe(&self.space), format!("ones {}", describe(space))))
    }
}

fn check_seeds(space: &Space, seeds: &[Vec<f64>], count: usize, validity: &mut dyn Validity) -> Result<()> {
    let least = seeds.len().max(1);
    if !(least..=MOST_REGIONS).contains(&count) {
        return Err(KineticError::invalid(
            "number of regions",
            count,
            format!("an integer from {least} to {MOST_REGIONS}"),
        ));
    }
    for (index, seed) in seeds.iter().enumerate() {
        space.check(&format!("seed {index}"), seed, 0.0)?;
        if !validity.is_valid(seed) {
            let what = match validity.nearest_pair(seed) {
                Some((pair, slack)) => {
                    format!("\"{}\" misses its clearance from \"{}\" by {} m", pair.link, pair.other, -slack)
                }
                None => "in collision".to_owned(),
            };
            return Err(KineticError::invalid(format!("seed {index}"), what, "a configuration that is valid"));
        }
    }
    Ok(())
}

/// A valid configuration that is in no region; `None` where many draws find none, or the budget ends.
fn uncovered(
    space: &Space,
    regions: &[ConvexRegion],
    rng: &mut SeededRng,
    validity: &mut dyn Validity,
    control: &Control,
) -> Option<Vec<f64>> {
    let mut q = vec![0.0; space.dof()];
    for _ in 0..MOST_DRAWS {
        if control.is_over(0) {
            return None;
        }
        space.sample_uniform(rng, &mut q);
        if !regions.iter().any(|region| region.polytope.contains(&q)) && validity.is_valid(&q) {
            return Some(q);
        }
    }
    None
}

fn too_narrow(seed: usize, options: &IrisOptions) -> KineticError {
    let wanted = format!(
        "one with a region around it of which at most {} collides; a larger collision_fraction allows more",
        options.collision_fraction
    );
    KineticError::invalid(format!("seed {seed}"), "in a place too narrow", wanted)
}
