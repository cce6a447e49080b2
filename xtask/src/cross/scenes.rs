//! The commands that the program must run on another system, each once, against a server that runs here.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{child, paths};

/// The first start under Wine makes its folder, which takes a minute.
const SCENE: Duration = Duration::from_secs(5 * 60);
const BUILD: Duration = Duration::from_secs(60 * 60);

const SAID: &str = "carried over";

/// A program, and its emulator on other systems.
pub struct Stage {
    pub program: PathBuf,
    pub emulator: Option<&'static str>,
    /// Whether folders of scripts are refused there.
    pub refuses_folders: bool,
}

pub fn play(stage: &Stage) -> Result<(), String> {
    let build = "build --locked --package linkspan-testkit --example demo_server";
    child::run(&mut paths::cargo(build), BUILD)?;
    let server = paths::built().join("examples").join("demo_server");
    let server = Server::start(&mut Command::new(server))?;
    stage.clients(&server.url)?;
    stage.expose(&server.url)?;
    stage.texts()?;
    if stage.refuses_folders {
        stage.folders_are_refused()?;
    }
    Ok(())
}

impl Stage {
    /// `tools`, `call` and `connect`, which is the server of a further `call`.
    fn clients(&self, url: &str) -> Result<(), String> {
        self.says("echo", &["tools", url])?;
        let text = format!("text={SAID}");
        self.says(SAID, &["call", "echo", &text, url])?;
        let mut call = self.linkspan(&["call", "echo", &text, "--"]);
        says(SAID, call.args(self.command()).args(["connect", url]))
    }

    /// `expose`, asked by `tools`.
    fn expose(&self, url: &str) -> Result<(), String> {
        let mut expose = self.linkspan(&["expose", "--port", "0", "--"]);
        let exposed = Server::start(expose.args(self.command()).args(["connect", url]))?;
        self.says("echo", &["tools", &exposed.url])
    }

    /// `shrink try` and `bcp`, there and back.
    fn texts(&self) -> Result<(), String> {
        let text = paths::root().join("corpus/json-flat");
        let text = first_file(&text)?;
        self.says("lossless ✓", &["shrink", "try", &text])?;
        let packed = self.program.with_extension("bcp");
        let packed = packed.to_string_lossy();
        let readme = paths::root().join("README.md");
        let readme = readme.to_string_lossy();
        self.says("", &["bcp", "encode", &readme, "-o", &packed])?;
        self.says("", &["bcp", "validate", &packed])?;
        self.says(
            "linkspan",
            &["bcp", "decode", &packed, "--mode", "markdown"],
        )
    }

    /// The refusal names the folder and what works instead.
    fn folders_are_refused(&self) -> Result<(), String> {
        let folder = paths::root().join("examples");
        let output = child::output(
            &mut self.linkspan(&["tools", &folder.to_string_lossy()]),
            SCENE,
        )?;
        if output.ended.is_ok() || !output.stderr.contains("needs Linux or macOS") {
            return Err(format!("a folder is not refused: {}", output.stderr));
        }
        Ok(())
    }

    fn says(&self, text: &str, args: &[&str]) -> Result<(), String> {
        says(text, &mut self.linkspan(args))
    }

    fn linkspan(&self, args: &[&str]) -> Command {
        let mut words = self
            .emulator
            .map(PathBuf::from)
            .into_iter()
            .chain([self.program.clone()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(args).env("WINEDEBUG", "-all");
        // Keeps Wine's folder beside the program, and disables its installers of .NET and a browser.
        command.env("WINEPREFIX", self.program.with_extension("wine"));
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=");
        command
    }

    /// Our program as the child of itself. Wine starts children without further help.
    fn command(&self) -> Vec<PathBuf> {
        let emulator = self.emulator.filter(|emulator| *emulator != "wine");
        let emulator = emulator.map(PathBuf::from);
        emulator.into_iter().chain([self.program.clone()]).collect()
    }
}

fn says(text: &str, command: &mut Command) -> Result<(), String> {
    println!("{:?}", command.get_args().collect::<Vec<_>>());
    let said = child::capture(command, SCENE)?;
    if said.contains(text) {
        return Ok(());
    }
    Err(format!("`{text}` is not in what it says: {said}"))
}

fn first_file(folder: &Path) -> Result<String, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let first = files.first().ok_or("the corpus is empty")?;
    Ok(first.to_string_lossy().into_owned())
}

/// A program that prints the URL that it serves; it ends when this value is dropped.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(command: &mut Command) -> Result<Self, String> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|e| format!("a server does not start: {e}"))?;
        let mut server = Self {
            child,
            url: String::new(),
        };
        if let Some(out) = server.child.stdout.take() {
            let read = BufReader::new(out).read_line(&mut server.url);
            read.map_err(|e| e.to_string())?;
        }
        server.url = server.url.trim().to_owned();
        if server.url.starts_with("http://") {
            return Ok(server);
        }
        Err(format!("a server prints no URL but `{}`", server.url))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        crate::tree::kill(&mut self.child);
    }
}
