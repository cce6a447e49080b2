//! `mcp-bash scaffold`: a tool, a prompt … of a project.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use linkspan_mcp_bash::Places;
use serde_json::{Value, json};

use super::drafts::{self, program, text};
use super::{flag, init, root, unexpected, value, vars};
use crate::exit::{Exit, Failure};
use crate::serve::names;
use crate::serve::scaffold::{Draft, folders};
use crate::show::{path as shown, say};

pub(super) fn run(mut words: VecDeque<String>) -> Result<u8, Failure> {
    let kind = words.pop_front().unwrap_or_default();
    if kind == "server" {
        return init::new(words);
    }
    let known = ["tool", "prompt", "resource", "completion", "ui", "test"];
    if !known.contains(&kind.as_str()) {
        return Err(super::usage(
            "scaffold server|tool|prompt|resource|completion|ui NAME, or scaffold test",
        ));
    }
    let with_ui = kind == "tool" && flag(&mut words, "--ui");
    let of_tool = match kind.as_str() {
        "ui" => value(&mut words, "--tool")?,
        _ => None,
    };
    let root = root(&mut words)?;
    let places = Places::of(&root, &vars());
    if kind == "test" {
        unexpected("scaffold test", &words)?;
        return test(&root);
    }
    let name = words.pop_front().filter(|name| !name.is_empty());
    unexpected(&format!("scaffold {kind}"), &words)?;
    let name = name.or_else(|| of_tool.clone()).ok_or_else(|| {
        let what = names::title(&kind);
        Failure::new(Exit::Invalid, format!("{what} name required"))
            .hint(format!("mcp-bash scaffold {kind} NAME"))
    })?;
    names::check(&name)?;
    let folder = match (kind.as_str(), &of_tool) {
        ("tool", _) => places.tools.join(&name),
        ("prompt", _) => places.prompts.join(&name),
        ("resource", _) => places.resources.join(&name),
        ("completion", _) => places.completions.join(&name),
        (_, Some(tool)) => {
            names::check(tool)?;
            let folder = places.tools.join(tool);
            if !folder.is_dir() {
                let what = format!("{} is no tool", shown(&folder));
                return Err(Failure::new(Exit::Invalid, what)
                    .hint(format!("mcp-bash scaffold tool {tool} makes one")));
            }
            folder.join("ui")
        }
        (_, None) => places.ui.join(&name),
    };
    drafts::not_there(&folder)?;
    drafts::write(&folder, &files(&kind, &name, with_ui, of_tool.is_none()))?;
    say!("Scaffolded {kind} at {}", shown(&folder));
    match kind.as_str() {
        "tool" => say!("\nNext:\n  mcp-bash run-tool {name} --allow-self"),
        "completion" => register(&places, &name)?,
        _ => {}
    }
    Ok(0)
}

fn files(kind: &str, name: &str, with_ui: bool, alone: bool) -> Vec<Draft> {
    let page = |below: &str| {
        [
            text(&format!("{below}index.html"), drafts::UI, name),
            text(&format!("{below}ui.meta.json"), drafts::UI_META, name),
        ]
    };
    match kind {
        "tool" => {
            let mut files = vec![
                program("tool.sh", drafts::TOOL, name),
                text("tool.meta.json", drafts::TOOL_META, name),
                text("README.md", drafts::TOOL_README, name),
                program("smoke.sh", drafts::SMOKE, name),
            ];
            if with_ui {
                files.extend(page("ui/"));
            }
            files
        }
        "prompt" => vec![
            text(&format!("{name}.txt"), drafts::PROMPT, name),
            text(&format!("{name}.meta.json"), drafts::PROMPT_META, name),
            text("README.md", drafts::PROMPT_README, name),
        ],
        "resource" => {
            let file = format!("{name}.txt");
            let about = json!({
                "name": name,
                "description": "Say here what is in it",
                // Relative to the project, so that it can be moved.
                "uri": format!("file://./resources/{name}/{file}"),
                "mimeType": "text/plain",
            });
            let about = serde_json::to_string_pretty(&about).unwrap_or_default() + "\n";
            vec![
                text(&file, drafts::RESOURCE, name),
                Draft::text(format!("{name}.meta.json"), about),
            ]
        }
        "completion" => vec![
            program("completion.sh", drafts::COMPLETION, name),
            text("README.md", drafts::COMPLETION_README, name),
        ],
        _ => {
            let mut files = Vec::from(page(""));
            if alone {
                files.push(text("README.md", drafts::UI_README, name));
            }
            files
        }
    }
}

/// Completions are served only if they are registered.
fn register(places: &Places, name: &str) -> Result<(), Failure> {
    let file = places.server.join("register.json");
    let entry = json!({
        "name": name,
        "path": format!("completions/{name}/completion.sh"),
        "timeoutSecs": 5,
    });
    if !file.exists() && places.server.join("register.sh").exists() {
        // A register.json would take its place.
        say!("\nAdd this to the completions that server.d/register.sh registers:\n  {entry}");
        return Ok(());
    }
    let before = match fs::read(&file) {
        Ok(text) => serde_json::from_slice(&text).unwrap_or(Value::Null),
        Err(_) => json!({"version": 1}),
    };
    let Some(after) = registered(before, entry) else {
        let what = format!("{} is no list of registrations", shown(&file));
        return Err(Failure::new(Exit::Invalid, what)
            .hint("fix it, and add the completion to its `completions`"));
    };
    let after = serde_json::to_string_pretty(&after).unwrap_or_default() + "\n";
    if let Some(folder) = file.parent() {
        folders(folder).map_err(|e| drafts::cannot_write(folder, &e))?;
    }
    fs::write(&file, after).map_err(|e| drafts::cannot_write(&file, &e))?;
    say!("Registered it in {}", shown(&file));
    Ok(())
}

/// The registrations with one more completion; `None` if they cannot be understood.
fn registered(before: Value, entry: Value) -> Option<Value> {
    let Value::Object(mut all) = before else {
        return None;
    };
    let list = all.entry("completions").or_insert(Value::Null);
    if list.is_null() {
        *list = json!([]);
    }
    let list = list.as_array_mut()?;
    list.retain(|other| other.get("name") != entry.get("name"));
    list.push(entry);
    Some(Value::Object(all))
}

fn test(root: &Path) -> Result<u8, Failure> {
    let folder = root.join("test");
    drafts::not_there(&folder.join("run.sh"))?;
    drafts::not_there(&folder.join("README.md"))?;
    drafts::write(
        &folder,
        &[
            program("run.sh", drafts::TEST, ""),
            text("README.md", drafts::TEST_README, ""),
        ],
    )?;
    say!("Scaffolded tests at {}", shown(&folder));
    say!("\nNext:\n  add calls of run_test to test/run.sh\n  ./test/run.sh");
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_is_registered_once_and_the_rest_is_kept() {
        let entry = || json!({"name": "a", "path": "p"});
        let before =
            json!({"version": 1, "tools": null, "completions": [{"name": "b"}, {"name": "a"}]});
        let after = registered(before, entry()).unwrap();
        assert_eq!(
            after,
            json!({"version": 1, "tools": null, "completions": [{"name": "b"}, entry()]})
        );
        let new = registered(json!({"version": 1, "completions": null}), entry()).unwrap();
        assert_eq!(new["completions"], json!([entry()]));
        assert_eq!(registered(json!([]), entry()), None);
        assert_eq!(registered(json!({"completions": 1}), entry()), None);
    }
}
