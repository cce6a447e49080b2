//! The trampoline: a process that drops privileges and executes the tool.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::process::Command;

use super::needs::Variables;
use super::profile::Profile;
use super::{capabilities, confine, seccomp};

/// Why the trampoline did not become the tool.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// The command line has no profile.
    #[error("no profile is given")]
    NoProfile,
    /// The profile is not valid.
    #[error("the profile is unreadable: {0}")]
    Profile(serde_json::Error),
    /// The word after the profile is not `--`.
    #[error("`--` is expected after the profile")]
    NoDashes,
    /// The command line ends after `--`.
    #[error("no program is given")]
    NoProgram,
    /// The kernel refused to send a signal when the server ends.
    #[cfg(target_os = "linux")]
    #[error("the parent death signal cannot be set: {0}")]
    DeathSignal(io::Error),
    /// This process has another parent than the server that started it.
    #[cfg(target_os = "linux")]
    #[error("the server that started this call has ended")]
    ServerEnded,
    /// `PR_SET_NO_NEW_PRIVS` failed.
    #[error("privileges cannot be given up: {0}")]
    Privileges(io::Error),
    /// The capabilities of root cannot be dropped.
    #[error("root's capabilities cannot be dropped: {0}")]
    Capabilities(io::Error),
    /// The Landlock ruleset cannot be applied.
    #[error("the sandbox cannot be set up: {0}")]
    Sandbox(io::Error),
    /// The seccomp filter cannot be installed.
    #[error("the system call filter cannot be installed: {0}")]
    SystemCalls(io::Error),
    /// `setrlimit` failed.
    #[error("a limit cannot be set: {0}")]
    Limit(io::Error),
    /// The program cannot be executed.
    #[error("{}: {why}", program.display())]
    Exec {
        /// The program of the profile.
        program: OsString,
        /// The error of `execve`.
        why: io::Error,
    },
}

/// Runs `PROFILE -- WORDS`, the words after `__exec`, in the environment of this process, which `env` looks
/// up. Returns only on failure, with nothing run.
///
/// Call it before anything else: each open file and allocation delays every call, and other threads would
/// keep their privileges.
pub fn exec(
    words: impl IntoIterator<Item = OsString>,
    env: Variables<'_>,
) -> Result<Infallible, NotRun> {
    let mut words = words.into_iter();
    let profile = words.next().ok_or(NotRun::NoProfile)?;
    let profile: Profile =
        serde_json::from_slice(profile.as_encoded_bytes()).map_err(NotRun::Profile)?;
    if words.next().is_none_or(|word| word != "--") {
        return Err(NotRun::NoDashes);
    }
    let name = words.next().ok_or(NotRun::NoProgram)?;
    let program = profile.program.clone().map_or(name.clone(), OsString::from);
    let mut command = Command::new(&program);
    command.args(words);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, name);
    apply(&profile, &program, env, &mut command)?;
    let why = become_it(command);
    Err(NotRun::Exec { program, why })
}

fn apply(
    profile: &Profile,
    program: &OsString,
    env: Variables<'_>,
    command: &mut Command,
) -> Result<(), NotRun> {
    stay_with_the_server(profile.server)?;
    if profile.no_new_privs {
        give_up_privileges().map_err(NotRun::Privileges)?;
    }
    if let Some(reach) = &profile.reach {
        match capabilities::give_up() {
            Err(e) if !reach.optional => return Err(NotRun::Capabilities(e)),
            _ => {}
        }
        confine::confine(reach, program, env, confine::support()).map_err(NotRun::Sandbox)?;
        match seccomp::forbid(reach) {
            Err(e) if !reach.optional => return Err(NotRun::SystemCalls(e)),
            _ => {}
        }
        if let Some(tmp) = &reach.tmp {
            command.env("TMPDIR", tmp);
        }
    }
    profile.limits.apply().map_err(NotRun::Limit)
}

/// Asks the kernel to kill this process when the server ends, however it ends. If the server ended before the
/// call, this process has another parent.
#[cfg(target_os = "linux")]
fn stay_with_the_server(server: u32) -> Result<(), NotRun> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| NotRun::DeathSignal(e.into()))?;
    let parent = getppid().map(|pid| pid.as_raw_pid().unsigned_abs());
    if parent == Some(server) {
        Ok(())
    } else {
        Err(NotRun::ServerEnded)
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_with_the_server(_server: u32) -> Result<(), NotRun> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn give_up_privileges() -> io::Result<()> {
    Ok(rustix::thread::set_no_new_privs(true)?)
}

#[cfg(not(target_os = "linux"))]
fn give_up_privileges() -> io::Result<()> {
    Ok(())
}

/// Executes the tool; returns only the error. Restores the default of signals that Rust programs ignore.
#[cfg(unix)]
fn become_it(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    // The same retries as in `linkspan_spawn`.
    for pause in linkspan_spawn::BUSY_RETRIES {
        let error = command.exec();
        if error.kind() != io::ErrorKind::ExecutableFileBusy {
            return error;
        }
        std::thread::sleep(pause);
    }
    command.exec()
}

#[cfg(not(unix))]
fn become_it(_command: Command) -> io::Error {
    io::ErrorKind::Unsupported.into()
}
