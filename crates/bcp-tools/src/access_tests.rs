//! Tests of confinement, on real folders.

use std::fs;

use super::*;
use crate::scratch::Scratch;

fn roots(folders: &[&Path]) -> Roots {
    let mut roots = Roots::default();
    for folder in folders {
        roots.add(folder).unwrap();
    }
    roots
}

/// A folder with `a.bcp` that may be used, and a folder beside it that may not.
fn two() -> (Scratch, Roots) {
    let scratch = Scratch::new();
    scratch.file("in/a.bcp", "a");
    scratch.file("in/deep/b.bcp", "b");
    scratch.file("out/c.bcp", "c");
    let roots = roots(&[&scratch.at("in")]);
    (scratch, roots)
}

#[track_caller]
fn is_outside<T>(found: Result<T>) {
    match found {
        Err(error) => assert!(error.is_outside(), "{error}"),
        Ok(_) => panic!("it was let through"),
    }
}

#[track_caller]
fn refused<T>(found: Result<T>, word: &str) {
    match found {
        Err(error) => {
            assert!(!error.is_outside(), "{error}");
            assert!(error.to_string().contains(word), "{error}");
        }
        Ok(_) => panic!("it was let through"),
    }
}

#[test]
fn a_relative_path_starts_at_the_first_root() {
    let (scratch, roots) = two();
    for given in [
        scratch.at("in/a.bcp"),
        "a.bcp".into(),
        "deep/../a.bcp".into(),
        // `..` is resolved without access, so that the answer does not depend on what exists outside.
        "deep/none/../../a.bcp".into(),
        scratch.at("out/../in/a.bcp"),
        scratch.at("none/../in/a.bcp"),
    ] {
        let path = open(&roots, &given).unwrap().path;
        assert_eq!(path, fs::canonicalize(scratch.at("in/a.bcp")).unwrap());
    }
}

#[test]
fn paths_outside_are_refused_whether_they_exist_or_not() {
    let (scratch, roots) = two();
    for given in [
        scratch.at("out/c.bcp"),
        scratch.at("out/nothing.bcp"),
        scratch.at("nowhere/at/all.bcp"),
        "../out/c.bcp".into(),
        "../../../../../../../../etc/passwd.bcp".into(),
        // A name that only starts like the root's.
        scratch.at("in2/a.bcp"),
    ] {
        is_outside(open(&roots, &given));
        is_outside(place(&roots, &given));
    }
}

#[test]
fn a_refusal_names_the_folders_that_may_be_used() {
    let (scratch, roots) = two();
    let why = open(&roots, &scratch.at("out/c.bcp")).unwrap_err();
    let why = why.to_string();
    let root = fs::canonicalize(scratch.at("in")).unwrap();
    assert!(why.contains(&root.display().to_string()), "{why}");
    assert!(why.contains("--root DIR"), "{why}");
}

#[test]
fn a_missing_file_inside_is_reported_as_missing() {
    let (_scratch, roots) = two();
    refused(open(&roots, Path::new("b.bcp")), "does not exist");
    refused(open(&roots, Path::new("a.bcp/b.bcp")), "does not exist");
    refused(place(&roots, Path::new("new/b.bcp")), "folder");
}

#[test]
fn a_folder_is_refused() {
    let (scratch, roots) = two();
    fs::create_dir(scratch.at("in/d.bcp")).unwrap();
    refused(open(&roots, Path::new("d.bcp")), "is a folder");
    refused(place(&roots, Path::new("d.bcp")), "is a folder");
    refused(place(&roots, Path::new("deep/..")), "name a file");
    refused(open(&roots, Path::new("")), "is a folder");
}

#[test]
fn a_root_must_be_a_folder() {
    let (scratch, mut roots) = two();
    assert!(roots.add(&scratch.at("in/a.bcp")).is_err());
    assert!(roots.add(&scratch.at("nothing")).is_err());
}

