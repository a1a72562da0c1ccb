//! Convex regions of the joint space of a planning group in a scene, and which of them overlap.
//!
//! Regions are grown by [IRIS](self::iris). What is claimed of one is a probability, and holds in the scene where it was grown:
//! paths through regions are proven before they are used, as every path is.

pub(crate) mod contact;
mod file;
mod growth;
mod inscribed_ellipsoid;
mod iris;
mod largest_ball;
mod options;
pub(crate) mod overlap;
pub(crate) mod polytope;
mod region;

use std::sync::Arc;

use kinetic_core::error::check_len;
use kinetic_core::parallel::processors;
use kinetic_core::{ContentHash, Control, KineticError, Result, TrajectoryIdentity};

pub use self::options::IrisOptions;
pub use self::region::ConvexRegion;

use self::growth::RegionGrowth;
use self::overlap::Overlap;
use crate::algorithm::Algorithm;
use crate::group_names::GroupNames;
use crate::space::Space;
use crate::validity::Validity;

/// Regions that a decomposition may have.
const MOST_REGIONS: usize = 1000;

/// What regions grow around.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionSeeds<'a> {
    /// Configurations that get a region each, unless one of those before them contains them.
    pub stated: &'a [Vec<f64>],
    /// Number of regions at most.
    pub count: usize,
    /// Seed of all that is random.
    pub rng_seed: u64,
}

/// Makes a validity for each thread; all of them say the same.
pub type NewValidity<'a> = dyn Fn() -> Box<dyn Validity + 'a> + Sync + 'a;

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
    options: Option<IrisOptions>,
    scene_version: Option<ContentHash>,
    regions: Arc<Vec<ConvexRegion>>,
    overlaps: Arc<Vec<Overlap>>,
}

impl ConvexDecomposition {
    /// Grows a region around each seed, then around edges of paths between regions that do not hang together, which `connector` plans, and then
    /// around random free configurations that are in none, until there are as many as asked for, nothing is found that no region has,
    /// or `control` ends the work. As many regions grow side by side as there are processors, each with a validity that `new_validity` makes;
    /// the result is the same for any number of them.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for options outside their domain, no regions or more than 1000, a seed that is not valid or in a place
    /// too narrow, and no seeds where random configurations are;
    /// [`KineticError::DimensionMismatch`], [`KineticError::NotFinite`] or [`KineticError::JointLimitViolation`] for a seed; what
    /// [`Control::error`] says when `control` is cancelled, or ends before the first region.
    pub fn grow(
        space: &Space,
        seeds: &RegionSeeds<'_>,
        options: &IrisOptions,
        connector: &mut dyn Algorithm,
        new_validity: &NewValidity<'_>,
        control: &Control,
    ) -> Result<Self> {
        options.check()?;
        check_seeds(space, seeds, new_validity().as_mut())?;
        let mut growth = RegionGrowth::new(space, seeds, options, new_validity, control, processors());
        match growth.grow(connector) {
            Err(KineticError::PlanningTimeout { .. }) if !growth.regions.is_empty() => {}
            done => done?,
        }
        if growth.regions.is_empty() {
            control.check(0)?;
            let wanted =
                "some around which a region can grow: random configurations are in collision, or in places too narrow";
            return Err(KineticError::invalid("seeds", "none", wanted));
        }
        let (regions, overlaps) = (Arc::new(growth.regions), Arc::new(growth.overlaps));
        let names = GroupNames::default();
        Ok(Self { names, space: space.clone(), options: Some(*options), scene_version: None, regions, overlaps })
    }

    /// A decomposition of regions from elsewhere, of which nothing is claimed; what of them is outside the bounds of the space is cut
    /// off. All pairs are looked at for overlaps.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no regions or more than 1000, and for one that is outside the bounds; [`KineticError::DimensionMismatch`] for a region of another number of
    /// joints than the space has; what [`Control::check`] says.
    pub fn from_regions(space: &Space, regions: Vec<ConvexRegion>, control: &Control) -> Result<Self> {
        if !(1..=MOST_REGIONS).contains(&regions.len()) {
            let wanted = format!("from 1 to {MOST_REGIONS}");
            return Err(KineticError::invalid("number of regions", regions.len(), wanted));
        }
        for (index, region) in regions.iter().enumerate() {
            check_len(&format!("joints of region {index}"), region.dof(), space.dof())?;
        }
        let within = |(index, region): (usize, ConvexRegion)| region.within(space, &format!("region {index}"));
        let regions = regions.into_iter().enumerate().map(within).collect::<Result<Vec<_>>>()?;
        let overlaps = Arc::new(overlap::overlaps(&regions, control)?);
        let (names, space, regions) = (GroupNames::default(), space.clone(), Arc::new(regions));
        Ok(Self { names, space, options: None, scene_version: None, regions, overlaps })
    }

    /// The same decomposition as one of what motions with this identity move, grown in a scene or in none.
    pub(crate) fn of(self, identity: &TrajectoryIdentity, scene_version: Option<ContentHash>) -> Self {
        Self { names: GroupNames::of(identity), scene_version, ..self }
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

    /// How the regions were grown, and with it what is claimed of each; `None` for regions from elsewhere.
    pub fn options(&self) -> Option<&IrisOptions> {
        self.options.as_ref()
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

fn check_seeds(space: &Space, seeds: &RegionSeeds<'_>, validity: &mut dyn Validity) -> Result<()> {
    let (count, least) = (seeds.count, seeds.stated.len().max(1));
    if !(least..=MOST_REGIONS).contains(&count) {
        return Err(KineticError::invalid(
            "number of regions",
            count,
            format!("an integer from {least} to {MOST_REGIONS}"),
        ));
    }
    for (index, seed) in seeds.stated.iter().enumerate() {
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

fn too_narrow(seed: u64, options: &IrisOptions) -> KineticError {
    let wanted = format!(
        "one with a region around it of which at most {} collides; a larger collision_fraction allows more",
        options.collision_fraction
    );
    KineticError::invalid(format!("seed {seed}"), "in a place too narrow", wanted)
}
