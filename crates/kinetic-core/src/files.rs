//! Reading and writing of files, with a bound on their size.
//!
//! What is no regular file (a device without end, a pipe without a writer, a folder) is refused before it is
//! opened, and no file is read beyond a stated size, so that a path cannot hang a program or fill its memory.

use std::fs::{File, FileType, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::{KineticError, Result};

/// Largest file that is read, bytes.
pub const MOST_FILE_BYTES: u64 = 1 << 30;

/// The content of a regular file of at most [`MOST_FILE_BYTES`].
///
/// # Errors
/// As [`read_at_most`].
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    read_at_most(path, MOST_FILE_BYTES)
}

/// The content of a regular file of at most so many bytes.
///
/// # Errors
/// [`KineticError::Io`] for what cannot be read, is no regular file, or is larger.
pub fn read_at_most(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let about = |error: std::io::Error| KineticError::io(path, &error);
    // Before it is opened: opening a named pipe waits for a writer.
    let stated = std::fs::metadata(path).map_err(about)?;
    check_regular(path, &stated)?;
    if stated.len() > most {
        return Err(too_large(path, &format!("{} bytes", stated.len()), most));
    }
    let mut bytes = Vec::new();
    // What the kernel makes up as it is read states a size of 0.
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(about)?;
    if bytes.len() as u64 > most {
        return Err(too_large(path, "more than it states", most));
    }
    Ok(bytes)
}

/// The text of a regular file of at most [`MOST_FILE_BYTES`].
///
/// # Errors
/// As [`read`]; [`KineticError::FileParse`] with the first line that is not UTF-8.
pub fn read_text(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    String::from_utf8(read(path)?).map_err(|error| KineticError::FileParse {
        file: path.display().to_string(),
        line: line_after(&error.as_bytes()[..error.utf8_error().valid_up_to()]),
        detail: "not UTF-8 text".to_owned(),
    })
}

/// Writes a file, new or over an old one.
///
/// # Errors
/// [`KineticError::Io`] for what cannot be written, and for named pipes, which wait for a reader.
pub fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
    let path = path.as_ref();
    if let Ok(stated) = std::fs::metadata(path) {
        check_writable(path, &stated)?;
    }
    std::fs::write(path, content).map_err(|error| KineticError::io(path, &error))
}

/// Which of the known formats, in lower case, the ending of a name says; the longest ending that fits.
///
/// # Errors
/// [`KineticError::InvalidValue`] with all endings that are possible.
pub fn format_of<'a>(path: impl AsRef<Path>, known: &[&'a str]) -> Result<&'a str> {
    let path = path.as_ref();
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let fits = known.iter().filter(|ending| name.strip_suffix(**ending).is_some_and(|stem| stem.ends_with('.')));
    fits.max_by_key(|ending| ending.len()).copied().ok_or_else(|| {
        let wanted = known.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ");
        KineticError::invalid("ending of the file", path.display(), format!("one of {wanted}"))
    })
}

fn check_regular(path: &Path, stated: &Metadata) -> Result<()> {
    if stated.is_file() {
        return Ok(());
    }
    let kind = if stated.is_dir() { ErrorKind::IsADirectory } else { ErrorKind::InvalidInput };
    Err(refused(path, kind, format!("{}; only regular files are read", kind_of(stated.file_type()))))
}

/// Pipes of the shell lie in `/dev` and have a reader already; so has a terminal.
fn check_writable(path: &Path, stated: &Metadata) -> Result<()> {
    let kind = kind_of(stated.file_type());
    if kind == NAMED_PIPE && !path.starts_with("/dev") {
        return Err(refused(path, ErrorKind::InvalidInput, format!("{kind}, which waits for a reader")));
    }
    Ok(())
}

const NAMED_PIPE: &str = "a named pipe";

fn kind_of(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (kind.is_fifo(), NAMED_PIPE),
            (kind.is_socket(), "a socket"),
            (kind.is_char_device() || kind.is_block_device(), "a device"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is_it, _)| *is_it) {
            return name;
        }
    }
    "no regular file"
}

fn too_large(path: &Path, size: &str, most: u64) -> KineticError {
    refused(path, ErrorKind::FileTooLarge, format!("{size}; at most {most} bytes are read"))
}

fn refused(path: &Path, kind: ErrorKind, detail: String) -> KineticError {
    KineticError::Io { path: path.to_path_buf(), kind, detail }
}

/// Number of the line in which the bytes end, from 1.
fn line_after(bytes: &[u8]) -> u32 {
    bytes.split(|byte| *byte == b'\n').count() as u32
}
