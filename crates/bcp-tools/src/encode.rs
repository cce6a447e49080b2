//! `linkspan bcp encode`: a BCP file of a manifest, or of files and folders.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use linkspan_bcp::manifest::{Manifest, ManifestError, ManifestOptions, Problem};
use linkspan_bcp::{
    Block, Error, FolderStore, Limits, Priority, WriteOptions, Writer, compress_payload,
};
use linkspan_wire::quote;

use crate::bcp::files::{
    DASH, Input, Links, Output, clear_up_on_signals, confined_reader, open_regular,
};
use crate::bcp::opening::refuse_same;
use crate::bcp::pack::{Item, LeftOut, Options, Pack};
use crate::bcp::progress::Progress;
use crate::exit::{Exit, Failure, warn};
use crate::show::{self, Watched, on_one_line, raw, say};

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

// `linkspan bcp encode`
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

/// What was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    pub(crate) bytes: u64,
    pub(crate) blocks: u64,
}

pub(crate) fn run(args: &EncodeArgs) -> Result<Exit, Failure> {
    let Some(output) = &args.output else {
        return Err(no_output(args));
    };
    clear_up_on_signals();
    let mut output = Output::create(output)?;
    for input in &args.input {
        refuse_same(input, &output)?;
    }
    let options = How {
        write: WriteOptions {
            // The reference does not do both.
            compress_blocks: args.compress_blocks && !args.compress_payload,
            dedup: args.dedup,
        },
        compress_payload: args.compress_payload,
        store: args.store.clone().map(FolderStore::new),
    };
    let made = match as_manifest(args) {
        Some(path) => {
            let input = Input::once(path)?;
            let folder = path.parent().unwrap_or(Path::new(""));
            let read = confined_reader(folder, args.manifest.allow_outside);
            let options_of = ManifestOptions {
                compat: args.manifest.compat,
                files: Box::new(read),
            };
            write(&mut output, &options, |sink| {
                let progress = Progress::of("encoding", input.len());
                let name = input.name().to_owned();
                let done = from_manifest(input, &name, options_of, sink, &mut |at| {
                    progress.at(at);
                    true
                });
                progress.end();
                done
            })?
        }
        None => {
            let pack = pack(args, &output)?;
            if let ([only], false) = (args.input.as_slice(), args.files.as_files)
                && looks_like_a_manifest(only)
            {
                let name = show::path(only);
                warn(&format!(
                    "{name} looks like a manifest, but is packed as a text: a manifest is called \
                     *.json, or piped in; --as-files says that it is meant"
                ));
            }
            write(&mut output, &options, |sink| from_files(pack, sink))?
        }
    };
    let (name, to_stdout) = (output.name().to_owned(), output.is_stdout());
    output.commit()?;
    if to_stdout {
        return Ok(Exit::Ok);
    }
    let Made { bytes, blocks } = made;
    if args.json {
        let name = quote(&name);
        raw(&format!(
            r#"{{"output":{name},"bytes":{bytes},"blocks":{blocks}}}"#
        ));
    } else {
        say!("Wrote {bytes} bytes to {}", on_one_line(&name));
    }
    Ok(Exit::Ok)
}

/// Where to write to was not said.
fn no_output(args: &EncodeArgs) -> Failure {
    let (output, input) = match args.input.split_last() {
        // `encode notes context.bcp`: the last word was meant as the output.
        Some((last, rest)) if !rest.is_empty() && last.extension() == Some("bcp".as_ref()) => {
            (last.as_path(), rest)
        }
        _ => (Path::new("context.bcp"), args.input.as_slice()),
    };
    let inputs: Vec<String> = input.iter().map(|input| show::path(input)).collect();
    let as_files = as_manifest(args).is_some_and(|path| {
        path != Path::new(DASH) && path.is_file() && !looks_like_a_manifest(path)
    });
    let flag = if as_files { "--as-files " } else { "" };
    Failure::usage("--output is missing: the BCP file to write").hint(format!(
        "linkspan bcp encode {flag}{} -o {}",
        inputs.join(" "),
        show::path(output)
    ))
}

/// The manifest, if there is one.
fn as_manifest(args: &EncodeArgs) -> Option<&Path> {
    let [only] = args.input.as_slice() else {
        return None;
    };
    let is_json = only
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    let is_manifest =
        !args.files.as_files && (is_json || only == Path::new(DASH)) && !only.is_dir();
    is_manifest.then_some(only)
}

/// Whether a file begins as manifests do. `bcp` reads one whatever it is called.
fn looks_like_a_manifest(path: &Path) -> bool {
    let Ok((file, _)) = open_regular(path, Links::Follow) else {
        return false;
    };
    let mut head = Vec::new();
    let read = file.take(4 << 10).read_to_end(&mut head);
    let head = String::from_utf8_lossy(&head);
    let first = head.trim_start().strip_prefix('{').map(str::trim_start);
    read.is_ok() && first.is_some_and(|first| first.starts_with("\"blocks\""))
}

fn pack(args: &EncodeArgs, output: &Output) -> Result<Pack, Failure> {
    let options = Options {
        hidden: args.files.hidden,
        no_ignore: args.files.no_ignore,
        max_file_size: args.files.max_file_size,
        tree: !args.files.no_tree,
        skip: output.identities(),
    };
    Pack::new(args.input.clone(), options)
}

/// How a file is written.
pub(crate) struct How {
    pub(crate) write: WriteOptions,
    pub(crate) compress_payload: bool,
    pub(crate) store: Option<FolderStore>,
}

/// Takes blocks.
pub(crate) type Sink<'s> = dyn FnMut(&Block<'_>, Option<Priority>) -> Result<(), Failure> + 's;

