//! `linkspan mcp-remote …`, `mcp-remote-client …` and `supergateway …`, or linkspan under these names.

use std::ffi::OsString;

use linkspan_bridge::{Backend, Bridge, StdioOptions};
use linkspan_client::{Client, FIRST_ANSWER, offered, render};
use linkspan_console::Signals;
use linkspan_dropin::{
    Asked, LogLevel, McpRemote, Mode, Note, Program, SigningIn, Supergateway, Surroundings,
    mcp_remote_help, supergateway_help,
};
use tracing::level_filters::LevelFilter;

use crate::args::LogArgs;
use crate::environment::{can_show_browser, mcp_remote_folder, secret_variables};
use crate::exit::{Exit, Failure};
use crate::runtime::block_on;
use crate::show::{print, say};
use crate::status::Status;
use crate::{front, log, sign_in, target};

const AROUND: Surroundings<'static> = Surroundings {
    variable: &|name| std::env::var(name).ok(),
    read: &|path| std::fs::read_to_string(path),
};

pub(crate) fn run(program: Program, words: Vec<OsString>) -> Result<Exit, Failure> {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    if program == Program::Supergateway {
        match Supergateway::parse(words)? {
            Asked::Help => say!("{}", supergateway_help()),
            Asked::Version => say!("{}", env!("CARGO_PKG_VERSION")),
            Asked::Run(line) => {
                let (debug, silent) = (line.log == LogLevel::Debug, line.log == LogLevel::None);
                start_log(debug, silent, &line.notes)?;
                return block_on(supergateway(line));
            }
        }
        return Ok(Exit::Ok);
    }
    match McpRemote::parse(program, words, AROUND)? {
        Asked::Help => say!("{}", mcp_remote_help()),
        Asked::Version => say!("{}", env!("CARGO_PKG_VERSION")),
        Asked::Run(line) => {
            start_log(line.debug, line.silent, &line.notes)?;
            return block_on(mcp_remote(program, line));
        }
    }
    Ok(Exit::Ok)
}

fn start_log(debug: bool, silent: bool, notes: &[Note]) -> Result<(), Failure> {
    let args = LogArgs {
        verbose: 0,
        debug,
        log_file: None,
    };
    let quiet = [LevelFilter::INFO, LevelFilter::OFF][usize::from(silent)];
    log::start(&args, quiet)?;
    for note in notes {
        match note.is_warning() {
            true => tracing::warn!("{note}"),
            false => tracing::info!("{note}"),
        }
    }
    Ok(())
}

async fn mcp_remote(program: Program, line: McpRemote) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let signing_in = match sign_in::store_options() {
        None => None,
        Some(store) => Some(SigningIn {
            store,
            worker: sign_in::worker()?,
            has_browser: can_show_browser(),
            mcp_remote: mcp_remote_folder(),
        }),
    };
    let backend = line.backend(AROUND, signing_in).await?;
    target::check(&backend)?;
    if program == Program::McpRemoteClient {
        return list(signals, backend).await;
    }
    backend.warn_if_unreachable();
    front::serve_stdio(signals, line.bridge(backend), StdioOptions::default()).await
}

async fn supergateway(line: Supergateway) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let network = match &line.mode {
        Mode::ToNetwork(network) => network,
        Mode::ToStdio { url, sse } => {
            let bridge = Bridge::new(Backend::url(line.remote(url, *sse, AROUND)?));
            return front::serve_stdio(signals, bridge, StdioOptions::default()).await;
        }
    };
    linkspan_ports::raise_file_limit();
    let backend = Backend::command(network.child(secret_variables()));
    target::check(&backend)?;
    let listener = network.listen().await?;
    let bridge = Bridge::new(backend).serve_http(listener, line.serve_options(network)?)?;
    for text in line.announced(network, bridge.url()) {
        say!("{text}");
    }
    let stop = signals.or(linkspan_ports::stdin_closed()).stop();
    // As the original, it ends with 0 after a signal.
    bridge.run(async { _ = stop.await }).await;
    Ok(Exit::Ok)
}

/// Lists what a server offers, after a sign-in if it asks for one.
async fn list(signals: Signals, backend: Backend) -> Result<Exit, Failure> {
    let mut client = Client::new(backend.open()?, None)
        .patient(Some(FIRST_ANSWER))
        .asking(linkspan_elicit::at_terminal())
        .observed(Status::new().signing_in(backend.account()));
    let work = async {
        client.open().await?;
        let offered = offered(&mut client).await?;
        print(|out| render::offered(out, &offered));
        Ok(Exit::Ok)
    };
    let done = tokio::select! {
        done = work => done,
        stop = signals.stop() => Ok(stop.into()),
    };
    client.close().await;
    done
}
