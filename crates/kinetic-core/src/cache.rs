//! Cache on disk of results that are expensive to compute, keyed by a hash of everything that they depend on.
//!
//! What lies in a folder may be damaged, of another release, or of another user. An entry is believed only when its file
//! belongs to the user of this process, no other user may write to it, and it carries its own name and a checksum that fits;
//! anything else is as if it were not there. Entries are written under another name and renamed, so that processes side by
//! side see whole ones. Nothing here fails: without a folder that can be used there is no cache, and [`Cache::of_user`]
//! says why.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::content_hash::{ContentHash, ContentHasher};

/// The variable that names the folder; empty, there is no cache.
pub const FOLDER_VARIABLE: &str = "KINETIC_CACHE_DIR";

/// Bytes that all entries of a user take together; those that were used longest ago go first.
const MOST_CACHE_BYTES: u64 = 64 << 20;

/// What every entry begins with: a number for the form of the file.
const MAGIC: &[u8; 16] = b"kinetic-cache 1\n";
const ENDING: &str = "kinetic-cache";
const CHECKSUM_BYTES: usize = 16;

/// A file that is unfinished for this long is left over from a process that was stopped.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// A folder of entries that belong to one user.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    most_bytes: u64,
    owner: Owner,
}

/// Who files have to belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner(Option<u32>);

/// A file of a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// Its name in the folder.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    used: SystemTime,
}

impl Cache {
    /// That of the user of this process, in the folder that [`FOLDER_VARIABLE`] names or where the platform keeps such things.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn of_user() -> Result<&'static Self, &'static str> {
        static CACHE: OnceLock<Result<Cache, String>> = OnceLock::new();
        CACHE.get_or_init(|| Cache::at(user_folder()?, MOST_CACHE_BYTES)).as_ref().map_err(String::as_str)
    }

    /// One in a folder, which is made if it is not there, with at most so many bytes.
    ///
    /// # Errors
    /// Why the folder cannot be used, in words.
    pub fn at(folder: impl Into<PathBuf>, most_bytes: u64) -> Result<Self, String> {
        let folder = folder.into();
        let about = |error: std::io::Error| format!("{}: {error}", folder.display());
        make_folder(&folder).map_err(about)?;
        // A file that this process makes belongs to its user.
        let probe = folder.join(unfinished_name("probe"));
        let owner = create(&probe).and_then(|file| file.metadata()).map(|made| Owner::of(&made));
        let _ = fs::remove_file(&probe);
        let cache = Self { owner: owner.map_err(about)?, most_bytes, folder: folder.clone() };
        let stated = fs::metadata(&folder).map_err(about)?;
        if !cache.owner.may_trust(&stated) {
            return Err(format!("{}: belongs to another user, or others may write to it", folder.display()));
        }
        Ok(cache)
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What was kept of a kind for a key, if that is to be believed.
    pub fn get(&self, kind: &str, key: ContentHash) -> Option<Vec<u8>> {
        let path = self.path(kind, key);
        // Before it is opened: opening a named pipe waits for a writer.
        fs::symlink_metadata(&path).ok().filter(Metadata::is_file)?;
        let mut file = File::open(&path).ok()?;
        let stated = file.metadata().ok()?;
        if !stated.is_file() || !self.owner.may_trust(&stated) || stated.len() > self.most_bytes {
            return None;
        }
        let mut bytes = Vec::new();
        (&mut file).take(self.most_bytes).read_to_end(&mut bytes).ok()?;
        let content = opened(bytes, &header(kind, key))?;
        // Where time cannot be written, it goes earlier than others.
        let _ = file.set_modified(SystemTime::now());
        Some(content)
    }

    /// Keeps something of a kind for a key, where that is possible.
    pub fn put(&self, kind: &str, key: ContentHash, content: &[u8]) {
        let bytes = closed(header(kind, key), content);
        if bytes.len() as u64 > self.most_bytes {
            return;
        }
        let unfinished = self.folder.join(unfinished_name(kind));
        let written = create(&unfinished).and_then(|mut file| file.write_all(&bytes));
        if written.and_then(|()| fs::rename(&unfinished, self.path(kind, key))).is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        self.shrink();
    }

    /// All entries, those that were used longest ago first.
    pub fn entries(&self) -> Vec<CacheEntry> {
        let mut entries = self.files(&format!(".{ENDING}"));
        entries.sort_by(|p, q| (p.used, &p.name).cmp(&(q.used, &q.name)));
        entries
    }

    /// Removes all entries; returns how many there were.
    pub fn clear(&self) -> usize {
        self.entries().iter().filter(|entry| self.remove(entry)).count()
    }

    fn path(&self, kind: &str, key: ContentHash) -> PathBuf {
        let name = key.to_string();
        let digits = name.rsplit(':').next().unwrap_or_default();
        self.folder.join(format!("{kind}-{digits}.{ENDING}"))
    }

    fn files(&self, ending: &str) -> Vec<CacheEntry> {
        let Ok(listed) = fs::read_dir(&self.folder) else { return Vec::new() };
        let entry = |file: fs::DirEntry| {
            let (name, stated) = (file.file_name().into_string().ok()?, file.metadata().ok()?);
            let is_entry = name.ends_with(ending) && stated.is_file();
            is_entry.then(|| CacheEntry {
                name,
                bytes: stated.len(),
                used: stated.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            })
        };
        listed.filter_map(|file| entry(file.ok()?)).collect()
    }

    fn remove(&self, entry: &CacheEntry) -> bool {
        fs::remove_file(self.folder.join(&entry.name)).is_ok()
    }

    /// Removes what was used longest ago until the rest fits, and what was never finished.
    fn shrink(&self) {
        let is_abandoned = |file: &CacheEntry| file.used.elapsed().is_ok_and(|age| age > ABANDONED_AFTER);
        self.files(".unfinished").iter().filter(|file| is_abandoned(file)).for_each(|file| {
            self.remove(file);
        });
        let entries = self.entries();
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in &entries {
            if total <= self.most_bytes {
                break;
            }
            self.remove(entry);
            total -= entry.bytes;
        }
    }
}

