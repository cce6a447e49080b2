//! The common root folder of most files.

/// The prefix to omit from paths: whole folders, with the last slash. Runs in time linear in the length of the paths.
pub(super) fn common<'a>(paths: &[&'a str]) -> &'a str {
    let mut left = paths.to_vec();
    let mut root = 0;
    while let Some(folder) = most(&left, root) {
        let before = left.len();
        left.retain(|path| next(path, root) == Some(folder));
        // Paths outside the root are written in full.
        if left.len() < 2 || left.len() * folder.len() <= (before - left.len()) * (root + 2) {
            break;
        }
        root += folder.len();
        if left.len() < paths.len() / 2 {
            return "";
        }
    }
    // A head cannot begin or end with spaces.
    let path = left.first().filter(|path| !path.starts_with(' '));
    path.map_or("", |path| &path[..root])
}

/// The next folder of a path, from offset `at`.
fn next(path: &str, at: usize) -> Option<&str> {
    let rest = path.get(at..)?;
    let end = rest.find(['/', '\\'])?;
    rest.get(..=end)
}

/// The only folder that may be next in more than half of the paths (Boyer-Moore majority vote).
fn most<'a>(left: &[&'a str], at: usize) -> Option<&'a str> {
    let mut best = None;
    let mut votes = 0_usize;
    for path in left {
        let folder = next(path, at);
        if votes == 0 {
            best = folder;
            votes = 1;
        } else if folder == best {
            votes += 1;
        } else {
            votes -= 1;
        }
    }
    best
}
