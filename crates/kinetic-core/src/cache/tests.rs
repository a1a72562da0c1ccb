//! Entries come back as they were kept, or not at all.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::rng::SeededRng;

/// Bytes of the cache of most tests.
const ROOM: u64 = 1 << 20;
const KIND: &str = "covers";

/// A folder of its own, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kinetic-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn cache(&self) -> Cache {
        Cache::at(&self.0, ROOM).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(number: u64) -> ContentHash {
    let mut hasher = ContentHasher::default();
    hasher.integer(number);
    hasher.finish()
}

fn random(rng: &mut SeededRng, count: usize) -> Vec<u8> {
    (0..count).map(|_| rng.below(256) as u8).collect()
}

#[test]
fn what_was_kept_comes_back_for_its_kind_and_key_alone() {
    let folder = Folder::new("kept");
    let cache = folder.cache();
    let mut rng = SeededRng::new(1);
    for length in [0, 1, 100, 100_000] {
        let content = random(&mut rng, length);
        cache.put(KIND, key(length as u64), &content);
        assert_eq!(cache.get(KIND, key(length as u64)), Some(content));
    }
    assert_eq!((cache.get("pairs", key(1)), cache.get(KIND, key(2))), (None, None));
    assert_eq!(cache.entries().len(), 4);
    assert_eq!(cache.clear(), 4);
    assert_eq!((cache.entries().len(), cache.get(KIND, key(100))), (0, None));
}

#[test]
fn an_entry_of_which_any_byte_is_changed_or_missing_is_refused() {
    let folder = Folder::new("damaged");
    let cache = folder.cache();
    let mut rng = SeededRng::new(2);
    for (length, step) in [(40, 1), (100_000, 997)] {
        let content = random(&mut rng, length);
        cache.put(KIND, key(0), &content);
        let path = cache.path(KIND, key(0));
        let whole = fs::read(&path).unwrap();
        let refused = |bytes: &[u8], what: &str| {
            fs::write(&path, bytes).unwrap();
            assert_eq!(cache.get(KIND, key(0)), None, "{length}: {what}");
        };
        for place in (0..whole.len()).step_by(step) {
            let bits: &[u8] = if length < 100 { &[1, 2, 4, 8, 16, 32, 64, 128, 255] } else { &[1, 0x5A] };
            for bit in bits {
                let mut damaged = whole.clone();
                damaged[place] ^= bit;
                refused(&damaged, &format!("byte {place} ^ {bit}"));
            }
            refused(&whole[..place], &format!("cut off at {place}"));
            refused(&[&whole[..place], &[0], &whole[place..]].concat(), &format!("one more at {place}"));
        }
        refused(&[&whole[..], &[0]].concat(), "one more");
        fs::write(&path, &whole).unwrap();
        assert_eq!(cache.get(KIND, key(0)), Some(content), "whole again");
    }
}

#[test]
fn an_entry_under_the_name_of_another_is_refused() {
    let folder = Folder::new("renamed");
    let cache = folder.cache();
    cache.put(KIND, key(0), b"of another robot");
    fs::rename(cache.path(KIND, key(0)), cache.path(KIND, key(1))).unwrap();
    assert_eq!(cache.get(KIND, key(1)), None);
    cache.put(KIND, key(1), b"worked out anew");
    assert_eq!(cache.get(KIND, key(1)).as_deref(), Some(&b"worked out anew"[..]));
}

#[cfg(unix)]
#[test]
fn what_belongs_to_another_user_or_others_may_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("foreign");
    let mut cache = folder.cache();
    cache.put(KIND, key(0), b"mine");
    let path = cache.path(KIND, key(0));
    for (mode, is_mine) in [(0o600, true), (0o644, true), (0o620, false), (0o602, false)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(cache.get(KIND, key(0)).is_some(), is_mine, "{mode:o}");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let mine = cache.owner;
    cache.owner = Owner(mine.0.map(|user| user + 1));
    assert_eq!(cache.get(KIND, key(0)), None);
    cache.owner = mine;
    assert!(cache.get(KIND, key(0)).is_some());
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(Cache::at(&folder.0, ROOM).unwrap_err().contains("others may write"));
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o700)).unwrap();
}

#[cfg(unix)]
#[test]
fn links_and_folders_in_place_of_entries_are_refused() {
    let folder = Folder::new("links");
    let cache = folder.cache();
    let elsewhere = Folder::new("elsewhere");
    let other = elsewhere.cache();
    other.put(KIND, key(1), b"there");
    std::os::unix::fs::symlink(other.path(KIND, key(1)), cache.path(KIND, key(1))).unwrap();
    fs::create_dir(cache.path(KIND, key(2))).unwrap();
    assert_eq!((cache.get(KIND, key(1)), cache.get(KIND, key(2))), (None, None));
}

#[test]
fn no_more_is_kept_than_there_is_room_for_and_what_was_used_last_stays() {
    let folder = Folder::new("bounded");
    let cache = Cache::at(&folder.0, 10_000).unwrap();
    let mut rng = SeededRng::new(4);
    let hour = Duration::from_secs(3600);
    for number in 0..40 {
        cache.put(KIND, key(number), &random(&mut rng, 1000));
        let total: u64 = cache.entries().iter().map(|entry| entry.bytes).sum();
        assert!(total <= 10_000, "{total} after {number}");
        assert!(cache.get(KIND, key(number)).is_some(), "{number}");
        // The first one is asked for all the time, the others get old.
        let used = if number == 0 { SystemTime::now() + hour } else { SystemTime::now() - hour * 2 };
        File::open(cache.path(KIND, key(number))).unwrap().set_modified(used).unwrap();
    }
    assert!(cache.get(KIND, key(0)).is_some() && cache.get(KIND, key(1)).is_none());
    cache.put(KIND, key(99), &random(&mut rng, 20_000));
    assert!(cache.get(KIND, key(99)).is_none() && cache.get(KIND, key(39)).is_some());
}

#[test]
fn readers_and_writers_side_by_side_see_whole_entries() {
    let folder = Folder::new("together");
    let caches: Vec<Cache> = (0..4).map(|_| folder.cache()).collect();
    let content = |number: u64| vec![number as u8; 5000];
    std::thread::scope(|scope| {
        for cache in &caches {
            scope.spawn(move || {
                for round in 0..200 {
                    let number = round % 5;
                    if let Some(found) = cache.get(KIND, key(number)) {
                        assert_eq!(found, content(number));
                    }
                    cache.put(KIND, key(number), &content(number));
                }
            });
        }
    });
    assert_eq!(caches[0].entries().len(), 5);
    assert!(caches[0].files(".unfinished").is_empty());
}

#[test]
fn a_folder_that_cannot_be_made_is_named_with_the_reason() {
    let folder = Folder::new("file");
    fs::write(&folder.0, b"a file").unwrap();
    let why = Cache::at(folder.0.join("below"), ROOM).unwrap_err();
    assert!(why.contains("kinetic-cache-file"), "{why}");
    fs::remove_file(&folder.0).unwrap();
}
