//! The folder server behind the fronts of `connect` and `expose`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use linkspan_mcp::era::PARK;
use linkspan_ports::stdio_parts;
use linkspan_scripts::{Compat, Folder, OpenError, Options};
use linkspan_session::Config;
use linkspan_wire::Limits;

use super::args::{self, FolderArgs, Reach, ServeArgs};
use super::fetch::Web;
use super::reading::exit_of;
use super::secrets;
use crate::connect::{StdioOptions, over_stdio};
use crate::exit::{Exit, Failure};
use crate::expose::{front_options, over_http};
use crate::house::{InnOptions, Server};
use crate::show::path as shown;
use crate::shrink::Shrinking;
use crate::signals::Signals;
use crate::target::Opener;
use crate::waiting;

/// Folders that are served, so that what runs in them can be ended when we end.
static OPEN: Mutex<Vec<Arc<Folder>>> = Mutex::new(Vec::new());

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
    let shrinking = Shrinking::of(args.shrink)?;
    let server = Server::new(local(folder.clone()), None).shrinking(shrinking);
    match args.http {
        true => http(signals, server, &args).await,
        false => stdio(signals, server, folder, &args).await,
    }
}

async fn stdio(
    signals: Signals,
    server: Server,
    folder: Arc<Folder>,
    args: &ServeArgs,
) -> Result<Exit, Failure> {
    let limits = Limits::default();
    let front = folder.door(stdio_parts, limits).transpose();
    let front = front.map_err(|e| {
        Failure::usage(e.to_string()).hint("it is a secret: make it long, and not to be guessed")
    })?;
    let options = StdioOptions {
        client_era: None,
        // Every script has a limit of its own.
        timeout: None,
        drain: args.drain,
        max_message: limits.max_bytes(),
        record: None,
        front,
    };
    // The client may say that this is the end.
    let signals = signals.or(async move { folder.left().await });
    waiting::for_client(&waiting::tools_of_folder(&args.dir));
    over_stdio(signals, server, options).await
}

async fn http(signals: Signals, server: Server, args: &ServeArgs) -> Result<Exit, Failure> {
    let options = front_options(&args.listen, &args.guard)?;
    let inn = InnOptions {
        share: false,
        park: PARK,
        idle: options.idle,
        max_servers: options.max_sessions,
        session: Config {
            timeout: None,
            ..Config::default()
        },
    };
    over_http(signals, server, &args.listen, options, inn).await
}

/// How to open a folder, for every command that takes a target.
pub(crate) fn opener(dir: &Path, args: &FolderArgs) -> Result<Opener, Failure> {
    open(dir, options(args)?)
}

fn open(dir: &Path, options: Options) -> Result<Opener, Failure> {
    Ok(local(folder(dir, options)?))
}

fn local(folder: Arc<Folder>) -> Opener {
    Opener::local(move || folder.port())
}

/// Opens a folder that is closed when we end.
pub(super) fn folder(dir: &Path, options: Options) -> Result<Arc<Folder>, Failure> {
    let folder = Folder::open(dir, options).map_err(|e| explain(dir, &e))?;
    OPEN.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(folder.clone());
    Ok(folder)
}

/// Ends what still runs in folders that were opened.
pub(crate) async fn leave() {
    let open = std::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    for folder in open {
        folder.close().await;
    }
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
    }
}
