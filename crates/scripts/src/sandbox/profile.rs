//! The restrictions that are applied to a program before it begins.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::limits::Limits;
use crate::folder::RunSettings;

/// The parameters of the trampoline, passed as an argument, so there is no file to clean up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The pid of the server: the tool ends with it.
    pub(super) server: u32,
    /// The file to execute; the first word is its `argv[0]`.
    pub(super) program: Option<PathBuf>,
    pub(super) no_new_privs: bool,
    pub(super) limits: Limits,
    pub(super) reach: Option<Reach>,
}

/// The grants of level 2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reach {
    /// The served folder, to read and execute.
    pub(super) folder: PathBuf,
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    /// The client's roots, to read and write. Missing ones are left out.
    pub(super) roots: Vec<PathBuf>,
    /// A private folder for temporary files.
    pub(super) tmp: Option<PathBuf>,
    pub(super) net: Option<Vec<u16>>,
    pub(super) optional: bool,
    /// The descriptor of the socket to the server, which decides about file metadata.
    pub(super) decider: Option<i32>,
}

impl Reach {
    /// Whether a path lies in a writable one, so that it needs no grant. It must not get one: the program could
    /// replace it by a link to another place, for the next call.
    pub(super) fn is_contained(&self, path: &Path) -> bool {
        let mut written = self.write.iter().chain(&self.roots);
        written.any(|other| other != path && path.starts_with(other))
    }
}

impl Profile {
    /// `None` if the server has applied all restrictions already. `roots` are the client's roots, used only if
    /// the settings allow it; `folder` is the served folder.
    pub fn for_run(run: &RunSettings, roots: &[PathBuf], folder: &Path) -> Option<Self> {
        let sandbox = &run.sandbox;
        let confined = sandbox.level >= 2;
        if !confined && !run.limits.is_any() {
            return None;
        }
        let absolute = |paths: &[PathBuf]| {
            let paths = paths.iter().map(|path| lexical(&folder.join(path)));
            paths.collect()
        };
        Some(Self {
            server: std::process::id(),
            program: None,
            no_new_privs: sandbox.level >= 1,
            limits: Limits::from(&run.limits),
            reach: confined.then(|| Reach {
                folder: folder.to_owned(),
                read: absolute(&sandbox.read),
                write: absolute(&sandbox.write),
                roots: if sandbox.roots {
                    absolute(roots)
                } else {
                    Vec::new()
                },
                tmp: None,
                net: sandbox.net.clone(),
                optional: sandbox.optional,
                decider: None,
            }),
        })
    }

    /// Sets the file to execute, whatever the first word would resolve to.
    pub fn set_program(&mut self, program: PathBuf) {
        self.program = Some(program);
    }

    /// Whether the program cannot write to the shared folder for temporary files and needs one of its own.
    pub fn needs_tmp(&self) -> bool {
        self.reach.as_ref().is_some_and(|reach| reach.tmp.is_none())
    }

    /// Sets the folder for temporary files, which becomes `TMPDIR`. The caller removes it after the program's
    /// end.
    pub fn set_tmp(&mut self, tmp: &Path) {
        if let Some(reach) = &mut self.reach {
            reach.tmp = Some(tmp.to_owned());
        }
    }

    /// The writable paths, if writing is confined.
    pub fn written(&self) -> Option<Vec<PathBuf>> {
        let reach = self.reach.as_ref()?;
        let all = reach.write.iter().chain(&reach.roots).chain(&reach.tmp);
        let all = all.filter(|path| !reach.is_contained(path));
        Some(all.cloned().collect())
    }

    /// The descriptor of the socket to the server, which decides about file metadata; see `metadata.rs`.
    pub fn set_decider(&mut self, number: i32) {
        if let Some(reach) = &mut self.reach {
            reach.decider = Some(number);
        }
    }

    /// The command line that runs `words` under the profile; `exe` is this program.
    pub fn wrap(&self, exe: &Path, words: Vec<OsString>) -> io::Result<Vec<OsString>> {
        let profile = serde_json::to_string(self).map_err(io::Error::other)?;
        let mut all = Vec::with_capacity(words.len() + 4);
        all.extend([exe.into(), "__exec".into(), profile.into(), "--".into()]);
        all.extend(words);
        Ok(all)
    }
}

/// Removes `.` and `..` lexically, without resolving links.
pub fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::LimitSettings;

    fn settings(level: u8) -> RunSettings {
        let mut run = RunSettings::default();
        run.sandbox.level = level;
        run
    }

    fn profile(run: &RunSettings) -> Option<Profile> {
        Profile::for_run(run, &["/root-of-client".into()], Path::new("/srv"))
    }

    #[test]
    fn a_tool_without_limits_needs_no_trampoline() {
        assert_eq!(profile(&settings(0)), None);
        assert_eq!(profile(&settings(1)), None);
    }

    #[test]
    fn limits_hold_at_every_level() {
        for level in [0, 1, 2] {
            let mut run = settings(level);
            run.limits = LimitSettings {
                files: Some(20),
                ..LimitSettings::default()
            };
            let profile = profile(&run).unwrap();
            assert_eq!(profile.limits.files, Some(20));
            assert_eq!(profile.no_new_privs, level > 0);
            assert_eq!(profile.reach.is_some(), level == 2);
        }
    }

    #[test]
    fn client_roots_are_granted_only_if_configured() {
        let mut run = settings(2);
        let reach = |run: &RunSettings| profile(run).unwrap().reach.unwrap();
        assert!(reach(&run).roots.is_empty());
        run.sandbox.roots = true;
        run.sandbox.read = vec!["data".into(), "/abs".into()];
        assert_eq!(reach(&run).roots, [Path::new("/root-of-client")]);
        assert_eq!(
            reach(&run).read,
            [Path::new("/srv/data"), Path::new("/abs")]
        );
    }

    #[test]
    fn paths_inside_writable_folders_need_no_grant() {
        let mut run = settings(2);
        let write = ["data", "data/cache", "data/../other"];
        run.sandbox.write = write.map(PathBuf::from).into();
        let written = profile(&run).unwrap().written().unwrap();
        assert_eq!(written, [Path::new("/srv/data"), Path::new("/srv/other")]);
    }

    #[test]
    fn a_profile_round_trips() {
        let mut run = settings(2);
        run.sandbox.net = Some(vec![443]);
        run.limits.cpu = Some(2);
        let mut sent = profile(&run).unwrap();
        assert!(sent.needs_tmp());
        sent.set_tmp(Path::new("/tmp/own"));
        assert!(!sent.needs_tmp());
        let words = vec!["tool".into(), "--".into(), "-x".into()];
        let words = sent.wrap(Path::new("/bin/linkspan"), words).unwrap();
        let text = words[2].to_str().unwrap();
        assert_eq!(serde_json::from_str::<Profile>(text).unwrap(), sent);
        let rest: Vec<_> = words.iter().enumerate().filter(|(n, _)| *n != 2).collect();
        let rest: Vec<&str> = rest
            .iter()
            .map(|(_, word)| word.to_str().unwrap())
            .collect();
        assert_eq!(rest, ["/bin/linkspan", "__exec", "--", "tool", "--", "-x"]);
    }
}
