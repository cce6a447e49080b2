//! Writes a BCP file from a manifest, or from files and folders.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use linkspan_bcp::manifest::{Manifest, ManifestError, ManifestOptions, Problem};
use linkspan_bcp::{Block, FolderStore, Limits, Priority, WriteOptions, Writer, compress_payload};
use linkspan_wire::{escape_line, quote};

use crate::error::{BcpError, Result, path_name};
use crate::files::{DASH, Links, Output, Stream, confined_reader, open_regular};
use crate::pack::{Item, LeftOutCount, Pack};
use crate::progress::Progress;
use crate::watched::Watched;

/// Options for writing a file.
#[derive(Debug, Default)]
pub struct EncodeOptions {
    /// Compression of blocks, and references to repeated ones.
    pub write: WriteOptions,
    /// Whether all blocks are compressed together, if that makes the file smaller.
    pub compress_payload: bool,
    /// A store that also gets every body.
    pub store: Option<FolderStore>,
}

/// The result of writing a file.
#[derive(Debug, Clone, Copy)]
pub struct Encoded {
    /// The size of the file.
    pub bytes: u64,
    /// The number of blocks.
    pub blocks: u64,
}

impl Encoded {
    /// The result as JSON; `name` is the file.
    pub fn json(&self, name: &str) -> String {
        let (name, Self { bytes, blocks }) = (quote(name), self);
        format!(r#"{{"output":{name},"bytes":{bytes},"blocks":{blocks}}}"#)
    }
}

/// Writes a block.
type Sink<'s> = dyn FnMut(&Block<'_>, Option<Priority>) -> Result<()> + 's;

/// The files that a manifest may name, and the dialect of the manifest.
#[derive(Debug)]
pub struct ManifestAccess {
    /// The folder of the manifest, whose files it may name.
    pub folder: PathBuf,
    /// Whether it may name files elsewhere too.
    pub allow_outside: bool,
    /// Whether members that bcp 0.1.0 ignores are ignored.
    pub compat: bool,
}

/// Writes the blocks of a manifest file, and of the files that it names.
pub fn encode_manifest_file(
    input: Stream,
    access: &ManifestAccess,
    options: &EncodeOptions,
    output: &mut Output,
    progress: &dyn Progress,
) -> Result<Encoded> {
    let read = confined_reader(&access.folder, access.allow_outside);
    let manifest = ManifestOptions {
        compat: access.compat,
        files: Box::new(move |name, limit| Ok(read(name, limit)?)),
    };
    progress.begin("encoding", input.length);
    let encoded = encode_manifest(
        input.from,
        &input.name,
        manifest,
        options,
        output,
        &mut |at| {
            progress.at(at);
            true
        },
    );
    progress.end();
    encoded
}

