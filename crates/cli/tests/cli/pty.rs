//! The binary at a terminal, with a user who reads its output and types.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use linkspan_testkit::LIMIT;
use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::setup::Run;

/// A run whose stdin, stdout and stderr are one terminal.
pub struct AtTerminal {
    child: Child,
    keyboard: File,
    screen: mpsc::Receiver<Vec<u8>>,
    seen: String,
}

impl AtTerminal {
    pub fn run(args: &[&str]) -> Self {
        Self::start(Run::new(args))
    }

    pub fn start(run: Run) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("a terminal of ours");
        unlockpt(&ours).expect("a terminal that can be opened");
        let name = ptsname(&ours, Vec::new()).expect("a name");
        let theirs: OwnedFd = File::options()
            .read(true)
            .write(true)
            .custom_flags(OFlags::NOCTTY.bits().cast_signed())
            .open(name.to_str().expect("a path"))
            .expect("its other end")
            .into();
        let mut command = run.into_command();
        let child = command
            .stdin(Stdio::from(theirs.try_clone().expect("a descriptor")))
            .stdout(Stdio::from(theirs.try_clone().expect("a descriptor")))
            .stderr(Stdio::from(theirs))
            .spawn()
            .expect("the binary starts");
        // The command holds the descriptors too; the output ends only when all of them are closed.
        drop(command);
        let keyboard = File::from(ours);
        let mut reading = keyboard.try_clone().expect("a descriptor");
        let (tx, screen) = mpsc::sync_channel(1000);
        thread::spawn(move || {
            let mut part = [0; 4096];
            // Linux returns EIO when the other end is closed.
            while let Ok(n @ 1..) = reading.read(&mut part) {
                if tx.send(part[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keyboard,
            screen,
            seen: String::new(),
        }
    }

    /// Waits until the text is on the screen.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        let end = Instant::now() + LIMIT;
        while !self.seen.contains(words) {
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(part) => self.seen += &String::from_utf8_lossy(&part),
                Err(_) => panic!("no {words:?} on the screen, but {:?}", self.seen),
            }
        }
    }

    /// The screen so far.
    pub fn seen(&self) -> &str {
        &self.seen
    }

    pub fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("it reads");
    }

    /// Waits for the program to exit; returns its exit code and its whole output.
    #[track_caller]
    pub fn end(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + LIMIT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(part) => self.seen += &String::from_utf8_lossy(&part),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("it never ended: {:?}", self.seen),
            }
        }
        let code = self.child.wait().expect("it has ended").code();
        (code, std::mem::take(&mut self.seen))
    }
}

impl Drop for AtTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
