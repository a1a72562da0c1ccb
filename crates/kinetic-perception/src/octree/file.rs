//! Files of `OctoMap`: `.bt` with free and occupied cells, and `.ot` with log-odds.
//!
//! A file begins with lines of text up to `data`. In `.bt` files, two bytes per inner node follow, depth first: two bits per child, 00
//! for unknown, 01 for free, 10 for occupied (the lower bit is the right one), 11 for an inner node. In `.ot` files, five bytes
//! per node follow, depth first: the log-odds as a little-endian number in single precision, and a bit per child.

use std::path::Path;

use kinetic_core::{KineticError, Result};

use super::Octree;
use super::config::OctreeConfig;
use super::header::{FileKind, Header, damaged};
use super::nodes::{NodePlace, Nodes, UNKNOWN};

const FREE: u16 = 0b01;
const OCCUPIED: u16 = 0b10;
const INNER: u16 = 0b11;

impl Octree {
    /// The tree of a `.bt` or `.ot` file. Its resolution is that of the file, its sensor model that of the configuration; the cells of
    /// a `.bt` file have the least or the largest log-odds.
    ///
    /// # Errors
    /// [`KineticError::Io`], and those of [`from_bytes`](Self::from_bytes).
    pub fn read(path: impl AsRef<Path>, config: &OctreeConfig) -> Result<Self> {
        let path = path.as_ref();
        let about = |error| match error {
            KineticError::FileParse { line, detail, .. } => {
                KineticError::FileParse { file: path.display().to_string(), line, detail }
            }
            other => other,
        };
        Self::from_bytes(&kinetic_core::files::read(path)?, config).map_err(about)
    }

    /// The tree of the content of a `.bt` or `.ot` file, as [`read`](Self::read).
    ///
    /// # Errors
    /// [`KineticError::FileParse`] for what is damaged, is no map of plain occupancy, or has more than 2²⁶ nodes; those of
    /// [`OctreeConfig::check`].
    pub fn from_bytes(bytes: &[u8], config: &OctreeConfig) -> Result<Self> {
        let (header, data) = Header::parse(bytes)?;
        let config = OctreeConfig { resolution: header.resolution, ..*config };
        let mut tree = Self::new(config)?;
        let mut reader = Reader { data, count: 0, most: header.nodes, tree: &mut tree };
        if header.nodes > 0 {
            match header.kind {
                FileKind::Binary => reader.read_binary(Nodes::ROOT)?,
                FileKind::Full => reader.read_full(Nodes::ROOT)?,
            }
        }
        let (count, left) = (reader.count, reader.data.len());
        if count != header.nodes || left > 0 {
            return Err(damaged(format!("{} nodes stated, {count} found and {left} bytes behind them", header.nodes)));
        }
        Ok(tree)
    }

