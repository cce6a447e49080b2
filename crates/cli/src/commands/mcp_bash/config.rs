//! `mcp-bash config`

use std::collections::VecDeque;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use linkspan_mcp_bash::author::config::{CLIENTS, Start, wrapper};
use linkspan_scripts::author::names;
use serde_json::Value;

use super::{failed, flag, project, root, unexpected, value, vars};
use crate::exit::{Exit, Failure};
use crate::show::{clean, path as shown, raw, say};

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let _ = flag(&mut words, "--show");
    let as_json = flag(&mut words, "--json");
    let with_profile = flag(&mut words, "--wrapper-env");
    let with_wrapper = flag(&mut words, "--wrapper") || with_profile;
    let inspector = flag(&mut words, "--inspector");
    let client = value(&mut words, "--client")?;
    let root = root(&mut words)?;
    unexpected("config", &words)?;
    let (program, args) = our_command()?;
    let allow = vars().get("MCPBASH_TOOL_ALLOWLIST").map(str::to_owned);
    let start = Start::new(&project(&root)?, &program, args, allow.as_deref()).map_err(failed)?;
    if as_json {
        raw(&pretty(&start.alone()));
    } else if with_wrapper {
        print_wrapper(&start, with_profile)?;
    } else if inspector {
        say!("{}", clean(&start.inspector()));
    } else if let Some(client) = client {
        let Some(known) = CLIENTS.iter().find(|known| known.word == client) else {
            let words: Vec<&str> = CLIENTS.iter().map(|known| known.word).collect();
            let what = format!("`{client}` is not a client that is known here");
            return Err(Failure::new(Exit::Invalid, what)
                .hint(format!("--client is one of {}", words.join(", "))));
        };
        raw(&pretty(&start.entry(known)));
    } else {
        for client in &CLIENTS {
            let entry = pretty(&start.entry(client));
            raw(&format!("# {}\n{entry}\n", client.title));
        }
    }
    Ok(0)
}

/// At a terminal the script is written to a file, else to stdout.
fn print_wrapper(start: &Start, with_profile: bool) -> Result<(), Failure> {
    if names::check(&start.name).is_err() {
        anstream::eprintln!(
            "The server's name contains invalid characters for a file; the script is printed instead."
        );
    } else if std::io::stdout().is_terminal() {
        let path = start.write_wrapper(with_profile).map_err(failed)?;
        anstream::eprintln!("Wrapper script created: {}", shown(&path));
        return Ok(());
    }
    raw(wrapper(with_profile).trim_end());
    Ok(())
}

/// The program that a client starts: the link called mcp-bash that we were started by, else linkspan.
fn our_command() -> Result<(PathBuf, Vec<String>), Failure> {
    let called = std::env::args_os().next().map(PathBuf::from);
    let link = called.filter(|called| called.file_stem().is_some_and(|stem| stem == "mcp-bash"));
    if let Some(link) = link.and_then(|link| found(&link)) {
        return Ok((link, Vec::new()));
    }
    let exe = std::env::current_exe()
        .map_err(|e| Failure::new(Exit::Invalid, format!("cannot find our own program: {e}")))?;
    Ok((exe, vec!["mcp-bash".to_owned()]))
}

/// The file of a program that was called by a path, or by a name in PATH.
fn found(called: &Path) -> Option<PathBuf> {
    if called.components().count() > 1 {
        return std::path::absolute(called).ok();
    }
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|folder| folder.join(called));
    let found = places.find(|place| place.is_file())?;
    std::path::absolute(found).ok()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
