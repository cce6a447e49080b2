//! The flags of `linkspan shrink`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use linkspan_bcp_tools::Settings;
use linkspan_bridge::Bridge;
use linkspan_shrink::{Lossy, Policy};
use linkspan_shrink_layer::{
    Format, Options, OwnTools, PolicySettings, StructuredRule, ToolFilter, confidence,
};
use linkspan_tokens::Vocabulary;
use linkspan_tool_lists::Choice;

use crate::args::listen::{GuardArgs, ListenArgs, only_with_http};
use crate::args::named::explained;
use crate::args::shrink::LevelArg;
use crate::args::{EraArgs, RemoteArgs, ToolListArgs, millis, seconds};
use crate::environment::{jq_command, stats_file, variable};
use crate::exit::Failure;
use crate::value_words::{VOCABULARIES, tokens};

const HELP: &str = "\
Runs between a client and a server and rewrites tool results so that they need fewer tokens. A result is
replaced only if the original can be restored from the new text, which is checked each time, and if the
new text has fewer tokens. Errors, images and everything that is not a tool result are never changed.

Examples:
  linkspan shrink -- npx -y @modelcontextprotocol/server-filesystem .
  linkspan shrink --shadow https://mcp.example.com/mcp   # only measure
  linkspan shrink --budget 8000 --store ~/.cache/results -- ./my-server
  linkspan shrink try result.json                        # before and after
  linkspan shrink try --text result.json | linkspan shrink decode
  linkspan shrink stats                                  # what was saved

In a client's configuration:
  {\"mcpServers\":{\"files\":{\"command\":\"linkspan\",\"args\":[\"shrink\",\"--\",\"npx\",\"-y\",
    \"@modelcontextprotocol/server-filesystem\",\".\"]}}}

Other commands do the same with --shrink. docs/shrink.md in the sources has the details. With --http, the
flags of `linkspan expose` that say who may connect (--auth-issuer, --keys, …) hold here, too.";

#[derive(Debug, Args)]
#[command(
    override_usage = "linkspan shrink [OPTIONS] (URL | FOLDER | -- COMMAND…)\n       linkspan shrink try [FILE]…\n       linkspan shrink decode [FILE]\n       linkspan shrink stats",
    after_long_help = crate::help_text::reflow(HELP),
    args_conflicts_with_subcommands = true,
    mut_args = crate::args::auth_guard::hidden,
    mut_args = only_with_http
)]
pub(crate) struct ShrinkArgs {
    #[command(subcommand)]
    pub(crate) proof: Option<ShrinkCommand>,
    /// The server: a URL, a folder of scripts, or a command after `--`
    #[arg(value_name = "TARGET")]
    pub(crate) url: Option<String>,
    /// Command that runs a server on stdin and stdout
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    /// Serve over HTTP instead of stdin and stdout, and print the URL
    #[arg(long)]
    pub(crate) http: bool,
    /// Wait this long for pending answers after stdin closes
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, conflicts_with = "http",
        hide_short_help = true)]
    pub(crate) drain: Duration,
    /// Record every message to FILE as ndjson; secrets are masked
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "http",
        hide_short_help = true
    )]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) listen: ListenArgs,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    #[command(flatten)]
    pub(crate) results: ResultArgs,
    #[command(flatten)]
    pub(crate) old: OldArgs,
    #[command(flatten)]
    pub(crate) guard: GuardArgs,
    #[command(flatten)]
    pub(crate) eras: EraArgs,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
}

// Commands that show what is saved.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum ShrinkCommand {
    /// Show a text before and after, what is saved, and whether it is lossless
    #[command(
        after_help = "Examples:\n  linkspan shrink try result.json\n  git log -p -3 | linkspan shrink try\n  linkspan shrink try --level safe *.json"
    )]
    Try(TryArgs),
    /// Restore the original of a shortened text
    #[command(
        after_help = "Example:\n  linkspan shrink try --text result.json | linkspan shrink decode"
    )]
    Decode(DecodeArgs),
    /// Show what was saved so far, by server, tool and kind
    #[command(after_help = "Example:\n  linkspan shrink stats --json")]
    Stats(StatsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// Files with text as a tool would print it; stdin by default
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print only the text that a model would get
    #[arg(long, conflicts_with = "json")]
    pub(crate) text: bool,
    /// Print the figures as JSON, one line per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) form: FormArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    /// File with the shortened text; stdin by default
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Print JSON, one line per server, tool and kind
    #[arg(long)]
    pub(crate) json: bool,
    /// Delete the statistics
    #[arg(long)]
    pub(crate) reset: bool,
    /// File with the statistics, in place of the usual one
    #[arg(long, value_name = "FILE")]
    pub(crate) stats_file: Option<PathBuf>,
}

// How texts are shortened, and when.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Shorter texts")]
pub(crate) struct FormArgs {
    /// How compact a text may become; every level is lossless
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "max")]
    pub(crate) level: LevelArg,
    /// Format of results: auto is lossless, the formats of `bcp decode` are not
    #[arg(
        long,
        visible_alias = "render-mode",
        value_name = "HOW",
        value_parser = explained(&Format::NAMED),
        hide_short_help = true
    )]
    pub(crate) render: Option<Format>,
    /// Tokenizer for counting
    #[arg(long, value_name = "VOCABULARY", default_value = "o200k", value_parser = VOCABULARIES,
        hide_short_help = true)]
    pub(crate) tokens: Vocabulary,
    /// Least confidence (0 to 1) that a format is recognised with [default: 0.7]
    #[arg(long, value_name = "NUMBER", value_parser = confidence, hide_short_help = true)]
    pub(crate) threshold: Option<f32>,
    /// Keep the original if less than this is saved, in percent
    #[arg(long, value_name = "PERCENT", default_value = "10",
        value_parser = clap::value_parser!(u64).range(0..=100), hide_short_help = true)]
    pub(crate) min_saving: u64,
    /// Allow loss, marked in the text: diff-context=N, failures-only, html-to-text
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = Lossy::parse)]
    pub(crate) lossy: Vec<Lossy>,
}

