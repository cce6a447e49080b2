//! Resource limits of a program.

use std::io;

use serde::{Deserialize, Serialize};

use crate::folder::LimitSettings;

/// `LimitSettings` in the profile of the trampoline.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cpu: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) memory: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) files: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file_size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) processes: Option<u64>,
}

impl From<&LimitSettings> for Limits {
    fn from(settings: &LimitSettings) -> Self {
        Self {
            cpu: settings.cpu,
            memory: settings.memory,
            files: settings.files,
            file_size: settings.file_size,
            processes: settings.processes,
        }
    }
}

impl Limits {
    /// Applies the limits to this process. Last step before the execution, because the trampoline needs files
    /// and memory itself.
    #[cfg(unix)]
    pub(super) fn apply(&self) -> io::Result<()> {
        use rustix::process::Resource;

        let limits = [
            (Resource::Cpu, self.cpu),
            (Resource::As, self.memory),
            (Resource::Nofile, self.files),
            (Resource::Fsize, self.file_size),
            (Resource::Nproc, self.processes),
            // A core dump may contain the arguments, and would be left in the folder.
            (Resource::Core, Some(0)),
        ];
        for (resource, limit) in limits {
            if let Some(limit) = limit {
                set(resource, limit)?;
            }
        }
        Ok(())
    }

    #[cfg(not(unix))]
    pub(super) fn apply(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Sets a limit, but never above that of this process.
#[cfg(unix)]
fn set(resource: rustix::process::Resource, limit: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let most = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    // The program gets SIGXCPU at the first limit and is killed at the second.
    let last = match resource {
        Resource::Cpu => limit.saturating_add(1),
        _ => limit,
    };
    let number = |limit: u64| (limit != u64::MAX).then_some(limit);
    setrlimit(
        resource,
        Rlimit {
            current: number(limit.min(most)),
            maximum: number(last.min(most)),
        },
    )?;
    Ok(())
}
