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

use linkspan_mcp::era::PARK;
use linkspan_ports::Principal;
use linkspan_session::{Config, Layer};
use linkspan_shrink::{Policy, Stop, rewrite};
use linkspan_wire::Message;

use self::args::{ModeArg, Proof, ShrinkArgs, ShrinkFlag};
use self::layer::ShrinkLayer;
pub(crate) use self::shared::Options;
use self::shared::Shared;
use crate::connect::{StdioOptions, over_stdio};
use crate::exit::{Exit, Failure};
use crate::expose::{front_options, over_http};
use crate::house::{InnOptions, Server};
use crate::mistakes;
use crate::signals::Signals;
use crate::target::Target;
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

    /// For a session of this principal; `alone`: there is one client, and it sees everything that passes.
    pub(crate) fn layer(&self, alone: bool, principal: &Principal) -> Box<dyn Layer> {
        Box::new(ShrinkLayer::new(self.0.clone(), alone, principal))
    }

    /// Notes what a server calls itself in its answer to `server/discover`.
    pub(crate) fn learn_server(&self, hello: &Message) {
        self.0.learn_server(hello);
    }

    /// Writes down what was saved.
    pub(crate) fn finish(&self) {
        self.0.finish();
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
    let opener = target.opener(&args.remote)?;
    let opener = opener.without_env(args.guard.token_env.as_deref());
    if !args.http && opener.check().is_ok() {
        waiting::for_client(&try_it);
    }
    opener.warn_if_unreachable(args.http || waiting::at_terminal());
    let server =
        Server::new(opener, args.eras.server_era.forced()).shrinking(Some(shrinking.clone()));
    let ended = match args.http {
        true => http(signals, server, &args).await,
        false => stdio(signals, server, &args).await,
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

async fn stdio(signals: Signals, server: Server, args: &ShrinkArgs) -> Result<Exit, Failure> {
    let options = StdioOptions {
        client_era: args.eras.client_era.forced(),
        timeout: Some(args.remote.timeout).filter(|timeout| !timeout.is_zero()),
        drain: args.drain,
        max_message: args.remote.max_message,
        record: args.record.clone(),
        front: None,
    };
    over_stdio(signals, server, options).await
}

async fn http(signals: Signals, server: Server, args: &ShrinkArgs) -> Result<Exit, Failure> {
    linkspan_ports::raise_file_limit();
    let options = front_options(&args.listen, &args.guard)?;
    let inn = InnOptions {
        share: false,
        park: PARK,
        idle: options.idle,
        max_servers: options.max_sessions,
        session: Config {
            timeout: Some(args.remote.timeout).filter(|timeout| !timeout.is_zero()),
            ..Config::default()
        },
    };
    over_http(signals, server, &args.listen, options, inn).await
}
