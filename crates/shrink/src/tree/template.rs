//! The shapes of the objects of a tree in JSON, and drawing them.

use std::borrow::Cow;

use linkspan_wire::{Json, quote};

use super::scan::Scan;
use super::style::Picture;

/// The shapes of the objects of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template<'a> {
    /// The outermost object, if it is not an entry.
    pub(super) around: Option<Shape<'a>>,
    pub(super) file: Shape<'a>,
    pub(super) folder: Shape<'a>,
    /// The common prefix of all paths, if objects have paths.
    pub(super) base: Option<Cow<'a, str>>,
}

/// The members of an object, in order: the key as spelled, and the slot of its value.
pub(super) type Shape<'a> = Vec<(&'a str, Slot<'a>)>;

/// The content of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot<'a> {
    Name,
    Path,
    /// An array of the children.
    Entries,
    /// A constant, as spelled.
    Always(&'a str),
}

/// The shapes of `directory_tree`, which are not written in the head.
const FILE: &str = r#"{"name":*,"type":"file"}"#;
const FOLDER: &str = r#"{"name":*,"type":"directory","children":[*]}"#;

/// Precedes the shape of the outermost object.
const AROUND: &str = " around ";
const EACH: &str = " each ";

impl<'a> Template<'a> {
    pub(super) fn write(&self, out: &mut String) {
        out.push_str("json");
        if let Some(around) = &self.around {
            out.push_str(AROUND);
            out.push_str(&write_shape(around));
        }
        let (file, folder) = (write_shape(&self.file), write_shape(&self.folder));
        // In a tree of files only, the shape of folders is irrelevant.
        if file == FILE && (folder == FOLDER || folder == FILE) {
            return;
        }
        out.push_str(EACH);
        out.push_str(&folder);
        if file != folder {
            out.push_str(&file);
        }
        if let Some(base) = &self.base {
            out.push_str(&quote(base));
        }
    }

    /// The inverse of [`Self::write`]; `words` is empty or begins with a space.
    pub(super) fn read(words: &'a str) -> Option<Self> {
        let mut scan = Scan::new(words);
        let mut around = None;
        if let Some(rest) = scan.rest.strip_prefix(AROUND) {
            scan.rest = rest;
            around = Some(read_shape(&mut scan)?);
        }
        let usual = scan.rest.is_empty();
        scan.rest = if usual {
            FOLDER
        } else {
            scan.rest.strip_prefix(EACH)?
        };
        let folder = read_shape(&mut scan)?;
        if usual {
            scan.rest = FILE;
        }
        let file = match scan.peek() {
            Some(b'{') => read_shape(&mut scan)?,
            _ => folder.clone(),
        };
        let base = match scan.peek() {
            Some(_) => Some(Json::parse(scan.string()?).ok()?.as_str()?),
            None => None,
        };
        scan.peek().is_none().then_some(Self {
            around,
            file,
            folder,
            base,
        })
    }

    /// Draws the tree. `report` is the last element of the outermost array.
    pub(super) fn draw(&self, picture: &Picture<'_, '_>, report: Option<&str>) -> Option<String> {
        let mut drawing = Drawing {
            template: self,
            above: usize::from(self.around.is_some()),
            path: ObjectPath::default(),
            open: Vec::new(),
            out: String::new(),
        };
        let some = !picture.entries.is_empty();
        let mut below = 1;
        if let Some(name) = picture.root {
            drawing.begin(name, 0, true, some)?;
        } else if let Some(around) = &self.around {
            drawing.out.push('{');
            let (name, path) = ("", 0);
            drawing.members(
                Open {
                    name,
                    path,
                    rest: around,
                },
                some,
            )?;
        } else {
            drawing.out.push('[');
            below = 0;
        }
        for (at, entry) in picture.entries.iter().enumerate() {
            let depth = entry.depth() + below;
            drawing.end_to(depth)?;
            if drawing.out.ends_with('}') {
                drawing.out.push(',');
            }
            let next = picture.entries.get(at + 1);
            let parent = next.is_some_and(|next| next.depth > entry.depth);
            drawing.begin(&entry.name, depth, entry.folder, parent)?;
            if drawing.out.len() > picture.limit || drawing.path.text.len() > picture.limit {
                return None;
            }
        }
        drawing.end_to(0)?;
        match (below, report) {
            (0, None) => drawing.out.push(']'),
            (0, Some(report)) => {
                drawing.out.push_str(if some { "," } else { "" });
                drawing.out.push_str(report);
                drawing.out.push(']');
            }
            (_, None) => {}
            (_, Some(_)) => return None,
        }
        Some(drawing.out)
    }
}

