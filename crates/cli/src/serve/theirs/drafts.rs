//! Files to begin with, in mcp-bash's layout.

use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::serve::scaffold::{Draft, write_one};
use crate::show::path as shown;

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

/// A file of a template, with its name filled in.
pub(super) fn text(path: &str, template: &str, name: &str) -> Draft {
    Draft::text(path, template.replace("@NAME@", name))
}

/// The same for a program.
pub(super) fn program(path: &str, template: &str, name: &str) -> Draft {
    Draft::program(path, template.replace("@NAME@", name))
}

/// Writes files into a folder that is made for them.
pub(super) fn write(folder: &Path, drafts: &[Draft]) -> Result<(), Failure> {
    for draft in drafts {
        let path = folder.join(&draft.path);
        write_one(&path, draft).map_err(|e| cannot_write(&path, &e))?;
    }
    Ok(())
}

pub(super) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(
        Exit::Invalid,
        format!("cannot write {}: {error}", shown(path)),
    )
    .hint("is it a folder of yours, on a disk with room?")
}

/// Refuses a place where something is already.
pub(super) fn not_there(path: &Path) -> Result<(), Failure> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let what = format!("{} already exists", shown(path));
    Err(Failure::new(Exit::Invalid, what).hint("remove it, or take another name"))
}
