//! Line numbers of positions in a text.

/// Starts of the lines of a text.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(position, _)| position + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line of a byte offset, from 1.
    pub(crate) fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }
}
