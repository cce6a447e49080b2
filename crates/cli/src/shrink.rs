//! `linkspan shrink`: the same tool results in fewer tokens.

pub(crate) mod args;
mod fetch;
mod kept;
mod layer;
mod ledger;
mod local;
mod proof;
mod repeats;
mod shared;
mod wanted;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use linkspan_bridge::{Bridge, LayerFactory, OutputFile, SessionInfo, StdioOptions};
use linkspan_session::Layer;
use linkspan_shrink::{Policy, Stop, rewrite};
use linkspan_wire::{Limits, Message};

use self::args::{ModeArg, Proof, ShrinkArgs, ShrinkFlag};
use self::layer::ShrinkLayer;
pub(crate) use self::shared::Options;
use self::shared::Shared;
use crate::exit::{Exit, Failure};
use crate::front::{self, front_options, limit};
use crate::mistakes;
use crate::signals::Signals;
use crate::target::{self, Target};
use crate::waiting;

/// Makes layers for the sessions in front of one server. Clones are the same.
#[derive(Clone)]
pub(crate) struct Shrinking(Arc<Shared>);

impl Shrinking {
    pub(crate) fn new(options: Options) -> Result<Self, Failure> {
        Shared::new(options).map(Self)
    }

    /// What `--shrink` of another command asks for.
    pub(crate) fn of(flag: ShrinkFlag) -> Result<Option<Self>, Failure> {
        flag.options()?.map(Self::new).transpose()
    }

    /// The bridge with what `--shrink` of another command asks for.
    pub(crate) fn add_to(bridge: Bridge, flag: ShrinkFlag) -> Result<Bridge, Failure> {
        Ok(match Self::of(flag)? {
            Some(shrinking) => bridge.layer(shrinking),
            None => bridge,
        })
    }

    /// Writes the sums of what was saved.
    pub(crate) fn finish(&self) {
        self.0.finish();
    }
}

impl LayerFactory for Shrinking {
    fn layer(&self, session: SessionInfo<'_>) -> Box<dyn Layer> {
        let SessionInfo {
            one_client,
            principal,
        } = session;
        Box::new(ShrinkLayer::new(self.0.clone(), one_client, principal))
    }

    /// Notes the server's name.
    fn discovered(&self, answer: &Message) {
        self.0.learn_server(answer);
    }
}

/// The answer to a call with shorter texts, if there are any.
pub(crate) fn shorter(answer: Message, tool: &str, policy: &Policy) -> Message {
    let result = answer.body();
    let rewritten = result.map(|result| rewrite(result, tool, policy, &(), &Stop::default()));
    match (result, rewritten.and_then(|rewritten| rewritten.result)) {
        (Some(result), Some(new)) => answer.with_value(result, &new),
        _ => answer,
    }
}

/// The folders of the reader server, if the flags of the former program ask for that instead.
pub(crate) fn as_reader(args: &ShrinkArgs) -> Option<&[PathBuf]> {
    let is_reader = args.proof.is_none() && args.old.mode == Some(ModeArg::Reader);
    is_reader.then_some(&args.results.root)
}

pub(crate) fn run(mut args: ShrinkArgs) -> Result<Exit, Failure> {
    match args.proof.take() {
        Some(Proof::Try(args)) => proof::try_out(&args),
        Some(Proof::Decode(args)) => proof::decode(&args),
        Some(Proof::Stats(args)) => proof::stats(&args),
        None => crate::block_on(between(args)),
    }
}

async fn between(mut args: ShrinkArgs) -> Result<Exit, Failure> {
    let signals = Signals::listen();
    let shrinking = Shrinking::new(args.options()?)?;
    if let Some(program) = args.old.downstream_command.take() {
        args.command = std::iter::once(program)
            .chain(old_words(args.old.downstream_args.as_deref()))
            .collect();
    }
    if let Some(word) = &args.url {
        if let Some(meant) = mistakes::proof_of_shrink(word) {
            return Err(mistakes::not_a_proof(word, meant));
        }
        refuse_a_text(word)?;
    }
    let try_it = waiting::tools_of(
        &args.remote.credentials(),
        args.url.as_deref(),
        &args.command,
    );
    let target = Target::new(args.url.take(), std::mem::take(&mut args.command))?;
    let backend = target.backend(&args.remote, args.guard.token_env.as_deref())?;
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
        .layer(shrinking.clone());
    let ended = if args.http {
        let options = front_options(&args.listen, &args.guard)?;
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
    shrinking.finish();
    ended
}

/// Endings of files that hold results of tools, and of no server.
const TEXTS: [&str; 12] = [
    "json", "ndjson", "jsonl", "txt", "log", "md", "csv", "tsv", "diff", "patch", "yaml", "yml",
];

/// Notices that `try` was forgotten.
fn refuse_a_text(word: &str) -> Result<(), Failure> {
    let path = Path::new(word);
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_text = path.is_file() || ending.is_some_and(|ending| TEXTS.contains(&ending));
    if word.contains("://") || path.is_dir() || !is_text {
        return Ok(());
    }
    Err(
        Failure::usage(format!("`{word}` is a file with a text, not a server")).hint(format!(
            "`linkspan shrink try {word}` shows what becomes of it; a command that is a server goes after `--`"
        )),
    )
}

fn old_words(args: Option<&str>) -> impl Iterator<Item = OsString> {
    let words = args.filter(|args| !args.is_empty());
    words
        .into_iter()
        .flat_map(|args| args.split(','))
        .map(OsString::from)
}
