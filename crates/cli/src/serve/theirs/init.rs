//! `mcp-bash init`, `new` and `scaffold server`: the skeleton of a project.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::drafts::{self, HELLO, SERVER_README, TOOL_META};
use super::{flag, unexpected, value};
use crate::exit::{Exit, Failure};
use crate::serve::names;
use crate::serve::scaffold::{Draft, folders};
use crate::show::{path as shown, say};

/// What git should not keep, in groups with a headline.
const IGNORED: [(&str, &[&str]); 3] = [
    ("# What mcp-bash has found", &[".registry/"]),
    ("# Logs", &["*.log"]),
    ("# Of the desktop", &[".DS_Store", "Thumbs.db"]),
];

/// `mcp-bash init [--name NAME] [--no-hello]`: in the current folder.
pub(super) fn init(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let name = value(&mut words, "--name")?;
    let hello = !flag(&mut words, "--no-hello");
    unexpected("init", &words)?;
    let here = std::env::current_dir().map_err(|e| drafts::cannot_write(Path::new("."), &e))?;
    let name = name.filter(|name| !name.is_empty());
    let name = name.unwrap_or_else(|| names::of_folder(&here));
    say!("Making a project of {}\n", shown(&here));
    skeleton(&here, &name, hello)?;
    say!("\nNext:\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor");
    Ok(0)
}

/// `mcp-bash new NAME [--no-hello]`, which `scaffold server NAME` is too: in a folder of its own.
pub(super) fn new(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let hello = !flag(&mut words, "--no-hello");
    let name = words.pop_front();
    unexpected("new", &words)?;
    let name = name.filter(|name| !name.is_empty()).ok_or_else(|| {
        Failure::new(Exit::Invalid, "Server name required").hint("mcp-bash new NAME")
    })?;
    names::check(&name)?;
    let here = std::env::current_dir().unwrap_or_default();
    let root = here.join(&name);
    drafts::not_there(&root)?;
    let title = names::title(&name);
    drafts::write(
        &root,
        &[Draft::text(
            "README.md",
            SERVER_README.replace("@TITLE@", &title),
        )],
    )?;
    say!("Created ./{name}/\n");
    skeleton(&root, &name, hello)?;
    say!(
        "\nNext:\n  cd {name}\n  mcp-bash scaffold tool NAME\n  mcp-bash config --client cursor\n  mcp-bash bundle"
    );
    Ok(0)
}

/// Writes what is not there yet.
fn skeleton(root: &Path, name: &str, hello: bool) -> Result<(), Failure> {
    let about = json!({
        "name": name,
        "title": title_case(name),
        "version": "0.1.0",
        "description": "Say here what the server is for",
    });
    let about = serde_json::to_string_pretty(&about).unwrap_or_default() + "\n";
    unless_there(
        root,
        "server.d/server.meta.json",
        &[Draft::text("server.d/server.meta.json", about)],
    )?;
    let tools = root.join("tools");
    folders(&tools).map_err(|e| drafts::cannot_write(&tools, &e))?;
    ignore(root)?;
    if hello {
        unless_there(
            root,
            "tools/hello",
            &[
                drafts::program("tools/hello/tool.sh", HELLO, "hello"),
                drafts::text("tools/hello/tool.meta.json", TOOL_META, "hello"),
            ],
        )?;
    }
    Ok(())
}

fn unless_there(root: &Path, what: &str, files: &[Draft]) -> Result<(), Failure> {
    let path = root.join(what);
    if path.symlink_metadata().is_ok() {
        say!("  kept {}", shown(&path));
        return Ok(());
    }
    drafts::write(root, files)?;
    say!("  made {}", shown(&path));
    Ok(())
}

/// Adds to `.gitignore` what it does not have.
fn ignore(root: &Path) -> Result<(), Failure> {
    let path = root.join(".gitignore");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let after = with_ignored(&before);
    if after == before {
        say!("  kept {}", shown(&path));
        return Ok(());
    }
    fs::write(&path, after).map_err(|e| drafts::cannot_write(&path, &e))?;
    say!("  made {}", shown(&path));
    Ok(())
}

fn with_ignored(before: &str) -> String {
    let mut text = before.to_owned();
    for (headline, patterns) in IGNORED {
        let missing = patterns
            .iter()
            .filter(|pattern| !before.contains(**pattern));
        let missing: Vec<&str> = missing.copied().collect();
        if missing.is_empty() {
            continue;
        }
        if !text.is_empty() {
            let blank = if text.ends_with('\n') { "\n" } else { "\n\n" };
            text.push_str(blank);
        }
        text.push_str(&format!("{headline}\n{}\n", missing.join("\n")));
    }
    text
}

/// `my-server` becomes `My Server`, as mcp-bash shows a server without a title.
fn title_case(name: &str) -> String {
    let words = name.split(['-', '_', ' ']).filter(|word| !word.is_empty());
    let words = words.map(names::title);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_ignores_is_completed_and_never_repeated() {
        let all = with_ignored("");
        assert_eq!(with_ignored(&all), all);
        let some = with_ignored("# mine\nnode_modules/\n.registry/");
        assert_eq!(some.matches(".registry/").count(), 1);
        assert!(some.starts_with("# mine\nnode_modules/\n.registry/\n\n"));
        for pattern in ["*.log", ".DS_Store", "Thumbs.db"] {
            assert_eq!(some.lines().filter(|line| *line == pattern).count(), 1);
        }
    }
}
