//! A folder of scripts for one test, and checks for leftovers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use linkspan_testkit::LATEST;
use linkspan_testkit::{Bridge, Launch, wait_until};

use crate::served::Served;
use crate::web::Web;

/// A temporary folder, with the folders that the server uses beside it.
pub struct Folder {
    place: PathBuf,
    root: PathBuf,
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("serve-{}-{number}", std::process::id());
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&place).expect("a folder can be made");
        let place = fs::canonicalize(place).expect("it is there");
        let folder = Self {
            root: place.join("folder"),
            place,
        };
        for part in ["folder", "folder/tools", "tmp", "cache", "home"] {
            folder.make(&folder.place.join(part));
        }
        folder
    }

    /// A folder with one tool, `tools/NAME.sh`.
    pub fn with(name: &str, body: &str) -> Self {
        let folder = Self::new();
        folder.sh(name, body);
        folder
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A path beside the folder.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// Writes a file and creates its folder.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        self.put(&self.path(name), text.as_ref(), 0o644)
    }

    /// Writes an executable file.
    pub fn script(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        self.put(&self.path(name), text.as_ref(), 0o755)
    }

    /// Writes the tool `tools/NAME.sh`.
    pub fn sh(&self, name: &str, body: &str) -> &Self {
        self.script(&format!("tools/{name}.sh"), format!("#!/bin/sh\n{body}\n"))
    }

    /// Writes the tool `tools/NAME.sh` with metadata (YAML) beside it.
    pub fn sh_with(&self, name: &str, meta: &str, body: &str) -> &Self {
        self.write(&format!("tools/{name}.meta.yaml"), meta);
        self.sh(name, body)
    }

    fn put(&self, path: &Path, bytes: &[u8], mode: u32) -> &Self {
        let parent = path.parent().expect("a file is in a folder");
        let missing: Vec<_> = parent.ancestors().take_while(|f| !f.exists()).collect();
        for folder in missing.into_iter().rev() {
            self.make(folder);
        }
        // Renamed into place, as editors do: no reader sees a partial file, and no process has it open.
        let new = self.place.join("new");
        fs::write(&new, bytes).expect("a file can be written");
        fs::set_permissions(&new, fs::Permissions::from_mode(mode)).expect("it is ours");
        fs::rename(&new, path).expect("it can be put there");
        self
    }

    fn make(&self, folder: &Path) {
        fs::create_dir_all(folder).expect("a folder can be made");
        // Independent of the umask.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    /// `linkspan serve` of the folder, with private folders for its other files.
    pub fn launch(&self, flags: &[&str]) -> Launch {
        let launch = Bridge::launch(env!("CARGO_BIN_EXE_linkspan"));
        self.set(launch.arg("serve").args(flags).arg(&self.root))
    }

    /// As [`Folder::launch`], started by a shell after `shell` has run in it.
    pub fn launch_after(&self, shell: &str) -> Launch {
        let script = format!("{shell}\nexec \"$@\"");
        let launch = Bridge::launch("sh")
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_linkspan"), "serve"])
            .arg(&self.root);
        self.set(launch)
    }

    fn set(&self, launch: Launch) -> Launch {
        let place = |name: &str| self.place.join(name).display().to_string();
        launch
            .env("TMPDIR", &place("tmp"))
            .env("XDG_RUNTIME_DIR", &place("tmp"))
            .env("XDG_CACHE_HOME", &place("cache"))
            .env("HOME", &place("home"))
    }

    /// A server on stdin and stdout, after the handshake.
    pub fn serve(&self) -> Served<'_> {
        self.serve_with(&[])
    }

    /// As [`Folder::serve`], with flags.
    pub fn serve_with(&self, flags: &[&str]) -> Served<'_> {
        let served = Served::new(self, self.launch(flags).start());
        served.initialize(LATEST);
        served
    }

    /// A server on stdin and stdout, before the handshake.
    pub fn untouched(&self) -> Served<'_> {
        Served::new(self, self.launch(&[]).start())
    }

    /// A server over HTTP.
    pub fn web(&self) -> Web<'_> {
        Web::start(self, &[])
    }

    /// Waits until a file exists and is not empty; returns its text.
    #[track_caller]
    pub fn wait_for(&self, name: &str) -> String {
        let path = self.path(name);
        wait_until(&format!("{name}, written by a tool"), || {
            fs::read_to_string(&path)
                .ok()
                .filter(|text| text.ends_with('\n'))
        })
        .trim_end()
        .to_owned()
    }

    /// Processes of calls of this folder: they have its path in their environment, even if they were
    /// reparented.
    pub fn processes(&self) -> Vec<u32> {
        let mark = format!("MCP_PROJECT_ROOT={}\0", self.root.display());
        let numbers = fs::read_dir("/proc").expect("this is Linux").flatten();
        numbers
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| {
                let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                memmem(&environment, mark.as_bytes())
            })
            .collect()
    }

    /// Waits until no process of a call is left.
    #[track_caller]
    pub fn wait_until_quiet(&self) {
        wait_until("the end of every process of a call", || {
            self.processes().is_empty().then_some(())
        });
    }

    /// Waits until the folder for temporary files is empty.
    #[track_caller]
    pub fn wait_until_clean(&self) {
        wait_until("the end of every temporary file", || {
            self.leftovers().is_empty().then_some(())
        });
    }

    /// The contents of the folder for temporary files except the SDKs, which stay for the next server.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let found = fs::read_dir(self.place.join("tmp")).expect("it is there");
        let paths = found.flatten().map(|entry| entry.path());
        paths.filter(|path| !is_sdk(path)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.place);
    }
}

/// `linkspan-USER`
fn is_sdk(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let user = name.and_then(|name| name.strip_prefix("linkspan-"));
    user.is_some_and(|user| user.bytes().all(|byte| byte.is_ascii_digit()))
}

fn memmem(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|part| part == what)
}