impl Owner {
    #[cfg(unix)]
    fn of(stated: &Metadata) -> Self {
        Self(Some(std::os::unix::fs::MetadataExt::uid(stated)))
    }

    /// Elsewhere the folders of a user are protected by the system.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Self(None)
    }

    /// True for what belongs to this owner and what no other user may write to.
    #[cfg(unix)]
    fn may_trust(self, stated: &Metadata) -> bool {
        Self::of(stated) == self && std::os::unix::fs::MetadataExt::mode(stated) & 0o022 == 0
    }

    #[cfg(not(unix))]
    fn may_trust(self, stated: &Metadata) -> bool {
        Self::of(stated) == self
    }
}

/// What an entry begins with: the form of the file, and what it is about.
fn header(kind: &str, key: ContentHash) -> Vec<u8> {
    [MAGIC.as_slice(), kind.as_bytes(), b" ", key.to_string().as_bytes(), b"\n"].concat()
}

fn closed(mut bytes: Vec<u8>, content: &[u8]) -> Vec<u8> {
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(content);
    let checksum = checksum(&bytes);
    bytes.extend(checksum);
    bytes
}

/// The content of an entry, when all of it is as it was written.
fn opened(bytes: Vec<u8>, header: &[u8]) -> Option<Vec<u8>> {
    let (rest, stated) = bytes.split_last_chunk::<CHECKSUM_BYTES>()?;
    let (length, content) = rest.strip_prefix(header)?.split_first_chunk::<8>()?;
    let is_whole = u64::from_le_bytes(*length) == content.len() as u64 && checksum(rest) == *stated;
    is_whole.then(|| content.to_vec())
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = ContentHasher::default();
    hasher.bytes(bytes);
    hasher.finish().to_le_bytes()
}

/// A name that no other process and no other call in this one has.
fn unfinished_name(kind: &str) -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    format!("{kind}-{}-{}.unfinished", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

/// A new file that only its owner may write to.
fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Where the platform keeps what can be worked out again.
fn user_folder() -> Result<PathBuf, String> {
    let folder = |variable: &str| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(stated) = std::env::var_os(FOLDER_VARIABLE) {
        return if stated.is_empty() { Err(format!("{FOLDER_VARIABLE} is empty")) } else { Ok(stated.into()) };
    }
    let found = if cfg!(windows) {
        folder("LOCALAPPDATA").map(|local| local.join("kinetic").join("cache"))
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches/kinetic"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache"))).map(|caches| caches.join("kinetic"))
    };
    found.ok_or_else(|| format!("no folder of the user is known; {FOLDER_VARIABLE} can name one"))
}

#[cfg(test)]
mod tests;
