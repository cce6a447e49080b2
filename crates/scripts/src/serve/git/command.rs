//! Runs one `git` command that ignores the settings of the user, the system and the repository.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::folder::RunSettings;
use crate::run::capture::Printed;
use crate::run::env::{Env, put};
use crate::run::{Ended, Job, Outcome, Runner, Stdin, run};
use crate::serve::options::NotFetched;

/// Output limit of git commands other than reading a file, in bytes.
pub(super) const TALK: usize = 64 << 10;

/// These settings override those of the user, the system and the repository.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.askPass", ""),
    ("credential.helper", ""),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("transfer.bundleURI", "false"),
    ("protocol.ext.allow", "never"),
    ("http.followRedirects", "false"),
    ("http.proxy", ""),
    ("http.sslVerify", "true"),
];

/// The parameters of git for one address.
pub(super) struct Git<'a> {
    pub(super) runner: &'a Arc<Runner>,
    /// The repository.
    pub(super) dir: PathBuf,
    /// The only allowed transport protocol.
    pub(super) protocol: &'static str,
    /// More settings.
    pub(super) settings: Vec<(&'static str, String)>,
    /// Time limit of each step.
    pub(super) time: Duration,
}

impl Git<'_> {
    /// Runs one command and returns its outcome, successful or not.
    pub(super) async fn run(
        &self,
        words: &[&str],
        stdin: &str,
        most: usize,
    ) -> Result<Outcome, NotFetched> {
        let settings = RunSettings {
            timeout: self.time,
            max_output: most,
            ..RunSettings::default()
        };
        let marker = self.runner.marker();
        let words = ["git"].iter().chain(words).map(OsString::from);
        let job = Job {
            executed: Vec::new(),
            words: words.collect(),
            env: self.env(&marker),
            // A folder without a repository or settings.
            cwd: self.runner.folder().to_owned(),
            stdin: match stdin {
                "" => Stdin::Null,
                text => Stdin::Text(text.to_owned().into()),
            },
            control: false,
            run: &settings,
            timeout: None,
            roots: Vec::new(),
            cancel: self.runner.folder().join(format!("{marker}.cancelled")),
            marker,
            files: Vec::new(),
            streams: Vec::new(),
            holds: Vec::new(),
            kept: None,
        };
        let outcome = run(self.runner, job, None).await.map_err(no_git)?;
        match outcome.ended {
            Ended::TimedOut(_) => Err(NotFetched::Failed(
                "git takes too long: try again later".to_owned(),
            )),
            _ => Ok(outcome),
        }
    }

    fn env(&self, marker: &str) -> Env {
        let mut env = Env::new();
        let ours = &self.runner.options.ours;
        let ours = |name: &str| ours.iter().find(|(known, _)| known == name);
        if let Some((name, value)) = ours("PATH") {
            put(&mut env, name, value);
        }
        if let Some((_, file)) = ours("SSL_CERT_FILE") {
            put(&mut env, "GIT_SSL_CAINFO", file);
        }
        // A folder without settings and passwords.
        for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR"] {
            put(&mut env, name, self.runner.folder());
        }
        for (name, value) in [
            ("LINKSPAN_CALL", marker),
            ("LC_ALL", "C"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_ADVICE", "0"),
            ("GIT_ALLOW_PROTOCOL", self.protocol),
        ] {
            put(&mut env, name, value);
        }
        put(&mut env, "GIT_DIR", &self.dir);
        if self.protocol == NO_PROTOCOL {
            put(&mut env, "GIT_NO_LAZY_FETCH", "1");
        }
        let fixed = SETTINGS.iter().map(|(name, value)| (*name, *value));
        let further = self.settings.iter().map(|(name, value)| (*name, &**value));
        let mut count = 0;
        for (name, value) in fixed.chain(further) {
            put(&mut env, format!("GIT_CONFIG_KEY_{count}"), name);
            put(&mut env, format!("GIT_CONFIG_VALUE_{count}"), value);
            count += 1;
        }
        put(&mut env, "GIT_CONFIG_COUNT", count.to_string());
        env
    }

    /// A file of an existing revision.
    pub(super) async fn file(
        &self,
        revision: &str,
        path: &str,
        most: usize,
    ) -> Result<Vec<u8>, NotFetched> {
        let asked = format!("{revision}:{path}\n");
        let looked = self
            .run(&["cat-file", "--batch-check"], &asked, TALK)
            .await?;
        let id = match said(&looked) {
            Ok(line) => blob(line.trim_end(), most)?,
            Err(why) => return Err(NotFetched::Failed(why.to_string())),
        };
        // By id: the branch may have moved since the lookup.
        let read = self.run(&["cat-file", "blob", &id], "", most).await?;
        match (read.ended, read.stdout) {
            (Ended::Code(0), Printed::Whole(bytes)) => Ok(bytes),
            (_, Printed::Large(_)) => Err(too_large(most)),
            _ => Err(NotFetched::Failed(GitError::new(&read.stderr).to_string())),
        }
    }
}

/// Allows no protocol.
pub(super) const NO_PROTOCOL: &str = "none";

/// The id of a file from the output `ID TYPE SIZE`, or an error for `NAME missing`.
fn blob(line: &str, most: usize) -> Result<String, NotFetched> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        [id, "blob", size] if id.chars().all(|c| c.is_ascii_hexdigit()) => {
            if size.parse::<usize>().is_ok_and(|size| size <= most) {
                Ok(id.to_owned())
            } else {
                Err(too_large(most))
            }
        }
        [_, kind @ ("tree" | "commit" | "tag"), _] => Err(NotFetched::Unsupported(format!(
            "there is no file but a {}: name a file in it",
            if kind == "tree" {
                "folder"
            } else {
                "repository"
            }
        ))),
        [.., "ambiguous"] => Err(NotFetched::Unsupported(
            "the ref is ambiguous: use more of the commit id".to_owned(),
        )),
        _ => Err(NotFetched::NotFound),
    }
}

/// `git` failed: the first line of its stderr that explains why.
#[derive(Debug, thiserror::Error)]
#[error("git says: {0}")]
pub(super) struct GitError(String);

/// The stdout of a successful command.
pub(super) fn said(outcome: &Outcome) -> Result<String, GitError> {
    match (&outcome.stdout, outcome.ended) {
        (Printed::Whole(bytes), Ended::Code(0)) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        _ => Err(GitError::new(&outcome.stderr)),
    }
}

impl GitError {
    fn new(stderr: &str) -> Self {
        let line = stderr.lines().find_map(|line| {
            line.strip_prefix("fatal: ")
                .or(line.strip_prefix("error: "))
        });
        let line = line.or(stderr.lines().next()).unwrap_or("it failed");
        Self(line.chars().take(300).collect())
    }
}

pub(super) fn too_large(most: usize) -> NotFetched {
    NotFetched::TooLarge(format!("it has more than {most} bytes, the limit"))
}

fn no_git(e: io::Error) -> NotFetched {
    NotFetched::Failed(format!("git cannot be run: {e}; install it, or see PATH"))
}
