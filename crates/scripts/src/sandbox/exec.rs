//! The trampoline: a process that gives up rights and becomes a tool.

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
    let reason = attempt(words.into_iter(), env);
    // If stderr is closed, the exit code still tells the failure.
    let _ = writeln!(io::stderr(), "linkspan: not run: {reason}");
    ExitCode::from(REFUSED)
}

pub(super) fn attempt(mut words: impl Iterator<Item = OsString>, env: Variables<'_>) -> String {
    let Some(profile) = words.next() else {
        return "no profile is given".into();
    };
    let profile: Profile = match serde_json::from_slice(profile.as_encoded_bytes()) {
        Ok(profile) => profile,
        Err(error) => return format!("the profile is unreadable: {error}"),
    };
    if words.next().is_none_or(|word| word != "--") {
        return "`--` is expected after the profile".into();
    }
    let Some(name) = words.next() else {
        return "no program is given".into();
    };
    let program = profile.program.clone().map_or(name.clone(), OsString::from);
    let mut command = Command::new(&program);
    command.args(words);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, name);
    match apply(&profile, &program, env, &mut command) {
        Ok(()) => format!("{}: {}", program.display(), become_it(command)),
        Err(reason) => reason,
    }
}

fn apply(
    profile: &Profile,
    program: &OsString,
    env: Variables<'_>,
    command: &mut Command,
) -> Result<(), String> {
    stay_with_the_server(profile.server)?;
    if profile.no_new_privs {
        give_up_privileges().map_err(|e| format!("privileges cannot be given up: {e}"))?;
    }
    if let Some(reach) = &profile.reach {
        match powers::give_up() {
            Err(e) if !reach.optional => return Err(format!("root's powers stay: {e}")),
            _ => {}
        }
        confine::confine(reach, program, env, confine::support())
            .map_err(|e| format!("the sandbox cannot be set up: {e}"))?;
        match seccomp::forbid(reach) {
            Err(e) if !reach.optional => {
                return Err(format!("system calls cannot be refused: {e}"));
            }
            _ => {}
        }
        if let Some(tmp) = &reach.tmp {
            command.env("TMPDIR", tmp);
        }
    }
    let limits = profile.limits.apply();
    limits.map_err(|e| format!("a limit cannot be set: {e}"))
}

/// Asks the kernel to kill this process when the server ends, however it ends. If the server ended before the
/// call, this process has another parent.
#[cfg(target_os = "linux")]
fn stay_with_the_server(server: u32) -> Result<(), String> {
    use rustix::process::{Signal, getppid, set_parent_process_death_signal};

    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|e| format!("the end of the server would not be noticed: {e}"))?;
    let parent = getppid().map(|pid| pid.as_raw_pid().unsigned_abs());
    match parent == Some(server) {
        true => Ok(()),
        false => Err("the server that wanted it has ended".into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn stay_with_the_server(_server: u32) -> Result<(), String> {
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
