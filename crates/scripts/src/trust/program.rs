//! Checks every file that the start of a program executes: the program, the interpreters of `#!` lines, and the
//! programs that `env` looks up for them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::env_words::{Env, executed_by_env};
use super::{Trust, WalkError};
use crate::os::OsStringExt as _;

/// Limit of files of one start. The kernel follows at most 5 interpreters; `env` begins a new chain.
const LONGEST: usize = 16;
/// The number of bytes that the kernel reads of a `#!` line.
const HEAD: u64 = 256;

/// A command line and its lookup environment.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The program and its arguments.
    pub words: &'a [OsString],
    /// The environment of the program, with its `PATH`.
    pub env: &'a [(OsString, OsString)],
    /// The working directory.
    pub cwd: &'a Path,
}

impl Start<'_> {
    /// The file of the first word. A name without a slash is looked up in the absolute folders of `PATH`; other
    /// entries depend on the working directory.
    pub fn program(&self) -> io::Result<PathBuf> {
        let no_program = || io::Error::other("there is no program to run");
        let first = self.words.first().ok_or_else(no_program)?;
        let path = self.env.iter().rev().find(|(name, _)| name == "PATH");
        linkspan_spawn::find(first, path.map(|(_, path)| path.as_os_str()), None)
    }
}

impl Trust {
    /// Checks every file that a start of `program` executes. The caller has looked it up, so the checked file
    /// is the one that runs. A missing file ends the check: the start fails.
    pub fn program(&self, program: &Path, start: Start<'_>, zone: &Path) -> Result<(), WalkError> {
        if self.accept_writable {
            return Ok(());
        }
        let mut env = Env::new(start.env, start.cwd);
        let mut words = start.words.to_vec();
        let mut file = start.cwd.join(program);
        for _ in 0..LONGEST {
            match self.walk(&file, zone) {
                Err(WalkError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    return Ok(());
                }
                walked => walked?,
            }
            let next = if let Some(line) = first_line(&file) {
                words = line;
                // The kernel does not use `PATH`.
                words.first().map(|first| env.cwd.join(first))
            } else if is_env(&file) {
                words = executed_by_env(words.split_off(1), &mut env);
                words.first().and_then(|first| env.find(first))
            } else {
                None
            };
            match next {
                Some(next) => file = next,
                None => return Ok(()),
            }
        }
        Err(WalkError::Io {
            path: file,
            source: io::Error::other("too many interpreters"),
        })
    }
}

fn is_env(file: &Path) -> bool {
    file.file_name() == Some(OsStr::new("env"))
}