    /// Writes a `.bt` or `.ot` file, by the ending of its name.
    ///
    /// # Errors
    /// [`KineticError::Io`]; [`KineticError::InvalidValue`] for another ending.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let content = match kinetic_core::files::format_of(&path, &["bt", "ot"])? {
            "bt" => self.to_bt(),
            _ => self.to_ot(),
        };
        kinetic_core::files::write(path, content)
    }

    /// The content of a `.bt` file: which cells are free and which are occupied, without their log-odds.
    pub fn to_bt(&self) -> Vec<u8> {
        let mut tree = self.clone();
        tree.to_max_likelihood();
        // The format has no root without children.
        if !tree.is_empty() {
            tree.nodes.expand(Nodes::ROOT);
        }
        let header = Header { kind: FileKind::Binary, nodes: tree.num_nodes(), resolution: self.config.resolution };
        let mut bytes = header.to_bytes();
        tree.write_binary(Nodes::ROOT, &mut bytes);
        bytes
    }

    /// The content of an `.ot` file: all log-odds.
    pub fn to_ot(&self) -> Vec<u8> {
        let header = Header { kind: FileKind::Full, nodes: self.num_nodes(), resolution: self.config.resolution };
        let mut bytes = header.to_bytes();
        if !self.is_empty() {
            self.write_full(Nodes::ROOT, &mut bytes);
        }
        bytes
    }

    fn write_binary(&self, place: NodePlace, bytes: &mut Vec<u8>) {
        let children = |octant: u8| self.nodes.child(place, octant).map(|child| (octant, child));
        let mut states = 0;
        for (octant, child) in (0..8).filter_map(children) {
            let state = match self.nodes.value(child) {
                UNKNOWN => 0,
                _ if self.nodes.has_children(child) => INNER,
                value if self.model.is_occupied(value) => OCCUPIED,
                _ => FREE,
            };
            states |= state << (2 * octant);
        }
        if states != 0 {
            bytes.extend(u16::to_le_bytes(states));
        }
        let is_inner = |child: &NodePlace| self.nodes.has_children(*child);
        for child in (0..8).filter_map(children).map(|(_, child)| child).filter(is_inner) {
            self.write_binary(child, bytes);
        }
    }

    fn write_full(&self, place: NodePlace, bytes: &mut Vec<u8>) {
        let known =
            |octant: &u8| self.nodes.child(place, *octant).is_some_and(|child| self.nodes.value(child) != UNKNOWN);
        let mask = (0..8_u8).filter(known).fold(0_u8, |mask, octant| mask | 1 << octant);
        bytes.extend(self.nodes.value(place).to_le_bytes());
        bytes.push(mask);
        for child in (0..8).filter(known).filter_map(|octant| self.nodes.child(place, octant)) {
            self.write_full(child, bytes);
        }
    }
}

/// Reads nodes, depth first; the depth of the tree bounds the depth of its calls.
struct Reader<'a> {
    data: &'a [u8],
    count: usize,
    most: usize,
    tree: &'a mut Octree,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, left) = self.data.split_first_chunk().ok_or_else(|| damaged("it ends among the nodes"))?;
        self.data = left;
        Ok(*taken)
    }

    fn add(&mut self, count: usize) -> Result<()> {
        self.count += count;
        if self.count > self.most {
            return Err(damaged(format!("more nodes than the {} that it states", self.most)));
        }
        Ok(())
    }

    /// Reads the children of an inner node.
    fn read_binary(&mut self, place: NodePlace) -> Result<()> {
        self.add(1)?;
        let states = u16::from_le_bytes(self.take()?);
        if states == 0 {
            return Err(damaged("an inner node without children"));
        }
        self.tree.nodes.expand(place);
        for octant in 0..8 {
            let child = self.tree.nodes.child(place, octant).ok_or_else(|| damaged("nodes below the lowest level"))?;
            match states >> (2 * octant) & 0b11 {
                FREE => self.leaf(child, self.tree.model.min)?,
                OCCUPIED => self.leaf(child, self.tree.model.max)?,
                INNER => self.read_binary(child)?,
                _ => {}
            }
        }
        self.tree.nodes.summarize(place);
        Ok(())
    }

    fn leaf(&mut self, place: NodePlace, value: f32) -> Result<()> {
        self.tree.nodes.set_value(place, value);
        self.add(1)
    }

    /// Reads a node with all below it.
    fn read_full(&mut self, place: NodePlace) -> Result<()> {
        let value = f32::from_le_bytes(self.take()?);
        let [mask] = self.take()?;
        if !value.is_finite() {
            return Err(damaged(format!("log-odds of {value}")));
        }
        if mask == 0 {
            return self.leaf(place, value);
        }
        self.add(1)?;
        self.tree.nodes.expand(place);
        for octant in (0..8).filter(|octant| mask >> octant & 1 == 1) {
            let child = self.tree.nodes.child(place, octant).ok_or_else(|| damaged("nodes below the lowest level"))?;
            self.read_full(child)?;
        }
        self.tree.nodes.summarize(place);
        Ok(())
    }
}
