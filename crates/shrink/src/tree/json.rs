//! Folders as JSON objects in each other, as the filesystem server's `directory_tree` prints them.

use std::borrow::Cow;

use linkspan_wire::Json;

use super::entry::{Entry, MOST_ENTRIES};
use super::scan::Scan;
use super::style::{Parsed, Style};
use super::template::{ObjectPath, Shape, Slot, Template, is_usual_file};

/// What the member with an entry's name may be called.
const NAMES: [&str; 5] = [
    "\"name\"",
    "\"filename\"",
    "\"file\"",
    "\"label\"",
    "\"title\"",
];

/// What the member with its path may be called.
const PATHS: [&str; 6] = [
    "\"path\"",
    "\"fullPath\"",
    "\"full_path\"",
    "\"relativePath\"",
    "\"relative_path\"",
    "\"absolutePath\"",
];

/// Objects with more members than this say more than where something is.
const MOST_MEMBERS: usize = 12;

/// A text that is a tree of folders and nothing else. Anything else is noticed at its first objects.
pub(super) fn parse(text: &str) -> Option<Parsed<'_>> {
    let mut scan = Scan::new(text);
    let single = scan.peek()? == b'{';
    if !single && !scan.takes(b'[') {
        return None;
    }
    let mut objects = Objects::default();
    objects.read(&mut scan, single)?;
    // Also that nothing is behind it, and that it is JSON at all.
    Json::parse(text).ok()?;
    objects.parsed(single)
}

/// All objects, in the order in which they begin.
#[derive(Default)]
struct Objects<'a> {
    objects: Vec<Object<'a>>,
    /// What they look like: files and folders.
    shapes: Vec<Shape<'a>>,
    /// The members of the outermost object.
    outer: Shape<'a>,
    /// Whether that is none of the entries.
    around: bool,
    /// The last element of the outermost array, if that is none: what `tree -J` has counted.
    report: Option<&'a str>,
}

struct Object<'a> {
    depth: usize,
    shape: usize,
    parent: bool,
    name: Option<Cow<'a, str>>,
    path: Option<Cow<'a, str>>,
}

/// An object that has begun.
struct Open<'a> {
    object: usize,
    shape: Shape<'a>,
}

impl<'a> Objects<'a> {
    /// Everything up to the end of the outermost array or object.
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
                // More entries of the object around it, or the end of them.
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

    /// `whole` is the text of the outermost object, if it is one that ends.
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
            // A third sort of object is nothing that we have a mark for.
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

    /// Which shape folders have.
    fn folder(&self) -> Option<usize> {
        if let Some(parent) = self.objects.iter().find(|object| object.parent) {
            return Some(parent.shape);
        }
        // Nothing has anything in it: then it has to be what `directory_tree` says of a flat folder.
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
    /// What a member is; its name and path are kept.
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

/// The text of a string; `None` if it is none, or has half a character in it.
fn text(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let text = Json::parse(value).ok()?.as_str()?;
    (!text.contains('\u{fffd}')).then_some(text)
}
