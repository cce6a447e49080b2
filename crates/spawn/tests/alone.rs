//! Tests of process-wide state: open files, limits, orphans. A lock runs them one at a time.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use linkspan_spawn::{
    Command, Descendants, MARKER, Signal, Spawner, become_subreaper, spawn, sweep,
};
use linkspan_testkit::{LIMIT, found_within, wait_for};
use parking_lot::{Mutex, MutexGuard};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock();
    become_subreaper().unwrap();
    turn
}

fn null() -> OwnedFd {
    let file = File::options().read(true).write(true).open("/dev/null");
    file.unwrap().into()
}

fn sh(script: &str, marker: &str, out: OwnedFd) -> Command {
    Command {
        program: "/bin/sh".into(),
        args: ["sh", "-c", script].map(OsString::from).into(),
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            (MARKER.into(), marker.into()),
        ],
        cwd: "/".into(),
        fds: vec![(null(), 0), (out, 1), (null(), 2)],
    }
}

/// The numbers that a script prints, until every writer is gone or `count` lines have arrived.
fn lines(file: &mut File, count: usize) -> Vec<i32> {
    let mut text = String::new();
    let mut byte = [0];
    while text.lines().count() < count || !text.ends_with('\n') {
        assert_eq!(file.read(&mut byte).unwrap(), 1, "ended early: {text}");
        text.push(char::from(byte[0]));
    }
    text.lines()
        .map(|line| line.trim().parse().unwrap())
        .collect()
}

fn exists(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

/// Waits until a killed process is gone.
fn goes(pid: i32) {
    wait_for(&format!("the end of {pid}"), || !exists(pid));
}

/// Whether the process has ended, reaped or not.
fn has_ended(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat.contains(") Z "))
}

/// The numbers and targets of our open files.
fn open_files() -> Vec<(String, String)> {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.unwrap();
            // The descriptor of the listing itself is already closed.
            let target = fs::read_link(entry.path()).ok()?;
            let target = target.display().to_string();
            let listing = target == format!("/proc/{}/fd", std::process::id());
            let number = entry.file_name().into_string().unwrap();
            (!listing).then_some((number, target))
        })
        .collect();
    files.sort();
    files
}

/// Asserts that no more files are open than before. The C library and the test harness open a file now and
/// then, and a runtime may end shortly after its test, so it polls for a while.
fn no_more_than(before: &[(String, String)]) {
    let mut more = Vec::new();
    let none = found_within(LIMIT, || {
        more = open_files();
        more.retain(|file| !before.contains(file));
        more.is_empty().then_some(())
    });
    assert!(none.is_some(), "{more:?}");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

#[test]
fn grandchildren_outside_the_group_are_swept() {
    let _turn = alone();
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let mut read = File::from(read);
    let script = "setsid sh -c 'sleep 600 & echo $!; echo $$; wait' & \
                  read _ < /dev/null; sleep 0.1; exit 0";
    let mut child = spawn(&sh(script, "a-1", write)).unwrap();
    let left = lines(&mut read, 2);
    runtime().block_on(child.wait()).unwrap();
    child.signal_group(Signal::KILL).unwrap();
    assert!(
        left.iter().all(|pid| exists(*pid)),
        "they are in another group"
    );

    assert_eq!(sweep("a-2").killed, 0, "another call's mark");
    assert_eq!(sweep("a-").killed, 0, "a prefix of the mark does not match");
    assert!(left.iter().all(|pid| exists(*pid)));

    let swept = sweep("a-1");
    assert_eq!((swept.killed, swept.reaped), (2, 2));
    assert!(!left.iter().any(|pid| exists(*pid)), "not even as zombies");
    drop(child);
}

/// Starts and reaps a program without this crate; the program prints a number and ends.
fn started_elsewhere(descendants: &mut Descendants, script: &str) -> i32 {
    use std::os::unix::process::CommandExt;
    let (name, mark) = descendants.variable();
    let mut child = std::process::Command::new("/bin/sh")
        .args(["-c", script])
        .env(name, mark)
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    descendants.started(child.id());
    let mut text = String::new();
    let printed = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(printed), &mut text).unwrap();
    assert!(child.wait().unwrap().success());
    text.trim().parse().unwrap()
}

