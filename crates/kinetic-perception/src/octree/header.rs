//! The lines of text before the nodes in files of `OctoMap`.

use kinetic_core::{KineticError, Result};

/// Nodes that a file may have: a few gigabytes at worst.
const MOST_NODES: usize = 1 << 26;

/// Bytes of a header; comments are short.
const MOST_HEADER_BYTES: usize = 1 << 14;

/// The first lines of files.
const BINARY_MAGIC: &str = "# Octomap OcTree binary file";
const FULL_MAGIC: &str = "# Octomap OcTree file";

/// What a file says of each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Whether it is free or occupied.
    Binary,
    /// Its log-odds.
    Full,
}

/// What a header states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Header {
    pub(crate) kind: FileKind,
    pub(crate) nodes: usize,
    /// Edge of the smallest cells, m.
    pub(crate) resolution: f64,
}

impl Header {
    /// The header of a file, and the bytes behind it.
    ///
    /// # Errors
    /// [`KineticError::FileParse`].
    pub(crate) fn parse(bytes: &[u8]) -> Result<(Self, &[u8])> {
        let mut rest = bytes;
        let kind = match next_line(&mut rest, bytes)?.trim_end() {
            BINARY_MAGIC => FileKind::Binary,
            FULL_MAGIC => FileKind::Full,
            _ => return Err(damaged(format!("its first line is neither {BINARY_MAGIC:?} nor {FULL_MAGIC:?}"))),
        };
        let (mut id, mut nodes, mut resolution) = (None, None, None);
        loop {
            let line = next_line(&mut rest, bytes)?.trim();
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "id" => id = Some(value),
                "size" => nodes = value.parse::<usize>().ok(),
                "res" => resolution = value.parse::<f64>().ok(),
                "data" => break,
                _ => {}
            }
        }
        if id != Some("OcTree") {
            return Err(damaged(format!("its id is {:?} and should be \"OcTree\"", id.unwrap_or_default())));
        }
        let nodes = nodes.filter(|nodes| *nodes <= MOST_NODES);
        let nodes = nodes.ok_or_else(|| damaged(format!("its size is not a number of nodes up to {MOST_NODES}")))?;
        let resolution = resolution.ok_or_else(|| damaged("its res is not a number"))?;
        Ok((Self { kind, nodes, resolution }, rest))
    }

    /// The header as the beginning of a file.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let magic = if self.kind == FileKind::Binary { BINARY_MAGIC } else { FULL_MAGIC };
        format!("{magic}\nid OcTree\nsize {}\nres {}\ndata\n", self.nodes, self.resolution).into_bytes()
    }
}

/// The next line of a header, without its end.
fn next_line<'a>(rest: &mut &'a [u8], all: &[u8]) -> Result<&'a str> {
    let is_header = |end: &usize| all.len() - rest.len() + end < MOST_HEADER_BYTES;
    let end = rest.iter().take(MOST_HEADER_BYTES).position(|byte| *byte == b'\n').filter(is_header);
    let end = end.ok_or_else(|| damaged("it has no line \"data\""))?;
    let line = std::str::from_utf8(&rest[..end]).map_err(|_| damaged("its header is no text"))?;
    *rest = &rest[end + 1..];
    Ok(line)
}

/// The error about the content of a file.
pub(crate) fn damaged(detail: impl Into<String>) -> KineticError {
    KineticError::FileParse { file: "<octree>".to_owned(), line: 0, detail: detail.into() }
}
