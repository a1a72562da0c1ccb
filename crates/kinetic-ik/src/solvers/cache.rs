//! Seed cache: the known configuration whose pose is nearest to the target is the seed.

use std::path::Path;

use kinetic_core::rng::SeededRng;
use kinetic_core::{JointValues, KineticError, Pose, Result, StopFlag, files};
use kinetic_kinematics::KinematicChain;
use nalgebra::UnitQuaternion;

use super::config::IKConfig;
use super::ik_solver::IKSolver;
use super::pose_problem::{PoseProblem, reach_bound};
use super::solution::IKSolution;
use super::solve_ik;

/// A lookup hits when the nearest pose is at most this far, in parts of the reach and rad together.
pub const DEFAULT_HIT_RADIUS: f64 = 0.5;

/// How often lookups helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStatistics {
    /// Lookups that found a pose within the radius.
    pub hits: u64,
    /// Lookups that did not.
    pub misses: u64,
}

/// Poses of one chain with the configurations that reach them.
///
/// Poses are points in six dimensions: position in parts of the reach, orientation as an angle; the distance of two is
/// `√(‖Δp‖² + angle²)`. Answers are those of the numerical solver from the seed that was found, so they meet the
/// tolerances whatever the cache holds.
#[derive(Debug, Clone)]
pub struct IkCache {
    chain: KinematicChain,
    scale: f64,
    radius: f64,
    entries: Vec<SeedEntry>,
    statistics: CacheStatistics,
}

#[derive(Debug, Clone)]
struct SeedEntry {
    position: [f64; 3],
    rotation: UnitQuaternion<f64>,
    q: JointValues,
}

/// First line of a saved cache.
const CACHE_FILE_HEADER: &str = "kinetic ik cache 1";

impl IkCache {
    /// An empty cache.
    pub fn new(chain: KinematicChain) -> Self {
        let scale = 1.0 / reach_bound(&chain).max(1e-3);
        Self { chain, scale, radius: DEFAULT_HIT_RADIUS, entries: Vec::new(), statistics: CacheStatistics::default() }
    }

    /// With another distance up to which a lookup hits.
    ///
    /// # Errors
    /// A radius that is not positive.
    pub fn with_hit_radius(self, radius: f64) -> Result<Self> {
        if !(radius > 0.0) {
            return Err(KineticError::invalid("hit radius", radius, "a positive number"));
        }
        Ok(Self { radius, ..self })
    }

    /// Adds `count` random configurations inside the limits.
    pub fn warm(&mut self, count: usize, rng_seed: u64) {
        self.warm_until(count, rng_seed, &StopFlag::default());
    }

    /// As [`warm`](Self::warm), with fewer when `stop` is set meanwhile.
    pub fn warm_until(&mut self, count: usize, rng_seed: u64, stop: &StopFlag) {
        let (config, mut rng) = (IKConfig::default(), SeededRng::new(rng_seed));
        let chain = self.chain.clone();
        let problem = PoseProblem::new(&chain, &Pose::identity(), &config, true);
        let mut q = vec![0.0; chain.dof()];
        for _ in 0..count {
            if stop.is_stopped() {
                return;
            }
            problem.random_into(&mut rng, &mut q);
            self.add(&q);
        }
    }

    /// Number of configurations known.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True before anything was added.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Hits and misses so far.
    pub fn statistics(&self) -> CacheStatistics {
        self.statistics
    }

    fn add(&mut self, q: &[f64]) {
        let pose = self.chain.tip_pose(q);
        let position = (pose.translation() * self.scale).into();
        self.entries.push(SeedEntry { position, rotation: pose.rotation(), q: q.into() });
    }

    /// The configuration whose pose is nearest, and how far that is.
    pub fn nearest(&self, base_from_tcp: &Pose) -> Option<(&JointValues, f64)> {
        let position = base_from_tcp.translation() * self.scale;
        let rotation = base_from_tcp.rotation().coords;
        let square = |entry: &SeedEntry| {
            let apart: f64 = (0..3).map(|i| (entry.position[i] - position[i]).powi(2)).sum();
            // |cosine| of half the angle; the angle itself is computed for the nearest few only.
            let cosine = entry.rotation.coords.dot(&rotation).abs().min(1.0);
            (apart, cosine)
        };
        let mut best: Option<(usize, f64)> = None;
        for (index, entry) in self.entries.iter().enumerate() {
            let (apart, cosine) = square(entry);
            let least = best.map_or(f64::INFINITY, |(_, least)| least);
            // 8 (1 − cos(φ/2)) ≤ φ²: a lower bound without an arc cosine.
            if apart + 8.0 * (1.0 - cosine) < least {
                let exact = apart + (2.0 * cosine.acos()).powi(2);
                if exact < least {
                    best = Some((index, exact));
                }
            }
        }
        best.map(|(index, square)| (&self.entries[index].q, square.sqrt()))
    }

    /// Solves from the nearest known configuration (from the seed of `config` where none is within the radius) and
    /// remembers the answer.
    ///
    /// # Errors
    /// As [`solve_ik`].
    pub fn solve(&mut self, base_from_tcp: &Pose, config: &IKConfig) -> Result<IKSolution> {
        config.check(&self.chain)?;
        let mut seeded = IKConfig { solver: IKSolver::DLS { damping: config.damping }, ..config.clone() };
        let hit = self.nearest(base_from_tcp).filter(|(_, distance)| *distance <= self.radius).map(|(q, _)| q.clone());
        if hit.is_some() {
            self.statistics.hits += 1;
            seeded.seed = hit;
        } else {
            self.statistics.misses += 1;
        }
        let solution = solve_ik(&self.chain, base_from_tcp, &seeded)?;
        if solution.iterations > 0 {
            self.add(&solution.joints);
        }
        Ok(IKSolution { solver: IKSolver::Cached, ..solution })
    }

    /// Writes the configurations as text, one per line, in full precision.
    ///
    /// # Errors
    /// [`KineticError::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut text = format!("{CACHE_FILE_HEADER}\n{}\n", self.chain.joint_names().join(" "));
        for entry in &self.entries {
            let values: Vec<String> = entry.q.iter().map(|value| format!("{value:?}")).collect();
            text.push_str(&values.join(" "));
            text.push('\n');
        }
        files::write(path, text)
    }

    /// A cache from a file that [`save`](Self::save) wrote for the same chain. Poses are computed anew.
    ///
    /// # Errors
    /// [`KineticError::Io`], and [`KineticError::FileParse`] with the line.
    pub fn load(chain: KinematicChain, path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = files::read_text(path)?;
        let refuse = |line: usize, detail: String| KineticError::FileParse {
            file: path.display().to_string(),
            line: line as u32 + 1,
            detail,
        };
        let mut lines = text.lines().enumerate();
        let mut line = || lines.next().map_or((0, ""), |(number, text)| (number, text));
        if line().1 != CACHE_FILE_HEADER {
            return Err(refuse(0, format!("not a cache: the first line is not \"{CACHE_FILE_HEADER}\"")));
        }
        let joints = chain.joint_names().join(" ");
        if line().1 != joints {
            return Err(refuse(1, format!("the cache is for other joints than {joints}")));
        }
        let mut cache = Self::new(chain);
        for (number, text) in lines {
            let q: std::result::Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
            let q = q.map_err(|error| refuse(number, error.to_string()))?;
            cache.chain.check(&q).map_err(|error| refuse(number, error.to_string()))?;
            cache.add(&q);
        }
        Ok(cache)
    }
}
