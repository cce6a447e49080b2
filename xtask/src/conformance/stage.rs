//! One program of a cell: started, waited for, ended.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::programs::Programs;
use crate::{paths, tree};

const START: Duration = Duration::from_secs(20);

/// A command line that serves a URL.
pub struct Stage {
    words: Vec<String>,
    /// The text of the file that [`Stage::CONFIG`] stands for.
    config: Option<String>,
}

/// A running stage; it ends when this value is dropped.
pub struct Running {
    child: Child,
    pub url: String,
}

impl Stage {
    /// The placeholder of the URL of the previous stage.
    pub const URL: &str = "{url}";
    /// The placeholder of the HTTP+SSE URL of the stage before that.
    pub const SSE_URL: &str = "{sse}";
    /// The placeholder of the configuration file.
    const CONFIG: &str = "{config}";
    /// The placeholder of a free port, for a bridge that does not print its URL.
    const PORT: &str = "{port}";
    /// The placeholder of the whole child command as one word, for a bridge that needs it.
    const CHILD: &str = "{child}";

    /// A bridge with a child process behind it.
    pub fn exposing(programs: &Programs, flags: &[&str], child: &[&str]) -> Self {
        Self::wrapping(expose(programs), flags, child)
    }

    fn wrapping(mut words: Vec<String>, flags: &[&str], child: &[&str]) -> Self {
        words.extend(flags.iter().map(|flag| (*flag).to_owned()));
        match words.iter_mut().find(|word| *word == Self::CHILD) {
            Some(place) => *place = child.join(" "),
            None => {
                words.push("--".to_owned());
                words.extend(child.iter().map(|word| (*word).to_owned()));
            }
        }
        Self::new(words)
    }

    fn new(words: Vec<String>) -> Self {
        Self {
            words,
            config: None,
        }
    }

    /// A gateway with this configuration, in which the URLs of earlier stages have placeholders.
    pub fn gateway(programs: &Programs, config: String) -> Self {
        let linkspan = programs.linkspan.as_str();
        let words = [
            linkspan,
            "gateway",
            "-c",
            Self::CONFIG,
            "--http",
            "--port",
            "0",
        ];
        Self {
            words: words.map(str::to_owned).to_vec(),
            config: Some(config),
        }
    }

    /// A bridge with the previous stage behind it.
    pub fn relaying(programs: &Programs, flags: &[&str]) -> Self {
        let mut words = expose(programs);
        words.extend(flags.iter().map(|flag| (*flag).to_owned()));
        words.push(Self::URL.to_owned());
        Self::new(words)
    }

    /// A child process whose results are shrunk.
    pub fn shrinking(programs: &Programs, child: &[&str]) -> Self {
        let words = [
            programs.linkspan.as_str(),
            "shrink",
            "--http",
            "--port",
            "0",
        ];
        Self::wrapping(words.map(str::to_owned).to_vec(), &[], child)
    }

    /// The suite's fixtures as a folder of scripts.
    pub fn serving(programs: &Programs) -> Self {
        let folder = paths::root().join("examples").join("conformance");
        let mut words = [programs.linkspan.as_str(), "serve", "--http", "--port", "0"]
            .map(str::to_owned)
            .to_vec();
        words.push(folder.display().to_string());
        Self::new(words)
    }

