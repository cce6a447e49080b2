//! The folder that most files are in.

/// What it pays to leave out of the paths that begin with it: whole folders, with the last slash. Linear in
/// the length of the paths.
pub(super) fn common<'a>(paths: &[&'a str]) -> &'a str {
    let mut left = paths.to_vec();
    let mut root = 0;
    while let Some(folder) = most(&left, root) {
        let before = left.len();
        left.retain(|path| next(path, root) == Some(folder));
        // Those that are elsewhere are written in full.
        if left.len() < 2 || left.len() * folder.len() <= (before - left.len()) * (root + 2) {
            break;
        }
        root += folder.len();
        if left.len() < paths.len() / 2 {
            return "";
        }
    }
    // Spaces at the edge of a head do not last.
    let path = left.first().filter(|path| !path.starts_with(' '));
    path.map_or("", |path| &path[..root])
}

/// The next folder of a path.
fn next(path: &str, at: usize) -> Option<&str> {
    let rest = path.get(at..)?;
    let end = rest.find(['/', '\\'])?;
    rest.get(..=end)
}

/// The folder that more than half of them come to next, if there is one.
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
