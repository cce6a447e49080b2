//! `mcp-bash config`: what a client needs to know to start the server of a project.

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::drafts::{PROFILE, WRAPPER, not_there};
use super::{flag, project, quoted, root, unexpected, value, vars};
use crate::exit::{Exit, Failure};
use crate::serve::names;
use crate::serve::scaffold::{Draft, write_one};
use crate::show::{path as shown, raw, say};

/// The clients, by the word for `--client`, and whether their servers stand under `mcpServers`.
const CLIENTS: [(&str, &str, bool); 5] = [
    ("claude-desktop", "Claude Desktop", true),
    ("cursor", "Cursor", true),
    ("claude-cli", "Claude CLI", false),
    ("windsurf", "Windsurf", true),
    ("librechat", "LibreChat", false),
];

/// How a client starts the server.
struct Start {
    name: String,
    root: String,
    command: String,
    args: Vec<String>,
    allow: String,
}

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let _ = flag(&mut words, "--show");
    let as_json = flag(&mut words, "--json");
    let with_profile = flag(&mut words, "--wrapper-env");
    let wrapper = flag(&mut words, "--wrapper") || with_profile;
    let inspector = flag(&mut words, "--inspector");
    let client = value(&mut words, "--client")?;
    let root = root(&mut words)?;
    unexpected("config", &words)?;
    let start = Start::of(&root)?;
    if as_json {
        raw(&pretty(&start.alone()));
    } else if wrapper {
        print_wrapper(&start, with_profile)?;
    } else if inspector {
        say!("{}", start.inspector());
    } else if let Some(client) = client {
        let known = CLIENTS.iter().find(|(word, ..)| *word == client);
        let Some((.., inside)) = known else {
            let words: Vec<&str> = CLIENTS.iter().map(|(word, ..)| *word).collect();
            let what = format!("`{client}` is not a client that is known here");
            return Err(Failure::new(Exit::Invalid, what)
                .hint(format!("--client is one of {}", words.join(", "))));
        };
        raw(&pretty(&start.entry(*inside)));
    } else {
        for (_, title, inside) in CLIENTS {
            raw(&format!("# {title}\n{}\n", pretty(&start.entry(inside))));
        }
    }
    Ok(0)
}

impl Start {
    fn of(root: &Path) -> Result<Self, Failure> {
        let project = project(root)?;
        let name = project.server.shown["name"].as_str().unwrap_or_default();
        let (command, args) = us()?;
        // Nothing may be called that is not named; what is printed here is to work.
        let allow = vars().get("MCPBASH_TOOL_ALLOWLIST").map(str::to_owned);
        Ok(Self {
            name: name.to_owned(),
            root: utf8(&project.places.root)?,
            command,
            args,
            allow: allow.unwrap_or_else(|| "*".to_owned()),
        })
    }

    fn started(&self) -> Value {
        json!({
            "command": self.command,
            "args": self.args,
            "env": {
                "MCPBASH_PROJECT_ROOT": self.root,
                "MCPBASH_TOOL_ALLOWLIST": self.allow,
            },
        })
    }

    /// With the name beside it.
    fn alone(&self) -> Value {
        let mut all = json!({ "name": self.name });
        if let (Value::Object(all), Value::Object(more)) = (&mut all, self.started()) {
            all.extend(more);
        }
        all
    }

    fn entry(&self, inside: bool) -> Value {
        match inside {
            true => json!({ "mcpServers": { &self.name: self.started() } }),
            false => self.alone(),
        }
    }

    fn inspector(&self) -> String {
        let mut words = vec![
            "npx".to_owned(),
            "@modelcontextprotocol/inspector".to_owned(),
        ];
        for (name, value) in [
            ("MCPBASH_PROJECT_ROOT", &self.root),
            ("MCPBASH_TOOL_ALLOWLIST", &self.allow),
        ] {
            words.extend(["-e".to_owned(), format!("{name}={value}")]);
        }
        words.extend(["--transport", "stdio", "--"].map(str::to_owned));
        words.push(self.command.clone());
        words.extend(self.args.clone());
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        crate::show::clean(&words.join(" "))
    }
}

/// A script that serves the project it lies in: to a file at a terminal, else to stdout.
fn print_wrapper(start: &Start, with_profile: bool) -> Result<(), Failure> {
    let profile = if with_profile { PROFILE } else { "" };
    let script = WRAPPER.replace("@PROFILE@\n", profile);
    if names::check(&start.name).is_err() {
        anstream::eprintln!(
            "The server's name contains invalid characters for a file; the script is printed instead."
        );
    } else if std::io::stdout().is_terminal() {
        let path = Path::new(&start.root).join(format!("{}.sh", start.name));
        not_there(&path)?;
        write_one(&path, &Draft::program("", script))
            .map_err(|e| super::drafts::cannot_write(&path, &e))?;
        anstream::eprintln!("Wrapper script created: {}", shown(&path));
        return Ok(());
    }
    raw(script.trim_end());
    Ok(())
}

/// The program that a client starts: the link called mcp-bash that we were started by, else linkspan.
fn us() -> Result<(String, Vec<String>), Failure> {
    let called = std::env::args_os().next().map(PathBuf::from);
    let link = called.filter(|called| called.file_stem().is_some_and(|stem| stem == "mcp-bash"));
    if let Some(link) = link.and_then(|link| found(&link)) {
        return Ok((utf8(&link)?, Vec::new()));
    }
    let exe = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot find our own program: {e}")))?;
    Ok((utf8(&exe)?, vec!["mcp-bash".to_owned()]))
}

/// Where a program is that was called by a path, or by a name in PATH.
fn found(called: &Path) -> Option<PathBuf> {
    if called.components().count() > 1 {
        return std::path::absolute(called).ok();
    }
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(called));
    let found = places.find(|place| place.is_file())?;
    std::path::absolute(found).ok()
}

fn utf8(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Failure::new(Exit::Invalid, format!("{} is not UTF-8", shown(path)))
            .hint("clients cannot name it; rename it, or make a link to it")
    })
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
