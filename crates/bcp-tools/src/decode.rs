//! `linkspan bcp decode`: a file as text for a model.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Document, Failed, Kind, Report, Show, Verbosity};

use crate::bcp::args::{Words, tokens};
use crate::bcp::counting::{Counter, TokenizerArg};
use crate::bcp::files::{DASH, Output, clear_up_on_signals};
use crate::bcp::held::Held;
use crate::bcp::opening::{FileArg, StoreArg, refuse_same};
use crate::bcp::progress::Progress;
use crate::bcp::said::{broken, others};
use crate::bcp::settings;
use linkspan_bcp_tools::to_json;
use crate::exit::{Exit, Failure, warn};

pub(crate) const HELP: &str = "\
Renders the blocks of FILE in the order that they have. With --budget they are taken by their
priority: in full while there is room, else by their summary, else only mentioned. The text never
has more tokens than that, unless the critical blocks alone do; then a warning says so.

Text inside a block cannot imitate linkspan's own tags, headers or fences; it is escaped, and the
block is marked. --compat renders as bcp 0.1.0 does, byte for byte, without this escaping.

Examples:
  linkspan bcp decode context.bcp
  linkspan bcp decode context.bcp --mode markdown --budget 4000
  linkspan bcp decode context.bcp --include code,diff --mode minimal | pbcopy
  linkspan bcp decode context.bcp --json | linkspan bcp encode - -o same.bcp

Environment:
  BCP_RENDER_MODE  the mode if --mode is not given: xml, markdown or minimal";

// `linkspan bcp decode`
#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    file: FileArg,
    /// Format: xml, markdown (md) or minimal; xml by default
    #[arg(long, value_name = "MODE", value_parser = MODES, hide_possible_values = true)]
    mode: Option<Mode>,
    /// full, summary (where a block has one), or adaptive (what the budget allows; the default)
    #[arg(long, value_name = "HOW", default_value = "adaptive", value_parser = VERBOSITIES, hide_default_value = true, hide_possible_values = true)]
    verbosity: Verbosity,
    /// Most tokens that the text may have
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    budget: Option<u64>,
    #[command(flatten)]
    tokenizer: TokenizerArg,
    /// Only blocks of these types, such as code,conversation
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = KINDS, hide_possible_values = true)]
    include: Option<Vec<Wanted>>,
    /// Only blocks with these numbers, counted from 0 as `inspect` does
    #[arg(long, value_name = "N", value_delimiter = ',')]
    block: Option<Vec<u64>>,
    /// Print the blocks as a manifest that `encode` reads
    #[arg(long, conflicts_with_all = ["mode", "budget", "compat", "verbosity", "tokenizer"])]
    json: bool,
    /// Render as bcp 0.1.0 does, byte for byte
    #[arg(long)]
    compat: bool,
    /// Write to FILE instead of stdout; it appears when it is complete
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    output: PathBuf,
    #[command(flatten)]
    store: StoreArg,
}

const MODES: Words<Mode> = Words {
    parse: |word| Mode::parse(word).ok_or("it is xml, markdown or minimal".to_owned()),
    names: || Mode::ALL.iter().map(|mode| mode.name()).collect(),
};

const VERBOSITIES: Words<Verbosity> = Words {
    parse: |word| Verbosity::parse(word).ok_or("it is full, summary or adaptive".to_owned()),
    names: || vec!["full", "summary", "adaptive"],
};

/// A type of blocks; none is what follows the last comma of a list.
#[derive(Debug, Clone, Copy)]
struct Wanted(Option<Kind>);

const KINDS: Words<Wanted> = Words {
    parse: |word| match (word.trim(), Kind::parse(word.trim())) {
        ("", _) => Ok(Wanted(None)),
        (_, None) => Err(format!("it is one of {}", kinds().join(", "))),
        (_, kind) => Ok(Wanted(kind)),
    },
    names: kinds,
};

fn kinds() -> Vec<&'static str> {
    Kind::ALL.iter().map(|kind| kind.name()).collect()
}