/// Writes the blocks of a manifest, until `watch` returns `false`.
pub fn encode_manifest(
    input: impl Read,
    name: &str,
    manifest: ManifestOptions<'_>,
    options: &EncodeOptions,
    output: &mut Output,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Result<Encoded> {
    write(output, options, |sink| {
        let mut manifest = Manifest::new(input, manifest);
        while let Some(item) = manifest.next().map_err(|e| refused(name, e))? {
            sink(&item.block, item.priority)?;
            if !watch(manifest.position()) {
                return Err(BcpError::Stopped);
            }
        }
        Ok(())
    })
}

fn refused(name: &str, error: ManifestError) -> BcpError {
    let (name, error) = (name.to_owned(), Box::new(error));
    match (error.block, &error.problem) {
        (None, Problem::NoBlocks | Problem::Shape { .. }) => BcpError::NotAManifest { name, error },
        _ => BcpError::Manifest { name, error },
    }
}

/// The manifest among the inputs: a single input that is stdin or ends in `.json`.
pub fn manifest_in(inputs: &[PathBuf]) -> Option<&Path> {
    let [only] = inputs else {
        return None;
    };
    let extension = only.extension();
    let is_json = extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let is_manifest = (is_json || only == Path::new(DASH)) && !only.is_dir();
    is_manifest.then_some(only)
}

/// Whether a file starts like a manifest.
pub fn looks_like_a_manifest(path: &Path) -> bool {
    let Ok((file, _)) = open_regular(path, Links::Follow) else {
        return false;
    };
    let mut head = Vec::new();
    let read = file.take(4 << 10).read_to_end(&mut head);
    let head = String::from_utf8_lossy(&head);
    let first = head.trim_start().strip_prefix('{').map(str::trim_start);
    read.is_ok() && first.is_some_and(|first| first.starts_with("\"blocks\""))
}

/// The output of `encode` is missing. The hint has the command line that was probably meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--output is missing: the BCP file to write")]
pub struct NoOutput {
    inputs: Vec<PathBuf>,
    output: PathBuf,
    as_files: bool,
}

impl NoOutput {
    /// For these inputs; `manifest` is the one that is read as a manifest.
    pub fn new(inputs: &[PathBuf], manifest: Option<&Path>) -> Self {
        let (output, inputs) = match inputs.split_last() {
            // `encode notes context.bcp`: the last word was meant as the output.
            Some((last, rest)) if !rest.is_empty() && last.extension() == Some("bcp".as_ref()) => {
                (last.as_path(), rest)
            }
            _ => (Path::new("context.bcp"), inputs),
        };
        Self {
            inputs: inputs.to_vec(),
            output: output.to_owned(),
            as_files: manifest.is_some_and(|path| {
                path != Path::new(DASH) && path.is_file() && !looks_like_a_manifest(path)
            }),
        }
    }

    /// The right command line.
    pub fn hint(&self) -> String {
        let inputs: Vec<String> = self.inputs.iter().map(|input| path_name(input)).collect();
        let flag = if self.as_files { "--as-files " } else { "" };
        format!(
            "linkspan bcp encode {flag}{} -o {}",
            inputs.join(" "),
            path_name(&self.output)
        )
    }
}

/// Writes the blocks of files and folders; `each` is called for every file.
pub fn encode_files(
    pack: Pack,
    options: &EncodeOptions,
    output: &mut Output,
    each: &mut dyn FnMut(&Item),
) -> Result<Encoded> {
    write(output, options, |sink| {
        for item in pack {
            each(&item);
            if let Item::Packed(packed) = &item {
                sink(&packed.block, None)?;
            }
        }
        Ok(())
    })
}

/// Writes the blocks of files and folders, with a warning for each that is left out; the log names the others.
pub fn encode_folders(
    pack: Pack,
    options: &EncodeOptions,
    output: &mut Output,
    warn: &dyn Fn(&str),
) -> Result<Encoded> {
    let mut left_out = LeftOutCount::default();
    let encoded = encode_files(pack, options, output, &mut |item| match item {
        Item::Packed(packed) => tracing::debug!("{} is packed", escape_line(&packed.path)),
        Item::LeftOut(file) if left_out.is_worth_a_warning(file) => warn(&file.to_string()),
        Item::LeftOut(file) => tracing::info!("{file}"),
    })?;
    match left_out.more() {
        0 => {}
        more => warn(&format!("{more} more files are left out; -v names them")),
    }
    Ok(encoded)
}

/// A warning for a single input that looks like a manifest, but is packed as a text.
pub fn manifest_warning(inputs: &[PathBuf]) -> Option<String> {
    let [only] = inputs else {
        return None;
    };
    looks_like_a_manifest(only).then(|| {
        let name = path_name(only);
        format!(
            "{name} looks like a manifest, but is packed as a text: a manifest is called \
             *.json, or piped in; --as-files packs it without this warning"
        )
    })
}

/// Writes the blocks that `fill` passes to the sink.
fn write(
    output: &mut Output,
    options: &EncodeOptions,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<()>,
) -> Result<Encoded> {
    if !options.compress_payload {
        let mut out = Watched::new(&mut *output);
        let encoded = blocks(&mut out, options, fill);
        let failed = out.failed;
        return encoded.map_err(|e| failed.map_or(e, |failed| output.incomplete(failed)));
    }
    // The benefit of compression is only known at the end, so both forms are made.
    let mut plain = output.spool()?;
    let mut out = Watched::new(BufWriter::with_capacity(CHUNK, &plain));
    let encoded = blocks(&mut out, options, fill);
    let failed = out.failed.take();
    drop(out);
    let encoded = encoded.map_err(|e| failed.map_or(e, |failed| output.incomplete(failed)))?;
    if encoded.bytes > Limits::default().payload {
        // Readers would refuse to inflate the payload.
        copy(&mut plain, output).map_err(|e| output.incomplete(e))?;
        return Ok(encoded);
    }
    let mut packed = output.spool()?;
    let bytes = compress(&mut plain, &packed).map_err(|e| output.incomplete(e))?;
    let smaller = bytes < encoded.bytes;
    let from = if smaller { &mut packed } else { &mut plain };
    copy(from, output).map_err(|e| output.incomplete(e))?;
    Ok(Encoded {
        bytes: bytes.min(encoded.bytes),
        ..encoded
    })
}

/// Bytes per read or write.
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
    options: &EncodeOptions,
    fill: impl FnOnce(&mut Sink<'_>) -> Result<()>,
) -> Result<Encoded> {
    let mut writer = Writer::new(out, options.write).map_err(BcpError::encode)?;
    if let Some(store) = &options.store {
        writer.refer_to(store.hashes().map_err(BcpError::Store)?);
    }
    let mut blocks = 0;
    fill(&mut |block, priority| {
        writer.add(block).map_err(BcpError::encode)?;
        if let Some(store) = &options.store {
            store.put(writer.body()).map_err(BcpError::Store)?;
        }
        let written = blocks;
        blocks += 1;
        if let Some(priority) = priority {
            let annotated = writer.add_priority(written, priority);
            annotated.map_err(BcpError::encode)?;
            blocks += 1;
        }
        Ok(())
    })?;
    let (_, bytes) = writer.finish().map_err(BcpError::encode)?;
    Ok(Encoded { bytes, blocks })
}
