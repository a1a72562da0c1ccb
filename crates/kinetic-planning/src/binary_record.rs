//! Records as bytes: a magic word, little-endian numbers and texts, and a checksum, the content hash of all before it, as text.

use kinetic_core::{ContentHash, KineticError, Result};

use crate::group_names::GroupNames;

/// Numbers and texts, one after the other.
pub(crate) struct RecordWriter(Vec<u8>);

impl RecordWriter {
    /// Begins with a magic word: what it is a record of, and a number for its form.
    pub(crate) fn new(magic: &[u8]) -> Self {
        Self(magic.to_vec())
    }

    pub(crate) fn integer(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn numbers(&mut self, values: &[f64]) {
        for value in values {
            self.integer(value.to_bits());
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.integer(text.len() as u64);
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        self.0.extend(bytes);
    }

    pub(crate) fn names(&mut self, names: &GroupNames) {
        self.text(&names.robot);
        self.text(&names.group);
        self.integer(names.joints.len() as u64);
        for name in &names.joints {
            self.text(name);
        }
    }

    /// The record with its checksum.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let checksum = ContentHash::of_bytes(&self.0).to_string();
        self.0.extend_from_slice(checksum.as_bytes());
        self.0
    }
}

/// What is left to read; `None` where that ends too early.
pub(crate) struct RecordReader<'a>(&'a [u8]);

impl<'a> RecordReader<'a> {
    /// Reads a record of some kind by a function that returns `None` for a content that states none; `name` stands for the record in errors.
    ///
    /// # Errors
    /// [`KineticError::FileParse`] for another magic word, a checksum that does not fit, and a malformed content.
    pub(crate) fn read<T>(
        bytes: &'a [u8],
        (kind, magic): (&str, &[u8]),
        name: &str,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Result<T> {
        let refused = |detail: String| KineticError::FileParse { file: name.to_owned(), line: 0, detail };
        let Some(content) = bytes.strip_prefix(magic) else {
            return Err(refused(format!("{kind}, or of another form than this release writes")));
        };
        let checksum_length = ContentHash::of_bytes(&[]).to_string().len();
        let end = bytes.len().saturating_sub(checksum_length).max(magic.len());
        if bytes[end..] != *ContentHash::of_bytes(&bytes[..end]).to_string().as_bytes() {
            return Err(refused("damaged: the checksum does not fit".to_owned()));
        }
        let mut reader = Self(&content[..end - magic.len()]);
        read(&mut reader).filter(|_| reader.0.is_empty()).ok_or_else(|| refused("the content is malformed".to_owned()))
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn integer(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of things that take at least so many bytes each.
    pub(crate) fn count(&mut self, least_bytes: usize) -> Option<usize> {
        let count = usize::try_from(self.integer()?).ok()?;
        (count.checked_mul(least_bytes)? <= self.0.len()).then_some(count)
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        (0..count).map(|_| self.integer().map(f64::from_bits)).collect()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let count = self.count(1)?;
        String::from_utf8(self.take(count)?.to_vec()).ok()
    }

    pub(crate) fn names(&mut self) -> Option<GroupNames> {
        let (robot, group) = (self.text()?, self.text()?);
        let joints = (0..self.count(8)?).map(|_| self.text()).collect::<Option<Vec<_>>>()?;
        Some(GroupNames { robot, group, joints })
    }
}
