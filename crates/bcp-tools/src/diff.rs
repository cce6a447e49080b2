//! `linkspan bcp diff`: what changed between two files, block by block.
//!
//! Blocks are told apart by what they are about (a path, a title, a tool's name), not by their
//! numbers: a block that was put in front of others has not changed them. Of each block two hashes
//! are kept, and no more; what is said of those that changed is read from the files again.



use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use linkspan_bcp::{Block, Content, Document, Error, Head, Kind, hash};
use linkspan_wire::quote;

use linkspan_bcp_tools::listing::{self, BAD, GOOD, NAME};
use crate::bcp::opening::{FileArg, StoreArg};
use crate::bcp::progress::Progress;
use crate::bcp::said::broken;
use crate::exit::{Exit, Failure};
use crate::show::{Watched, cannot_print};

use linkspan_bcp_tools::diff::compare::{Changes, Fate, Item, compare, short};

// `linkspan bcp diff`
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The file before
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The file after
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    store: StoreArg,
}

pub(crate) fn run(args: &DiffArgs) -> Result<Exit, Failure> {
    let (old, new) = (FileArg::new(&args.old), FileArg::new(&args.new));
    if old.is_stdin() && new.is_stdin() {
        return Err(Failure::usage("only one of the two files can be stdin"));
    }
    tell(args, &old, &new).map_err(|mut failure| {
        // As with diff(1), 1 means that they differ, so that trouble is 2.
        failure.exit = Exit::Usage;
        failure
    })
}

fn tell(args: &DiffArgs, old: &FileArg, new: &FileArg) -> Result<Exit, Failure> {
    let read = |file: &FileArg| -> Result<_, Failure> {
        let document = args.store.document(file)?;
        let items = items(&document).map_err(|e| broken(file, &e))?;
        Ok((document, items))
    };
    let (before, after) = (read(old)?, read(new)?);
    let changes = compare(&before.1, &after.1);
    let stdout: Box<dyn Write> = match args.json {
        true => Box::new(io::stdout().lock()),
        false => Box::new(anstream::stdout().lock()),
    };
    let mut teller = Teller {
        out: Watched::new(io::BufWriter::new(stdout)),
        json: args.json,
        told: 0,
        old: &before.1,
        new: &after.1,
    };
    let told = teller.all(&changes, (old, &before.0), (new, &after.0));
    match (teller.out.torn, told) {
        // Somebody has seen enough: `| head`.
        (Some(e), _) if e.kind() == io::ErrorKind::BrokenPipe => {}
        (Some(e), _) => return Err(cannot_print(&e)),
        (None, told) => told?,
    }
    Ok(match changes.is_empty() {
        true => Exit::Ok,
        false => Exit::Invalid,
    })
}

fn items(document: &Document) -> Result<Vec<Item>, Error> {
    let progress = Progress::new("comparing", document.source());
    let mut items: Vec<Item> = Vec::new();
    let mut targets = Vec::new();
    let mut reader = document.reader()?;
    while let Some(frame) = reader.next()? {
        let block = frame.block()?;
        let mut content = hash(frame.body);
        // Its target's number changes with every block that is put in front of it.
        if let Content::Annotation { target, value, .. } = &block.content {
            targets.push((items.len(), *target));
            content = hash(value);
        }
        items.push(Item {
            key: short(&hash(label(frame.head.kind, &block).as_bytes())),
            content: short(&content),
            bytes: listing::bytes(&block.content),
        });
        progress.at(reader.offset());
    }
    for (annotation, target) in targets {
        let about = usize::try_from(target).ok().and_then(|i| items.get(i));
        let about = about.map_or_else(|| target.to_le_bytes().to_vec(), |item| item.key.to_vec());
        let key = [&items[annotation].key[..], &about].concat();
        items[annotation].key = short(&hash(&key));
    }
    progress.end();
    Ok(items)
}

/// What a block is about; an annotation's target is told beside it.
fn label(kind: u8, block: &Block<'_>) -> String {
    let name = listing::type_name(kind);
    match &block.content {
        // Its summary is all the name that data can have.
        content @ Content::StructuredData { .. } => {
            let about = listing::about(content);
            match block.summary.as_deref() {
                Some(summary) => format!("{name}{about} about={summary:?}"),
                None => format!("{name}{about}"),
            }
        }
        Content::Annotation { kind, .. } => format!("{name} {}", kind.name()),
        content => format!("{name}{}", listing::about(content)),
    }
}

/// Prints changes.
struct Teller<'a, W: Write> {
    out: Watched<W>,
    json: bool,
    told: u64,
    old: &'a [Item],
    new: &'a [Item],
}

