//! The folder server behind the fronts of `connect` and `expose`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_bridge::{Backend, Bridge, StdioOptions};
use linkspan_mcp::Era;
use linkspan_ports::stdio_parts;
use linkspan_scripts::{Compat, Folder, OpenError, Options};
use linkspan_wire::Limits;

use super::args::{self, FolderArgs, Reach, ServeArgs};
use super::fetch::Web;
use super::reading::exit_of;
use super::secrets;
use crate::exit::{Exit, Failure};
use crate::front::{self, front_options};
use crate::show::path as shown;
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::waiting;

pub(crate) async fn run(args: ServeArgs) -> Result<Exit, Failure> {
    let options = options(&args.folder)?;
    run_with(args, options).await
}

/// The same with other options than the flags say.
pub(super) async fn run_with(args: ServeArgs, mut options: Options) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    // Every call needs a handful of files.
    linkspan_ports::raise_file_limit();
    options.watch = !args.no_watch;
    options.minimal = args.minimal;
    // Over HTTP there are other clients.
    options.shutdown = !args.http;
    let folder = folder(&args.dir, options)?;
    // Every script has a time limit of its own.
    let bridge = Bridge::new(local(folder.clone())).timeout(None);
    let bridge = Shrinking::add_to(bridge, args.shrink)?;
    if args.http {
        let options = front_options(&args.listen, &args.guard)?;
        front::serve_http(signals, bridge, &args.listen, options).await
    } else {
        stdio(signals, bridge, folder, &args).await
    }
}

async fn stdio(
    signals: Signals,
    bridge: Bridge,
    folder: Arc<Folder>,
    args: &ServeArgs,
) -> Result<Exit, Failure> {
    let limits = Limits::default();
    let front = folder.door(stdio_parts, limits).transpose();
    let front = front.map_err(|e| {
        Failure::usage(e.to_string()).hint("it is a secret: make it long, and not to be guessed")
    })?;
    let options = StdioOptions {
        drain: args.drain,
        front,
        ..StdioOptions::default()
    };
    // The client may say that this is the end.
    let signals = signals.or(async move { folder.left().await });
    waiting::for_client(&waiting::tools_of_folder(&args.dir));
    front::serve_stdio(signals, bridge, options).await
}

/// How to open a folder, for every command that takes a target.
pub(crate) fn backend(dir: &Path, args: &FolderArgs) -> Result<Backend, Failure> {
    Ok(local(folder(dir, options(args)?)?))
}

/// A folder as a server that ends with its bridge.
fn local(folder: Arc<Folder>) -> Backend {
    let closed = folder.clone();
    Backend::local(move || folder.port(), Some(Era::Legacy)).closing(move || {
        let folder = closed.clone();
        async move { folder.close().await }
    })
}

/// Opens a folder. The caller closes it.
pub(super) fn folder(dir: &Path, options: Options) -> Result<Arc<Folder>, Failure> {
    Folder::open(dir, options).map_err(|e| explain(dir, &e))
}

pub(super) fn options(args: &FolderArgs) -> Result<Options, Failure> {
    let exe = std::env::current_exe().map_err(|e| {
        Failure::new(
            Exit::Unreachable,
            format!("cannot find our own program: {e}"),
        )
    })?;
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
        compat: match args.compat {
            args::Compat::Auto => Compat::Auto,
            args::Compat::Native => Compat::Native,
            args::Compat::McpBash => Compat::McpBash,
        },
        sandbox: args.sandbox,
        concurrency: args.concurrency,
        roots,
        https: allows(Reach::Https).then(|| web.clone() as _),
        git: allows(Reach::Git),
        hosts: allows(Reach::Git).then_some(web as _),
        trust_everybody: args.insecure_writable,
        env: secrets::environment_without(&secrets::named_by(std::env::args_os())),
        ..Options::new(exe)
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
        OpenError::Io(e) => Failure::new(
            Exit::Unreachable,
            format!("cannot serve {}: {error}: {e}", shown(dir)),
        )
        .hint("is there room in the folder for temporary files (TMPDIR)?"),
        OpenError::Unsupported => Failure::new(
            Exit::Unreachable,
            format!("cannot serve {}: {error}", shown(dir)),
        )
        .hint("on Windows run linkspan in WSL, or give a server program instead: -- COMMAND"),
    }
}
