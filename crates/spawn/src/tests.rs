//! What a new process inherits, and how its end is detected.

#![allow(clippy::unwrap_used)]

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::time::timeout;

use crate::{Child, Command, Signal, Spawner, Status, spawn};

const LONG: Duration = Duration::from_secs(20);

fn null() -> OwnedFd {
    let file = File::options().read(true).write(true).open("/dev/null");
    file.unwrap().into()
}

fn pipe() -> (File, OwnedFd) {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    (File::from(read), write)
}

fn sh(script: &str, out: OwnedFd) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: ["sh", "-c", script].map(OsString::from).into(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into())],
        cwd: "/".into(),
        fds: vec![(null(), 0), (out, 1), (null(), 2)],
    }
}

/// Runs the command that `make` returns for the write end of a pipe; gives its output.
async fn output(make: impl FnOnce(OwnedFd) -> Command) -> (String, Status) {
    let (mut read, write) = pipe();
    let mut child = Spawner::new().spawn(make(write), false).await.unwrap();
    let read = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        read.read_to_string(&mut text).map(|_| text)
    });
    let text = timeout(LONG, read).await.unwrap().unwrap().unwrap();
    (text, child.wait().await.unwrap())
}

async fn said(script: &str) -> String {
    output(|out| sh(script, out)).await.0
}

async fn ends(mut child: Child) -> Status {
    timeout(LONG, child.wait()).await.unwrap().unwrap()
}

/// Writes an executable file.
fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn the_environment_is_exactly_as_given() {
    let (text, _) = output(|out| Command {
        program: "/usr/bin/env".into(),
        args: vec!["env".into()],
        env: vec![
            ("ONE".into(), "1".into()),
            ("EMPTY".into(), "".into()),
            ("LINES".into(), "a=b\nc".into()),
        ],
        ..sh("", out)
    })
    .await;
    assert_eq!(text, "ONE=1\nEMPTY=\nLINES=a=b\nc\n");
}

#[tokio::test]
async fn arguments_are_unchanged() {
    let (text, _) = output(|out| Command {
        args: [
            "sh",
            "-c",
            "printf '<%s>' \"$0\" \"$@\"",
            "zero",
            "",
            "two words",
            "*",
            "$HOME",
            "ä\n",
        ]
        .map(OsString::from)
        .into(),
        ..sh("", out)
    })
    .await;
    assert_eq!(text, "<zero><><two words><*><$HOME><ä\n>");
}

#[tokio::test]
async fn a_relative_program_is_relative_to_the_working_directory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    fs::create_dir(folder.join("sub")).unwrap();
    program(&folder, "here", "#!/bin/sh\npwd\n");
    let (text, _) = output(|out| Command {
        program: "../here".into(),
        args: vec!["here".into()],
        cwd: folder.join("sub"),
        ..sh("", out)
    })
    .await;
    assert_eq!(text.trim_end(), folder.join("sub").to_str().unwrap());
}

#[tokio::test]
async fn a_name_is_looked_up_in_the_programs_own_path() {
    let folder = tempfile::tempdir().unwrap();
    let (bin, other) = (folder.path().join("bin"), folder.path().join("other"));
    fs::create_dir(&bin).unwrap();
    fs::create_dir(&other).unwrap();
    program(&other, "linkspan-test-tool", "#!/bin/sh\necho found\n");
    // A folder or a file without execute permission is skipped.
    fs::create_dir(bin.join("linkspan-test-tool")).unwrap();
    let with_path = |path: String, out| Command {
        program: "linkspan-test-tool".into(),
        args: vec!["tool".into()],
        env: vec![("PATH".into(), path.into())],
        ..sh("", out)
    };
    let path = format!("{}:{}", bin.display(), other.display());
    let (text, _) = output(|out| with_path(path, out)).await;
    assert_eq!(text, "found\n");

    for skipped in ["/nowhere:", ".:/nowhere"] {
        let command = Command {
            cwd: other.clone(),
            ..with_path(skipped.into(), null())
        };
        let error = spawn(&command).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "the folder it runs in");
        let name = OsStr::new("linkspan-test-tool");
        let found = crate::find(name, Some(OsStr::new(skipped)), Some(&other));
        assert!(found.is_ok(), "{skipped}");
    }

    let error = spawn(&with_path("/nowhere".into(), null())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "`linkspan-test-tool` is not in PATH");
}

