//! Opening a folder of scripts, and reading it without serving it.

mod secrets;
pub(crate) mod serving;
mod web;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_bridge::Backend;
use linkspan_mcp::Era;
use linkspan_mcp_bash::env::Tooling;
use linkspan_mcp_bash::{self as mcp_bash, Served};
use linkspan_scripts::author::{self, Report};
use linkspan_scripts::folder::{Catalogue, FolderError, ReadOptions};
use linkspan_scripts::sdk::{self, Installed};
use linkspan_scripts::{Folder, OpenError, Options};

use self::web::Web;
use crate::args::folder::{Compat, FolderArgs, Reach};
use crate::environment::own_program;
use crate::exit::{Exit, Failure, warn};
use crate::show::path as shown;

/// How a folder is read.
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

/// The contents of a folder. Nothing is executed.
pub(crate) fn catalogue(dir: &Path, how: &Reading) -> Result<Catalogue, FolderError> {
    if mcp_bash::Compat::from(how.compat).is_mcp_bash(dir) {
        let vars = std::env::vars_os().collect();
        return mcp_bash::read(dir, &vars, how.insecure_writable);
    }
    let options = ReadOptions {
        sandbox: how.sandbox,
        accept_writable: how.insecure_writable,
        thorough: true,
        env: std::env::vars_os().collect(),
        ..ReadOptions::default()
    };
    Catalogue::read(dir, &options)
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
    let installed = installed()?;
    Ok(Tooling {
        state: std::env::temp_dir(),
        accept_writable: false,
        sdk: installed.sdk,
        home: installed.home,
        jq: installed.jq,
    })
}

/// The exit code of an error: a folder that does not exist is a mistake on the command line.
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

/// What a folder offers, and its problems. A folder that is missing or unreadable is an error.
pub(crate) fn look(dir: &Path, how: &Reading) -> Result<Report, Failure> {
    match catalogue(dir, how) {
        Ok(catalogue) => Ok(catalogue.into()),
        Err(e @ (FolderError::NotAFolder { .. } | FolderError::Unreadable { .. })) => {
            Err(refused(&e))
        }
        Err(e) => Ok((&e).into()),
    }
}

/// Repairs a folder, with a warning for each repair that fails.
pub(crate) fn repair(look: impl Fn() -> Result<Report, Failure>) -> Result<Report, Failure> {
    let report = author::repair(look)?;
    for (path, why) in &report.failed {
        warn(&format!("cannot mend {}: {why}", shown(path)));
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
    Backend::local(move || folder.port(), Some(Era::Legacy)).closing(move || {
        let folder = closed.clone();
        async move { folder.close().await }
    })
}

/// Opens a folder. The caller closes it.
pub(crate) fn folder(dir: &Path, options: Options, compat: Compat) -> Result<Served, Failure> {
    mcp_bash::open(dir, options, compat.into()).map_err(|e| explain(dir, &e))
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
    let env = secrets::environment_without(&secrets::named_by(std::env::args_os()));
    let allows = |reach| args.allow_provider.contains(&reach);
    Ok(Options {
        sandbox: args.sandbox,
        concurrency: args.concurrency,
        roots,
        https: allows(Reach::Https).then(|| web.clone() as _),
        git: allows(Reach::Git),
        hosts: allows(Reach::Git).then_some(web as _),
        accept_writable: args.insecure_writable,
        ..Options::new(exe, env, std::env::temp_dir())
    })
}

fn explain(dir: &Path, error: &OpenError) -> Failure {
    match error {
        OpenError::Folder(e) => {
            let failure = Failure::new(exit_of(e, Exit::Unreachable), format!("cannot serve: {e}"));
            match e.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
        OpenError::Unsupported => Failure::new(
            Exit::Unreachable,
            format!("cannot serve {}: {error}", shown(dir)),
        )
        .hint("on Windows run linkspan in WSL, or give a server program instead: -- COMMAND"),
        OpenError::Io(e) => Failure::new(
            Exit::Unreachable,
            format!("cannot serve {}: {error}: {e}", shown(dir)),
        )
        .hint("is there room in the folder for temporary files (TMPDIR)?"),
    }
}
