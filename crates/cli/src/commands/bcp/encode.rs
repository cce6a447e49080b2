//! `linkspan bcp encode`: a BCP file of a manifest, or of files and folders.

use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_bcp::{FolderStore, WriteOptions};
use linkspan_bcp_tools::encode::{
    EncodeOptions, Encoded, ManifestAccess, NoOutput, encode_folders, encode_manifest_file,
    manifest_in, manifest_warning,
};
use linkspan_bcp_tools::files::{InputPath, Output};
use linkspan_bcp_tools::pack::{Pack, PackOptions};

use super::opening::stdin;
use super::output::output;
use super::progress::Bar;
use crate::exit::{Exit, Failure, warn};
use crate::show::{on_one_line, raw, say};
use crate::waiting;

pub(crate) const HELP: &str = "\
One INPUT that is `-` or ends in .json is a manifest: {\"blocks\":[{\"type\":\"code\",\"lang\":\"rust\",
\"path\":\"a.rs\",\"content\":\"…\"},…]}. Anything else is files and folders to pack as they are: code,
documents, data, diffs and images are told apart by name and content, .gitignore is respected, and a
folder's tree comes before its files. `-` among others, or with --as-files, is a file called stdin.
What cannot be packed is named in a warning, also if it is an INPUT itself; the exit code is 0 then,
as long as anything can be packed.

OUTPUT appears when it is complete; if anything fails, it is as it was before. Only bodies that were
put into --store by then stay there: they are called by their hashes, and the next run finds them.

Examples:
  linkspan bcp encode src/ README.md -o context.bcp
  linkspan bcp encode manifest.json -o context.bcp --compress-blocks
  git diff | linkspan bcp encode --as-files - -o change.bcp
  linkspan bcp decode old.bcp --json | linkspan bcp encode - -o new.bcp --dedup";

#[derive(Debug, Args)]
#[command(override_usage = "linkspan bcp encode [OPTIONS] --output <FILE> <INPUT>...")]
pub(crate) struct EncodeArgs {
    /// A manifest, or files and folders; - is stdin
    #[arg(value_name = "INPUT", required = true)]
    input: Vec<PathBuf>,
    /// The BCP file to write; - is stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Compress each block, where that makes it smaller
    #[arg(long)]
    compress_blocks: bool,
    /// Compress all blocks together, where that makes the file smaller
    #[arg(long)]
    compress_payload: bool,
    /// Write a repeated block as a reference to the first one
    #[arg(long)]
    dedup: bool,
    /// Also keep every body in DIR; with --dedup, refer to those that are in it already
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Print JSON about what was written
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    manifest: ManifestArgs,
    #[command(flatten)]
    files: FilesArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Manifests")]
struct ManifestArgs {
    /// Let the manifest read files outside of its own folder
    #[arg(long)]
    allow_outside: bool,
    /// Ignore what bcp 0.1.0 ignores: lines, call ids, schemas, and summaries of tool results and data
    #[arg(long)]
    compat: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Files and folders")]
struct FilesArgs {
    /// Pack a .json file, or stdin, as it is instead of reading it as a manifest
    #[arg(long)]
    as_files: bool,
    /// Also pack files whose names begin with a dot
    #[arg(long)]
    hidden: bool,
    /// Also pack what .gitignore and similar files exclude
    #[arg(long)]
    no_ignore: bool,
    /// Skip files that are larger than this; 1 MiB in folders by default
    #[arg(long, value_name = "BYTES")]
    max_file_size: Option<u64>,
    /// Leave out the tree of a folder
    #[arg(long, overrides_with = "tree")]
    no_tree: bool,
    /// Begin a folder with its tree, as is usual
    #[arg(long, hide = true, overrides_with = "no_tree")]
    tree: bool,
}

pub(super) fn run(args: &EncodeArgs) -> Result<Exit, Failure> {
    let Some(path) = &args.output else {
        return Err(NoOutput::new(&args.input, as_manifest(args)).into());
    };
    let mut output = output(path)?;
    for input in &args.input {
        output.refuse_input(input)?;
    }
    let options = EncodeOptions {
        write: WriteOptions {
            // The reference implementation never does both.
            compress_blocks: args.compress_blocks && !args.compress_payload,
            dedup: args.dedup,
        },
        compress_payload: args.compress_payload,
        store: args.store.clone().map(FolderStore::new),
    };
    let encoded = match as_manifest(args) {
        Some(path) => {
            let access = ManifestAccess {
                folder: path.parent().unwrap_or(Path::new("")).to_owned(),
                allow_outside: args.manifest.allow_outside,
                compat: args.manifest.compat,
            };
            let usual = "linkspan bcp encode FILE -o ctx.bcp";
            let input = InputPath::new(path).stream(|| stdin("a manifest", usual))?;
            encode_manifest_file(input, &access, &options, &mut output, &Bar::default())?
        }
        None => files(args, &options, &mut output)?,
    };
    let (name, to_stdout) = (output.name().to_owned(), output.is_stream());
    output.commit()?;
    if to_stdout {
        return Ok(Exit::Ok);
    }
    if args.json {
        raw(&encoded.json(&name));
    } else {
        say!("Wrote {} bytes to {}", encoded.bytes, on_one_line(&name));
    }
    Ok(Exit::Ok)
}

/// The manifest, if the only input is one.
fn as_manifest(args: &EncodeArgs) -> Option<&Path> {
    manifest_in(&args.input).filter(|_| !args.files.as_files)
}

fn files(
    args: &EncodeArgs,
    options: &EncodeOptions,
    output: &mut Output,
) -> Result<Encoded, Failure> {
    let selection = PackOptions {
        hidden: args.files.hidden,
        no_ignore: args.files.no_ignore,
        max_file_size: args.files.max_file_size,
        tree: !args.files.no_tree,
        skip: output.identities(),
    };
    let stdin = waiting::stdin(
        "the content of a file",
        "linkspan bcp encode FILE -o ctx.bcp",
    );
    let pack = Pack::new(args.input.clone(), selection, Box::new(stdin))?;
    if let (Some(warning), false) = (manifest_warning(&args.input), args.files.as_files) {
        warn(&warning);
    }
    Ok(encode_folders(pack, options, output, &warn)?)
}
