//! Roadmaps that several queries use: a graph that does not change, and what is known of it in a scene.
//!
//! Kavraki, Svestka, Latombe and Overmars, "Probabilistic roadmaps for path planning in high-dimensional configuration spaces",
//! IEEE Transactions on Robotics and Automation 1996: a graph of configurations is built once, and a query connects its start and
//! goals with it. Queries leave the graph as it is, and note which edges they proved or refused (lazy PRM: Bohlin and Kavraki, ICRA
//! 2000). These verdicts are facts about one scene: they make the next query cheaper, and change no answer. So answers depend
//! neither on the order of queries nor on threads. In another scene none of them is believed.

mod build;
mod file;
pub(crate) mod graph;
pub(crate) mod verdicts;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kinetic_core::content_hash::ContentHasher;
use kinetic_core::{ContentHash, KineticError, Result, TrajectoryIdentity};

use self::graph::RoadmapGraph;
use self::verdicts::{Verdict, Verdicts};
use crate::group_names::GroupNames;
use crate::space::Space;

/// A roadmap of a planning group. Clones share what is known of its edges.
///
/// [`Planner::build_roadmap`](crate::Planner::build_roadmap) makes one,
/// [`Planner::with_roadmap`](crate::Planner::with_roadmap) plans with it.
///
/// ```
/// use std::sync::Arc;
///
/// use kinetic_core::{Control, Goal};
/// use kinetic_planning::Planner;
/// use kinetic_robot::Robot;
///
/// let planner = Planner::new(&Arc::new(Robot::from_name("ur5e")?))?;
/// let roadmap = planner.build_roadmap(200, &Control::default())?;
/// let planner = planner.with_roadmap(&roadmap)?;
/// let planned = planner.plan(&[0.0, -1.57, 0.0, -1.57, 0.0, 0.0], &Goal::named("ready"))?;
/// assert_eq!((planned.planner_used, roadmap.len()), ("prm", 200));
/// # Ok::<(), kinetic_core::KineticError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Roadmap {
    names: GroupNames,
    graph: Arc<RoadmapGraph>,
    memory: Arc<Mutex<RoadmapMemory>>,
    /// What queries are answered with instead of the memory. Those of the scope it was frozen in still write to the memory.
    frozen: Option<FrozenMemory>,
}

/// What proofs of a roadmap hold for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProofScope {
    /// The content that motions are valid in and all that besides decides it, the release of this library included.
    key: ContentHash,
    scene_version: ContentHash,
}

/// A roadmap, and what proofs in it hold for; where that is not known, nothing is believed and nothing noted.
#[derive(Debug, Clone)]
pub struct RoadmapInScope {
    roadmap: Roadmap,
    scope: Option<ProofScope>,
}

impl RoadmapInScope {
    /// How much of it is known.
    pub fn counts(&self) -> RoadmapCounts {
        let known = self.known();
        let count = |wanted| known.edges.iter().filter(|verdict| **verdict == wanted).count();
        let edges = self.roadmap.edges();
        let (proven, refused) = (count(Verdict::Proven), count(Verdict::Refused));
        RoadmapCounts { vertices: self.roadmap.len(), edges, proven, refused, unproven: edges - proven - refused }
    }

    pub(crate) fn graph(&self) -> &RoadmapGraph {
        &self.roadmap.graph
    }

    /// Whether it is one of the space.
    pub(crate) fn is_in(&self, space: &Space) -> bool {
        self.graph().space() == space
    }

    /// What is known: nothing, where the roadmap was used in another scope last.
    pub(crate) fn known(&self) -> Verdicts {
        let of = |memory: &RoadmapMemory| match self.scope {
            Some(_) if memory.scope == self.scope => memory.verdicts.clone(),
            _ => Verdicts::unknown(self.graph()),
        };
        match &self.roadmap.frozen {
            Some(frozen) => of(&frozen.memory),
            None => of(&self.roadmap.lock()),
        }
    }

    /// The roadmap as it is known now: queries are not answered with what others find meanwhile, and so say the same figures on any
    /// number of threads. Those in another scope note nothing, since the last of them would decide what is kept.
    pub(crate) fn as_known_now(&self) -> Roadmap {
        let memory = Arc::new(self.roadmap.lock().clone());
        Roadmap { frozen: Some(FrozenMemory { memory, scope: self.scope }), ..self.roadmap.clone() }
    }

    /// Notes what was found. Of another scope nothing is kept.
    pub(crate) fn learn(&self, verdicts: &Verdicts) {
        let is_elsewhere = self.roadmap.frozen.as_ref().is_some_and(|frozen| frozen.scope != self.scope);
        if self.scope.is_none() || is_elsewhere {
            return;
        }
        let mut memory = self.roadmap.lock();
        if memory.scope != self.scope {
            *memory = RoadmapMemory { scope: self.scope, verdicts: Verdicts::unknown(self.graph()) };
        }
        memory.verdicts.take_over(verdicts);
    }
}

