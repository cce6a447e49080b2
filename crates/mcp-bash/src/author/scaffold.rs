//! `mcp-bash scaffold`: a new tool, prompt, resource, completion or UI of a project.

use std::fs;
use std::path::{Path, PathBuf};

use linkspan_scripts::author::draft::{Draft, create_folders};
use linkspan_scripts::author::names;
use serde_json::{Value, json};

use super::AuthorError;
use super::drafts::{self, program, text};
use crate::Places;

/// The kind of a new entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A tool, optionally with a UI.
    Tool {
        /// Whether to add a UI.
        ui: bool,
    },
    /// A prompt.
    Prompt,
    /// A resource.
    Resource,
    /// A completion; see [`register`].
    Completion,
    /// A UI, of the server or of a tool.
    Ui {
        /// The tool.
        of_tool: Option<String>,
    },
}

/// Where a completion was registered.
#[derive(Debug, Clone, PartialEq)]
pub enum Registered {
    /// In this file.
    In(PathBuf),
    /// Nowhere: the project has a `register.sh`, to which its author has to add this entry.
    ByHand(Value),
}

/// Writes the files; returns the new folder.
pub fn scaffold(places: &Places, kind: &Kind, name: &str) -> Result<PathBuf, AuthorError> {
    names::check(name)?;
    let folder = match kind {
        Kind::Tool { .. } => places.tools.join(name),
        Kind::Prompt => places.prompts.join(name),
        Kind::Resource => places.resources.join(name),
        Kind::Completion => places.completions.join(name),
        Kind::Ui { of_tool: None } => places.ui.join(name),
        Kind::Ui {
            of_tool: Some(tool),
        } => {
            names::check(tool)?;
            let folder = places.tools.join(tool);
            if !folder.is_dir() {
                let name = tool.clone();
                return Err(AuthorError::NoTool { folder, name });
            }
            folder.join("ui")
        }
    };
    drafts::not_there(&folder)?;
    drafts::write(&folder, &files(kind, name))?;
    Ok(folder)
}

fn files(kind: &Kind, name: &str) -> Vec<Draft> {
    let page = |below: &str| {
        [
            text(&format!("{below}index.html"), drafts::UI, name),
            text(&format!("{below}ui.meta.json"), drafts::UI_META, name),
        ]
    };
    match kind {
        Kind::Tool { ui } => {
            let mut files = vec![
                program("tool.sh", drafts::TOOL, name),
                text("tool.meta.json", drafts::TOOL_META, name),
                text("README.md", drafts::TOOL_README, name),
                program("smoke.sh", drafts::SMOKE, name),
            ];
            if *ui {
                files.extend(page("ui/"));
            }
            files
        }
        Kind::Prompt => vec![
            text(&format!("{name}.txt"), drafts::PROMPT, name),
            text(&format!("{name}.meta.json"), drafts::PROMPT_META, name),
            text("README.md", drafts::PROMPT_README, name),
        ],
        Kind::Resource => {
            let file = format!("{name}.txt");
            let about = json!({
                "name": name,
                "description": "Say here what is in it",
                // Relative to the project, so that the project can be moved.
                "uri": format!("file://./resources/{name}/{file}"),
                "mimeType": "text/plain",
            });
            let about = serde_json::to_string_pretty(&about).unwrap_or_default() + "\n";
            vec![
                text(&file, drafts::RESOURCE, name),
                Draft::text(format!("{name}.meta.json"), about),
            ]
        }
        Kind::Completion => vec![
            program("completion.sh", drafts::COMPLETION, name),
            text("README.md", drafts::COMPLETION_README, name),
        ],
        Kind::Ui { of_tool } => {
            let mut files = Vec::from(page(""));
            if of_tool.is_none() {
                files.push(text("README.md", drafts::UI_README, name));
            }
            files
        }
    }
}

/// Registers a completion; unregistered ones are not served.
pub fn register(places: &Places, name: &str) -> Result<Registered, AuthorError> {
    let file = places.server.join("register.json");
    let entry = json!({
        "name": name,
        "path": format!("completions/{name}/completion.sh"),
        "timeoutSecs": 5,
    });
    if !file.exists() && places.server.join("register.sh").exists() {
        // A register.json would override the script.
        return Ok(Registered::ByHand(entry));
    }
    let before = match fs::read(&file) {
        Ok(text) => serde_json::from_slice(&text).unwrap_or(Value::Null),
        Err(_) => json!({"version": 1}),
    };
    let Some(after) = registered(before, entry) else {
        return Err(AuthorError::Registrations(file));
    };
    let after = serde_json::to_string_pretty(&after).unwrap_or_default() + "\n";
    if let Some(folder) = file.parent() {
        create_folders(folder).map_err(|e| AuthorError::write(folder, e))?;
    }
    fs::write(&file, after).map_err(|e| AuthorError::write(&file, e))?;
    Ok(Registered::In(file))
}

/// Writes a test script for the project; returns its folder.
pub fn scaffold_tests(root: &Path) -> Result<PathBuf, AuthorError> {
    let folder = root.join("test");
    drafts::not_there(&folder.join("run.sh"))?;
    drafts::not_there(&folder.join("README.md"))?;
    let files = [
        program("run.sh", drafts::TEST, ""),
        text("README.md", drafts::TEST_README, ""),
    ];
    drafts::write(&folder, &files)?;
    Ok(folder)
}

/// The registrations with `entry` added; `None` if the file has another structure.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registering_a_completion_keeps_other_registrations() {
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