impl<W: Write> Teller<'_, W> {
    /// Those of the new file in its order, then what is gone in the order of the old one.
    fn all(
        &mut self,
        changes: &Changes,
        old: (&FileArg, &Document),
        new: (&FileArg, &Document),
    ) -> Result<(), Failure> {
        if changes.is_empty() && !self.json {
            return Ok(());
        }
        if self.json {
            let same = changes.is_empty();
            // Whether it worked is known by `torn`.
            let _ = write!(self.out, r#"{{"same":{same},"blocks":["#);
        }
        let fate = |at: usize| changes.new.get(at).copied().unwrap_or(Fate::Same);
        each(new.1, &|at| fate(at) != Fate::Same, &mut |at, about| {
            self.one(fate(at), at, about)
        })
        .map_err(|e| broken(new.0, &e))?;
        let gone = |at: usize| changes.gone.get(at) == Some(&true);
        each(old.1, &gone, &mut |at, about| {
            self.one(Fate::Same, at, about)
        })
        .map_err(|e| broken(old.0, &e))?;
        if self.json {
            let _ = writeln!(self.out, "]}}");
        }
        let _ = self.out.flush();
        Ok(())
    }

    /// `Same` is for what is gone: nothing is said of blocks that are the same.
    fn one(&mut self, fate: Fate, at: usize, about: &str) -> io::Result<()> {
        if self.json {
            return self.one_as_json(fate, at, about);
        }
        let about = format_args!("{NAME}{about}{NAME:#}");
        let out = &mut self.out;
        match fate {
            Fate::Added => {
                let bytes = self.new[at].bytes;
                writeln!(out, "{GOOD}+{GOOD:#} {about} ({bytes} bytes)")
            }
            Fate::Same => {
                let bytes = self.old[at].bytes;
                writeln!(out, "{BAD}-{BAD:#} {about} ({bytes} bytes)")
            }
            Fate::Changed(from) => {
                let (before, after) = (self.old[from as usize].bytes, self.new[at].bytes);
                writeln!(out, "~ {about} ({before} → {after} bytes)")
            }
            Fate::Moved(from) => writeln!(out, "> {about} (block {from} → {at})"),
        }
    }

    fn one_as_json(&mut self, fate: Fate, at: usize, about: &str) -> io::Result<()> {
        let (what, old, new) = match fate {
            Fate::Added => ("added", None, Some(at)),
            Fate::Same => ("removed", Some(at), None),
            Fate::Changed(from) => ("changed", Some(from as usize), Some(at)),
            Fate::Moved(from) => ("moved", Some(from as usize), Some(at)),
        };
        let between = if self.told == 0 { "" } else { "," };
        self.told += 1;
        let out = &mut self.out;
        write!(
            out,
            r#"{between}{{"change":"{what}","block":{}"#,
            quote(about)
        )?;
        for (side, index, items) in [("old", old, self.old), ("new", new, self.new)] {
            if let Some(index) = index {
                let bytes = items[index].bytes;
                write!(out, r#","{side}":{{"index":{index},"bytes":{bytes}}}"#)?;
            }
        }
        write!(out, "}}")
    }
}

/// Gets the number of a block, and what it is about.
type With<'w> = dyn FnMut(usize, &str) -> io::Result<()> + 'w;

/// Reads a file again, and says what those blocks are about that are wanted.
fn each(
    document: &Document,
    wanted: &dyn Fn(usize) -> bool,
    with: &mut With<'_>,
) -> Result<(), Error> {
    let targets = targets(document, wanted)?;
    read(document, &|at, _| wanted(at), &mut |at, kind, block| {
        let mut about = label(kind, block);
        if let Content::Annotation { target, .. } = &block.content {
            about += " of ";
            match targets.get(target) {
                Some(label) => about += label,
                None => about += &format!("block {target}"),
            }
        }
        Ok(with(at, &about)?)
    })
}

/// What the annotations that are wanted are about.
fn targets(
    document: &Document,
    wanted: &dyn Fn(usize) -> bool,
) -> Result<HashMap<u64, String>, Error> {
    let mut numbers = HashSet::new();
    let annotation = |at, head: Head| head.known() == Some(Kind::Annotation) && wanted(at);
    read(document, &annotation, &mut |_, _, block| {
        if let Content::Annotation { target, .. } = &block.content {
            numbers.insert(*target);
        }
        Ok(())
    })?;
    let mut labels = HashMap::new();
    if numbers.is_empty() {
        return Ok(labels);
    }
    let is_target = |at, _| numbers.contains(&(at as u64));
    read(document, &is_target, &mut |at, kind, block| {
        labels.insert(at as u64, label(kind, block));
        Ok(())
    })?;
    Ok(labels)
}

/// Reads the blocks that are wanted: their numbers and types, and the blocks.
fn read(
    document: &Document,
    wanted: &dyn Fn(usize, Head) -> bool,
    with: &mut dyn FnMut(usize, u8, &Block<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut reader = document.reader()?;
    let mut at = 0;
    while let Some(head) = reader.next_head()? {
        if wanted(at, head) {
            with(at, head.kind, &reader.open()?.block()?)?;
        }
        at += 1;
    }
    Ok(())
}
