//! What is left to do if we are killed: somebody who notices, and ends the groups that we have started.
//!
//! It idles as long as our children live, so what counts is its size. A shell that reads from a pipe has
//! 0.1 MB of its own; this program once more would have most of a megabyte, because the loader writes to
//! every page that has a pointer before it does anything. A signal on the parent's death would cost
//! nothing, but it needs a program between us and every child, does not reach the server behind `npx`,
//! and exists on Linux only. A fork of ourselves would share most of its memory, and look like us in every
//! list of processes.

use std::io::{self, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::Signal;

use crate::child::Child;
use crate::command::{Command, spawn_beside};
use crate::descendants::beginning;

/// Groups come as `+ NUMBER` and go as `- NUMBER`. The end of the input is ours: then each group that is
/// left has a second to notice that its own input has ended, and another one after TERM. Last, what has left
/// its group is found by its mark ([`crate::Descendants`]), which begins with the first argument.
///
/// A variable for each, because there may be thousands: a shell is slow with long texts.
const SCRIPT: &str = r#"while read -r how group; do
  case $how in
    +) eval "group_$group=+" ;;
    -) unset "group_$group" ;;
  esac
done
left=$(set | while IFS== read -r name value; do
  case $name in group_*) echo "${name#group_}" ;; esac
done)
marked() {
  for round in 1 2 3 4 5; do
    found=$(grep -ls "LINKSPAN_CALL=$1" /proc/[0-9]*/environ)
    [ -n "$found" ] || return
    for file in $found; do
      one=${file#/proc/}
      kill -s KILL "${one%/environ}"
    done
  done
}
for signal in TERM KILL; do
  [ -n "$left" ] || break
  sleep 1
  rest=
  for one in $left; do kill -s "$signal" -- "-$one" && rest="$rest $one"; done
  left=$rest
done
marked "$1"
exit 0"#;

/// How often, and after what time each, it is looked whether it is dead.
const MOST_LOOKS: u32 = 100;
const LOOK: Duration = Duration::from_micros(200);

/// The one watchdog of this process. There is none while there is nobody to watch over.
static DOG: Mutex<Weak<Dog>> = Mutex::new(Weak::new());

/// While this is held, a group is ended if we are killed: by the end of its input, TERM or KILL.
#[derive(Debug)]
pub struct Watched {
    dog: Arc<Dog>,
    group: u32,
}

#[derive(Debug)]
struct Dog {
    /// The system closes it when we are gone.
    pipe: PipeWriter,
    _leash: Leash,
}

/// Ends the watchdog.
#[derive(Debug)]
struct Leash(Child);

/// Has a process group ended if we are killed before the result is dropped.
///
/// Blocks for about a millisecond if nobody else is watched over. Whoever calls this after it has started
/// a program loses nothing by that: the program needs longer to begin.
pub fn watch_over(group: u32) -> io::Result<Watched> {
    let mut only = DOG.lock().unwrap_or_else(PoisonError::into_inner);
    let dog = match only.upgrade() {
        Some(dog) => dog,
        None => {
            let dog = Arc::new(Dog::start()?);
            *only = Arc::downgrade(&dog);
            dog
        }
    };
    dog.tell('+', group);
    Ok(Watched { dog, group })
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.dog.tell('-', self.group);
    }
}

impl Dog {
    fn start() -> io::Result<Self> {
        let (theirs, pipe) = io::pipe()?;
        // One that was stopped must not stop us.
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        let nowhere = || std::fs::OpenOptions::new().write(true).open("/dev/null");
        // It may keep what we have inherited: it does not outlive us by much.
        let child = spawn_beside(&Command {
            program: PathBuf::from("/bin/sh"),
            args: ["sh", "-c", SCRIPT, "linkspan-watchdog", beginning()]
                .map(Into::into)
                .into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: PathBuf::from("/"),
            fds: vec![
                (OwnedFd::from(theirs), 0),
                (nowhere()?.into(), 1),
                (nowhere()?.into(), 2),
            ],
        })?;
        Ok(Self {
            pipe,
            _leash: Leash(child),
        })
    }

    fn tell(&self, how: char, group: u32) {
        // So short a line is written as a whole or not at all; and one who has gone hears nothing.
        let _ = (&self.pipe).write_all(format!("{how} {group}\n").as_bytes());
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        let _ = self.0.signal_group(Signal::KILL);
        // We may be about to end, and not everybody has a parent then who cares for zombies.
        for _ in 0..MOST_LOOKS {
            match self.0.try_wait() {
                Ok(None) => std::thread::sleep(LOOK),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::command::spawn;

    /// A program that ignores the end of its input, and TERM if it is `defiant`.
    fn stubborn(defiant: bool) -> Child {
        let null = || {
            std::fs::OpenOptions::new()
                .read(true)
                .write(true)
                .open("/dev/null")
        };
        let script = match defiant {
            true => "trap '' TERM; while :; do sleep 1; done",
            false => "sleep 1000",
        };
        spawn(&Command {
            program: "/bin/sh".into(),
            args: ["sh", "-c", script].map(Into::into).into(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            cwd: "/".into(),
            fds: (0..3).map(|fd| (null().unwrap().into(), fd)).collect(),
        })
        .unwrap()
    }

    fn group(child: &Child) -> u32 {
        child.pid().unsigned_abs()
    }

    async fn signal(mut child: Child) -> Option<i32> {
        let ended = tokio::time::timeout(Duration::from_secs(30), child.wait()).await;
        ended.expect("it ends").unwrap().signal
    }

    /// Closes the pipe, as the system does with that of a process that was killed.
    fn orphan(dog: Dog) -> Leash {
        dog._leash
    }

    #[tokio::test]
    async fn who_is_left_when_we_are_gone_is_asked_and_then_made_to_end() {
        let dog = Dog::start().unwrap();
        let (mild, defiant) = (stubborn(false), stubborn(true));
        let spared = stubborn(false);
        for child in [&mild, &spared, &defiant] {
            dog.tell('+', group(child));
        }
        dog.tell('-', group(&spared));
        let mut dog = orphan(dog);
        let ended = tokio::join!(signal(mild), signal(defiant), dog.0.wait());
        assert_eq!(ended.0, Some(Signal::TERM.as_raw()));
        assert_eq!(ended.1, Some(Signal::KILL.as_raw()));
        assert_eq!(ended.2.unwrap().code, Some(0));
        let mut spared = spared;
        assert!(
            spared.try_wait().unwrap().is_none(),
            "nobody asked for that"
        );
    }

    #[tokio::test]
    async fn with_nobody_left_it_goes_at_once() {
        let dog = Dog::start().unwrap();
        let child = stubborn(false);
        dog.tell('+', group(&child));
        dog.tell('-', group(&child));
        let ended = orphan(dog).0.wait().await.unwrap();
        assert_eq!(ended.code, Some(0));
    }

    #[test]
    fn there_is_one_for_all_and_none_without_anybody() {
        let first = watch_over(1 << 30).unwrap();
        let second = watch_over((1 << 30) + 1).unwrap();
        assert!(Arc::ptr_eq(&first.dog, &second.dog));
        drop((first, second));
        assert!(DOG.lock().unwrap().upgrade().is_none());
    }
}
