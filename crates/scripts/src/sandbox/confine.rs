//! Level 2: Landlock.
//!
//! It restricts reading, executing, writing, creating, renaming and removing files; connecting to and listening
//! on TCP ports if `net` is given; and, since Linux 6.12, signals and abstract sockets to processes outside.
//! Reading and executing are one grant, because a readable program can be executed through an interpreter.
//!
//! It does not restrict UDP (so names can be resolved) and sockets in the file system. For calls that Landlock
//! ignores see `seccomp.rs`.

use std::ffi::OsStr;
use std::io;

use super::needs::Variables;
use super::profile::Reach;

/// The features that the system can enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Support {
    /// Which files are read and written (Linux 6.2).
    pub files: bool,
    /// Which TCP ports are connected to (Linux 6.7).
    pub ports: bool,
    /// Signals and abstract sockets are confined (Linux 6.12). Used where available.
    pub scopes: bool,
}

/// The features that this system can enforce.
pub fn support() -> Support {
    #[cfg(target_os = "linux")]
    return landlock::support();
    #[cfg(not(target_os = "linux"))]
    Support {
        files: false,
        ports: false,
        scopes: false,
    }
}

/// Restricts this process and its descendants to the grants. `program` is the program to execute, `env` its
/// environment. If something cannot be enforced, nothing is restricted, unless the profile is optional.
pub(super) fn confine(
    reach: &Reach,
    program: &OsStr,
    env: Variables<'_>,
    can: Support,
) -> io::Result<()> {
    if !reach.optional {
        let lacks = match () {
            () if !can.files => "cannot confine a program to files (Linux 6.2 can, with Landlock)",
            () if reach.net.is_some() && !can.ports => {
                "cannot confine a program to TCP ports (Linux 6.7 can, with Landlock)"
            }
            () => "",
        };
        if !lacks.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("this system {lacks}; `optional: true` runs it even so"),
            ));
        }
    }
    #[cfg(target_os = "linux")]
    return landlock::confine(reach, program, env);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (program, env);
        Ok(())
    }
}

#[cfg(target_os = "linux")]
mod landlock {
    use std::ffi::OsStr;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use ::landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
        Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
        Scope, make_bitflags,
    };
    use rustix::fs::{FileType, fstat};

    use super::Support;
    use crate::sandbox::grant;
    use crate::sandbox::needs::{self, Variables};
    use crate::sandbox::profile::Reach;

    /// Includes truncation, without which every file could be emptied.
    const FILES: ABI = ABI::V3;

    pub(super) fn support() -> Support {
        let can = |ask: fn(Ruleset) -> Result<Ruleset, RulesetError>| {
            ask(Ruleset::default().set_compatibility(CompatLevel::HardRequirement)).is_ok()
        };
        Support {
            files: can(|ask| ask.handle_access(AccessFs::from_all(FILES))),
            ports: can(|ask| ask.handle_access(AccessNet::ConnectTcp)),
            scopes: can(|ask| ask.scope(Scope::from_all(ABI::V6))),
        }
    }

    pub(super) fn confine(reach: &Reach, program: &OsStr, env: Variables<'_>) -> io::Result<()> {
        let mut asked = Ruleset::default()
            .handle_access(AccessFs::from_all(FILES) | AccessFs::IoctlDev)
            .map_err(said)?
            .scope(Scope::from_all(ABI::V6))
            .map_err(said)?;
        if reach.net.is_some() {
            // Listening is never granted: an open port would let other processes read data out of the sandbox.
            let both = AccessNet::ConnectTcp | AccessNet::BindTcp;
            asked = asked.handle_access(both).map_err(said)?;
        }
        let mut grants = Grants(asked.create().map_err(said)?);
        let folder = &*reach.folder;
        let follow = |path: &str| grant::follow(path.as_ref());
        for path in needs::SYSTEM {
            grants.perhaps(follow(path), reading())?;
        }
        for path in needs::DEVICES {
            grants.perhaps(follow(path), device())?;
        }
        for path in needs::interpreters(program, env) {
            grants.perhaps(grant::open(&path, folder), reading())?;
        }
        for path in needs::told_to_read(env) {
            grants.perhaps(grant::follow(&path), reading())?;
        }
        for path in needs::told_to_write(env) {
            grants.perhaps(grant::follow(&path), writing())?;
        }
        let opened = grant::follow(folder);
        grants.declared(folder, opened, reading(), "the served folder")?;
        let own = |path: &&PathBuf| !reach.is_contained(path);
        for path in reach.read.iter().filter(own) {
            let opened = grant::open(path, folder);
            grants.declared(path, opened, reading(), "under `read`")?;
        }
        for path in reach.write.iter().filter(own) {
            let opened = grant::make(path, folder);
            grants.declared(path, opened, writing(), "under `write`")?;
        }
        for path in reach.roots.iter().filter(own) {
            grants.perhaps(grant::open(path, folder), writing())?;
        }
        if let Some(tmp) = &reach.tmp {
            grants.declared(
                tmp,
                grant::follow(tmp),
                writing(),
                "the folder for temporary files",
            )?;
        }
        for port in reach.net.iter().flatten() {
            grants.port(*port)?;
        }
        let done = grants.0.restrict_self().map_err(said)?;
        if done.ruleset == RulesetStatus::NotEnforced && !reach.optional {
            return Err(io::Error::other("the kernel does not enforce it"));
        }
        Ok(())
    }

    fn reading() -> BitFlags<AccessFs> {
        AccessFs::from_read(FILES)
    }

    /// Everything but devices.
    fn writing() -> BitFlags<AccessFs> {
        AccessFs::from_all(FILES) & !make_bitflags!(AccessFs::{MakeChar | MakeBlock})
    }

    fn device() -> BitFlags<AccessFs> {
        make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev})
    }

    /// The grants so far.
    struct Grants(RulesetCreated);

    impl Grants {
        /// Grants a path that may be missing.
        fn perhaps(
            &mut self,
            opened: io::Result<OwnedFd>,
            access: BitFlags<AccessFs>,
        ) -> io::Result<()> {
            match opened {
                Ok(file) => self.add(file, access),
                Err(_) => Ok(()),
            }
        }

        /// Grants a path that the author declared. A missing one is an error: without the grant the tool would
        /// fail for no visible reason.
        fn declared(
            &mut self,
            path: &Path,
            opened: io::Result<OwnedFd>,
            access: BitFlags<AccessFs>,
            place: &str,
        ) -> io::Result<()> {
            let file = opened.map_err(|e| {
                let path = path.display();
                io::Error::new(e.kind(), format!("{path} ({place}): {e}"))
            })?;
            self.add(file, access)
        }

        fn add(&mut self, file: OwnedFd, access: BitFlags<AccessFs>) -> io::Result<()> {
            let stat = fstat(&file)?;
            let folder = FileType::from_raw_mode(stat.st_mode).is_dir();
            // The kernel refuses folder rights on a file.
            let of_files = AccessFs::from_file(ABI::V5);
            let access = if folder { access } else { access & of_files };
            (&mut self.0)
                .add_rule(PathBeneath::new(file, access))
                .map(drop)
                .map_err(said)
        }

        fn port(&mut self, port: u16) -> io::Result<()> {
            (&mut self.0)
                .add_rule(NetPort::new(port, AccessNet::ConnectTcp))
                .map(drop)
                .map_err(said)
        }
    }

    fn said(error: RulesetError) -> io::Error {
        io::Error::other(error)
    }
}
