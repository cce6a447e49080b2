//! The path of this program, for the agent to start `linkspan mcp`.

use std::io;
use std::path::{Path, PathBuf};

/// The path as text. If the file was replaced, it is a path that still works.
pub(super) fn path(current_exe: fn() -> io::Result<PathBuf>) -> io::Result<String> {
    let program = current_exe()?;
    let program = surviving(&program, std::process::id()).unwrap_or(program);
    let text = program.into_os_string().into_string();
    text.map_err(|_| io::Error::other("its path is not UTF-8"))
}

/// What Linux appends to the path of a program whose file was removed.
const DELETED: &str = " (deleted)";

/// The path of a program whose file was removed: the running program, or the file that replaced it.
fn surviving(program: &Path, pid: u32) -> Option<PathBuf> {
    let replaced = program.to_str()?.strip_suffix(DELETED)?;
    // Not `/proc/self`: the agent resolves the path.
    let running = PathBuf::from(format!("/proc/{pid}/exe"));
    Some(if running.exists() {
        running
    } else {
        PathBuf::from(replaced)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_works_after_the_file_was_removed() {
        assert!(Path::new(&path(std::env::current_exe).unwrap()).is_absolute());
        assert_eq!(surviving(Path::new("/x/linkspan"), 1), None);
        let gone = surviving(Path::new("/x/linkspan (deleted)"), 0).unwrap();
        assert_eq!(gone, Path::new("/x/linkspan"), "there is no process 0");
        #[cfg(target_os = "linux")]
        assert!(
            surviving(Path::new("/x/l (deleted)"), std::process::id())
                .unwrap()
                .exists()
        );
    }
}
