//! Finds descendants of a child that left its process group: as subreaper, this process becomes the parent of
//! orphans.
//!
//! An orphan and a child started by other code in this process (`tokio::process`) both have this process as
//! their parent, and only the code that started a child may reap it. Children of other code are in our session,
//! and either in our group or leaders of a group; every other process is an orphan. An orphan can have the same
//! session and group as these (a job of a shell with job control); then its mark identifies it while it runs.
//! If it ends before the next sweep it stays a zombie until this process ends, because a zombie has no
//! environment.

use std::io;

/// The environment variable that marks the processes of a call.
pub const MARKER: &str = "LINKSPAN_CALL";

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// The number of processes killed.
    pub killed: usize,
    /// The number of zombies reaped, including killed processes.
    pub reaped: usize,
}

/// Makes this process the parent of its orphaned descendants. Call it once, before the first
/// [`spawn`](crate::spawn). Does nothing on systems without subreapers (macOS).
pub fn become_subreaper() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        linux::note_what_was_here();
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    }
    Ok(())
}

/// Kills and reaps the orphans whose environment has `LINKSPAN_CALL=<marker>` and their descendants, and reaps
/// every dead orphan, whatever its mark. Skips every [`Child`](crate::Child) and unmarked processes started by
/// other code in this process.
///
/// For the end of a call, after its group was killed. Blocks: some microseconds if there are no orphans, else
/// until they are dead, at most half a second. A process that wipes its environment *and* leaves its group is
/// not found while it runs.
pub fn sweep(marker: &str) -> Swept {
    #[cfg(target_os = "linux")]
    return linux::sweep(marker, false);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = marker;
        Swept::default()
    }
}

/// As [`sweep`], and kills orphans without a mark if no program runs that can have started them.
pub(crate) fn sweep_all(marker: &str) -> Swept {
    #[cfg(target_os = "linux")]
    return linux::sweep(marker, true);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = marker;
        Swept::default()
    }
}

/// Reaps dead orphans and kills none. Blocks as [`sweep`] does.
pub fn reap_orphans() -> Swept {
    // No process has an empty mark.
    sweep("")
}

/// Whether there are orphans to reap. Cheap enough for a runtime thread.
pub fn has_dead_orphans() -> bool {
    !none("", false)
}

