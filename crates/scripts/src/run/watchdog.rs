//! Cleans up if this process is killed: a process that detects its end, ends its programs and removes its
//! folder. It costs nothing per call; a parent death signal would need a process between us and each program.

use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use linkspan_spawn::{Child, Command, Spawner};

/// The watchdog waits as a shell, which has 0.1 MB of private memory where this program has most of one, and
/// executes this program when there is something to do.
const WAIT: &str = r#"while read -r line; do :; done; exec "$@""#;

/// The descriptor of the program, opened in advance because the file may be replaced.
const OPEN: i32 = 3;
const OPEN_PATH: &str = "/proc/self/fd/3";

/// Held until this process ends; then the system closes the pipe.
pub(super) struct Watchdog {
    _child: Child,
    _held: io::PipeWriter,
}

impl Watchdog {
    /// Starts a watchdog for programs whose marks begin with `beginning`.
    pub(super) async fn start(
        spawner: &Spawner,
        exe: &Path,
        beginning: &str,
        folder: &Path,
    ) -> io::Result<Self> {
        let words = ["__watch".as_ref(), beginning.as_ref(), folder.as_os_str()];
        let shell = Path::new("/bin/sh");
        let (program, first, open) = match File::open(exe) {
            Ok(open) if cfg!(target_os = "linux") && shell.exists() => {
                let first = ["sh", "-c", WAIT, "linkspan-watchdog", OPEN_PATH];
                (shell, first.map(OsStr::new).to_vec(), Some(open))
            }
            _ => (exe, vec![exe.as_os_str()], None),
        };
        let (theirs, held) = io::pipe()?;
        let nowhere = || OpenOptions::new().write(true).open("/dev/null");
        let mut fds = vec![
            (theirs.into(), 0),
            (nowhere()?.into(), 1),
            (nowhere()?.into(), 2),
        ];
        fds.extend(open.map(|open| (open.into(), OPEN)));
        let command = Command {
            program: program.to_owned(),
            args: first.into_iter().chain(words).map(OsString::from).collect(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            fds,
        };
        Ok(Self {
            _child: spawner.spawn(command, false).await?,
            _held: held,
        })
    }
}

/// Why [`watch`] did not clean up.
#[derive(Debug, thiserror::Error)]
pub enum NotWatched {
    /// The command line is not `BEGINNING FOLDER`.
    #[error("`__watch` takes the beginning of a mark and a folder")]
    Usage,
}

/// `linkspan __watch BEGINNING FOLDER`: waits for the end of stdin, then cleans up.
pub fn watch(words: &[OsString]) -> Result<(), NotWatched> {
    let [beginning, folder] = words else {
        return Err(NotWatched::Usage);
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
    Ok(())
}
