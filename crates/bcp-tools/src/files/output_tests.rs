//! Tests of output files, on real folders.

use std::io::{Read, Seek};

use super::*;
use crate::scratch::Scratch;

fn create(path: &Path) -> Result<Output> {
    Output::create(path, &PartialFiles::new(std::env::temp_dir()))
}

fn write(path: &Path, text: &str) {
    let mut output = create(path).unwrap();
    output.write_all(text.as_bytes()).unwrap();
    output.commit().unwrap();
}

#[test]
fn a_file_appears_when_it_is_complete() {
    let scratch = Scratch::new();
    let path = scratch.path().join("ctx.bcp");
    let mut output = create(&path).unwrap();
    output.write_all(b"new").unwrap();
    assert!(!path.exists());
    output.commit().unwrap();
    assert_eq!(fs::read(path).unwrap(), b"new");
    assert_eq!(scratch.names(), ["ctx.bcp"]);
}

#[test]
fn a_failed_write_leaves_no_file_and_changes_none() {
    let scratch = Scratch::new();
    let path = scratch.file("ctx.bcp", "old");
    let mut output = create(&path).unwrap();
    output.write_all(b"half").unwrap();
    assert_eq!(scratch.names().len(), 2);
    drop(output);
    assert_eq!(fs::read(path).unwrap(), b"old");
    assert_eq!(scratch.names(), ["ctx.bcp"]);
}

#[test]
fn a_folder_or_a_file_in_no_folder_is_refused() {
    let scratch = Scratch::new();
    let refused = create(scratch.path()).unwrap_err();
    assert!(refused.problem().ends_with("it is a folder"));
    let nowhere = scratch.path().join("none/ctx.bcp");
    let refused = create(&nowhere).unwrap_err();
    assert!(refused.problem().ends_with("its folder does not exist"));
}

#[test]
fn an_output_knows_the_identities_of_its_files() {
    let scratch = Scratch::new();
    let path = scratch.file("ctx.bcp", "old");
    let output = create(&path).unwrap();
    let identities = output.identities();
    assert_eq!(identities.len(), 2);
    for name in scratch.names() {
        let identity = Identity::of(&scratch.path().join(name)).unwrap();
        assert!(identities.contains(&identity));
    }
}

#[test]
fn a_spool_has_no_name_and_can_be_read_again() {
    let scratch = Scratch::new();
    let output = create(&scratch.path().join("ctx.bcp")).unwrap();
    let mut spool = output.spool().unwrap();
    assert_eq!(scratch.names().len(), 1);
    spool.write_all(b"plain").unwrap();
    spool.rewind().unwrap();
    let mut text = String::new();
    spool.read_to_string(&mut text).unwrap();
    assert_eq!(text, "plain");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_has_the_default_mode() {
        let scratch = Scratch::new();
        let (ours, theirs) = (scratch.path().join("ours"), scratch.file("theirs", ""));
        write(&ours, "new");
        assert_eq!(mode(&ours), mode(&theirs));
    }

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        let scratch = Scratch::new();
        let path = scratch.file("ctx.bcp", "old");
        for wanted in [0o600, 0o666, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            write(&path, "new");
            assert_eq!(mode(&path), wanted);
        }
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let scratch = Scratch::new();
        let path = scratch.file("ctx.bcp", "old");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        // Root may write every file.
        if OpenOptions::new().write(true).open(&path).is_err() {
            assert!(create(&path).is_err());
            assert_eq!(scratch.names(), ["ctx.bcp"]);
        }
    }

    #[test]
    fn writing_through_a_link_replaces_its_target() {
        let scratch = Scratch::new();
        let file = scratch.file("far/ctx.bcp", "old");
        let (link, link_to_link) = (scratch.path().join("link"), scratch.path().join("second"));
        symlink("far/ctx.bcp", &link).unwrap();
        symlink(&link, &link_to_link).unwrap();
        write(&link_to_link, "new");
        assert_eq!(fs::read(file).unwrap(), b"new");
        assert!(link.is_symlink() && link_to_link.is_symlink());
    }

    #[test]
    fn writing_through_a_dangling_link_creates_its_target() {
        let scratch = Scratch::new();
        let link = scratch.path().join("link");
        symlink("ctx.bcp", &link).unwrap();
        write(&link, "new");
        assert_eq!(fs::read(scratch.path().join("ctx.bcp")).unwrap(), b"new");
        assert!(link.is_symlink());
    }

    #[test]
    fn links_in_a_circle_are_an_error() {
        let scratch = Scratch::new();
        let link = scratch.path().join("link");
        symlink(&link, &link).unwrap();
        assert!(create(&link).is_err());
    }

    #[test]
    fn a_device_is_written_directly() {
        write(Path::new("/dev/null"), "anything");
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let output = create(Path::new("/dev/null")).unwrap();
        assert!(output.identities().is_empty());
    }

    #[test]
    fn a_pipe_is_written_directly() {
        let scratch = Scratch::new();
        let fifo = scratch.fifo("fifo");
        let reader = std::thread::spawn({
            let fifo = fifo.clone();
            move || fs::read(fifo).unwrap()
        });
        write(&fifo, "through");
        assert_eq!(reader.join().unwrap(), b"through");
        assert_eq!(scratch.names(), ["fifo"]);
    }

    #[test]
    fn inherited_descriptors_are_written_directly() {
        use std::os::fd::AsRawFd;
        let scratch = Scratch::new();
        let path = scratch.file("open", "");
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        write(Path::new(&format!("/dev/fd/{}", file.as_raw_fd())), "new");
        assert_eq!(fs::read(path).unwrap(), b"new");
    }
}
