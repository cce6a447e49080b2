//! Serves projects of mcp-bash unmodified.
//!
//! Most modules compute values: the entries of a project ([`Project`]), the inputs of its programs
//! ([`mod@env`], [`files`]), the meaning of their output ([`result`], [`content`], [`completion`]), which calls
//! are allowed ([`policy`]), and deviations from the protocol ([`stdio`], [`quirks`]). `connection` answers
//! requests, `conventions` joins it to the folder server of `linkspan-scripts`. Where releases of mcp-bash
//! differ, the newer one is followed, unless a test of the older one requires otherwise.
//!
//! Invariant: the environment is a value ([`Vars`]); nothing here reads that of the process.

use linkspan_scripts::os;

pub mod author;
pub mod ci;
pub mod completion;
mod connection;
pub mod content;
mod conventions;
pub mod cursor;
mod detect;
pub mod env;
pub mod files;
pub mod health;
mod hook_error;
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
mod shell;
mod snapshot;
pub mod stdio;
pub mod template;
#[cfg(test)]
mod testing;
mod tools;
pub mod trust;
pub mod ui;
mod vars;

use std::path::Path;

use linkspan_scripts::folder::{Catalogue, FolderError, ReadOptions};

pub use conventions::{FolderLayout, McpBash, Served, open};
pub use detect::{Why, detect};
pub use hook_error::{EnvScriptError, RegisterError};
pub use places::Places;
pub use project::{Faults, Item, Project};
pub use resources::file_uri;
pub use vars::Vars;

/// The name of the program whose conventions these are.
pub const PROGRAM: &str = "mcp-bash";

/// Why a file of a project may not be sourced by a shell.
#[derive(Debug, thiserror::Error)]
pub enum EnvFileError {
    /// The project cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The project may not be served.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Other users can write the file.
    #[error("refused: {0}")]
    Untrusted(#[from] trust::Distrust),
}

/// Checks that only this user can write `server.d/env.sh`, so that a shell may source it.
pub fn check_env_file(root: &Path) -> Result<(), EnvFileError> {
    let real = root.canonicalize()?;
    trust::folder(root, &real, false)?;
    Ok(trust::script(&real.join("server.d/env.sh"), &real)?)
}

/// The contents of a folder, by the conventions that `compat` selects. Executes nothing.
pub fn catalogue(
    root: &Path,
    options: &ReadOptions,
    compat: FolderLayout,
) -> Result<Catalogue, FolderError> {
    if !compat.is_mcp_bash(root) {
        return Catalogue::read(root, options);
    }
    let tooling = env::Tooling {
        accept_writable: options.accept_writable,
        ..env::Tooling::default()
    };
    let vars = options.env.iter().cloned().collect();
    Project::read(root, &vars, &tooling).map(|project| project.catalogue())
}