/// Whether this is the shape of files in `directory_tree`.
pub(super) fn is_usual_file(shape: &Shape<'_>) -> bool {
    write_shape(shape) == FILE
}

fn write_shape(shape: &Shape<'_>) -> String {
    let members = shape.iter().map(|(key, slot)| {
        let value = match slot {
            Slot::Name => "*",
            Slot::Path => "/",
            Slot::Entries => "[*]",
            Slot::Always(value) => value,
        };
        format!("{key}:{value}")
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn read_shape<'a>(scan: &mut Scan<'a>) -> Option<Shape<'a>> {
    let mut shape = Shape::new();
    let mut takes = b'{';
    while !scan.takes(b'}') {
        if !scan.takes(takes) {
            return None;
        }
        takes = b',';
        let key = scan.string()?;
        if !scan.takes(b':') {
            return None;
        }
        let slot = match scan.peek()? {
            b'*' => Slot::Name,
            b'/' => Slot::Path,
            b'[' => Slot::Entries,
            _ => Slot::Always(scan.scalar()?),
        };
        match slot {
            Slot::Always(_) => {}
            Slot::Name => drop(scan.takes(b'*')),
            Slot::Path => drop(scan.takes(b'/')),
            Slot::Entries => {
                if !(scan.takes(b'[') && scan.takes(b'*') && scan.takes(b']')) {
                    return None;
                }
            }
        }
        shape.push((key, slot));
    }
    Some(shape)
}

struct Drawing<'t, 'e> {
    template: &'t Template<'t>,
    /// How many objects enclose those that have paths.
    above: usize,
    path: ObjectPath,
    open: Vec<Open<'t, 'e>>,
    out: String,
}

/// An object whose children are being written.
struct Open<'t, 'e> {
    name: &'e str,
    path: usize,
    /// The members behind its children.
    rest: &'t [(&'t str, Slot<'t>)],
}

impl<'t, 'e> Drawing<'t, 'e> {
    fn begin(&mut self, name: &'e str, depth: usize, folder: bool, parent: bool) -> Option<()> {
        if let Some(base) = &self.template.base {
            self.path.enter(depth.checked_sub(self.above)?, base)?;
            self.path.push(name);
        }
        self.out.push('{');
        let rest = if folder {
            &self.template.folder[..]
        } else {
            &self.template.file[..]
        };
        let path = self.path.text.len();
        self.members(Open { name, path, rest }, parent)
    }

    /// Ends all objects at this depth or deeper.
    fn end_to(&mut self, depth: usize) -> Option<()> {
        while self.open.len() > depth {
            let open = self.open.pop()?;
            self.out.push(']');
            self.members(open, false)?;
        }
        Some(())
    }

    /// Writes members up to the array of children, or all remaining ones.
    fn members(&mut self, open: Open<'t, 'e>, parent: bool) -> Option<()> {
        for (at, (key, slot)) in open.rest.iter().enumerate() {
            if !self.out.ends_with('{') {
                self.out.push(',');
            }
            self.out.push_str(key);
            self.out.push(':');
            match slot {
                Slot::Name => self.out.push_str(&quote(open.name)),
                Slot::Path => {
                    let path = self.path.text.get(..open.path)?;
                    self.out.push_str(&quote(path));
                }
                Slot::Entries if parent => {
                    self.out.push('[');
                    let rest = &open.rest[at + 1..];
                    self.open.push(Open { rest, ..open });
                    return Some(());
                }
                Slot::Entries => self.out.push_str("[]"),
                Slot::Always(value) => self.out.push_str(value),
            }
        }
        self.out.push('}');
        (!parent).then_some(())
    }
}

/// The path of an object: that of the enclosing object, `/`, and its name.
#[derive(Default)]
pub(super) struct ObjectPath {
    pub(super) text: String,
    /// Where the paths of the open objects end.
    ends: Vec<usize>,
}

impl ObjectPath {
    /// Sets `text` to the prefix of the paths at this depth.
    pub(super) fn enter(&mut self, depth: usize, base: &str) -> Option<()> {
        self.ends.truncate(depth);
        match depth.checked_sub(1) {
            None => {
                self.text.clear();
                self.text.push_str(base);
            }
            Some(above) => {
                self.text.truncate(*self.ends.get(above)?);
                self.text.push('/');
            }
        }
        Some(())
    }

    pub(super) fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
    }
}
