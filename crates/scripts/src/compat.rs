//! Projects of mcp-bash, unmodified. Their quirks live here and nowhere else.
//!
//! Nearly all of it is values: what a project offers ([`Project`]), what its programs are given ([`mod@env`],
//! [`files`]), what their output means ([`result`], [`content`], [`completion`]), who may call what
//! ([`policy`]), and how the protocol differs from the specification ([`door`], [`quirks`]). Only `desk`
//! serves, with the means of `run` and `serve`. Wherever the conventions differ between releases of mcp-bash, the newer one is
//! followed, unless the older has a test that says otherwise.
//!
//! The environment is a value ([`Vars`]), so that all of this can be tried without one.

pub mod ci;
pub mod completion;
pub mod content;
mod conventions;
pub mod cursor;
mod desk;
mod detect;
pub mod door;
pub mod env;
pub mod files;
pub mod health;
pub mod hooks;
pub mod icons;
pub mod limits;
pub mod manual;
mod meta;
mod meta_env;
mod places;
pub mod policy;
mod project;
pub mod prompt;
mod prompts;
pub mod provider;
pub mod quirks;
pub mod registry;
mod resources;
pub mod result;
pub mod roots;
mod server;
mod shelf;
mod shell;
pub mod template;
#[cfg(test)]
pub(crate) mod testing;
mod tools;
mod trust;
pub mod ui;
mod vars;

pub use conventions::{Compat, McpBash, Served, open};
pub use detect::{Why, detect};
pub use places::Places;
pub use project::{Faults, Item, Project};
pub use resources::file_uri;
pub use vars::Vars;

/// The name of the program whose conventions these are.
pub const PROGRAM: &str = "mcp-bash";

/// Why the `server.d/env.sh` of a project may not be read into a shell, if others can write it.
pub fn check_env_file(root: &std::path::Path) -> Result<(), String> {
    let real = root.canonicalize().map_err(|e| e.to_string())?;
    trust::folder(root, &real, false).map_err(|e| e.to_string())?;
    let file = real.join("server.d/env.sh");
    trust::script(&file, &real).map_err(|why| format!("refused: {why}"))
}

/// Reads a project as a folder.
pub fn read(
    root: &std::path::Path,
    env: &[(std::ffi::OsString, std::ffi::OsString)],
    trust_everybody: bool,
) -> Result<crate::folder::Catalogue, crate::folder::FolderError> {
    let vars: Vars = env.iter().cloned().collect();
    let tooling = env::Tooling {
        trust_everybody,
        ..env::Tooling::default()
    };
    Project::read(root, &vars, &tooling).map(|project| project.catalogue())
}
