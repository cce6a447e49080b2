//! Trees of folders as nested JSON objects, as the filesystem server's `directory_tree` prints them.

use std::borrow::Cow;

use linkspan_wire::Json;

use super::entry::{Entry, MOST_ENTRIES};
use super::scan::Scan;
use super::style::{Parsed, Style};
use super::template::{ObjectPath, Shape, Slot, Template, is_usual_file};

/// Keys of the member with an entry's name.
const NAMES: [&str; 5] = [
    "\"name\"",
    "\"filename\"",
    "\"file\"",
    "\"label\"",
    "\"title\"",
];

/// Keys of the member with an entry's path.
const PATHS: [&str; 6] = [
    "\"path\"",
    "\"fullPath\"",
    "\"full_path\"",
    "\"relativePath\"",
    "\"relative_path\"",
    "\"absolutePath\"",
];

/// Objects with more members have more information than a tree of files.
const MOST_MEMBERS: usize = 12;

/// Parses a text that is only a tree of folders. Other JSON is rejected at its first objects.
pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let mut scan = Scan::new(text);
    let single = scan.peek()? == b'{';
    if !single && !scan.takes(b'[') {
        return None;
    }
    let mut objects = Objects::default();
    objects.read(&mut scan, single)?;
    // Also checks that the text is valid JSON and nothing follows it.
    Json::parse(text).ok()?;
    objects.parsed(single)
}

/// All objects, in the order of their beginnings.
#[derive(Default)]
struct Objects<'a> {
    objects: Vec<Object<'a>>,
    /// The shapes of files and folders.
    shapes: Vec<Shape<'a>>,
    /// The members of the outermost object.
    outer: Shape<'a>,
    /// Whether the outermost object is not an entry.
    around: bool,
    /// The last element of the outermost array, if it is not an entry: the counts of `tree -J`.
    report: Option<&'a str>,
}

struct Object<'a> {
    depth: usize,
    shape: usize,
    parent: bool,
    name: Option<Cow<'a, str>>,
    path: Option<Cow<'a, str>>,
}

/// An object that is being read.
struct Open<'a> {
    object: usize,
    shape: Shape<'a>,
}

impl<'a> Objects<'a> {
    /// Reads up to the end of the outermost array or object.
    fn read(&mut self, scan: &mut Scan<'a>, single: bool) -> Option<()> {
        let mut top = scan.rest;
        let mut open: Vec<Open<'a>> = vec![self.begin(scan, 0)?];
        loop {
            let depth = open.len();
            let Some(inner) = open.last_mut() else {
                // Between two objects of the outermost array.
                if !single && self.report.is_none() && scan.takes(b',') {
                    top = scan.rest;
                    open.push(self.begin(scan, 0)?);
                    continue;
                }
                return (single || scan.takes(b']')).then_some(());
            };
            if scan.takes(b'}') {
                let done = open.pop()?;
                let whole = &top[..top.len() - scan.rest.len()];
                self.end(done, whole.trim_start(), single)?;
                // Another child of the enclosing object, or the end of its children.
                if !open.is_empty() {
                    if scan.takes(b',') {
                        open.push(self.begin(scan, depth - 1)?);
                    } else if !scan.takes(b']') {
                        return None;
                    }
                }
                continue;
            }
            if !inner.shape.is_empty() && !scan.takes(b',') || inner.shape.len() == MOST_MEMBERS {
                return None;
            }
            let key = scan.string()?;
            if !scan.takes(b':') {
                return None;
            }
            if scan.takes(b'[') {
                inner.shape.push((key, Slot::Entries));
                if inner.object == 0 {
                    self.outer.push((key, Slot::Entries));
                }
                if !scan.takes(b']') {
                    self.objects[inner.object].parent = true;
                    open.push(self.begin(scan, depth)?);
                }
                continue;
            }
            let value = scan.scalar()?;
            if inner.object == 0 {
                self.outer.push((key, Slot::Always(value)));
            }
            let slot = self.objects[inner.object].slot(key, value)?;
            inner.shape.push((key, slot));
        }
    }

