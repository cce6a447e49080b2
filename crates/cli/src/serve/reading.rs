//! Reading a folder without serving it, as `serve` would.

use std::path::Path;

use linkspan_mcp_bash::{self as mcp_bash, env::Tooling};
use linkspan_scripts::folder::{Catalogue, FolderError, ReadOptions};

use linkspan_scripts::sdk::{self, Installed};

use super::args::Compat;
use crate::exit::{Exit, Failure};

/// How it is read.
pub(crate) struct Reading {
    pub(crate) compat: Compat,
    pub(crate) sandbox: Option<u8>,
    pub(crate) insecure_writable: bool,
}

impl Reading {
    pub(crate) fn plain(compat: Compat) -> Self {
        Self {
            compat,
            sandbox: None,
            insecure_writable: false,
        }
    }
}

/// What is in it. Nothing is executed.
pub(crate) fn catalogue(dir: &Path, how: &Reading) -> Result<Catalogue, FolderError> {
    if mcp_bash::Compat::from(how.compat).is_mcp_bash(dir) {
        let vars = std::env::vars_os().collect();
        return mcp_bash::read(dir, &vars, how.insecure_writable);
    }
    let options = ReadOptions {
        sandbox: how.sandbox,
        trust_everybody: how.insecure_writable,
        thorough: true,
        env: std::env::vars_os().collect(),
        ..ReadOptions::default()
    };
    Catalogue::read(dir, &options)
}

/// What scripts get from us, written out.
pub(crate) fn installed() -> Result<Installed, Failure> {
    let exe = std::env::current_exe();
    exe.and_then(|exe| sdk::install(&exe, &std::env::temp_dir()))
        .map_err(|e| {
            Failure::new(Exit::Unreachable, format!("cannot write the SDK out: {e}"))
                .hint("is there room in the folder for temporary files (TMPDIR)?")
        })
}

/// The same for projects of mcp-bash.
pub(crate) fn tooling() -> Result<Tooling, Failure> {
    let installed = installed()?;
    Ok(Tooling {
        state: std::env::temp_dir(),
        trust_everybody: false,
        sdk: installed.sdk,
        home: installed.home,
        jq: installed.jq,
    })
}

/// A folder that does not exist is a mistake of the command line for every command; `other` is for the rest.
pub(crate) fn exit_of(error: &FolderError, other: Exit) -> Exit {
    match error {
        FolderError::NotAFolder { .. } => Exit::Usage,
        _ => other,
    }
}

/// A folder that cannot be served at all.
pub(crate) fn refused(error: &FolderError) -> Failure {
    let failure = Failure::new(exit_of(error, Exit::Invalid), error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure.hint("is it yours, and readable?"),
    }
}