/// What is known, and for which scene.
#[derive(Debug, Clone, Default)]
struct RoadmapMemory {
    scope: Option<ProofScope>,
    verdicts: Verdicts,
}

/// What was known at a moment, and the scope that it is asked about in.
#[derive(Debug, Clone)]
struct FrozenMemory {
    memory: Arc<RoadmapMemory>,
    scope: Option<ProofScope>,
}

/// How much of a roadmap is known in a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoadmapCounts {
    /// Vertices.
    pub vertices: usize,
    /// Edges.
    pub edges: usize,
    /// Edges that are proven valid.
    pub proven: usize,
    /// Edges that are in collision, or refused their proof.
    pub refused: usize,
    /// Edges that were not looked at, or sampled alone.
    pub unproven: usize,
}

impl Roadmap {
    fn new(graph: RoadmapGraph) -> Self {
        Self { names: GroupNames::default(), graph: Arc::new(graph), memory: Arc::default(), frozen: None }
    }

    /// The same roadmap as one of what motions with this identity move.
    pub(crate) fn of(self, identity: &TrajectoryIdentity) -> Self {
        Self { names: GroupNames::of(identity), ..self }
    }

    /// This roadmap, where its edges are proven in the content of that hash: one validity has one hash.
    pub fn in_scope(&self, content: ContentHash) -> RoadmapInScope {
        self.in_scope_with(content, &[])
    }

    /// As [`in_scope`](Self::in_scope), for a content in which these numbers decide as well what is valid.
    pub(crate) fn in_scope_with(&self, content: ContentHash, numbers: &[f64]) -> RoadmapInScope {
        let mut hasher = ContentHasher::default();
        hasher.hash(content);
        hasher.numbers(numbers);
        // Another release may prove otherwise.
        hasher.text(env!("CARGO_PKG_VERSION"));
        let scope = Some(ProofScope { key: hasher.finish(), scene_version: content });
        RoadmapInScope { roadmap: self.clone(), scope }
    }

    /// This roadmap where nothing is believed and nothing noted.
    pub(crate) fn without_scope(&self) -> RoadmapInScope {
        RoadmapInScope { roadmap: self.clone(), scope: None }
    }

    /// Number of configurations.
    pub fn len(&self) -> usize {
        self.graph.len()
    }

    /// True without configurations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of edges, valid or not.
    pub fn edges(&self) -> usize {
        self.graph.edges()
    }

    /// Name of its robot.
    pub fn robot_name(&self) -> &str {
        &self.names.robot
    }

    /// Name of its planning group.
    pub fn group_name(&self) -> &str {
        &self.names.group
    }

    /// Number of joints of its group.
    pub fn dof(&self) -> usize {
        self.graph.space().dof()
    }

    /// The configurations one after the other, rad or m.
    pub fn configurations(&self) -> &[f64] {
        self.graph.values()
    }

    /// Version of the scene that its edges were looked at in last; `None` before that.
    pub fn scene_version(&self) -> Option<ContentHash> {
        self.lock().scope.map(|scope| scope.scene_version)
    }

    /// Refuses a roadmap of another robot, group, or space.
    pub(crate) fn check_is_of(&self, identity: &TrajectoryIdentity, space: &Space) -> Result<()> {
        let wanted = GroupNames::of(identity);
        if self.names != wanted {
            return Err(KineticError::invalid("roadmap", &self.names, format!("one {wanted}")));
        }
        let own = self.graph.space();
        if own.dof() != space.dof() {
            let wanted = format!("one of {} joints", space.dof());
            return Err(KineticError::invalid("roadmap", format!("of {} joints", own.dof()), wanted));
        }
        let bounds = |of: &Space, joint: usize| (of.lower()[joint], of.upper()[joint]);
        if let Some(joint) = (0..own.dof()).find(|joint| bounds(own, *joint) != bounds(space, *joint)) {
            let of = |(low, high): (f64, f64)| format!("limits [{low}, {high}] of joint \"{}\"", wanted.joints[joint]);
            let (given, wanted) = (of(bounds(own, joint)), of(bounds(space, joint)));
            return Err(KineticError::invalid("roadmap", format!("with {given}"), format!("one with {wanted}")));
        }
        if own == space {
            return Ok(());
        }
        let given = format!("with joint weights in the ratio of {:?}", own.weights());
        let wanted = format!("one with those of the planner, {:?}", space.weights());
        Err(KineticError::invalid("roadmap", given, wanted))
    }

    fn lock(&self) -> MutexGuard<'_, RoadmapMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
