//! Templates of new files, in mcp-bash's layout.

use std::path::Path;

use linkspan_scripts::author::draft::Draft;

use super::AuthorError;

pub(super) const HELLO: &str = include_str!("templates/hello.sh");
pub(super) const TOOL: &str = include_str!("templates/tool.sh");
pub(super) const TOOL_META: &str = include_str!("templates/tool.meta.json");
pub(super) const TOOL_README: &str = include_str!("templates/tool.README.md");
pub(super) const SMOKE: &str = include_str!("templates/smoke.sh");
pub(super) const PROMPT: &str = include_str!("templates/prompt.txt");
pub(super) const PROMPT_META: &str = include_str!("templates/prompt.meta.json");
pub(super) const PROMPT_README: &str = include_str!("templates/prompt.README.md");
pub(super) const RESOURCE: &str = include_str!("templates/resource.txt");
pub(super) const COMPLETION: &str = include_str!("templates/completion.sh");
pub(super) const COMPLETION_README: &str = include_str!("templates/completion.README.md");
pub(super) const UI: &str = include_str!("templates/ui.html");
pub(super) const UI_META: &str = include_str!("templates/ui.meta.json");
pub(super) const UI_README: &str = include_str!("templates/ui.README.md");
pub(super) const SERVER_README: &str = include_str!("templates/server.README.md");
pub(super) const TEST: &str = include_str!("templates/test.sh");
pub(super) const TEST_README: &str = include_str!("templates/test.README.md");
pub(super) const WRAPPER: &str = include_str!("templates/wrapper.sh");
pub(super) const PROFILE: &str = include_str!("templates/profile.sh");
pub(super) const RUN_SERVER: &str = include_str!("templates/run-server.sh");
pub(super) const GETTING_STARTED: &str = include_str!("templates/getting_started.sh");

/// A file from a template, with its name inserted.
pub(super) fn text(path: &str, template: &str, name: &str) -> Draft {
    Draft::text(path, template.replace("@NAME@", name))
}

/// An executable file from a template, with its name inserted.
pub(super) fn program(path: &str, template: &str, name: &str) -> Draft {
    Draft::program(path, template.replace("@NAME@", name))
}

/// Writes new files into a folder, which is created.
pub(super) fn write(folder: &Path, drafts: &[Draft]) -> Result<(), AuthorError> {
    for draft in drafts {
        let path = folder.join(&draft.path);
        draft
            .write_to(&path)
            .map_err(|e| AuthorError::write(&path, e))?;
    }
    Ok(())
}

/// Refuses a path that exists.
pub(super) fn not_there(path: &Path) -> Result<(), AuthorError> {
    if path.symlink_metadata().is_ok() {
        return Err(AuthorError::Exists(path.to_owned()));
    }
    Ok(())
}
