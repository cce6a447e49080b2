//! `linkspan expose` around a scripted child, from start to end.

use std::ffi::{OsStr, OsString};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::LIMIT;
use crate::bridge::{Bridge, Launch, Signal};
use crate::children::Children;
use crate::mcp_client::Client;
use crate::port::Port;
use crate::wait::found_within;

/// A server that is not exposed yet.
#[must_use]
pub struct Expose {
    program: OsString,
    verb: Vec<OsString>,
    flags: Vec<OsString>,
    target: Vec<OsString>,
    env: Vec<(String, String)>,
    children: Children,
}

/// A running `linkspan expose`. When it is dropped, it has to exit in order and to leave no processes.
pub struct Exposed {
    /// The process.
    pub bridge: Bridge,
    /// Its children.
    pub children: Children,
    url: String,
    ended: bool,
}

impl Expose {
    /// Exposes the scripted child, started with these flags.
    pub fn child(program: impl AsRef<OsStr>, flags: &[&str]) -> Self {
        let children = Children::listen();
        let mut target: Vec<OsString> = vec!["--".into(), child_program().into()];
        target.extend(flags.iter().map(OsString::from));
        target.extend(["--watch".into(), children.address().into()]);
        Self::new(program, target, children)
    }

    /// Exposes a child that only SIGKILL can end: it ignores the end of its stdin and SIGTERM.
    pub fn stubborn_child(program: impl AsRef<OsStr>) -> Self {
        let children = Children::listen();
        let script = format!(
            "trap '' TERM; exec '{}' --deaf --watch {}",
            child_program().display(),
            children.address()
        );
        let target = ["--", "sh", "-c", &script].map(OsString::from);
        Self::new(program, target.into(), children)
    }

    /// Exposes a child behind a shell that stays, as `npx` does.
    pub fn wrapped_child(program: impl AsRef<OsStr>) -> Self {
        let children = Children::listen();
        let script = format!(
            "'{}' --watch {}; exit $?",
            child_program().display(),
            children.address()
        );
        let target = ["--", "sh", "-c", &script].map(OsString::from);
        Self::new(program, target.into(), children)
    }

    /// Exposes the server at that address; child processes of that server are not tracked.
    pub fn url(program: impl AsRef<OsStr>, url: &str) -> Self {
        Self::new(program, vec![url.into()], Children::listen())
    }

    /// Exposes any command.
    pub fn command(program: impl AsRef<OsStr>, command: &[&str]) -> Self {
        let mut target = vec![OsString::from("--")];
        target.extend(command.iter().map(OsString::from));
        Self::new(program, target, Children::listen())
    }

    fn new(program: impl AsRef<OsStr>, target: Vec<OsString>, children: Children) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            verb: vec!["expose".into()],
            flags: vec!["--port".into(), "0".into()],
            target,
            env: Vec::new(),
            children,
        }
    }

    /// Replaces the verb `expose`, for other commands that serve over HTTP.
    pub fn by(mut self, verb: &[&str]) -> Self {
        self.verb = verb.iter().map(OsString::from).collect();
        self
    }

    /// Adds flags.
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(OsString::from));
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The process, for tests in which it fails to start.
    pub fn launch(&self) -> Launch {
        let launch = Bridge::launch(&self.program)
            .args(&self.verb)
            .args(&self.flags)
            .args(&self.target);
        let set = |launch: Launch, (name, value): &(String, String)| launch.env(name, value);
        self.env.iter().fold(launch, set)
    }

    /// Starts it and waits until it prints its URL.
    ///
    /// `LINKSPAN_EXPOSE` names another bridge to be tested instead, as a command with `{port}` and `{child}` in it; our
    /// own flags are not passed to it.
    pub fn start(self) -> Exposed {
        if let Ok(template) = std::env::var("LINKSPAN_EXPOSE") {
            return self.start_other(&template);
        }
        let bridge = self.launch().start();
        let url = bridge.line();
        assert!(
            url.starts_with("http://"),
            "the first line is the URL: {url:?}"
        );
        Exposed {
            bridge,
            children: self.children,
            url,
            ended: false,
        }
    }

    fn start_other(self, template: &str) -> Exposed {
        let port = Port::reserve();
        let (number, url) = (port.number(), port.url());
        drop(port);
        let text = |part: &OsString| part.to_string_lossy().into_owned();
        let child: Vec<_> = self.target.iter().skip(1).map(text).collect();
        let words: Vec<_> = template
            .split_whitespace()
            .map(|word| {
                word.replace("{port}", &number.to_string())
                    .replace("{child}", &child.join(" "))
            })
            .collect();
        let bridge = Bridge::launch(&words[0]).args(&words[1..]).start();
        let listens = || TcpStream::connect(("127.0.0.1", number)).ok();
        let listens = found_within(LIMIT, listens).is_some();
        assert!(listens, "it never listened: {}", bridge.stderr());
        Exposed {
            bridge,
            children: self.children,
            url,
            ended: false,
        }
    }
}