    fn begin(&mut self, scan: &mut Scan<'a>, depth: usize) -> Option<Open<'a>> {
        if !scan.takes(b'{') || self.objects.len() == MOST_ENTRIES {
            return None;
        }
        self.objects.push(Object {
            depth,
            shape: 0,
            parent: false,
            name: None,
            path: None,
        });
        let object = self.objects.len() - 1;
        let shape = Shape::new();
        Some(Open { object, shape })
    }

    /// Ends an object. `whole` is its text if it is an outermost one.
    fn end(&mut self, done: Open<'a>, whole: &'a str, single: bool) -> Option<()> {
        let slots = done.shape.iter().filter(|(_, slot)| *slot == Slot::Entries);
        if slots.count() > 1 {
            return None;
        }
        let object = &mut self.objects[done.object];
        let named = object.name.is_some() || object.path.is_some();
        let known = self.shapes.iter().position(|shape| *shape == done.shape);
        match known {
            Some(known) => object.shape = known,
            // Only two shapes of objects can be represented.
            None if named && self.shapes.len() < 2 => {
                object.shape = self.shapes.len();
                self.shapes.push(done.shape);
            }
            None if single && done.object == 0 => self.around = true,
            None if !named && object.depth == 0 && !object.parent => {
                self.objects.pop();
                self.report = Some(whole);
            }
            None => return None,
        }
        Some(())
    }

    /// The index of the shape of folders.
    fn folder(&self) -> Option<usize> {
        if let Some(parent) = self.objects.iter().find(|object| object.parent) {
            return Some(parent.shape);
        }
        // No object has children: then the shapes must be those that `directory_tree` prints for a flat folder.
        let is_file = |shape: &Shape<'_>| is_usual_file(shape);
        let all = self.shapes.iter().position(|shape| !is_file(shape));
        match (all, self.shapes.len()) {
            (None, 1) => Some(0),
            (Some(folder), 2) => {
                let slots = &mut self.shapes[folder].iter();
                slots
                    .any(|(_, slot)| *slot == Slot::Entries)
                    .then_some(folder)
            }
            _ => None,
        }
    }

    fn parsed(mut self, single: bool) -> Option<Parsed<'a>> {
        let mut below = 0;
        if self.around {
            self.objects.remove(0);
            below = 1;
        }
        let folder = self.folder()?;
        let file = (folder + 1) % self.shapes.len();
        let mut base = None;
        let mut entries = Vec::with_capacity(self.objects.len());
        let mut path = ObjectPath::default();
        let with_paths = self.objects.first()?.path.is_some();
        for object in &mut self.objects {
            if object.parent && object.shape != folder || object.path.is_some() != with_paths {
                return None;
            }
            let is_folder = if file == folder {
                object.parent
            } else {
                object.shape == folder
            };
            let depth = object.depth.checked_sub(below)?;
            let name = object.take_name()?;
            if let Some(whole) = &object.path {
                let above = whole.strip_suffix(&*name)?;
                let base = base.get_or_insert_with(|| above.to_owned());
                path.enter(depth, base)?;
                if path.text != above {
                    return None;
                }
                path.push(&name);
            }
            entries.push(Entry::new(depth, is_folder, name));
        }
        let mut root = None;
        if single && !self.around {
            root = Some(entries.remove(0).name);
            entries.iter_mut().for_each(|entry| entry.depth -= 1);
        }
        let shape = |at: usize| self.shapes.get(at).cloned();
        let template = Template {
            around: self.around.then_some(self.outer),
            file: shape(file)?,
            folder: shape(folder)?,
            base: base.map(Cow::Owned),
        };
        Some(Parsed {
            style: Style::Json(template),
            root,
            tail: self.report,
            entries,
        })
    }
}

impl<'a> Object<'a> {
    /// The slot of a member; name and path are stored.
    fn slot(&mut self, key: &str, value: &'a str) -> Option<Slot<'a>> {
        if PATHS.contains(&key) && self.path.is_none() {
            self.path = Some(text(value)?);
            return Some(Slot::Path);
        }
        if NAMES.contains(&key) && self.name.is_none() {
            self.name = Some(text(value)?);
            return Some(Slot::Name);
        }
        Some(Slot::Always(value))
    }

    fn take_name(&mut self) -> Option<Cow<'a, str>> {
        if let Some(name) = self.name.take() {
            return Some(name);
        }
        let path = self.path.clone()?;
        let start = path.rfind('/').map_or(0, |slash| slash + 1);
        Some(match path {
            Cow::Borrowed(path) => Cow::Borrowed(&path[start..]),
            Cow::Owned(path) => Cow::Owned(path[start..].to_owned()),
        })
    }
}

/// The text of a string; `None` if it is not a string, or has a lone surrogate.
fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let text = Json::parse(value).ok()?.as_str()?;
    (!text.contains('\u{fffd}')).then_some(text)
}