#[test]
fn descendants_of_a_program_started_elsewhere_are_ended() {
    let _turn = alone();
    let mut ours = Descendants::new();
    let mut theirs = Descendants::new();
    let script = "setsid sh -c 'echo $$; exec sleep 600' & sleep 0.1";
    let (left, other) = (
        started_elsewhere(&mut ours, script),
        started_elsewhere(&mut theirs, script),
    );
    assert!(!ours.are_gone());
    assert_eq!(ours.end().killed, 1);
    assert!(!exists(left) && exists(other));
    assert_eq!(theirs.end().killed, 1);
    assert!(!exists(other));
}

#[test]
fn descendants_without_an_environment_are_ended_with_the_last_program() {
    let _turn = alone();
    let mut ours = Descendants::new();
    let theirs = Descendants::new();
    let script = "env -i setsid sh -c 'echo $$; exec sleep 600' & sleep 0.1";
    let left = started_elsewhere(&mut ours, script);
    assert_eq!(ours.end().killed, 0, "it could come from another program");
    assert!(exists(left));
    assert!(!theirs.are_gone());
    assert_eq!(theirs.end().killed, 1);
    assert!(!exists(left));
}

#[test]
fn derived_marks_are_found() {
    let _turn = alone();
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let mut read = File::from(read);
    let script = "LINKSPAN_CALL=n-1.abc-0 setsid sh -c 'echo $$; exec sleep 600' & sleep 0.1";
    let mut child = spawn(&sh(script, "n-1", write)).unwrap();
    let left = lines(&mut read, 1)[0];
    runtime().block_on(child.wait()).unwrap();
    assert_eq!(sweep("n-1.ab").killed, 0);
    assert_eq!(sweep("n-1").killed, 1);
    assert!(!exists(left));
}

#[test]
fn children_of_dying_group_members_are_swept() {
    let _turn = alone();
    for round in 0..20 {
        let marker = format!("b-{round}");
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let mut read = File::from(read);
        // The leader ends and leaves a member in the group, which is the parent of a process that left the
        // group.
        let script = "sh -c 'setsid sleep 600 & echo $!; wait; true' & sleep 0.05; exit 0";
        let mut child = spawn(&sh(script, &marker, write)).unwrap();
        let left = lines(&mut read, 1);
        runtime().block_on(child.wait()).unwrap();
        child.signal_group(Signal::KILL).unwrap();
        sweep(&marker);
        assert!(!exists(left[0]), "round {round}");
    }
}

#[test]
fn a_sweep_reaps_dead_orphans_and_no_children_of_other_code() {
    let _turn = alone();
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let mut read = File::from(read);
    let mut child = spawn(&sh("setsid true & echo $!; exit 0", "c", write)).unwrap();
    let orphan = lines(&mut read, 1)[0];
    runtime().block_on(child.wait()).unwrap();

    // Zombies that other code started and has not reaped yet.
    let theirs = || {
        let mut command = std::process::Command::new("/bin/sh");
        command.stdout(Stdio::null());
        command
    };
    use std::os::unix::process::CommandExt;
    let mut quick = theirs().args(["-c", "exit 5"]).spawn().unwrap();
    let mut apart = theirs()
        .args(["-c", "exit 6"])
        .process_group(0)
        .spawn()
        .unwrap();
    let mut alive = theirs()
        .args(["-c", "exec sleep 600"])
        .process_group(0)
        .spawn()
        .unwrap();
    // A child of this crate, dead and alive.
    let mut dead = spawn(&sh("exit 7", "c", null())).unwrap();
    let mut running = spawn(&sh("sleep 600", "c", null())).unwrap();
    let pid = |child: &std::process::Child| i32::try_from(child.id()).unwrap();
    let ended = [orphan, pid(&quick), pid(&apart), dead.pid()];
    wait_for("the end of four processes", || {
        ended.into_iter().all(has_ended)
    });

    assert_eq!(sweep("c").killed, 0);
    assert!(!exists(orphan), "a zombie without a marker to read");
    assert_eq!(child.try_wait().unwrap().unwrap().code, Some(0));
    assert_eq!(quick.wait().unwrap().code(), Some(5));
    assert_eq!(apart.wait().unwrap().code(), Some(6));
    assert_eq!(alive.try_wait().unwrap(), None);
    alive.kill().unwrap();
    alive.wait().unwrap();
    assert_eq!(dead.try_wait().unwrap().unwrap().code, Some(7));
    assert_eq!(running.try_wait().unwrap(), None);
}

