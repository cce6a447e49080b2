//! The FILE_TREE block of a folder, with the files found in it.

use std::path::{Component, Path};

use linkspan_bcp::{Block, Content, Entries, EntryKind, TreeBuilder};

use crate::pack::{LARGEST, shown};
use crate::walk::Found;

/// An upper bound of the size of an entry besides its name.
const AROUND_ENTRY: u64 = 32;

/// The tree of these files, which are in `root` and in the order of a walk. `None` if it is too large for a
/// block.
pub(crate) fn block(root: &Path, files: &[Found]) -> Option<Block<'static>> {
    let content = Content::FileTree {
        root: shown(root).into(),
        entries: entries(root, files)?,
    };
    Some(content.into())
}

fn entries(root: &Path, files: &[Found]) -> Option<Entries<'static>> {
    let mut tree = TreeBuilder::default();
    let mut open: Vec<String> = Vec::new();
    let mut size = 0;
    for file in files {
        let path = file.path.strip_prefix(root).unwrap_or(&file.path);
        let mut names: Vec<String> = path.components().filter_map(name).collect();
        let Some(last) = names.pop() else {
            continue;
        };
        let common = open.iter().zip(&names).take_while(|(a, b)| a == b).count();
        while open.len() > common {
            open.pop();
            tree.close();
        }
        size += last.len() as u64 + AROUND_ENTRY;
        for name in names.drain(common..) {
            size += name.len() as u64 + AROUND_ENTRY;
            // Folders below the depth limit of readers are left out; their files are packed.
            if tree.open(&name, EntryKind::Directory, 0).is_err() {
                break;
            }
            open.push(name);
        }
        if tree.open(&last, EntryKind::File, file.size).is_ok() {
            tree.close();
        }
    }
    (size <= LARGEST).then(|| tree.finish())
}

fn name(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use linkspan_bcp::Step;

    use super::*;

    fn found(path: &str, size: u64) -> Found {
        Found {
            path: path.into(),
            size,
            trouble: None,
            named: false,
        }
    }

    fn drawn(files: &[Found]) -> String {
        let mut drawn = String::new();
        for step in entries(Path::new("src"), files).unwrap().walk() {
            match step {
                Step::Open(entry) if entry.kind == EntryKind::File => {
                    drawn += &format!("{}:{}", entry.name, entry.size);
                }
                Step::Open(entry) => drawn += &format!("{}(", entry.name),
                Step::Close => drawn += ")",
            }
        }
        // A `Close` follows every file, too.
        drawn
    }

    #[test]
    fn a_tree_has_the_folders_of_its_files() {
        let files = [
            found("src/a/b/one", 1),
            found("src/a/b/two", 2),
            found("src/a/three", 3),
            found("src/c/b/four", 4),
            found("src/five", 5),
        ];
        assert_eq!(
            drawn(&files),
            "a(b(one:1)two:2))three:3))c(b(four:4)))five:5)"
        );
    }

    #[test]
    fn entries_below_the_depth_limit_are_left_out() {
        let deep = format!("src/{}file", "d/".repeat(400));
        let files = [found(&deep, 1), found("src/last", 2)];
        assert!(drawn(&files).ends_with(")last:2)"));
    }

    #[test]
    fn a_tree_too_large_for_a_block_is_none() {
        let name = format!("src/{}", "x".repeat(1 << 20));
        let files: Vec<_> = (0..16).map(|_| found(&name, 1)).collect();
        assert!(block(Path::new("src"), &files).is_none());
        assert!(block(Path::new("src"), &files[..4]).is_some());
    }
}
