use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::mpsc::{Receiver, sync_channel};

use super::*;

/// Long, because tests run in parallel.
const SOON: Duration = Duration::from_secs(10);
/// Changes within this time belong to the same event.
const CALM: Duration = Duration::from_millis(900);

struct Watched {
    dir: tempfile::TempDir,
    changes: Receiver<()>,
    watch: Option<Watch>,
}

impl Watched {
    fn new(before: impl FnOnce(&Path)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("tools")).unwrap();
        before(dir.path());
        let (tell, changes) = sync_channel(1_000);
        let watch = Watch::start(dir.path(), move || {
            let _ = tell.send(());
        });
        Self {
            dir,
            changes,
            watch: Some(watch.unwrap()),
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn told(&self) {
        self.changes.recv_timeout(SOON).expect("a change");
    }

    fn quiet(&self) {
        while self.changes.recv_timeout(CALM).is_ok() {}
    }
}

#[test]
fn a_new_file_is_reported_once() {
    let watched = Watched::new(|_| {});
    for i in 0..20 {
        fs::write(watched.path(&format!("tools/{i}.sh")), "#!/bin/sh\n").unwrap();
    }
    watched.told();
    assert!(watched.changes.recv_timeout(CALM).is_err(), "once");
}

#[test]
fn every_kind_of_change_is_reported() {
    let watched = Watched::new(|root| fs::write(root.join("tools/a.sh"), "a").unwrap());
    let changes: [(&str, &dyn Fn()); 6] = [
        ("edit", &|| {
            fs::write(watched.path("tools/a.sh"), "b").unwrap()
        }),
        ("mode", &|| {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(watched.path("tools/a.sh"), mode).unwrap();
        }),
        ("rename", &|| {
            fs::rename(watched.path("tools/a.sh"), watched.path("tools/b.sh")).unwrap();
        }),
        ("delete", &|| {
            fs::remove_file(watched.path("tools/b.sh")).unwrap()
        }),
        ("server", &|| {
            fs::write(watched.path("server.toml"), "").unwrap()
        }),
        ("folder", &|| {
            fs::create_dir(watched.path("prompts")).unwrap()
        }),
    ];
    for (name, change) in changes {
        change();
        let told = watched.changes.recv_timeout(SOON);
        assert!(told.is_ok(), "{name}");
        watched.quiet();
    }
}

#[test]
fn later_folders_are_watched() {
    let watched = Watched::new(|_| {});
    fs::create_dir_all(watched.path("tools/new/inner")).unwrap();
    watched.told();
    watched.quiet();
    fs::write(watched.path("tools/new/inner/a.sh"), "a").unwrap();
    watched.told();
}

#[test]
fn irrelevant_changes_are_not_reported() {
    let watched = Watched::new(|root| fs::write(root.join("tools/a.sh"), "a").unwrap());
    fs::write(watched.path("notes.txt"), "notes").unwrap();
    fs::write(watched.path("tools/.a.sh.swp"), "a").unwrap();
    fs::write(watched.path("tools/a.sh~"), "a").unwrap();
    fs::read(watched.path("tools/a.sh")).unwrap();
    fs::create_dir(watched.path("target")).unwrap();
    fs::write(watched.path("target/x"), "x").unwrap();
    assert!(watched.changes.recv_timeout(CALM).is_err());
}

#[test]
fn link_targets_are_watched() {
    let watched = Watched::new(|root| {
        fs::create_dir(root.join("shared")).unwrap();
        fs::write(root.join("shared/a.sh"), "a").unwrap();
        fs::write(root.join("b.sh"), "b").unwrap();
        std::os::unix::fs::symlink("../b.sh", root.join("tools/b.sh")).unwrap();
        std::os::unix::fs::symlink("../shared/a.sh", root.join("tools/a.sh")).unwrap();
        std::os::unix::fs::symlink("..", root.join("tools/loop")).unwrap();
    });
    fs::write(watched.path("shared/a.sh"), "b").unwrap();
    watched.told();
    watched.quiet();
    fs::write(watched.path("b.sh"), "c").unwrap();
    watched.told();
}

#[test]
fn writing_without_pause_does_not_delay_the_event() {
    let watched = Watched::new(|_| {});
    let path = watched.path("tools/a.sh");
    let end = Instant::now() + SOON;
    let mut told = false;
    while Instant::now() < end && !told {
        fs::write(&path, format!("{:?}", Instant::now())).unwrap();
        told = watched
            .changes
            .recv_timeout(Duration::from_millis(20))
            .is_ok();
    }
    assert!(told);
}

#[test]
fn a_folder_that_is_replaced_is_still_watched() {
    let watched = Watched::new(|root| fs::create_dir(root.join("server.d")).unwrap());
    fs::rename(watched.path("tools"), watched.path("old")).unwrap();
    watched.told();
    watched.quiet();
    fs::create_dir(watched.path("tools")).unwrap();
    watched.told();
    watched.quiet();
    fs::write(watched.path("tools/a.sh"), "a").unwrap();
    watched.told();
}

#[test]
fn no_thread_is_left_behind() {
    let mut watched = Watched::new(|_| {});
    let start = Instant::now();
    drop(watched.watch.take());
    assert!(start.elapsed() < SOON);
    // The thread had the only sender.
    assert!(watched.changes.recv().is_err());
}

#[test]
fn a_watch_can_be_dropped_in_its_callback() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    let (tell, changes) = sync_channel(1_000);
    let (give, take) = sync_channel::<Watch>(1);
    let watch = Watch::start(dir.path(), move || {
        drop(take.recv());
        let _ = tell.send(());
    });
    give.send(watch.unwrap()).unwrap();
    fs::write(dir.path().join("tools/a"), "a").unwrap();
    changes.recv_timeout(SOON).expect("a change");
    assert!(changes.recv_timeout(SOON).is_err(), "the thread has ended");
}

