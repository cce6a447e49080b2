//! What each client wants to be told, and where.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::Reached;

/// A client that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    #[value(name = "vscode")]
    VsCode,
    /// Zed
    Zed,
}

/// Where a client keeps its configuration.
pub(crate) enum Place {
    /// In this file.
    File(PathBuf),
    /// Somewhere, on a system that we do not know well enough.
    Unknown(&'static str),
}

impl Place {
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Unknown(_) => None,
        }
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::File(path) => crate::show::path(path),
            Self::Unknown(name) => (*name).to_owned(),
        }
    }
}

/// What decides where configurations are.
pub(crate) struct System {
    pub(crate) home: Option<PathBuf>,
    /// `%APPDATA%`, or `$XDG_CONFIG_HOME`.
    pub(crate) config: Option<PathBuf>,
    pub(crate) is_mac: bool,
    pub(crate) is_windows: bool,
}

impl System {
    /// This machine.
    pub(crate) fn here() -> Self {
        let variable = |name: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let is_windows = cfg!(windows);
        let (home, config) = match is_windows {
            true => ("USERPROFILE", "APPDATA"),
            false => ("HOME", "XDG_CONFIG_HOME"),
        };
        Self {
            home: variable(home),
            config: variable(config),
            is_mac: cfg!(target_os = "macos"),
            is_windows,
        }
    }

    fn in_home(&self, path: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(path))
    }

    fn in_config(&self, path: &str) -> Option<PathBuf> {
        match (&self.config, self.is_windows) {
            (Some(config), _) => Some(config.join(path)),
            (None, false) => self.in_home(".config").map(|config| config.join(path)),
            (None, true) => None,
        }
    }
}

impl Client {
    /// As a person calls it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "Visual Studio Code",
            Self::Zed => "Zed",
        }
    }

    /// As `--client` calls it.
    pub(crate) fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Where its servers are in its configuration.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor => "mcpServers",
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
        }
    }

    /// Its configuration. What can be kept beside the project is.
    pub(crate) fn place(self, system: &System) -> Place {
        let found = match self {
            Self::ClaudeCode => Some(PathBuf::from(".mcp.json")),
            Self::VsCode => Some(Path::new(".vscode").join("mcp.json")),
            Self::Cursor => system.in_home(".cursor/mcp.json"),
            Self::ClaudeDesktop if system.is_mac => {
                system.in_home("Library/Application Support/Claude/claude_desktop_config.json")
            }
            Self::ClaudeDesktop => system.in_config("Claude/claude_desktop_config.json"),
            Self::Zed if system.is_windows => system.in_config("Zed/settings.json"),
            // On a Mac as well, and without asking for another place there.
            Self::Zed if system.is_mac => system.in_home(".config/zed/settings.json"),
            Self::Zed => system.in_config("zed/settings.json"),
        };
        let name = match self {
            Self::ClaudeDesktop => "claude_desktop_config.json",
            Self::Cursor => ".cursor/mcp.json in your home",
            _ => "its settings.json",
        };
        found.map_or(Place::Unknown(name), Place::File)
    }

    /// What stands under the server's name.
    pub(crate) fn entry(self, reached: &Reached) -> Value {
        match reached {
            Reached::Command {
                program,
                args,
                path,
            } => {
                let mut entry = json!({});
                if matches!(self, Self::VsCode | Self::ClaudeCode) {
                    entry["type"] = "stdio".into();
                }
                entry["command"] = program.clone().into();
                entry["args"] = args.clone().into();
                let env = environment(args, path.as_deref());
                if !env.is_empty() {
                    entry["env"] = Value::Object(env);
                }
                entry
            }
            Reached::Url(url) => match self {
                Self::ClaudeCode | Self::VsCode => json!({ "type": "http", "url": url }),
                Self::Cursor | Self::Zed => json!({ "url": url }),
                // Its configuration knows only commands; we are one.
                Self::ClaudeDesktop => json!({ "command": us(), "args": ["connect", url] }),
            },
        }
    }

    /// What a configuration with nothing else in it would be.
    pub(crate) fn snippet(self, name: &str, reached: &Reached) -> Value {
        json!({ self.key(): { name: self.entry(reached) } })
    }

    /// The command that does it, if there is one.
    pub(crate) fn command(self, name: &str, reached: &Reached) -> Option<Vec<String>> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match (self, reached) {
            (Self::ClaudeCode, Reached::Url(url)) => Some(words(&[
                "claude",
                "mcp",
                "add",
                "--transport",
                "http",
                name,
                url,
            ])),
            (
                Self::ClaudeCode,
                Reached::Command {
                    program,
                    args,
                    path,
                },
            ) => {
                let mut command: Vec<String> = words(&["claude", "mcp", "add", name]);
                for (variable, value) in environment(args, path.as_deref()) {
                    let value = value.as_str().unwrap_or_default();
                    command.extend(["--env".to_owned(), format!("{variable}={value}")]);
                }
                command.extend(["--".to_owned(), program.clone()]);
                command.extend(args.clone());
                Some(command)
            }
            (Self::VsCode, _) => {
                let mut entry = json!({ "name": name });
                if let (Value::Object(all), Value::Object(more)) = (&mut entry, self.entry(reached))
                {
                    all.extend(more);
                }
                Some(words(&["code", "--add-mcp", &entry.to_string()]))
            }
            _ => None,
        }
    }

    /// What has to happen before the client knows.
    pub(crate) fn afterwards(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start claude in this folder and allow the server when it asks",
            Self::ClaudeDesktop => "quit Claude Desktop and start it again",
            Self::Cursor => "switch the server on in Cursor's settings, under MCP",
            Self::VsCode => "start the server from the file, or with MCP: List Servers",
            Self::Zed => "Zed sees it at once; its agent panel shows whether it runs",
        }
    }
}