#[tokio::test]
async fn files_arrive_under_their_numbers_though_ours_collide_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| -> OwnedFd {
        let path = folder.path().join(text);
        fs::write(&path, text).unwrap();
        File::open(path).unwrap().into()
    };
    // Four files in a ring: each is to get the number of the next.
    let high: Vec<OwnedFd> = (0..4)
        .map(|n| fcntl_dupfd_cloexec(file(&n.to_string()), 40).unwrap())
        .collect();
    let numbers: Vec<i32> = high.iter().map(AsRawFd::as_raw_fd).collect();
    let script: String = numbers
        .iter()
        .map(|n| format!("cat /dev/fd/{n};"))
        .collect();
    let (text, _) = output(|out| {
        let mut command = sh(&script, out);
        let ring = high.into_iter().enumerate();
        command
            .fds
            .extend(ring.map(|(n, fd)| (fd, numbers[(n + 1) % 4])));
        command
    })
    .await;
    assert_eq!(text, "3012");
}

#[tokio::test]
async fn only_the_given_files_are_open() {
    // Without close-on-exec, and handed to the child under another number.
    let loose = fcntl_dupfd_cloexec(null(), 60).unwrap();
    fcntl_setfd(&loose, FdFlags::empty()).unwrap();
    let _kept = fcntl_dupfd_cloexec(null(), 61).unwrap();
    let (text, _) = output(|out| {
        let mut command = sh("ls /proc/self/fd | tr '\\n' ' '", out);
        command.fds.push((loose, 7));
        command
    })
    .await;
    // 3 is the folder that `ls` reads.
    assert_eq!(text, "0 1 2 3 7 ");
}

#[tokio::test]
async fn a_child_leads_its_process_group() {
    let text = said("cut -d' ' -f5 /proc/$$/stat; echo $$").await;
    let fields: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(fields[0], fields[1]);
}

#[tokio::test]
async fn signals_have_default_handlers_and_none_is_blocked() {
    // This process ignores SIGPIPE, as Rust programs do.
    let text = said("cat /proc/self/status").await;
    // The C library reserves two signals between 31 and 34, and ignores them in child processes.
    let its_own = 0b11 << 31;
    for name in ["SigBlk:", "SigIgn:", "SigCgt:"] {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let set = u64::from_str_radix(line.unwrap().trim(), 16).unwrap();
        assert_eq!(set & !its_own, 0, "{name} {set:x}");
    }
}

#[tokio::test]
async fn the_status_is_a_code_or_a_signal() {
    for without_pidfd in [false, true] {
        for (script, code, signal) in [
            ("exit 0", Some(0), None),
            ("exit 7", Some(7), None),
            ("kill -TERM $$", None, Some(15)),
            ("sleep 0.05; exit 3", Some(3), None),
        ] {
            let mut child = spawn(&sh(script, null())).unwrap();
            if without_pidfd {
                child = child.without_pidfd();
            }
            assert_eq!(ends(child).await, Status { code, signal }, "{script}");
        }
    }
}

#[tokio::test]
async fn wait_is_cancel_safe() {
    for without_pidfd in [false, true] {
        let mut child = spawn(&sh("sleep 0.2; exit 4", null())).unwrap();
        if without_pidfd {
            child = child.without_pidfd();
        }
        for _ in 0..3 {
            let early = timeout(Duration::from_millis(20), child.wait()).await;
            assert!(early.is_err());
        }
        assert_eq!(child.try_wait().unwrap(), None);
        assert_eq!(child.wait().await.unwrap().code, Some(4));
        assert_eq!(child.wait().await.unwrap().code, Some(4), "and asked twice");
    }
}

