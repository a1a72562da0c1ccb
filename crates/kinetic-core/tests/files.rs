//! Files are read when they are regular and of a size that is stated; formats go by endings.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kinetic_core::{KineticError, files};

/// A new folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kinetic_core_files_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn refusal(path: &Path) -> (ErrorKind, String) {
    match files::read(path) {
        Err(KineticError::Io { path: named, kind, detail }) if named == path => (kind, detail),
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_are_read_up_to_the_bound_and_refused_beyond() {
    let folder = Folder::new("bound");
    let path = folder.0.join("eight");
    files::write(&path, b"12345678").unwrap();
    assert_eq!(files::read(&path).unwrap(), b"12345678");
    assert_eq!(files::read_at_most(&path, 8).unwrap(), b"12345678");
    let error = files::read_at_most(&path, 7).unwrap_err();
    assert!(error.to_string().contains("8 bytes; at most 7 bytes are read"), "{error}");
}

#[test]
fn a_file_larger_than_memory_is_refused_by_its_stated_size() {
    let folder = Folder::new("sparse");
    let path = folder.0.join("sparse");
    // A hole: it takes no space on the disk.
    std::fs::File::create(&path).unwrap().set_len(files::MOST_FILE_BYTES + 1).unwrap();
    assert_eq!(refusal(&path).0, ErrorKind::FileTooLarge);
}

#[test]
fn folders_and_missing_files_say_so() {
    let folder = Folder::new("kinds");
    assert_eq!(refusal(&folder.0), (ErrorKind::IsADirectory, "a folder; only regular files are read".to_owned()));
    assert_eq!(refusal(&folder.0.join("none")).0, ErrorKind::NotFound);
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_sockets_are_refused_before_they_are_opened() {
    let folder = Folder::new("special");
    let (zero, pipe, socket) = (Path::new("/dev/zero"), folder.0.join("pipe"), folder.0.join("socket"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, what) in [(zero, "a device"), (pipe.as_path(), "a named pipe"), (socket.as_path(), "a socket")] {
        let wanted = (ErrorKind::InvalidInput, format!("{what}; only regular files are read"));
        assert_eq!(refusal(path), wanted);
        assert!(files::read_text(path).is_err());
    }
    let error = files::write(&pipe, "text").unwrap_err();
    assert!(error.to_string().contains("waits for a reader"), "{error}");
    files::write("/dev/null", "text").unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_state_no_size_are_read() {
    assert!(files::read_text("/proc/self/status").unwrap().contains("Name:"));
    assert!(files::read_at_most("/proc/self/status", 8).is_err());
}

#[test]
fn text_that_is_not_utf8_is_named_with_its_line() {
    let folder = Folder::new("text");
    let path = folder.0.join("text");
    files::write(&path, b"one\ntwo\nthr\xffee\n").unwrap();
    let wanted =
        KineticError::FileParse { file: path.display().to_string(), line: 3, detail: "not UTF-8 text".to_owned() };
    assert_eq!(files::read_text(&path), Err(wanted));
}

#[test]
fn endings_say_the_format_and_unknown_ones_list_what_is_possible() {
    let known = ["json", "json.gz", "csv"];
    for (name, format) in [("a.json", "json"), ("b.JSON.GZ", "json.gz"), ("/x.y/c.v1.csv", "csv")] {
        assert_eq!(files::format_of(name, &known), Ok(format), "{name}");
    }
    for name in ["a.npz", "json", "a.jsonx", "a.json.txt", "", "folder.csv/plain"] {
        let error = files::format_of(name, &known).unwrap_err();
        assert_eq!(error.code(), "InvalidValue", "{name}");
        assert!(error.to_string().contains(".json, .json.gz, .csv"), "{error}");
    }
}