impl Exposed {
    /// The URL that it printed.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address in that URL.
    pub fn address(&self) -> SocketAddr {
        let host = self.url.trim_start_matches("http://").split('/').next();
        host.and_then(|host| host.parse().ok())
            .unwrap_or_else(|| panic!("no address in {}", self.url))
    }

    /// A new client.
    pub fn client(&self) -> Client {
        let rest = self.url.trim_start_matches("http://");
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        Client {
            address: self.address(),
            path: path.to_owned(),
            headers: Vec::new(),
        }
    }

    /// Terminates it, waits for the exit, and checks the leftovers: there may be no processes, and no output beside the
    /// URL.
    #[track_caller]
    pub fn end(mut self) {
        self.ended = true;
        self.finish();
    }

    /// Tells the guard that the test has checked the exit itself.
    pub fn has_ended(mut self) {
        self.ended = true;
    }

    /// Waits for a line of the log that contains this text.
    #[track_caller]
    pub fn log_line(&self, text: &str) -> String {
        let line = found_within(LIMIT, || {
            let log = self.bridge.stderr();
            let line = log.lines().find(|line| line.contains(text));
            line.map(str::to_owned)
        });
        line.unwrap_or_else(|| {
            let log = clip(&self.bridge.stderr());
            panic!("no {text:?} in the log:\n{log}")
        })
    }

    #[track_caller]
    fn finish(&mut self) {
        self.bridge.signal(Signal::Terminate);
        let code = self.bridge.exit_code();
        if std::env::var_os("LINKSPAN_EXPOSE").is_none() {
            let unread = self.bridge.unread();
            assert!(unread.is_empty(), "stdout has one line: {unread:?}");
            assert_eq!(code, Some(143), "{}", self.bridge.stderr());
        }
        self.children.wait_until_none();
        let violations = self.children.violations();
        assert!(violations.is_empty(), "{violations:?}");
    }
}

impl Drop for Exposed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("stderr of the bridge:\n{}", clip(&self.bridge.stderr()));
        } else if !self.ended {
            self.finish();
        }
        self.children.kill_all();
    }
}

/// The scripted child; it is built if it is missing or outdated.
///
/// # Panics
/// When it cannot be built.
pub fn child_program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(build_child).clone()
}

/// Cargo builds the programs of a package for the tests of that package only, and the tests that need this one are
/// elsewhere.
fn build_child() -> PathBuf {
    if let Some(path) = std::env::var_os("LINKSPAN_CHILD") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a running test has a path");
    // target/PROFILE/deps/test
    let profile = test.ancestors().nth(2).expect("cargo puts tests that deep");
    let target = profile.parent().expect("cargo puts tests that deep");
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--bin", "linkspan-child"])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .arg("--target-dir")
        .arg(target);
    if profile.ends_with("release") {
        build.arg("--release");
    }
    let status = build.status().expect("cargo runs, or this would not");
    assert!(status.success(), "linkspan-child could not be built");
    profile.join(format!("linkspan-child{}", std::env::consts::EXE_SUFFIX))
}

fn clip(text: &str) -> String {
    text.chars().take(8000).collect()
}
