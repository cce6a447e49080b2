//! Converts a list of paths to entries and back.

use linkspan_bcp::{Entries, EntryKind, TreeBuilder};

use super::branches::flatten;

/// A list that can be rewritten from its block and `form` alone.
pub(super) struct Folders<'a> {
    /// The common prefix of all paths: empty, or a folder with its slash.
    pub(super) root: &'a str,
    pub(super) entries: Entries<'static>,
    /// `a` if every folder has its own line, `/` if folders end with a slash; then a line feed if the last line has
    /// one.
    pub(super) form: String,
}

/// Reads paths, one per line.
pub(super) fn read(text: &str) -> Option<Folders<'_>> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let root = root(body)?;
    let paths: Vec<&str> = body
        .split('\n')
        .map(|path| path.get(root.len()..))
        .collect::<Option<_>>()?;
    let slash = paths.iter().any(|path| path.ends_with('/'));
    let entries = build(&paths)?;
    for all in ["", "a"] {
        let mut form = format!("{all}{}", if slash { "/" } else { "" });
        form.push_str(if body.len() < text.len() { "\n" } else { "" });
        if write(root, &entries, &form, text.len()).as_deref() == Some(text) {
            return Some(Folders {
                root,
                entries,
                form,
            });
        }
    }
    None
}

/// The folder that contains all paths. A path's last component is its name, even if it is a folder.
fn root(body: &str) -> Option<&str> {
    let mut lines = body.split('\n');
    let first = lines.next()?;
    let folder = |path: &str| {
        path.trim_end_matches('/')
            .rfind('/')
            .map_or(0, |slash| slash + 1)
    };
    let mut length = folder(first);
    for line in lines {
        let most = length.min(folder(line));
        let same = first
            .bytes()
            .zip(line.bytes())
            .take(most)
            .take_while(|(one, other)| one == other)
            .count();
        length = first.as_bytes()[..same]
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |slash| slash + 1);
    }
    Some(&first[..length])
}

fn build(paths: &[&str]) -> Option<Entries<'static>> {
    let mut tree = TreeBuilder::default();
    let mut open: Vec<&str> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let bare = path.strip_suffix('/').unwrap_or(path);
        let parts: Vec<&str> = bare.split('/').collect();
        let (name, above) = parts.split_last()?;
        let same = open
            .iter()
            .zip(above)
            .take_while(|(one, other)| one == other)
            .count();
        while open.len() > same {
            tree.close();
            open.pop();
        }
        for folder in &above[same..] {
            tree.open(folder, EntryKind::Directory, 0).ok()?;
            open.push(folder);
        }
        let next = paths
            .get(index + 1)
            .and_then(|next| next.strip_prefix(bare));
        let folder = bare.len() < path.len() || next.is_some_and(|next| next.starts_with('/'));
        let kind = if folder {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        tree.open(name, kind, 0).ok()?;
        open.push(name);
    }
    Some(tree.finish())
}

/// Rewrites the paths, if that takes at most `most` bytes.
pub(super) fn write(root: &str, entries: &Entries<'_>, form: &str, most: usize) -> Option<String> {
    let all = form.contains('a');
    let slash = form.contains('/');
    let found = flatten(entries);
    let mut out = String::new();
    let mut path = root.to_owned();
    // Where the name of each open folder begins in `path`.
    let mut starts: Vec<usize> = Vec::new();
    for (index, (depth, name, folder)) in found.iter().enumerate() {
        if let Some(start) = starts.get(*depth) {
            path.truncate(*start);
        }
        starts.truncate(*depth);
        starts.push(path.len());
        path.push_str(name);
        let has_children = found
            .get(index + 1)
            .is_some_and(|(next, _, _)| next > depth);
        if all || !has_children {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&path);
            out.push_str(if slash && *folder { "/" } else { "" });
        }
        path.push('/');
        if out.len() > most || path.len() > most {
            return None;
        }
    }
    out.push_str(if form.ends_with('\n') { "\n" } else { "" });
    Some(out).filter(|out| out.len() <= most)
}
