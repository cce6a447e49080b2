//! `mcp-bash config`

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use linkspan_bridge::find_program;
use linkspan_mcp_bash::Project;
use linkspan_mcp_bash::author::Words;
use linkspan_mcp_bash::author::config::{CLIENTS, ClientConfig, Start, wrapper};
use linkspan_scripts::author::names;
use serde_json::Value;

use super::{root, vars};
use crate::environment::search_path;
use crate::exit::{Exit, Failure};
use crate::folder::tooling;
use crate::show::{clean, path as shown, raw, say};

pub(super) fn run(mut words: Words) -> Result<u8, Failure> {
    let _ = words.flag("--show");
    let as_json = words.flag("--json");
    let with_profile = words.flag("--wrapper-env");
    let with_wrapper = words.flag("--wrapper") || with_profile;
    let inspector = words.flag("--inspector");
    let client = words.value("--client")?;
    let root = root(&mut words)?;
    words.end("config")?;
    let (program, args) = our_command()?;
    let vars = vars();
    let project = Project::read(&root, &vars, &tooling()?)?;
    let start = Start::new(&project, &program, args, vars.get("MCPBASH_TOOL_ALLOWLIST"))?;
    if as_json {
        raw(&pretty(&start.alone()));
    } else if with_wrapper {
        print_wrapper(&start, with_profile)?;
    } else if inspector {
        say!("{}", clean(&start.inspector()));
    } else if let Some(client) = client {
        raw(&pretty(&start.entry(ClientConfig::by_word(&client)?)));
    } else {
        for client in &CLIENTS {
            let entry = pretty(&start.entry(client));
            raw(&format!("# {}\n{entry}\n", client.title));
        }
    }
    Ok(0)
}

/// At a terminal the script is written to a file, otherwise to stdout.
fn print_wrapper(start: &Start, with_profile: bool) -> Result<(), Failure> {
    if names::check(&start.name).is_err() {
        anstream::eprintln!(
            "The server's name contains invalid characters for a file; the script is printed instead."
        );
    } else if std::io::stdout().is_terminal() {
        let path = start.write_wrapper(with_profile)?;
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
    std::path::absolute(find_program(called, &search_path())?).ok()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
