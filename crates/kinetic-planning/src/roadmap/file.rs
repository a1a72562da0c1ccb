//! Roadmaps as bytes and files.
//!
//! Lengths of edges and samples to come follow from the content and are not stored.

use std::path::Path;
use std::sync::{Arc, Mutex};

use kinetic_core::{Result, files};

use super::graph::RoadmapGraph;
use super::verdicts::{Verdict, Verdicts};
use super::{ProofScope, Roadmap, RoadmapMemory};
use crate::binary_record::{RecordReader, RecordWriter};
use crate::problem::BOUNDS_TOLERANCE;
use crate::space::Space;

/// What every file begins with: a number for the form of the file.
const MAGIC: &[u8] = b"kinetic-roadmap 1\n";

impl Roadmap {
    /// Writes it to a file, with what is known of its edges.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io).
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        files::write(path, self.to_bytes())
    }

    /// Reads a file that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`KineticError::Io`](kinetic_core::KineticError::Io); [`KineticError::FileParse`](kinetic_core::KineticError::FileParse) for a file that is no roadmap, of another form, or damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(&files::read(path)?, &path.display().to_string())
    }

    /// The content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (graph, memory) = (&self.graph, self.lock().clone());
        let space = graph.space();
        let mut out = RecordWriter::new(MAGIC);
        out.names(&self.names);
        out.integer(space.dof() as u64);
        for row in [space.lower(), space.upper(), space.weights()] {
            out.numbers(row);
        }
        out.integer(graph.seed());
        out.integer(graph.len() as u64);
        out.numbers(graph.values());
        out.integer(graph.edges() as u64);
        for end in (0..graph.edges()).flat_map(|edge| graph.ends(edge)) {
            out.integer(end as u64);
        }
        let scope = memory.scope.map(|scope| [scope.key, scope.scene_version].map(|hash| hash.to_string()));
        out.integer(u64::from(scope.is_some()));
        if let Some(hashes) = scope {
            for hash in &hashes {
                out.text(hash);
            }
            let verdicts = memory.verdicts.vertices.iter().chain(&memory.verdicts.edges);
            out.bytes(verdicts.map(|verdict| verdict.to_byte()));
        }
        out.finish()
    }

    /// A roadmap from what [`to_bytes`](Self::to_bytes) wrote; `name` stands for it in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`](kinetic_core::KineticError::FileParse).
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        RecordReader::read(bytes, ("no roadmap", MAGIC), name, read)
    }
}

/// The roadmap that a content states; `None` for one that states none.
fn read(reader: &mut RecordReader<'_>) -> Option<Roadmap> {
    let names = reader.names()?;
    let dof = reader.count(24)?;
    let (lower, upper, weights) = (reader.numbers(dof)?, reader.numbers(dof)?, reader.numbers(dof)?);
    let space = Space::new(lower, upper).ok()?.with_weights(weights).ok()?;
    let graph = read_graph(reader, &space)?;
    let memory = if reader.integer()? == 0 { RoadmapMemory::default() } else { read_memory(reader, &graph)? };
    Some(Roadmap { names, graph: Arc::new(graph), memory: Arc::new(Mutex::new(memory)), frozen: None })
}

fn read_graph(reader: &mut RecordReader<'_>, space: &Space) -> Option<RoadmapGraph> {
    let mut graph = RoadmapGraph::new(space, reader.integer()?);
    for _ in 0..reader.count(8 * space.dof())? {
        let q = reader.numbers(space.dof())?;
        space.check("vertex", &q, BOUNDS_TOLERANCE).ok()?;
        graph.add(&q);
    }
    for _ in 0..reader.count(16)? {
        let (low, high) = (reader.integer()?, reader.integer()?);
        if low >= high || high >= graph.len() as u64 {
            return None;
        }
        graph.join(low as usize, high as usize);
    }
    Some(graph.completed())
}

fn read_memory(reader: &mut RecordReader<'_>, graph: &RoadmapGraph) -> Option<RoadmapMemory> {
    let (key, scene_version) = (reader.text()?.parse().ok()?, reader.text()?.parse().ok()?);
    let mut verdicts = |count: usize| {
        let bytes = reader.take(count)?;
        bytes.iter().map(|byte| Verdict::from_byte(*byte)).collect::<Option<Vec<_>>>()
    };
    let verdicts = Verdicts { vertices: verdicts(graph.len())?, edges: verdicts(graph.edges())? };
    Some(RoadmapMemory { scope: Some(ProofScope { key, scene_version }), verdicts })
}
