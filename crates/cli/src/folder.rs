//! Opening a folder of scripts, and reading it without serving it.

pub(crate) mod serving;
mod web;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_bridge::Backend;
use linkspan_mcp::Era;
use linkspan_mcp_bash::env::Tooling;
use linkspan_mcp_bash::{self as mcp_bash, FolderLayout, Served};
use linkspan_scripts::author::{self, Report};
use linkspan_scripts::folder::{FolderError, ReadOptions};
use linkspan_scripts::sdk::{self, Installed};
use linkspan_scripts::{Folder, OpenError, Options};

use self::web::Web;
use crate::args::folder::{FolderArgs, Reach};
use crate::environment::{environment_of_children, own_program};
use crate::exit::{Exit, Failure, warn};
use crate::show::path as shown;

/// How a folder is read for checks, without serving it.
pub(crate) fn reading() -> ReadOptions {
    ReadOptions {
        thorough: true,
        env: environment_of_children().collect(),
        ..ReadOptions::default()
    }
}

/// Writes out the files that scripts use.
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
    Ok(Tooling::new(installed()?, std::env::temp_dir()))
}

/// The exit code of an error: a folder that does not exist is a mistake on the command line.
fn exit_of(error: &FolderError, other: Exit) -> Exit {
    match error {
        FolderError::NotAFolder { .. } => Exit::Usage,
        _ => other,
    }
}

/// A folder that cannot be served.
impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        let hint = error.hint();
        Self::new(exit_of(&error, Exit::Invalid), error.to_string())
            .hint(hint.unwrap_or_else(|| "is the folder readable?".to_owned()))
    }
}

/// The contents of a folder, and its problems. A folder that is missing or unreadable is an error.
pub(crate) fn look(dir: &Path, how: &ReadOptions, compat: FolderLayout) -> Result<Report, Failure> {
    Ok(Report::of(mcp_bash::catalogue(dir, how, compat))?)
}

/// Repairs a folder, with a warning for each repair that fails.
pub(crate) fn repair(look: impl Fn() -> Result<Report, Failure>) -> Result<Report, Failure> {
    let report = author::repair(look)?;
    for (path, why) in &report.failed {
        warn(&format!("cannot repair {}: {why}", shown(path)));
    }
    Ok(report)
}

/// How to open a folder, for every command that takes a target.
pub(crate) fn backend(dir: &Path, args: &FolderArgs) -> Result<Backend, Failure> {
    Ok(local(folder(dir, options(args)?, args.compat)?.folder))
}

/// A folder as a server that ends with its bridge.
pub(crate) fn local(folder: Arc<Folder>) -> Backend {
    let closed = folder.clone();
    let open = move |caller| folder.port_for(caller);
    Backend::local_for(open, Some(Era::Legacy)).closing(move || {
        let folder = closed.clone();
        async move { folder.close().await }
    })
}

/// Opens a folder. The caller closes it.
pub(crate) fn folder(
    dir: &Path,
    options: Options,
    compat: FolderLayout,
) -> Result<Served, Failure> {
    mcp_bash::open(dir, options, compat).map_err(|e| explain(dir, &e))
}

pub(crate) fn options(args: &FolderArgs) -> Result<Options, Failure> {
    let exe = own_program()?;
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in &args.root {
        let real = root.canonicalize().map_err(|e| {
            Failure::usage(format!("--root {}: {e}", shown(root)))
                .hint("it must be a file or folder that exists")
        })?;
        roots.push(real);
    }
    let web = Web::new(&args.https_host)?;
    let allows = |reach| args.allow_provider.contains(&reach);
    Ok(Options {
        sandbox: args.sandbox,
        concurrency: args.concurrency,
        roots,
        https: allows(Reach::Https).then(|| web.clone() as _),
        git: allows(Reach::Git),
        hosts: allows(Reach::Git).then_some(web as _),
        accept_writable: args.insecure_writable,
        ..Options::new(
            exe,
            environment_of_children().collect(),
            std::env::temp_dir(),
        )
    })
}

fn explain(dir: &Path, error: &OpenError) -> Failure {
    let (exit, what) = match error {
        OpenError::Folder(e) => (exit_of(e, Exit::Unreachable), format!("cannot serve: {e}")),
        OpenError::Unsupported => (
            Exit::Unreachable,
            format!("cannot serve {}: {error}", shown(dir)),
        ),
        OpenError::Io(e) => (
            Exit::Unreachable,
            format!("cannot serve {}: {error}: {e}", shown(dir)),
        ),
    };
    Failure::new(exit, what).hinted(error.hint())
}