#[tokio::test]
async fn a_signal_reaches_the_whole_group() {
    let (mut read, write) = pipe();
    let mut child = spawn(&sh("sleep 600 & sleep 600 & echo up; wait", write)).unwrap();
    let mut up = [0; 3];
    read.read_exact(&mut up).unwrap();
    child.signal_group(Signal::TERM).unwrap();
    assert_eq!(child.wait().await.unwrap().signal, Some(15));
    // No process has the write end any more.
    let rest = tokio::task::spawn_blocking(move || read.read_to_end(&mut Vec::new()));
    assert_eq!(timeout(LONG, rest).await.unwrap().unwrap().unwrap(), 0);
    child.signal_group(Signal::KILL).unwrap();
}

#[tokio::test]
async fn dropping_a_child_kills_its_group_without_a_leader() {
    let (mut read, write) = pipe();
    let mut child = spawn(&sh("trap '' TERM; sleep 600 & exit 0", write)).unwrap();
    assert!(child.wait().await.unwrap().success());
    drop(child);
    let rest = tokio::task::spawn_blocking(move || read.read_to_end(&mut Vec::new()));
    assert_eq!(timeout(LONG, rest).await.unwrap().unwrap().unwrap(), 0);
}

#[tokio::test]
async fn start_errors_name_their_cause() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    program(folder.path(), "dos", "#!/bin/sh\r\necho\n");
    program(folder.path(), "text", "just text\n");
    fs::write(at("plain"), "#!/bin/sh\n").unwrap();
    let start = |program: PathBuf, cwd: PathBuf| {
        let error = spawn(&Command {
            program,
            cwd,
            ..sh("", null())
        });
        let error = error.unwrap_err();
        let text = error.to_string();
        (
            error.kind(),
            text.replace(folder.path().to_str().unwrap(), "DIR"),
        )
    };
    let here = || folder.path().to_owned();
    use ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    let (kind, text) = start("/bin/sh".into(), at("gone"));
    assert_eq!(kind, NotFound);
    assert!(
        text.starts_with("cannot run in DIR/gone: No such file"),
        "{text}"
    );
    let (kind, text) = start("/bin/sh".into(), at("text"));
    assert_eq!(
        (kind, text.as_str()),
        (NotADirectory, "cannot run in DIR/text: not a folder")
    );
    let (kind, text) = start(at("gone"), here());
    assert_eq!(kind, NotFound);
    assert!(text.starts_with("DIR/gone: No such file"), "{text}");
    let (kind, text) = start(at("dos"), here());
    assert_eq!(
        (kind, text.as_str()),
        (
            NotFound,
            "DIR/dos asks for `/bin/sh\\r`, which does not exist"
        )
    );
    let (kind, text) = start(at("plain"), here());
    assert_eq!(kind, PermissionDenied);
    assert!(
        text.starts_with("DIR/plain may not be executed: "),
        "{text}"
    );
    let (_, text) = start(at("text"), here());
    assert_eq!(
        text,
        "DIR/text is not a program of this system and has no `#!` in its first line"
    );
}

#[test]
fn invalid_commands_are_refused_before_the_start() {
    let refused = |change: fn(&mut Command)| {
        let mut command = sh("", null());
        change(&mut command);
        let error = spawn(&command).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    };
    refused(|command| drop(command.fds.pop()));
    refused(|command| command.fds.push((null(), 1)));
    refused(|command| command.fds.push((null(), -1)));
    refused(|command| command.args.push("a\0b".into()));
    refused(|command| command.env.push(("A=B".into(), "".into())));
    refused(|command| command.env.push(("".into(), "".into())));
    refused(|command| command.env.push(("A".into(), "\0".into())));
    refused(|command| command.cwd = "/\0".into());
    refused(|command| command.program = "".into());
}