// What is done with results.
#[derive(Debug, Args, Clone)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// Change nothing, only measure what would be saved
    #[arg(long)]
    pub(crate) shadow: bool,
    /// Shorten only these tools; `*` matches anything
    #[arg(long, value_name = "TOOL")]
    pub(crate) only: Vec<String>,
    /// Leave these tools alone; `*` matches anything
    #[arg(long, value_name = "TOOL")]
    pub(crate) except: Vec<String>,
    /// Most tokens of a result; a larger one becomes an outline, and bcp_fetch gives the rest
    #[arg(long, value_name = "TOKENS", value_parser = budget)]
    pub(crate) budget: Option<u64>,
    /// Keep every original in DIR, as a BCP file that only you may read
    #[arg(long, value_name = "DIR")]
    pub(crate) store: Option<PathBuf>,
    /// Replace repeated text in a session by a reference
    #[arg(long)]
    pub(crate) dedup: bool,
    /// structuredContent that repeats the text: auto, keep, mirror or drop
    #[arg(long, value_name = "[TOOL=]HOW", value_parser = StructuredRule::parse_for_tools, hide_short_help = true)]
    pub(crate) structured: Vec<(ToolFilter, StructuredRule)>,
    #[command(flatten)]
    pub(crate) tools: ToolListArgs,
    /// Do not add read_bcp_file and the other BCP tools
    #[arg(long, hide_short_help = true)]
    pub(crate) no_bcp_tools: bool,
    /// Folder where the BCP tools may read and write; the current one by default
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with = "no_bcp_tools",
        hide_short_help = true
    )]
    pub(crate) root: Vec<PathBuf>,
    /// Pass a result unchanged after this many milliseconds of work
    #[arg(long, value_name = "MS", default_value = "500", value_parser = millis, hide_short_help = true)]
    pub(crate) time_box: Duration,
    /// File for the statistics, in place of the usual one
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) stats_file: Option<PathBuf>,
    /// Write no statistics
    #[arg(long, conflicts_with = "stats_file", hide_short_help = true)]
    pub(crate) no_stats: bool,
}

// Flags of the program that this command replaces, and former flags.
#[derive(Debug, Args)]
pub(crate) struct OldArgs {
    #[arg(long, hide = true, value_enum)]
    pub(crate) mode: Option<ModeArg>,
    /// The former name of `--tools brief`.
    #[arg(long, hide = true, conflicts_with = "tools")]
    pub(crate) slim_tools: bool,
    #[arg(long, hide = true, value_name = "COMMAND", conflicts_with_all = ["url", "command"])]
    pub(crate) downstream_command: Option<OsString>,
    /// Separated by commas.
    #[arg(
        long,
        hide = true,
        value_name = "ARGS",
        allow_hyphen_values = true,
        requires = "downstream_command"
    )]
    pub(crate) downstream_args: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    Proxy,
    Reader,
}

impl FormArgs {
    /// How texts are shortened.
    pub(crate) fn policy(&self) -> Result<Policy, Failure> {
        let settings = PolicySettings {
            level: self.level.into(),
            confidence: self.threshold,
            percent: self.min_saving,
            vocabulary: self.tokens,
            render: self.render,
            lossy: self.lossy.clone(),
        };
        Ok(settings.policy(variable)?)
    }
}

impl ShrinkArgs {
    /// The bridge with a layer that shortens lists of tools, unless everything is only measured.
    pub(crate) fn shorten_lists(&self, bridge: Bridge) -> Bridge {
        let mut tools = self.results.tools;
        if self.old.slim_tools {
            tools.tools = Some(Choice::Brief);
        }
        match self.results.shadow {
            true => bridge,
            false => tools.add_to(bridge),
        }
    }

    /// The options of the layer.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let (form, results) = (&self.form, &self.results);
        let policy = Policy {
            budget: results.budget,
            ..form.policy()?
        };
        let bcp_tools = !results.no_bcp_tools && !results.shadow;
        let originals_are_named = results.budget.is_some()
            || results.dedup
            || results.store.is_some()
            || !form.lossy.is_empty();
        let fetch = !results.shadow && (bcp_tools || originals_are_named);
        let mut options = Options::new(policy);
        options.structured.extend(results.structured.clone());
        if bcp_tools {
            options.bcp_tools = Some(OwnTools {
                roots: results.root.clone(),
                settings: Settings::of_variables(variable)?,
                temp: std::env::temp_dir(),
            });
        }
        Ok(Options {
            tools: ToolFilter::new(&results.only, &results.except),
            time_box: results.time_box,
            shadow: results.shadow,
            dedup: results.dedup,
            fetch: fetch.then(jq_command).transpose()?,
            store: results.store.clone(),
            stats: if results.no_stats {
                None
            } else {
                results.stats_file.clone().or_else(stats_file)
            },
            ..options
        })
    }
}

fn budget(text: &str) -> Result<u64, String> {
    match tokens(text)? {
        0 => Err("it must be at least 1 token".to_owned()),
        tokens => Ok(tokens),
    }
}