#[test]
fn files_in_a_root_may_be_created_and_replaced() {
    let (scratch, roots) = two();
    let inside = fs::canonicalize(scratch.at("in")).unwrap();
    for name in ["new.bcp", "deep/new.bcp", "a.bcp"] {
        let place = place(&roots, Path::new(name)).unwrap();
        assert_eq!(place.path(), inside.join(name));
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_the_check() {
    use std::os::unix::fs::symlink;
    let (scratch, roots) = two();
    let inside = scratch.at("in");
    symlink(scratch.at("out/c.bcp"), inside.join("leak.bcp")).unwrap();
    symlink(scratch.at("out"), inside.join("folder")).unwrap();
    symlink(inside.join("a.bcp"), inside.join("fine.bcp")).unwrap();
    symlink(scratch.at("out/new.bcp"), inside.join("dangling.bcp")).unwrap();
    scratch.file("in/notes.txt", "n");
    symlink(inside.join("notes.txt"), inside.join("text.bcp")).unwrap();

    is_outside(open(&roots, Path::new("leak.bcp")));
    is_outside(open(&roots, Path::new("folder/c.bcp")));
    is_outside(open(&roots, Path::new("folder/nothing.bcp")));
    assert!(open(&roots, Path::new("fine.bcp")).is_ok());

    is_outside(place(&roots, Path::new("folder/new.bcp")));
}

#[cfg(unix)]
#[test]
fn files_are_not_written_through_links() {
    use std::os::unix::fs::symlink;
    let (scratch, roots) = two();
    let inside = scratch.at("in");
    for (name, target) in [
        ("leak.bcp", scratch.at("out/c.bcp")),
        ("dangling.bcp", scratch.at("out/new.bcp")),
        ("fine.bcp", inside.join("a.bcp")),
    ] {
        symlink(target, inside.join(name)).unwrap();
        refused(place(&roots, Path::new(name)), "is a link");
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_reveal_what_exists_outside() {
    use std::os::unix::fs::symlink;
    let (scratch, roots) = two();
    let inside = scratch.at("in");
    symlink(scratch.at("out/none.bcp"), inside.join("file.bcp")).unwrap();
    symlink(scratch.at("out/none"), inside.join("folder")).unwrap();
    symlink("file.bcp", inside.join("second.bcp")).unwrap();
    symlink("circle.bcp", inside.join("circle.bcp")).unwrap();
    symlink("none.bcp", inside.join("missing.bcp")).unwrap();
    for name in ["file.bcp", "second.bcp", "folder/x.bcp"] {
        is_outside(open(&roots, Path::new(name)));
    }
    is_outside(place(&roots, Path::new("folder/x.bcp")));
    refused(open(&roots, Path::new("missing.bcp")), "does not exist");
    refused(open(&roots, Path::new("circle.bcp")), "circle");
}

/// Exchanges two names as fast as possible until it is dropped.
#[cfg(target_os = "linux")]
struct Flip {
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
impl Flip {
    fn start(one: std::path::PathBuf, other: std::path::PathBuf) -> Self {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use std::sync::atomic::Ordering;
        let stop = std::sync::Arc::<std::sync::atomic::AtomicBool>::default();
        let told = stop.clone();
        let thread = std::thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Flip {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The duration of a race.
#[cfg(target_os = "linux")]
const RACE: std::time::Duration = std::time::Duration::from_millis(800);

#[cfg(target_os = "linux")]
#[test]
fn a_folder_replaced_by_a_link_during_the_check_is_refused() {
    use std::io::{Read, Write};
    let (scratch, roots) = two();
    scratch.file("out/b.bcp", "secret");
    let (deep, link) = (scratch.at("in/deep"), scratch.at("in/link"));
    std::os::unix::fs::symlink(scratch.at("out"), &link).unwrap();
    let _flip = Flip::start(deep, link);
    let (end, mut opened) = (std::time::Instant::now() + RACE, 0);
    while std::time::Instant::now() < end {
        if let Ok(mut found) = open(&roots, Path::new("deep/b.bcp")) {
            let mut text = String::new();
            found.file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "b", "after {opened}");
            opened += 1;
        }
        if let Ok(place) = place(&roots, Path::new("deep/new.bcp"))
            && let Ok(mut output) = crate::files::Output::within(&place, &scratch.partial())
        {
            output.write_all(b"new").unwrap();
            let _ = output.commit();
        }
        assert!(!scratch.at("out/new.bcp").exists());
    }
    assert!(opened > 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_replaces_a_file_does_not_block() {
    let (scratch, roots) = two();
    let fifo = scratch.at("in/pipe");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let flip = Flip::start(scratch.at("in/a.bcp"), fifo);
    let (done, waited) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let end = std::time::Instant::now() + RACE;
        while std::time::Instant::now() < end {
            if let Ok(found) = open(&roots, Path::new("a.bcp")) {
                assert!(found.meta.is_file());
            }
        }
        done.send(()).unwrap();
    });
    let ended = waited.recv_timeout(RACE * 10);
    drop(flip);
    assert!(ended.is_ok(), "it waits for the other end of the pipe");
}

#[cfg(unix)]
#[test]
fn files_that_could_block_are_not_opened() {
    let (scratch, roots) = two();
    let fifo = scratch.at("in/pipe.bcp");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    refused(open(&roots, &fifo), "not a regular file");
    refused(place(&roots, &fifo), "not a regular file");
}

#[test]
fn every_root_may_be_used() {
    let (scratch, mut roots) = two();
    roots.add(&scratch.at("out")).unwrap();
    assert!(open(&roots, &scratch.at("out/c.bcp")).is_ok());
    assert!(
        open(&roots, Path::new("a.bcp")).is_ok(),
        "the first one is still the first"
    );
}