#[test]
fn without_events_the_folder_is_polled() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_owned();
    fs::create_dir(root.join("tools")).unwrap();
    let (stopped, stop) = io::pipe().unwrap();
    let (tell, changes) = sync_channel(1_000);
    let watcher = Watcher {
        detector: ChangeDetector::Polling(fingerprint(&root)),
        root: root.clone(),
        stopped,
        on_change: move || {
            let _ = tell.send(());
        },
    };
    let thread = thread::spawn(move || watcher.run());
    fs::write(root.join("tools/a"), "a").unwrap();
    changes.recv_timeout(SOON).expect("a change");
    drop(stop);
    thread.join().unwrap();
}

#[test]
fn the_fingerprint_covers_all_relevant_changes() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir_all(root.join("tools/deep")).unwrap();
    let before = fingerprint(root);
    fs::write(root.join("notes.txt"), "x").unwrap();
    assert_eq!(fingerprint(root), before);
    fs::write(root.join("tools/deep/a"), "x").unwrap();
    let with = fingerprint(root);
    assert_ne!(with, before);
    fs::set_permissions(root.join("tools/deep/a"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_ne!(fingerprint(root), with);
    assert_eq!(
        fingerprint(&root.join("nowhere")),
        fingerprint(&root.join("missing"))
    );
}

#[test]
fn packages_of_a_tool_are_not_watched() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("tools/weather/node_modules/a/b")).unwrap();
    let folders = tree::folders(dir.path()).unwrap();
    assert!(folders.contains(&dir.path().join("tools/weather")));
    assert_eq!(folders.len(), 3, "{folders:?}");
    fs::create_dir_all(dir.path().join("resources/node_modules")).unwrap();
    assert_eq!(tree::folders(dir.path()).unwrap().len(), 5);
}

#[test]
fn a_huge_folder_does_not_hide_others() {
    let watched = Watched::new(|root| {
        for n in 0..2_100 {
            fs::create_dir_all(root.join(format!("resources/{n}/deep"))).unwrap();
        }
    });
    assert_eq!(tree::folders(watched.dir.path()), None);
    fs::create_dir(watched.path("prompts")).unwrap();
    watched.told();
    watched.quiet();
    fs::write(watched.path("tools/new.sh"), "#!/bin/sh\n").unwrap();
    watched.told();
}
