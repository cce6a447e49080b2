//! `linkspan serve` of a folder, on both of its transports.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use linkspan_testkit::terminate;

use crate::{installed, log};

const LIMIT: Duration = Duration::from_secs(10);

/// A folder of `examples/`.
pub fn example(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = workspace.join("examples").join(name);
    folder.canonicalize().expect("the example is there")
}

/// Every folder of `examples/`.
pub fn examples() -> Vec<PathBuf> {
    let all = std::fs::read_dir(example("")).expect("there are examples");
    let folders = all.flatten().map(|entry| entry.path());
    let mut folders: Vec<_> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The words that serve a folder on stdin and stdout.
pub fn words(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().expect("the paths of tests are text");
    [installed::linkspan(), "serve", folder]
        .map(str::to_owned)
        .to_vec()
}

/// A folder that is served over HTTP, until the end of the test.
pub struct Web {
    child: Child,
    url: String,
}

impl Web {
    pub fn start(folder: &Path) -> Self {
        let folder = folder.to_str().expect("the paths of tests are text");
        Self::of(&["serve", "--http", "--port", "0", folder].map(str::to_owned))
    }

    /// Any of our commands that prints its URL.
    pub fn of(args: &[String]) -> Self {
        let mut command = Command::new(installed::linkspan());
        command.args(args);
        Self::by(&args[0], &mut command)
    }

    /// The same, started by another program. `name` is that of its log.
    pub fn by(name: &str, command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log::file(name))
            .spawn()
            .expect("linkspan starts");
        let stdout = child.stdout.take().expect("its output is piped");
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(stdout).read_line(&mut line);
            let _ = sender.send(line);
        });
        let url = receiver.recv_timeout(LIMIT).unwrap_or_default();
        let web = Self {
            child,
            url: url.trim().to_owned(),
        };
        assert!(web.url.contains(':'), "no URL; see .peers/logs");
        web
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The target for a client.
    pub fn target(&self) -> Vec<String> {
        vec![self.url.clone()]
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // SIGTERM first, so that it can end its tools or its server.
        terminate(LIMIT, &mut self.child);
    }
}

/// Tests the folder over stdin and stdout, and then over HTTP.
pub fn on_both_ways(folder: &Path, mut work: impl FnMut(&[String])) {
    work(&words(folder));
    let web = Web::start(folder);
    work(&web.target());
}
