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
        let mut open: Vec<Open<'a>> = vec![self.begin(scan, 0)?];
        loop {
            let depth = open.len();
            let Some(inner) = open.last_mut() else {
                // Between two objects of the outermost array.
                if !single && scan.takes(b',') {
                    open.push(self.begin(scan, 0)?);
                    continue;
                }
                return (single || scan.takes(b']')).then_some(());
            };
            if scan.takes(b'}') {
                let done = open.pop()?;
                self.end(done)?;
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
            if !inner.shape.is_empty() && !scan.takes(b',') {
                return None;
            }
            let key = scan.string()?;
            if !scan.takes(b':') {
                return None;
            }
            if scan.takes(b'[') {
                inner.shape.push((key, Slot::Entries));
                if !scan.takes(b']') {
                    self.objects[inner.object].parent = true;
                    open.push(self.begin(scan, depth)?);
                }
                continue;
            }
            let value = scan.scalar()?;
            let object = &mut self.objects[inner.object];
            let slot = if PATHS.contains(&key) && object.path.is_none() {
                object.path = Some(text(value)?);
                Slot::Path
            } else if NAMES.contains(&key) && object.name.is_none() {
                object.name = Some(text(value)?);
                Slot::Name
            } else {
                Slot::Always(value)
            };
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

    fn end(&mut self, done: Open<'a>) -> Option<()> {
        let known = self.shapes.iter().position(|shape| *shape == done.shape);
        self.objects[done.object].shape = match known {
            Some(known) => known,
            None => {
                let slots = done.shape.iter().filter(|(_, slot)| *slot == Slot::Entries);
                let object = &self.objects[done.object];
                if slots.count() > 1 || (object.name.is_none() && object.path.is_none()) {
                    return None;
                }
                self.shapes.push(done.shape);
                self.shapes.len() - 1
            }
        };
        // A third sort of object is nothing that we have a mark for.
        (self.shapes.len() <= 2).then_some(())
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
            let is_folder = match file == folder {
                true => object.parent,
                false => object.shape == folder,
            };
            let name = object.take_name()?;
            if let Some(whole) = &object.path {
                let above = whole.strip_suffix(&*name)?;
                let base = base.get_or_insert_with(|| above.to_owned());
                path.enter(object.depth, base)?;
                if path.text != above {
                    return None;
                }
                path.push(&name);
            }
            entries.push(Entry::new(object.depth, is_folder, name));
        }
        let root = match single {
            true => Some(entries.remove(0).name),
            false => None,
        };
        if single {
            entries.iter_mut().for_each(|entry| entry.depth -= 1);
        }
        let shape = |at: usize| self.shapes.get(at).cloned();
        let template = Template {
            file: shape(file)?,
            folder: shape(folder)?,
            base: base.map(Cow::Owned),
        };
        Some(Parsed {
            style: Style::Json(template.checked()?),
            root,
            tail: None,
            entries,
        })
    }
}

impl<'a> Object<'a> {
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
