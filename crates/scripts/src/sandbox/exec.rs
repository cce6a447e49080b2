//! The trampoline: a process that gives up rights and becomes a tool.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

use super::needs::Variables;
use super::profile::Profile;
use super::{confine, powers, seccomp};

/// What the trampoline exits with if it did not become the tool.
pub const REFUSED: u8 = 126;

/// Runs `PROFILE -- WORDS`, the words after `__exec`, in the environment of this process, which `env` looks
/// up. Returns only if that failed; then the reason was said on stderr, and nothing was run.
///
/// To be called before anything else: whatever is open or allocated by then costs every call, and
/// threads would keep their rights.
pub fn exec(words: impl IntoIterator<Item = OsString>, env: Variables<'_>) -> ExitCode {
    let Err(reason) = attempt(words.into_iter(), env);
    // If stderr is closed, the exit code still tells the failure.
    let _ = writeln!(io::stderr(), "linkspan: not run: {reason}");
    ExitCode::from(REFUSED)
}

/// Why the trampoline did not become the tool.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRun {
    #[error("no profile is given")]
    NoProfile,
    #[error("the profile is unreadable: {0}")]
    Profile(serde_json::Error),
    #[error("`--` is expected after the profile")]
    NoDashes,
    #[error("no program is given")]
    NoProgram,
    #[cfg(target_os = "linux")]
    #[error("the end of the server would not be noticed: {0}")]
    DeathSignal(io::Error),
    #[cfg(target_os = "linux")]
    #[error("the server that wanted it has ended")]
    ServerEnded,
    #[error("privileges cannot be given up: {0}")]
    Privileges(io::Error),
    #[error("root's powers stay: {0}")]
    Powers(io::Error),
    #[error("the sandbox cannot be set up: {0}")]
    Sandbox(io::Error),
    #[error("system calls cannot be refused: {0}")]
    SystemCalls(io::Error),
    #[error("a limit cannot be set: {0}")]
    Limit(io::Error),
    #[error("{}: {why}", program.display())]
    Exec { program: OsString, why: io::Error },
}

/// Returns only if that failed.
pub(super) fn attempt(
    mut words: impl Iterator<Item = OsString>,
    env: Variables<'_>,
) -> Result<Infallible, NotRun> {
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
        match powers::give_up() {
            Err(e) if !reach.optional => return Err(NotRun::Powers(e)),
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
    match parent == Some(server) {
        true => Ok(()),
        false => Err(NotRun::ServerEnded),
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

/// Why we are still here. Signals that Rust programs ignore do what they do by default again.
#[cfg(unix)]
fn become_it(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt;
    // The same as `linkspan_spawn` does where there is no trampoline.
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
