//! Roadmaps as bytes and files.
//!
//! A magic word, the content in little-endian numbers, and a checksum: the content hash of all before it, as text. Lengths of edges
//! and samples to come follow from the content and are not stored.

use std::path::Path;
use std::sync::{Arc, Mutex};

use kinetic_core::{ContentHash, KineticError, Result, files};

use super::graph::RoadmapGraph;
use super::verdicts::{Verdict, Verdicts};
use super::{ProofScope, Roadmap, RoadmapMemory, RoadmapNames};
use crate::problem::BOUNDS_TOLERANCE;
use crate::space::Space;

/// What every file begins with: a number for the form of the file.
const MAGIC: &[u8] = b"kinetic-roadmap 1\n";

impl Roadmap {
    /// Writes it to a file, with what is known of its edges.
    ///
    /// # Errors
    /// [`KineticError::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        files::write(path, self.to_bytes())
    }

    /// Reads a file that [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`KineticError::Io`]; [`KineticError::FileParse`] for a file that is no roadmap, of another form, or damaged.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::from_bytes(&files::read(path)?, &path.display().to_string())
    }

    /// The content of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (graph, memory) = (&self.graph, self.lock().clone());
        let space = graph.space();
        let mut out = RoadmapWriter(MAGIC.to_vec());
        out.text(&self.names.robot);
        out.text(&self.names.group);
        out.integer(self.names.joints.len() as u64);
        for name in &self.names.joints {
            out.text(name);
        }
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
            out.0.extend(verdicts.map(|verdict| verdict.to_byte()));
        }
        let checksum = ContentHash::of_bytes(&out.0).to_string();
        out.0.extend_from_slice(checksum.as_bytes());
        out.0
    }

    /// A roadmap from what [`to_bytes`](Self::to_bytes) wrote; `name` stands for it in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`].
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self> {
        let refused = |detail: String| KineticError::FileParse { file: name.to_owned(), line: 0, detail };
        let Some(content) = bytes.strip_prefix(MAGIC) else {
            return Err(refused("no roadmap, or one of another form than this release writes".to_owned()));
        };
        let checksum_length = ContentHash::of_bytes(&[]).to_string().len();
        let end = bytes.len().saturating_sub(checksum_length).max(MAGIC.len());
        if bytes[end..] != *ContentHash::of_bytes(&bytes[..end]).to_string().as_bytes() {
            return Err(refused("damaged: the checksum does not fit".to_owned()));
        }
        let mut reader = RoadmapReader(&content[..end - MAGIC.len()]);
        read(&mut reader).filter(|_| reader.0.is_empty()).ok_or_else(|| refused("the content is malformed".to_owned()))
    }
}

/// The roadmap that a content states; `None` for one that states none.
fn read(reader: &mut RoadmapReader<'_>) -> Option<Roadmap> {
    let (robot, group) = (reader.text()?, reader.text()?);
    let joints = (0..reader.count(8)?).map(|_| reader.text()).collect::<Option<Vec<_>>>()?;
    let dof = reader.count(24)?;
    let (lower, upper, weights) = (reader.numbers(dof)?, reader.numbers(dof)?, reader.numbers(dof)?);
    let space = Space::new(lower, upper).ok()?.with_weights(weights).ok()?;
    let graph = read_graph(reader, &space)?;
    let memory = if reader.integer()? == 0 { RoadmapMemory::default() } else { read_memory(reader, &graph)? };
    let names = RoadmapNames { robot, group, joints };
    Some(Roadmap { names, graph: Arc::new(graph), memory: Arc::new(Mutex::new(memory)), frozen: None })
}

fn read_graph(reader: &mut RoadmapReader<'_>, space: &Space) -> Option<RoadmapGraph> {
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

fn read_memory(reader: &mut RoadmapReader<'_>, graph: &RoadmapGraph) -> Option<RoadmapMemory> {
    let (key, scene_version) = (reader.text()?.parse().ok()?, reader.text()?.parse().ok()?);
    let mut verdicts = |count: usize| {
        let bytes = reader.take(count)?;
        bytes.iter().map(|byte| Verdict::from_byte(*byte)).collect::<Option<Vec<_>>>()
    };
    let verdicts = Verdicts { vertices: verdicts(graph.len())?, edges: verdicts(graph.edges())? };
    Some(RoadmapMemory { scope: Some(ProofScope { key, scene_version }), verdicts })
}

/// Numbers and texts, one after the other.
struct RoadmapWriter(Vec<u8>);

impl RoadmapWriter {
    fn integer(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.integer(value.to_bits());
        }
    }

    fn text(&mut self, text: &str) {
        self.integer(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }
}

/// What is left to read; `None` where that ends too early.
struct RoadmapReader<'a>(&'a [u8]);

impl<'a> RoadmapReader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn integer(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of things that take at least so many bytes each.
    fn count(&mut self, least_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.integer()?).ok()?;
        (count.checked_mul(least_bytes)? <= self.0.len()).then_some(count)
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        (0..count).map(|_| self.integer().map(f64::from_bits)).collect()
    }

    fn text(&mut self) -> Option<String> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).ok()
    }
}