/// What the server is to be told. In a project of mcp-bash nothing can be called that is not allowed, and
/// what is printed is to work.
fn environment(args: &[String], path: Option<&str>) -> Map<String, Value> {
    const ALLOWED: &str = "MCPBASH_TOOL_ALLOWLIST";
    let mut env = Map::new();
    if let Some(path) = path {
        env.insert("PATH".to_owned(), path.into());
    }
    for variable in variables(args) {
        env.insert(variable, "…".into());
    }
    if let [verb, dir] = args
        && verb == "serve"
        && linkspan_mcp_bash::detect(Path::new(dir)).is_some()
    {
        let allowed = std::env::var(ALLOWED).ok().filter(|list| !list.is_empty());
        let allowed = allowed.unwrap_or_else(|| "*".to_owned());
        env.insert(ALLOWED.to_owned(), allowed.into());
    }
    env
}

/// The environment variables that `linkspan connect` reads by these arguments.
pub(crate) fn variables(args: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let ours = args.iter().take_while(|word| *word != "--");
    let words: Vec<&String> = ours.collect();
    for pair in words.windows(2) {
        match pair[0].as_str() {
            "--bearer-env" => found.push(pair[1].clone()),
            "-H" => {
                let starts = pair[1].split("${").skip(1);
                found.extend(starts.filter_map(|rest| Some(rest.split_once('}')?.0.to_owned())));
            }
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    found
}

fn us() -> String {
    let us = std::env::current_exe().ok();
    us.and_then(|path| path.to_str().map(str::to_owned))
        .unwrap_or_else(|| "linkspan".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(is_mac: bool, is_windows: bool) -> System {
        System {
            home: Some("/h".into()),
            config: is_windows.then(|| "/a".into()),
            is_mac,
            is_windows,
        }
    }

    #[test]
    fn every_client_has_a_place_on_every_system() {
        let all = [on(false, false), on(true, false), on(false, true)];
        for client in Client::value_variants() {
            for system in &all {
                assert!(client.place(system).path().is_some(), "{client:?}");
            }
        }
        let desktop = |system| Client::ClaudeDesktop.place(&system).shown();
        assert_eq!(
            desktop(on(true, false)),
            "/h/Library/Application Support/Claude/claude_desktop_config.json"
        );
        assert_eq!(
            desktop(on(false, false)),
            "/h/.config/Claude/claude_desktop_config.json"
        );
        assert_eq!(
            Client::Zed.place(&on(false, true)).shown(),
            "/a/Zed/settings.json"
        );
    }

    #[test]
    fn variables_of_headers_and_tokens_get_a_place_in_the_environment() {
        let words = "connect -H X-Key:${API_KEY}${B} --bearer-env TOKEN https://x/mcp";
        let args: Vec<String> = words.split(' ').map(str::to_owned).collect();
        assert_eq!(variables(&args), ["API_KEY", "B", "TOKEN"]);
        let reached = Reached::Command {
            program: "linkspan".to_owned(),
            args,
            path: None,
        };
        let entry = Client::ClaudeDesktop.entry(&reached);
        assert_eq!(
            entry["env"],
            json!({"API_KEY": "…", "B": "…", "TOKEN": "…"})
        );
    }

    #[test]
    fn without_a_home_we_say_so() {
        let nowhere = System {
            home: None,
            config: None,
            is_mac: false,
            is_windows: false,
        };
        assert!(Client::Zed.place(&nowhere).path().is_none());
        assert!(Client::ClaudeCode.place(&nowhere).path().is_some());
    }
}
