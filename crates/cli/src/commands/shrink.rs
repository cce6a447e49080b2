//! `linkspan shrink`: the same tool results in fewer tokens.

pub(crate) mod args;
mod decode;
mod stats;
mod try_text;

use std::ffi::OsString;
use std::path::PathBuf;

use linkspan_bridge::{Bridge, OutputFile, StdioOptions, tools_of};
use linkspan_console::Signals;
use linkspan_shrink_layer::{NoServer, Shrink};
use linkspan_wire::Limits;

use self::args::{ModeArg, ShrinkArgs, ShrinkCommand};
use crate::exit::{Exit, Failure};
use crate::front::{self, limit, serve_options};
use crate::runtime::block_on;
use crate::target;
use crate::waiting;

/// The folders of the reader server, if the flags are those of the former program for it.
pub(crate) fn as_reader(args: &ShrinkArgs) -> Option<&[PathBuf]> {
    let is_reader = args.proof.is_none() && args.old.mode == Some(ModeArg::Reader);
    is_reader.then_some(&args.results.root)
}

pub(crate) fn run(mut args: ShrinkArgs) -> Result<Exit, Failure> {
    match args.proof.take() {
        Some(ShrinkCommand::Try(args)) => try_text::run(&args),
        Some(ShrinkCommand::Decode(args)) => decode::run(&args),
        Some(ShrinkCommand::Stats(args)) => stats::run(&args),
        None => block_on(serve(args)),
    }
}

async fn serve(mut args: ShrinkArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let shrink = Shrink::new(args.options()?)?;
    if let Some(program) = args.old.downstream_command.take() {
        args.command = std::iter::once(program)
            .chain(downstream_args(args.old.downstream_args.as_deref()))
            .collect();
    }
    if let Some(word) = &args.url {
        NoServer::check(word)?;
    }
    let try_it = tools_of(
        &args.remote.credentials(),
        args.url.as_deref(),
        &args.command,
    );
    let command = std::mem::take(&mut args.command);
    let backend = target::backend(args.url.take(), command, &args.remote)?;
    if !args.http && target::check(&backend).is_ok() {
        waiting::for_client(&try_it);
    }
    if args.http || waiting::at_terminal() {
        backend.warn_if_unreachable();
    }
    let bridge = Bridge::new(backend)
        .server_era(args.eras.server_era.forced())
        .client_era(args.eras.client_era.forced())
        .timeout(limit(args.remote.timeout))
        .layer(shrink.clone());
    let bridge = args.shorten_lists(bridge);
    let ended = if args.http {
        let options = serve_options(&args.listen, &args.guard)?;
        front::serve_http(signals, bridge, &args.listen, options).await
    } else {
        let options = StdioOptions {
            drain: args.drain,
            limits: Limits::new(args.remote.max_message),
            record: args.record.as_deref().map(OutputFile::open).transpose()?,
            front: None,
        };
        front::serve_stdio(signals, bridge, options).await
    };
    shrink.finish();
    ended
}

fn downstream_args(args: Option<&str>) -> impl Iterator<Item = OsString> {
    let words = args.filter(|args| !args.is_empty());
    words
        .into_iter()
        .flat_map(|args| args.split(','))
        .map(OsString::from)
}