    /// Starts it; `before` are the URLs of earlier stages, the latest one first.
    pub fn start(&self, log: &str, before: &[&str]) -> Result<Running, String> {
        let port = free_port().map_err(|error| error.to_string())?;
        let told = self.words.iter().any(|word| word == Self::PORT);
        let file = log_folder().join(format!("{log}.json"));
        if let Some(config) = &self.config {
            let [url, sse] = urls(before);
            let text = config.replace(Self::URL, &url).replace(Self::SSE_URL, &sse);
            let written = fs::create_dir_all(log_folder()).and_then(|()| fs::write(&file, text));
            written.map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let mut words = self.filled(port, &file, before).into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        let bin = paths::peers().join("bin");
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args(words)
            .env("PATH", format!("{}:{path}", bin.display()))
            // Keeps these savings out of the tester's own statistics.
            .env("LINKSPAN_SHRINK_STATS", log_folder().join("saved.ndjson"))
            .env("LINKSPAN_STATE", log_folder().join("state"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log_file(log)?);
        let child = command.spawn();
        let child = child.map_err(|error| format!("`{}`: {error}", self.words[0]))?;
        // Made before the wait, so that a child that never serves is ended, too.
        let mut running = Running {
            child,
            url: String::new(),
        };
        running.url = if told {
            until_it_listens(&mut running, port)?;
            format!("http://127.0.0.1:{port}/mcp")
        } else {
            first_line(&mut running.child)
                .ok_or_else(|| format!("`{}` printed no URL", self.words.join(" ")))?
        };
        Ok(running)
    }

    fn filled(&self, port: u16, config: &Path, before: &[&str]) -> Vec<String> {
        let [url, _] = urls(before);
        let fill = |word: &String| match word.as_str() {
            Self::URL => url.clone(),
            Self::CONFIG => config.display().to_string(),
            Self::PORT => port.to_string(),
            _ => word.clone(),
        };
        self.words.iter().map(fill).collect()
    }
}

/// What stands for [`Stage::URL`] and [`Stage::SSE_URL`].
fn urls(before: &[&str]) -> [String; 2] {
    let at = |i: usize| before.get(i).copied().unwrap_or_default().to_owned();
    [at(0), at(1).replace("/mcp", "/sse")]
}

impl Running {
    /// Whether it still serves: the suite may not notice a crash after its last request.
    pub fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        tree::kill(&mut self.child);
    }
}

fn expose(programs: &Programs) -> Vec<String> {
    match std::env::var("LINKSPAN_EXPOSE") {
        Ok(other) => other.split_whitespace().map(str::to_owned).collect(),
        Err(_) => [programs.linkspan.as_str(), "expose", "--port", "0"]
            .map(str::to_owned)
            .to_vec(),
    }
}

/// Reads on after that line, so that the child is never blocked.
fn first_line(child: &mut Child) -> Option<String> {
    let output = child.stdout.take()?;
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = String::new();
        let _ = output.read_line(&mut line);
        let _ = sender.send(line);
        let _ = std::io::copy(&mut output, &mut std::io::sink());
    });
    let line = receiver.recv_timeout(START).ok()?;
    let url = line.trim();
    url.starts_with("http").then(|| url.to_owned())
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn until_it_listens(running: &mut Running, port: u16) -> Result<(), String> {
    let end = Instant::now() + START;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if Instant::now() > end || !running.lives() {
            return Err(format!("nothing listens on port {port}"));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn log_folder() -> PathBuf {
    paths::built().join("conformance")
}

fn log_file(name: &str) -> Result<File, String> {
    let folder = log_folder();
    fs::create_dir_all(&folder)
        .and_then(|()| File::create(folder.join(format!("{name}.log"))))
        .map_err(|error| format!("{}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(bridge: &str, child: &[&str]) -> String {
        let words = bridge.split(' ').map(str::to_owned).collect();
        let stage = Stage::wrapping(words, &["--flag"], child);
        stage
            .filled(9, Path::new("c"), &["http://before"])
            .join("|")
    }

    #[test]
    fn a_bridge_gets_its_child_in_words_or_as_one() {
        assert_eq!(
            filled("ours --port 0", &["fixture", "--era", "dual"]),
            "ours|--port|0|--flag|--|fixture|--era|dual"
        );
        assert_eq!(
            filled("theirs --port {port} --stdio {child}", &["fixture", "-x"]),
            "theirs|--port|9|--stdio|fixture -x|--flag"
        );
        assert_eq!(
            filled("ours", &["ours", "connect", Stage::URL]),
            "ours|--flag|--|ours|connect|http://before"
        );
    }
}