#[test]
fn a_job_that_leads_a_group_in_our_session_is_swept() {
    let _turn = alone();
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let mut read = File::from(read);
    let mut command = sh("set -m; sleep 600 & echo $!; exit 0", "j", write);
    command.program = "bash".into();
    let mut child = spawn(&command).unwrap();
    drop(command);
    let left = lines(&mut read, 1)[0];
    runtime().block_on(child.wait()).unwrap();
    child.signal_group(Signal::KILL).unwrap();
    assert!(exists(left), "it is in another group");
    assert_eq!(sweep("j").killed, 1);
    assert!(!exists(left));
}

#[test]
fn concurrent_sweeps_do_not_reap_new_children() {
    let _turn = alone();
    runtime().block_on(async {
        let spawner = Spawner::new();
        let mut calls = tokio::task::JoinSet::new();
        for n in 0..100 {
            let spawner = spawner.clone();
            calls.spawn(async move {
                let marker = format!("d-{n}");
                let script = "setsid sleep 600 & exit 9";
                let command = sh(script, &marker, null());
                let mut child = spawner.spawn(command, n % 2 == 0).await.unwrap();
                let status = child.wait().await.unwrap();
                child.signal_group(Signal::KILL).unwrap();
                spawner.sweep(&marker).await;
                status.code
            });
        }
        while let Some(code) = calls.join_next().await {
            assert_eq!(code.unwrap(), Some(9), "the sweep did not reap it");
        }
        spawner.sweep("none").await;
    });
    let us = std::process::id();
    let list = fs::read_to_string(format!("/proc/self/task/{us}/children")).unwrap();
    assert_eq!(list, "", "nothing is left");
}

#[test]
fn two_hundred_concurrent_children_leave_no_zombies_or_files() {
    let _turn = alone();
    let runtime = runtime();
    let spawner = Spawner::new();
    let run = |count: usize| {
        runtime.block_on(async {
            let mut calls = tokio::task::JoinSet::new();
            for n in 0..count {
                let spawner = spawner.clone();
                let script = format!("exit {}", n % 50);
                calls.spawn(async move {
                    let command = sh(&script, "e", null());
                    let mut child = spawner.spawn(command, true).await.unwrap();
                    let code = child.wait().await.unwrap().code;
                    assert_eq!(code, Some(i32::try_from(n % 50).unwrap()));
                    child.pid()
                });
            }
            calls.join_all().await
        })
    };
    run(2);
    let before = open_files();
    let pids = run(200);
    assert_eq!(pids.len(), 200);
    pids.into_iter().for_each(goes);
    no_more_than(&before);
}

#[test]
fn dropping_running_children_kills_them_without_waiting() {
    let _turn = alone();
    let children: Vec<_> = (0..50)
        .map(|_| spawn(&sh("trap '' TERM INT HUP; sleep 600 & wait", "f", null())).unwrap())
        .collect();
    let pids: Vec<i32> = children.iter().map(|child| child.pid()).collect();
    let start = Instant::now();
    drop(children);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
    pids.into_iter().for_each(goes);
    sweep("f");
}

#[test]
fn without_free_descriptors_no_process_is_left() {
    let _turn = alone();
    let runtime = runtime();
    // Opens everything that is opened only once.
    drop(spawn(&sh("exit 0", "g", null())).unwrap());
    let before = open_files();
    let old = getrlimit(Resource::Nofile);
    let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
    let command = sh("sleep 600", "g", write);
    // No descriptor number is free for the pidfd.
    let highest = fs::read_dir("/proc/self/fd").unwrap();
    let highest = highest.map(|e| {
        e.unwrap()
            .file_name()
            .to_str()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    });
    let highest = highest.max().unwrap();
    let mut fill = Vec::new();
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(highest + 1),
            maximum: old.maximum,
        },
    )
    .unwrap();
    let error = loop {
        while let Ok(file) = File::open("/dev/null") {
            fill.push(file);
        }
        match spawn(&command) {
            Err(error) => break error,
            // Another thread closed a file in the meantime.
            Ok(_) => assert!(fill.len() < 1000),
        }
    };
    setrlimit(Resource::Nofile, old).unwrap();
    assert!(error.to_string().contains("Too many open files"), "{error}");
    drop((fill, command));
    // The pipe has no writer.
    let mut read = File::from(read);
    assert_eq!(read.read(&mut [0]).unwrap(), 0);
    drop(read);
    no_more_than(&before);

    // Later starts work again.
    let mut child = spawn(&sh("exit 3", "g", null())).unwrap();
    assert_eq!(runtime.block_on(child.wait()).unwrap().code, Some(3));
}