/// The interpreter of a script and its argument, split as the kernel does.
fn first_line(file: &Path) -> Option<Vec<OsString>> {
    // Only regular files can be executed, and opening others could block.
    if !fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut head = Vec::new();
    let file = File::open(file).ok()?;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n');
    let line = trimmed(line.into_iter().next()?);
    let end = line.iter().position(is_blank).unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    // Linux passes the rest of the line as one word, macOS each word.
    let splits = |byte: &u8| cfg!(target_vendor = "apple") && is_blank(byte);
    let words = [first].into_iter().chain(trimmed(rest).split(splits));
    let words = words.filter(|word| !word.is_empty());
    let words = words.map(|word| OsString::from_vec(word.to_vec()));
    Some(words.collect())
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(byte));
    let end = text.iter().rposition(|byte| !is_blank(byte));
    start
        .zip(end)
        .map_or(&[], |(start, end)| &text[start..=end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    /// A folder with a program `bin/lang` that other users can write, and a script.
    struct TestFolder(tempfile::TempDir);

    impl TestFolder {
        fn new() -> Self {
            let this = Self(tempfile::tempdir().unwrap());
            fs::create_dir(this.at("bin")).unwrap();
            fs::set_permissions(this.at("bin"), Permissions::from_mode(0o755)).unwrap();
            this.put("bin/lang", "", 0o757);
            this
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(name)
        }

        fn put(&self, name: &str, text: &str, mode: u32) {
            fs::write(self.at(name), text).unwrap();
            fs::set_permissions(self.at(name), Permissions::from_mode(mode)).unwrap();
        }

        /// The path for which these words are refused.
        fn refused(&self, words: &[&str], path: &str) -> Option<PathBuf> {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            let env = [
                ("PATH".into(), path.into()),
                ("BIN".into(), self.at("bin").into()),
            ];
            let start = Start {
                words: &words,
                env: &env,
                cwd: self.0.path(),
            };
            let Ok(program) = start.program() else {
                return None;
            };
            match Trust::new(false).program(&program, start, &self.at("served")) {
                Err(WalkError::Untrusted(found)) => Some(found.path),
                Err(other) => panic!("{other}"),
                Ok(()) => None,
            }
        }

        /// The path for which a script with this first line is refused.
        fn script(&self, line: &str, path: &str) -> Option<PathBuf> {
            self.put("script", &format!("#!{line}\necho\n"), 0o755);
            self.refused(&[self.at("script").to_str().unwrap()], path)
        }
    }

    #[test]
    fn shebang_lines_are_parsed_in_every_spelling() {
        let place = TestFolder::new();
        let bin = place.at("bin").display().to_string();
        let path = format!("{bin}:/usr/bin:/bin");
        let lang = Some(place.at("bin/lang"));
        for line in [
            format!("{bin}/lang"),
            format!(" \t{bin}/lang -x "),
            "bin/lang".to_owned(),
            "/usr/bin/env lang".to_owned(),
            "/usr/bin/env -S lang -e".to_owned(),
            "/usr/bin/env -Slang".to_owned(),
            "/usr/bin/env -vS \"lang\" -e".to_owned(),
            "/usr/bin/env --split-string=lang\\_-e".to_owned(),
            "/usr/bin/env -S -u HOME -C / --unset=A -- A=b lang".to_owned(),
            "/usr/bin/env -S ${BIN}/lang".to_owned(),
            "/usr/bin/env -S PATH=/x:${BIN} lang".to_owned(),
            "/usr/bin/env -S -C bin ./lang".to_owned(),
            "/usr/bin/env -S env --ignore-env env PATH=${BIN} lang".to_owned(),
        ] {
            assert_eq!(place.script(&line, &path), lang, "{line}");
        }
        // Without `PATH` a name is looked up in the system folders.
        for line in ["-S -i lang", "-S - lang", "-S -uPATH lang"] {
            let line = format!("/usr/bin/env {line}");
            assert_eq!(place.script(&line, &path), None, "{line}");
        }
        assert_eq!(place.script("/bin/sh", &path), None);
        assert_eq!(place.script("/usr/bin/env sh", &path), None);
        assert_eq!(place.script("/nowhere/lang", &path), None);
        // `env` looks into relative folders; we do not.
        assert_eq!(place.script("/usr/bin/env lang", "bin:/usr/bin"), lang);
        assert_eq!(place.refused(&["lang"], "bin:/usr/bin"), None);
        assert_eq!(place.refused(&["lang"], &path), lang);
        assert_eq!(
            place.refused(&["env", "-i", "A=b", "bin/lang"], &path),
            lang
        );
    }

    #[test]
    fn interpreters_of_interpreters_and_links_are_followed() {
        let place = TestFolder::new();
        let lang = Some(place.at("bin/lang"));
        let mut line = place.at("bin/lang").display().to_string();
        for level in 1..5 {
            let name = format!("bin/level{level}");
            place.put(&name, &format!("#!{line}\n"), 0o755);
            line = place.at(&name).display().to_string();
        }
        assert_eq!(place.script(&line, "/bin"), lang);
        symlink("lang", place.at("bin/link")).unwrap();
        assert_eq!(place.refused(&["bin/link"], "/bin"), lang);
        place.put(
            "bin/round",
            &format!("#!{}\n", place.at("bin/round").display()),
            0o755,
        );
        let words = ["bin/round".into()];
        let start = Start {
            words: &words,
            env: &[],
            cwd: place.0.path(),
        };
        let program = start.program().unwrap();
        let error = Trust::new(false).program(&program, start, Path::new("/nowhere"));
        assert!(error.unwrap_err().to_string().contains("too many"));
    }
}
