//! The differences between two files, block by block.
//!
//! Blocks are identified by their subject (a path, a title, a tool's name), not by their indexes, so that an
//! inserted block does not affect the blocks after it. Only two hashes per block are kept; the names of
//! changed blocks are read from the files again.

mod compare;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use linkspan_bcp::{Block, Content, Document, Error, Head, Kind, hash};
use linkspan_wire::quote;

use crate::error::{BcpError, Result};
use crate::listing::{self, Styles};
use crate::progress::Progress;
use crate::watched::Watched;

use compare::{Changes, Fate, Item, compare, short};

/// One of the two files.
pub struct Side {
    name: String,
    document: Document,
    items: Vec<Item>,
}

impl Side {
    /// Reads all of a file.
    pub fn read(name: &str, document: Document, progress: &dyn Progress) -> Result<Self> {
        let items = items(&document, progress).map_err(|e| BcpError::file(name, e))?;
        Ok(Self {
            name: name.to_owned(),
            document,
            items,
        })
    }
}

/// The differences between two files.
pub struct Diff {
    old: Side,
    new: Side,
    changes: Changes,
}

impl Diff {
    /// Compares two files.
    pub fn of(old: Side, new: Side) -> Self {
        let changes = compare(&old.items, &new.items);
        Self { old, new, changes }
    }

    /// Whether there are no differences.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Writes a line for each difference.
    pub fn write(&self, styles: Styles, out: &mut dyn Write) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.print(Some(styles), out)
    }

    /// Writes one JSON object.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        self.print(None, out)
    }

    fn print(&self, styles: Option<Styles>, out: &mut dyn Write) -> Result<()> {
        let mut printer = Printer {
            out: Watched::new(out),
            styles,
            printed: 0,
            old: &self.old.items,
            new: &self.new.items,
        };
        let printed = printer.all(self);
        printer
            .out
            .failed
            .map_or(printed, |e| Err(BcpError::Print(e)))
    }
}

fn items(document: &Document, progress: &dyn Progress) -> Result<Vec<Item>, Error> {
    progress.begin("comparing", document.source().length().unwrap_or_default());
    let mut items: Vec<Item> = Vec::new();
    let mut targets = Vec::new();
    let mut reader = document.reader()?;
    while let Some(frame) = reader.next()? {
        let block = frame.block()?;
        let mut content = hash(frame.body);
        // The target's index changes with every block that is inserted before it.
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

/// The name of a block, without the target of an annotation.
fn label(kind: u8, block: &Block<'_>) -> String {
    let name = listing::type_name(kind);
    match &block.content {
        // Data has no name except its summary.
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

/// Writes the differences; as JSON without styles.
struct Printer<'a, W: Write> {
    out: Watched<W>,
    styles: Option<Styles>,
    printed: u64,
    old: &'a [Item],
    new: &'a [Item],
}

impl<W: Write> Printer<'_, W> {
    /// The blocks of the new file in its order, then the removed blocks in the order of the old file.
    fn all(&mut self, diff: &Diff) -> Result<()> {
        let Diff { old, new, changes } = diff;
        if self.styles.is_none() {
            let same = changes.is_empty();
            // `Watched` stores the error.
            let _ = write!(self.out, r#"{{"same":{same},"blocks":["#);
        }
        let fate = |at: usize| changes.new.get(at).copied().unwrap_or(Fate::Same);
        each(
            &new.document,
            &|at| fate(at) != Fate::Same,
            &mut |at, about| self.one(fate(at), at, about),
        )
        .map_err(|e| BcpError::file(&new.name, e))?;
        let gone = |at: usize| changes.gone.get(at) == Some(&true);
        each(&old.document, &gone, &mut |at, about| {
            self.one(Fate::Same, at, about)
        })
        .map_err(|e| BcpError::file(&old.name, e))?;
        if self.styles.is_none() {
            let _ = writeln!(self.out, "]}}");
        }
        let _ = self.out.flush();
        Ok(())
    }

    /// `Same` stands for a removed block, as equal blocks are not written.
    fn one(&mut self, fate: Fate, at: usize, about: &str) -> io::Result<()> {
        let Some(Styles {
            name, good, bad, ..
        }) = self.styles
        else {
            return self.one_as_json(fate, at, about);
        };
        let about = format_args!("{name}{about}{name:#}");
        let out = &mut self.out;
        match fate {
            Fate::Added => {
                let bytes = self.new[at].bytes;
                writeln!(out, "{good}+{good:#} {about} ({bytes} bytes)")
            }
            Fate::Same => {
                let bytes = self.old[at].bytes;
                writeln!(out, "{bad}-{bad:#} {about} ({bytes} bytes)")
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
        let between = if self.printed == 0 { "" } else { "," };
        self.printed += 1;
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

/// Called with the index and the name of a block.
type With<'w> = dyn FnMut(usize, &str) -> io::Result<()> + 'w;

/// Reads a file again, and passes on the names of the wanted blocks.
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

/// The names of the targets of the wanted annotations.
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

/// Reads the wanted blocks: their indexes, types and contents.
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
