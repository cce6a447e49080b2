//! What is left to do if we are killed: a process of ours that notices, ends our programs and removes our
//! folder. It costs nothing per call, as a signal on the parent's death would: that needs a program in
//! between.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use linkspan_spawn::{Child, Command, Spawner};
use rustix::pipe::{PipeFlags, pipe_with};

/// Held as long as we live. The system closes it when we do not.
pub(super) struct Watchdog {
    _child: Child,
    _held: OwnedFd,
}

impl Watchdog {
    /// Starts one for programs whose marks begin like this.
    pub(super) async fn start(
        spawner: &Spawner,
        exe: &Path,
        beginning: &str,
        folder: &Path,
    ) -> io::Result<Self> {
        let (theirs, held) = pipe_with(PipeFlags::CLOEXEC)?;
        let nowhere = || std::fs::OpenOptions::new().write(true).open("/dev/null");
        let words = [
            exe.as_os_str().to_owned(),
            "__watch".into(),
            beginning.into(),
            folder.as_os_str().to_owned(),
        ];
        let command = Command {
            program: exe.to_owned(),
            args: words.to_vec(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            fds: vec![(theirs, 0), (nowhere()?.into(), 1), (nowhere()?.into(), 2)],
        };
        Ok(Self {
            _child: spawner.spawn(command, false).await?,
            _held: held,
        })
    }
}

/// `linkspan __watch BEGINNING FOLDER`: waits for the end of its input.
pub fn watch(words: &[OsString]) -> ExitCode {
    let [beginning, folder] = words else {
        return ExitCode::from(2);
    };
    let _ = io::stdin().read_to_end(&mut Vec::new());
    if let Some(beginning) = beginning.to_str().filter(|b| b.len() >= 16) {
        linkspan_spawn::end_marked(beginning);
    }
    let folder = Path::new(folder);
    let is_ours = folder.file_name().and_then(|name| name.to_str());
    if is_ours.is_some_and(|name| name.starts_with("linkspan-")) {
        let _ = std::fs::remove_dir_all(folder);
    }
    ExitCode::SUCCESS
}