pub(crate) fn run(args: &DecodeArgs) -> Result<Exit, Failure> {
    let mode = match args.mode {
        Some(mode) => mode,
        // Nothing is rendered then.
        None if args.json => Mode::Xml,
        None => settings::mode(settings::variable)?,
    };
    let document = args.store.document(&args.file)?;
    let show = Show {
        renderer: Renderer {
            mode,
            compat: args.compat,
        },
        verbosity: args.verbosity,
        include: args.include.as_ref().map(|wanted| {
            let kinds = wanted.iter().filter_map(|wanted| wanted.0);
            kinds.collect()
        }),
        blocks: args.block.clone(),
        // A terminal or a pipe gets whole lines.
        line_end: args.output == Path::new(DASH),
    };
    clear_up_on_signals();
    let mut output = Output::create(&args.output)?;
    refuse_same(args.file.path(), &output)?;
    let report = write(args, &document, &show, &mut output)?;
    output.commit()?;
    remark(args, &report);
    match report.unreadable.first() {
        Some(first) => Err(broken(&args.file, first)),
        None => Ok(Exit::Ok),
    }
}

fn write(
    args: &DecodeArgs,
    document: &Document,
    show: &Show,
    output: &mut Output,
) -> Result<Report, Failure> {
    let progress = Progress::new("decoding", document.source());
    let mut watch = |at| {
        progress.at(at);
        true
    };
    let output_is_atomic = output.is_atomic();
    let mut out = Held::new(output, document);
    // Nobody likes half an answer; a file that is not complete is not there.
    let whole = match output_is_atomic {
        true => Ok(()),
        false => document.check_frames(),
    };
    let shown = if let Err(e) = whole {
        Err(e.into())
    } else if args.json {
        to_json::write(document, show, &mut out, &mut watch)
    } else {
        render(args, document, show, &mut out, &mut watch)
    };
    progress.end();
    if let Some(torn) = out.torn() {
        return Err(torn);
    }
    let report = shown.map_err(|failed| match failed {
        Failed::File(e) => broken(&args.file, &e),
        Failed::Nothing if args.block.is_some() => {
            let blocks: Vec<String> = args.block.iter().flatten().map(u64::to_string).collect();
            let what = format!(
                "{}: there is no block {} to render",
                args.file.name(),
                blocks.join(", ")
            );
            Failure::new(Exit::Invalid, what).hint("`linkspan bcp inspect` shows their numbers")
        }
        failed => Failure::new(Exit::Invalid, format!("{}: {failed}", args.file.name()))
            .hint("`linkspan bcp inspect` shows what is in it"),
    })?;
    out.finish()?;
    Ok(report)
}

fn render(
    args: &DecodeArgs,
    document: &Document,
    show: &Show,
    out: &mut Held<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Report, Failed> {
    let report = match args.budget {
        Some(budget) if args.verbosity == Verbosity::Adaptive => {
            let counter = Counter(args.tokenizer.vocabulary());
            let (text, report) = document.show_within(show, budget, &counter, watch)?;
            out.write_all(text.as_bytes())?;
            report
        }
        _ => document.show(show, out, watch)?,
    };
    // A file gets what was rendered; a terminal or a pipe gets whole lines.
    if out.wants_line_end() {
        out.write_all(b"\n")?;
    }
    Ok(report)
}

fn remark(args: &DecodeArgs, report: &Report) {
    for error in report.unreadable.iter().skip(1) {
        warn(&error.to_string());
    }
    let Some(budget) = args.budget else {
        return;
    };
    if args.verbosity != Verbosity::Adaptive {
        warn("--budget says nothing with this --verbosity");
    }
    // The reference does not count.
    let Some(tokens) = report.tokens else {
        return;
    };
    if report.over_budget {
        warn(&format!(
            "the critical blocks alone have {tokens} tokens; the budget is {budget}{}",
            others(report)
        ));
    } else if tokens == 0 && report.left_out > 0 {
        warn(&format!("not one block fits into {budget} tokens"));
    } else if report.left_out > 0 && !report.noted {
        let blocks = report.left_out;
        let noun = if blocks == 1 {
            "block is"
        } else {
            "blocks are"
        };
        warn(&format!(
            "{blocks} {noun} left out, and {budget} tokens have no room for a line that says so"
        ));
    }
}
