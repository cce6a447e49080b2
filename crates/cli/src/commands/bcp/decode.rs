//! `linkspan bcp decode`: a file as text for a model.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_bcp::render::{Mode, Renderer};
use linkspan_bcp::{Show, Verbosity};
use linkspan_bcp_tools::BcpError;
use linkspan_bcp_tools::decode::{DecodeOptions, WantedKind, decode};
use linkspan_bcp_tools::files::DASH;
use linkspan_bcp_tools::variables::default_mode;

use super::opening::{FileArg, StoreArg};
use super::output::output;
use super::progress::Bar;
use super::tokenizer::TokenizerArg;
use crate::environment::variable;
use crate::exit::{Exit, Failure, warn};
use crate::value_words::{Words, tokens};

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

#[derive(Debug, Args)]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    file: FileArg,
    /// Format: xml, markdown (md) or minimal; xml by default
    #[arg(long, value_name = "MODE", value_parser = MODES, hide_possible_values = true)]
    mode: Option<Mode>,
    /// full, summary (where a block has one), or adaptive (what the budget allows; the default)
    #[arg(long, value_name = "HOW", default_value = "adaptive", value_parser = VERBOSITIES,
        hide_default_value = true, hide_possible_values = true)]
    verbosity: Verbosity,
    /// Most tokens that the text may have
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    budget: Option<u64>,
    #[command(flatten)]
    tokenizer: TokenizerArg,
    /// Only blocks of these types, such as code,conversation
    #[arg(long, value_name = "TYPES", value_delimiter = ',', value_parser = KINDS, hide_possible_values = true)]
    include: Option<Vec<WantedKind>>,
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

const KINDS: Words<WantedKind> = Words {
    parse: WantedKind::parse,
    names: WantedKind::names,
};

pub(super) fn run(args: &DecodeArgs) -> Result<Exit, Failure> {
    let mode = match args.mode {
        Some(mode) => mode,
        // JSON output renders nothing.
        None if args.json => Mode::Xml,
        None => default_mode(variable)?,
    };
    let file = args.file.input();
    let document = args.store.document(&file)?;
    let mut output = output(&args.output)?;
    output.refuse_input(file.path())?;
    let options = DecodeOptions {
        show: Show {
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
            // A terminal or a pipe gets complete lines.
            line_end: args.output == Path::new(DASH),
        },
        budget: args.budget,
        vocabulary: args.tokenizer.vocabulary(),
        json: args.json,
        terminal: output.is_stream() && io::stdout().is_terminal(),
    };
    let name = file.name();
    let mut report = decode(&document, &name, &options, &mut output, &Bar::default())?;
    output.commit()?;
    for warning in options.warnings(&report) {
        warn(&warning);
    }
    if report.unreadable.is_empty() {
        return Ok(Exit::Ok);
    }
    Err(BcpError::file(&name, report.unreadable.swap_remove(0)).into())
}