/// Whether there is nothing to sweep; `unmarked` includes orphans without a mark. Cheap enough for a runtime
/// thread.
pub(crate) fn none(marker: &str, unmarked: bool) -> bool {
    #[cfg(target_os = "linux")]
    return linux::none(marker, unmarked);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (marker, unmarked);
        true
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;
    use std::sync::OnceLock;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, waitid};

    use super::{MARKER, Swept};
    use crate::{descendants, registry};

    /// How long a sweep waits for killed processes to die.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// How long a sweep waits for an environment that cannot be read yet.
    const CURIOSITY: Duration = Duration::from_millis(50);

    /// Whether every orphan of this process descends from a program that it started.
    static ALL_OURS: OnceLock<bool> = OnceLock::new();

    /// Records the children that exist before the first start.
    pub(super) fn note_what_was_here() {
        ALL_OURS.get_or_init(|| {
            let unregistered = children()
                .into_iter()
                .filter(|pid| !registry::contains(*pid));
            getpid().as_raw_pid() != 1 && unregistered.count() == 0
        });
    }

    pub(super) fn sweep(marker: &str, unmarked: bool) -> Swept {
        let mut sweep = Sweep::new(marker);
        sweep.unmarked = unmarked && ALL_OURS.get() == Some(&true);
        let start = Instant::now();
        let mut pause = Duration::from_micros(100);
        loop {
            let round = sweep.once();
            let wait = (round.dying && start.elapsed() < PATIENCE)
                || (round.hidden && start.elapsed() < CURIOSITY);
            if wait {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(10));
            } else if !round.reaped {
                return sweep.swept;
            }
        }
    }

    /// Whether a sweep would do nothing.
    pub(super) fn none(marker: &str, unmarked: bool) -> bool {
        let mut sweep = Sweep::new(marker);
        sweep.unmarked = unmarked && ALL_OURS.get() == Some(&true);
        sweep.looks = true;
        sweep.plan().is_empty()
    }

    struct Sweep {
        mark: Vec<u8>,
        /// Whether orphans without a mark are included.
        unmarked: bool,
        /// A dry run: other programs may run meanwhile.
        looks: bool,
        us: Us,
        killed: HashSet<Pid>,
        swept: Swept,
    }

    /// The action of a sweep on a child process.
    enum Action {
        Kill,
        /// Already exiting; wait until its children are reparented.
        Await,
        /// Its owner cannot be determined yet.
        LookAgain,
        Reap,
    }

    #[derive(Default)]
    struct Round {
        dying: bool,
        hidden: bool,
        reaped: bool,
    }

    impl Sweep {
        fn new(marker: &str) -> Self {
            Self {
                mark: format!("{MARKER}={marker}").into_bytes(),
                unmarked: false,
                looks: false,
                us: Us::new(),
                killed: HashSet::new(),
                swept: Swept::default(),
            }
        }

        fn once(&mut self) -> Round {
            let mut round = Round::default();
            if self.plan().is_empty() {
                return round;
            }
            // While this lock is held no process is started, and only this sweep reaps orphans: a pid denotes
            // the same process until the end of the round.
            let _no_starts = registry::STARTING.write();
            for (pid, action) in self.plan() {
                match action {
                    Action::Kill => {
                        let _ = kill_process(pid, Signal::KILL);
                        self.swept.killed += usize::from(self.killed.insert(pid));
                        round.dying = true;
                    }
                    Action::Await => round.dying = true,
                    Action::LookAgain => round.hidden = true,
                    Action::Reap => {
                        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
                        if let Ok(Some(_)) = waitid(WaitId::Pid(pid), options) {
                            self.swept.reaped += 1;
                            round.reaped = true;
                        }
                    }
                }
            }
            round
        }

        fn plan(&self) -> Vec<(Pid, Action)> {
            let children = children().into_iter();
            let unregistered = children.filter(|pid| !registry::contains(*pid));
            unregistered
                .filter_map(|pid| Some((pid, self.action(pid)?)))
                .collect()
        }

        /// `None` skips the process.
        fn action(&self, pid: Pid) -> Option<Action> {
            let process = Unregistered::read(pid, &self.us)?;
            let sure = process.orphan || self.killed.contains(&pid);
            match process.state {
                State::Running => match environment(pid) {
                    // It had an environment a moment ago.
                    None => Some(Action::LookAgain),
                    Some(found) if has(&found, &self.mark) => Some(Action::Kill),
                    Some(found) => self.unmarked(&process, &found),
                },
                State::Bare => self.unmarked(&process, b""),
                State::Changing => Some(Action::LookAgain),
                State::Dying => sure.then_some(Action::Await),
                State::Dead => sure.then_some(Action::Reap),
            }
        }
    }

    impl Sweep {
        /// The action on a process without our mark: it is killed if it has no mark at all and no running
        /// program can have started it.
        fn unmarked(&self, process: &Unregistered, environment: &[u8]) -> Option<Action> {
            let certain = self.unmarked
                && process.orphan
                && !is_marked(environment)
                && (self.looks || descendants::none_live());
            certain.then_some(Action::Kill)
        }
    }

    /// The kernel reparents orphans to the main thread, so only the children of that thread are read; those
    /// that spawner threads started are not among them.
    fn children() -> Vec<Pid> {
        let us = getpid().as_raw_pid();
        let read = || {
            fs::read_to_string(format!("/proc/self/task/{us}/children"))
                .unwrap_or_else(|_| children_the_long_way(us))
        };
        let mut list = read();
        // The list may lack an entry if other children are reaped while it is read. An empty list is exact.
        for _ in 0..8 {
            if list.is_empty() {
                break;
            }
            let before = std::mem::replace(&mut list, read());
            if before == list {
                break;
            }
        }
        let numbers = list.split_ascii_whitespace();
        numbers
            .filter_map(|number| Pid::from_raw(number.parse().ok()?))
            .collect()
    }

    /// For kernels without `/proc/<pid>/task/<tid>/children`.
    fn children_the_long_way(us: i32) -> String {
        let mut list = String::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| name.parse::<i32>().is_ok()) else {
                continue;
            };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let parent = fields(&stat).nth(1);
            if parent.and_then(|parent| parent.parse().ok()) == Some(us) {
                list.push_str(name);
                list.push(' ');
            }
        }
        list
    }

    /// Both are 0 if the leaders are outside our PID namespace, which is frequent in containers. `getsid` also
    /// returns 0 then, which `rustix` cannot represent as a `Pid`.
    struct Us {
        group: i32,
        session: i32,
    }

    impl Us {
        fn new() -> Self {
            Self::read(&fs::read_to_string("/proc/self/stat").unwrap_or_default())
        }

        fn read(stat: &str) -> Self {
            let number = |at| fields(stat).nth(at).and_then(|field| field.parse().ok());
            Self {
                group: number(2).unwrap_or_default(),
                session: number(3).unwrap_or_default(),
            }
        }
    }

    /// A child of this process that is not a registered `Child`.
    struct Unregistered {
        state: State,
        /// Whether it is certain that no code in this process started it.
        orphan: bool,
    }

    enum State {
        Running,
        /// Running without any environment.
        Bare,
        /// In `execve`: the environment is unavailable for a moment.
        Changing,
        /// Exiting.
        Dying,
        /// A zombie.
        Dead,
    }

    impl Unregistered {
        /// `None` if the process is gone.
        fn read(pid: Pid, us: &Us) -> Option<Self> {
            /// `PF_EXITING`: the process runs no more code of its own.
            const EXITING: u32 = 4;
            let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
            // Numbered as in proc(5); the pid and the name are cut off.
            let fields: Vec<&str> = fields(&stat).collect();
            let field = |number: usize| fields.get(number - 3).copied();
            let (state, group, session) = (field(3)?, field(5)?, field(6)?);
            let (flags, environment) = (field(9)?, (field(50), field(51)));
            let (group, session): (i32, i32) = (group.parse().ok()?, session.parse().ok()?);
            let like_a_child = group == us.group || group == pid.as_raw_pid();
            let orphan = session != us.session || !like_a_child;
            let state = match state {
                "Z" | "X" => State::Dead,
                _ if flags.parse::<u32>().ok()? & EXITING != 0 => State::Dying,
                _ if environment.1 == Some("0") => State::Changing,
                _ if environment.0 == environment.1 => State::Bare,
                _ => State::Running,
            };
            Some(Self { state, orphan })
        }
    }

    /// The fields after the name, which may contain any character: state, parent, group, session …
    fn fields(stat: &str) -> impl Iterator<Item = &str> {
        let rest = stat.rfind(')').map_or("", |end| &stat[end + 1..]);
        rest.split_ascii_whitespace()
    }

    /// The initial environment. `None` if the process is exiting or in `execve`.
    fn environment(pid: Pid) -> Option<Vec<u8>> {
        let entries = fs::read(format!("/proc/{}/environ", pid.as_raw_pid()));
        entries.ok().filter(|entries| !entries.is_empty())
    }

    /// Whether the process has this mark, or a longer mark that continues it with a dot: a marked program gives
    /// those to the programs that it starts.
    fn has(environment: &[u8], mark: &[u8]) -> bool {
        let is_empty = mark.last() == Some(&b'=');
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| match variable.strip_prefix(mark) {
            Some([]) | Some([b'.', ..]) => !is_empty,
            _ => false,
        })
    }

    fn is_marked(environment: &[u8]) -> bool {
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| {
            let value = variable.strip_prefix(MARKER.as_bytes());
            value.is_some_and(|value| value.first() == Some(&b'='))
        })
    }
}