#[tokio::test]
async fn a_busy_program_is_retried() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tool");
    fs::copy("/bin/true", &path).unwrap();
    let writer = File::options().append(true).open(&path).unwrap();
    let mut command = sh("", null());
    command.program = path;
    let error = spawn(&command).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExecutableFileBusy, "{error}");

    // The file is closed after the first attempt.
    crate::command::on_next_busy(move || drop(writer));
    let child = spawn(&command).unwrap();
    assert!(ends(child).await.success());
}

#[tokio::test]
async fn privileges_are_dropped_only_on_request() {
    let spawner = Spawner::new();
    for (given_up, expected) in [(true, "NoNewPrivs:\t1\n"), (false, "NoNewPrivs:\t0\n")] {
        let (mut read, write) = pipe();
        let command = sh("grep NoNewPrivs /proc/self/status", write);
        let child = spawner.spawn(command, given_up).await.unwrap();
        assert!(ends(child).await.success());
        let mut text = String::new();
        read.read_to_string(&mut text).unwrap();
        assert_eq!(text, expected);
    }
}

#[tokio::test]
async fn dropping_the_future_leaves_no_process() {
    let spawner = Spawner::with_threads(1);
    let (mut read, write) = pipe();
    let mut futures = Vec::new();
    for _ in 0..40 {
        let out = write.try_clone().unwrap();
        futures.push(Box::pin(spawner.spawn(sh("sleep 600", out), true)));
    }
    drop(write);
    for (n, future) in futures.iter_mut().enumerate() {
        // Each is queued, starting or started.
        let patience = Duration::from_millis(u64::from(n % 4 == 0));
        let _ = timeout(patience, future).await;
    }
    drop(futures);
    // No process has the write end any more.
    let rest = tokio::task::spawn_blocking(move || read.read_to_end(&mut Vec::new()));
    assert_eq!(timeout(LONG, rest).await.unwrap().unwrap().unwrap(), 0);
}

#[tokio::test]
async fn a_child_communicates_over_pipes() {
    let (mut from, out) = pipe();
    let (input, into) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let mut command = sh("read line; echo \"got $line\"", out);
    command.fds[0] = (input, 0);
    let child = spawn(&command).unwrap();
    drop(command);
    File::from(into).write_all(b"this\n").unwrap();
    let mut text = String::new();
    from.read_to_string(&mut text).unwrap();
    assert_eq!(text, "got this\n");
    assert!(ends(child).await.success());
}

#[test]
#[cfg(target_os = "linux")]
fn marked_processes_are_ended_in_any_session() {
    let mark = format!("marked-test-{}", std::process::id());
    let mut started: Vec<std::process::Child> = (0..3)
        .map(|n| {
            std::process::Command::new("sleep")
                .arg("60")
                .env(crate::MARKER, format!("{mark}-{n}"))
                .spawn()
                .unwrap()
        })
        .collect();
    assert_eq!(crate::end_marked(&mark), 3);
    for child in &mut started {
        assert!(!child.wait().unwrap().success());
    }
    assert_eq!(crate::end_marked(&mark), 0);
}

#[tokio::test]
async fn a_signal_reaches_a_child_in_any_group() {
    let (mut read, write) = pipe();
    let join = "import os, time\nos.setpgid(0, os.getpgid(os.getppid()))\nos.write(1, b'x')\ntime.sleep(60)";
    let command = Command {
        program: "python3".into(),
        args: ["python3", "-c", join].map(OsString::from).into(),
        ..sh("", write)
    };
    let child = Spawner::new().spawn(command, false).await.unwrap();
    read.read_exact(&mut [0]).unwrap();
    child.signal_group(Signal::TERM).unwrap();
    assert_eq!(ends(child).await.signal, Some(15));
}
