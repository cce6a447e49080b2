//! Names of tools, prompts and the like, and what may be made of a folder's name.

use std::fs;
use std::path::Path;

use linkspan_scripts::draft::names::{self, NameError, fit};
pub(crate) use linkspan_scripts::draft::names::{of_folder, title};

use crate::exit::{Exit, Failure};
use crate::show::on_one_line;

/// Refuses a name that a client or a file system does not take.
pub(crate) fn check(name: &str) -> Result<(), Failure> {
    names::check(name).map_err(|e| Failure::usage(e.to_string()).hint(NameError::HINT))
}

/// A name made of a URL: that of its host, without what all of them have.
pub(crate) fn of_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit_once('@').map_or(place, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    let mut labels: Vec<&str> = host.split('.').collect();
    let is_address = labels.iter().all(|label| label.parse::<u8>().is_ok());
    if !is_address && labels.len() > 1 {
        labels.pop();
        let common = ["mcp", "www", "api"];
        if labels.len() > 1 && common.contains(&labels[0]) {
            labels.remove(0);
        }
    }
    fit(&labels.join("-"))
}

/// A name made of a command: that of its program, or of what the program starts.
pub(crate) fn of_command(words: &[String]) -> String {
    let is_plain = |word: &&String| !word.starts_with('-');
    let stem = |word: &str| {
        let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
        // `server-everything@1.2`, `server.py`
        let last = last.split('@').next().unwrap_or(last);
        let ending = [".py", ".js", ".mjs", ".ts", ".sh", ".exe"];
        let ending = ending.iter().find_map(|ending| last.strip_suffix(ending));
        fit(ending.unwrap_or(last))
    };
    let program = words.first().map_or("", String::as_str);
    let launchers = [
        "npx", "uvx", "bunx", "node", "python", "python3", "deno", "bun", "uv", "pnpm", "sh",
        "bash",
    ];
    let verbs = ["run", "dlx", "exec", "tool", "x"];
    let started = words
        .iter()
        .skip(1)
        .filter(is_plain)
        .find(|word| !verbs.contains(&word.as_str()));
    match started {
        Some(started) if launchers.contains(&program) => stem(started),
        _ => stem(program),
    }
}

/// Refuses a name that something else in the same place has, whatever its ending.
pub(crate) fn not_taken<'a>(
    dir: &Path,
    paths: impl Iterator<Item = &'a str>,
    name: &str,
) -> Result<(), Failure> {
    for path in paths {
        // `tools/greet/tool.sh` competes with `tools/greet.py`: what counts is the first level.
        let Some((kind, _)) = path.split_once('/') else {
            continue;
        };
        let Ok(entries) = fs::read_dir(dir.join(kind)) else {
            continue;
        };
        for entry in entries.flatten() {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            let same = file
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            // `review.language` is no `review`.
            if same && (kind != "completions" || ends_with_one_ending(&file, name)) {
                return Err(Failure::new(
                    Exit::Invalid,
                    format!("{kind}/{} already exists", on_one_line(&file)),
                )
                .hint("take another name, or remove it"));
            }
        }
    }
    Ok(())
}

fn ends_with_one_ending(file: &str, name: &str) -> bool {
    let rest = &file[name.len()..];
    rest.matches('.').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_for_its_host_or_its_program() {
        for (url, name) in [
            ("https://mcp.example.com/mcp", "example"),
            ("https://user:pw@api.weather.co.uk:8443/x", "weather-co"),
            ("http://localhost:8808/mcp", "localhost"),
            ("http://127.0.0.1:8808/mcp", "127-0-0-1"),
            ("https://", "server"),
        ] {
            assert_eq!(of_url(url), name, "{url}");
        }
        for (words, name) in [
            (
                &["npx", "-y", "@modelcontextprotocol/server-everything@1.2"][..],
                "server-everything",
            ),
            (&["uvx", "mcp-server-git"], "mcp-server-git"),
            (&["python3", "./my server.py"], "my-server"),
            (&["uv", "run", "server.py"], "server"),
            (&["./target/debug/tool", "serve"], "tool"),
            (&["node"], "node"),
        ] {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            assert_eq!(of_command(&words), name, "{words:?}");
            check(name).unwrap();
        }
    }
}
