//! Building a roadmap, and looking at all of it.

use kinetic_core::{Control, KineticError, Result};

use super::graph::{Neighbours, RoadmapGraph};
use super::verdicts::{Verdict, Verdicts};
use super::{Roadmap, RoadmapCounts, RoadmapInScope};
use crate::space::Space;
use crate::validity::Validity;

/// Most vertices of a roadmap: their numbers and those of their edges fit.
const MOST_VERTICES: usize = 1 << 22;

impl Roadmap {
    /// A roadmap of so many valid configurations, each connected with those near it, or of as many as `control` leaves time for. Which
    /// ones follows from the seed. Edges are not looked at.
    ///
    /// # Errors
    /// [`KineticError::InvalidValue`] for no vertices, or more than 2²²; what [`Control::error`] says when `control` is cancelled, or
    /// ends before the first vertex.
    pub fn build(
        (space, seed): (&Space, u64),
        (vertices, neighbours): (usize, Neighbours),
        validity: &mut dyn Validity,
        control: &Control,
    ) -> Result<Self> {
        if !(1..=MOST_VERTICES).contains(&vertices) {
            let wanted = format!("an integer from 1 to {MOST_VERTICES}");
            return Err(KineticError::invalid("vertices", vertices, wanted));
        }
        let (mut graph, mut sample) = (RoadmapGraph::new(space, seed), vec![0.0; space.dof()]);
        let mut drawn = 0;
        while graph.len() < vertices {
            match control.check(drawn) {
                Err(KineticError::PlanningTimeout { .. }) if graph.len() > 0 => break,
                checked => checked?,
            }
            graph.draw_into(&mut sample);
            drawn += 1;
            if validity.is_valid(&sample) {
                let count = neighbours.of(graph.len(), space.dof());
                graph.add_connected(&sample, count, |_| true);
            }
        }
        Ok(Self::new(graph.completed()))
    }
}

impl RoadmapInScope {
    /// Samples all vertices and edges, and refuses those in collision, in the order of their numbers. What was found is kept also where
    /// the budget ends.
    ///
    /// # Errors
    /// What [`Control::error`] says when the budget ends.
    pub fn sample(&self, validity: &mut dyn Validity, control: &Control) -> Result<RoadmapCounts> {
        self.look_at_all(Verdict::Sampled, validity, control)
    }

    /// Proves or refuses all vertices and edges, in the order of their numbers. What was found is kept also where the budget ends.
    ///
    /// # Errors
    /// What [`Control::error`] says when the budget ends.
    pub fn prove(&self, validity: &mut dyn Validity, control: &Control) -> Result<RoadmapCounts> {
        self.look_at_all(Verdict::Proven, validity, control)
    }

    fn look_at_all(&self, wanted: Verdict, validity: &mut dyn Validity, control: &Control) -> Result<RoadmapCounts> {
        let mut verdicts = self.known();
        let looked = look_at(self.graph(), wanted, &mut verdicts, validity, control);
        self.learn(&verdicts);
        looked.map(|()| self.counts())
    }
}

fn look_at(
    graph: &RoadmapGraph,
    wanted: Verdict,
    verdicts: &mut Verdicts,
    validity: &mut dyn Validity,
    control: &Control,
) -> Result<()> {
    for vertex in (0..graph.len()).filter(|vertex| verdicts.vertices[*vertex] == Verdict::Unknown).collect::<Vec<_>>() {
        control.check(0)?;
        if validity.is_valid(graph.vertex(vertex)) {
            verdicts.vertices[vertex] = Verdict::Proven;
        } else {
            // A question that the deadline cut short says nothing.
            control.check(0)?;
            verdicts.refuse_vertex(graph, vertex);
        }
    }
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for edge in (0..graph.edges()).filter(|edge| verdicts.edges[*edge] < wanted).collect::<Vec<_>>() {
        control.check(0)?;
        graph.motion_into(edge, &mut from, &mut to);
        let seems_free = verdicts.edges[edge] == Verdict::Sampled || validity.motion_may_be_valid(&from, &to);
        let is_it = seems_free && (wanted == Verdict::Sampled || validity.is_motion_valid(&from, &to));
        if !is_it {
            control.check(0)?;
        }
        verdicts.edges[edge] = if is_it { wanted } else { Verdict::Refused };
    }
    Ok(())
}