/// Writes what `fill` puts into the sink.
pub(crate) fn write(
    output: &mut Output,
    how: &How,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<(), Failure>,
) -> Result<Made, Failure> {
    if !how.compress_payload {
        let mut out = Watched::new(&mut *output);
        let made = blocks(&mut out, how, fill);
        let torn = out.torn;
        return made.map_err(|e| torn.map_or(e, |torn| output.torn(&torn)));
    }
    // Whether compression helps is known only at the end, so that both are made.
    let mut plain = output.spool()?;
    let mut out = Watched::new(BufWriter::with_capacity(CHUNK, &plain));
    let made = blocks(&mut out, how, fill);
    let torn = out.torn.take();
    drop(out);
    let made = made.map_err(|e| torn.map_or(e, |torn| output.torn(&torn)))?;
    if made.bytes > Limits::default().payload {
        // Nobody would inflate that much.
        copy(&mut plain, output).map_err(|e| output.torn(&e))?;
        return Ok(made);
    }
    let mut packed = output.spool()?;
    let bytes = compress(&mut plain, &packed).map_err(|e| output.torn(&e))?;
    let smaller = bytes < made.bytes;
    let from = if smaller { &mut packed } else { &mut plain };
    copy(from, output).map_err(|e| output.torn(&e))?;
    Ok(Made {
        bytes: bytes.min(made.bytes),
        ..made
    })
}

/// How much is read or written at a time.
const CHUNK: usize = 128 << 10;

fn compress(plain: &mut File, packed: &File) -> io::Result<u64> {
    plain.rewind()?;
    let mut out = BufWriter::with_capacity(CHUNK, packed);
    let bytes = compress_payload(&mut BufReader::with_capacity(CHUNK, plain), &mut out)?;
    out.flush()?;
    Ok(bytes)
}

fn copy(from: &mut File, to: &mut Output) -> io::Result<()> {
    from.rewind()?;
    io::copy(&mut BufReader::with_capacity(CHUNK, from), to)?;
    Ok(())
}

fn blocks(
    out: impl Write,
    how: &How,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<(), Failure>,
) -> Result<Made, Failure> {
    let mut writer = Writer::new(out, how.write).map_err(|e| failed(&e))?;
    if let Some(store) = &how.store {
        let hashes = store.hashes().map_err(|e| store_failed(&e))?;
        writer.refer_to(hashes);
    }
    let mut blocks = 0;
    fill(&mut |block, priority| {
        writer.add(block).map_err(|e| failed(&e))?;
        if let Some(store) = &how.store {
            store.put(writer.body()).map_err(|e| store_failed(&e))?;
        }
        let written = blocks;
        blocks += 1;
        if let Some(priority) = priority {
            writer
                .add_priority(written, priority)
                .map_err(|e| failed(&e))?;
            blocks += 1;
        }
        Ok(())
    })?;
    let (_, bytes) = writer.finish().map_err(|e| failed(&e))?;
    Ok(Made { bytes, blocks })
}

fn failed(error: &Error) -> Failure {
    use linkspan_bcp::Reason;
    let failure = Failure::new(Exit::Invalid, error.to_string());
    match error.reason {
        Reason::NoBlocks => failure.hint("give at least one block, file or folder"),
        Reason::TooLarge { .. } => failure.hint("cut the content into several blocks"),
        _ => failure,
    }
}

fn store_failed(e: &io::Error) -> Failure {
    Failure::new(
        Exit::Invalid,
        format!("cannot use the folder of --store: {e}"),
    )
    .hint("it must be a folder that may be read and written, on a disk with room")
}

/// Puts the blocks of a manifest into a sink, as long as `watch` wants to.
pub(crate) fn from_manifest(
    input: impl Read,
    name: &str,
    options: ManifestOptions<'_>,
    sink: &mut Sink<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<(), Failure> {
    let mut manifest = Manifest::new(input, options);
    let wrong = |why: String| {
        Failure::new(Exit::Invalid, format!("{name}: {why}"))
            .hint("`linkspan bcp encode --help` shows what a manifest looks like")
    };
    let refused = |e: ManifestError| match (e.block, &e.problem) {
        // JSON of another sort: most likely a file that is to be packed.
        (None, Problem::NoBlocks | Problem::Shape { .. }) => {
            Failure::new(Exit::Invalid, format!("{name} is no manifest: {e}")).hint(format!(
                "to pack the file itself: linkspan bcp encode --as-files {name} -o context.bcp"
            ))
        }
        _ => wrong(e.to_string()),
    };
    loop {
        let item = manifest.next().map_err(refused)?;
        let Some(item) = item else {
            break;
        };
        sink(&item.block, item.priority)?;
        if !watch(manifest.position()) {
            return Err(wrong("stopped".to_owned()));
        }
    }
    Ok(())
}

/// So many files are named that were left out; there may be thousands.
const NAMED: u64 = 20;

fn from_files(pack: Pack, sink: &mut Sink<'_>) -> Result<(), Failure> {
    let mut left_out = 0;
    for item in pack {
        match item {
            Item::Packed(packed) => {
                tracing::debug!("{} is packed", on_one_line(&packed.path));
                sink(&packed.block, None)?;
            }
            Item::LeftOut(LeftOut { path, why, named }) => {
                let path = on_one_line(&path);
                // Who names a file wants to know that it is missing.
                if named || left_out < NAMED {
                    warn(&format!("{path} is left out: {why}"));
                } else {
                    tracing::info!("{path} is left out: {why}");
                }
                left_out += u64::from(!named);
            }
        }
    }
    if left_out > NAMED {
        let more = left_out - NAMED;
        warn(&format!("{more} more files are left out; -v names them"));
    }
    Ok(())
}
