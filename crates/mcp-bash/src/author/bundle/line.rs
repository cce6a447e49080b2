//! The command line of `mcp-bash bundle`.

use std::path::{Path, PathBuf};

use linkspan_wire::replace_unprintable;

use super::{Bundle, Note, Request};
use crate::author::error::shown;
use crate::author::{AuthorError, UsageError, Words};
use crate::{Project, Vars};

/// A parsed `bundle` command line.
#[derive(Debug, Clone)]
pub struct BundleLine {
    /// The project.
    pub root: PathBuf,
    request: Request,
    folder: PathBuf,
    only_look: bool,
    verbose: bool,
}

impl BundleLine {
    /// Parses the words after `bundle`; `here` is the current folder, `exe` this program.
    pub fn parse(
        mut words: Words,
        vars: &Vars,
        here: Option<&Path>,
        exe: Option<PathBuf>,
    ) -> Result<Self, UsageError> {
        let folder = words.value("--output")?;
        let request = Request {
            name: words.value("--name")?,
            version: words.value("--version")?,
            platform: words.value("--platform")?,
            without_server: words.flag("--without-server"),
            exe,
        };
        let only_look = words.flag("--validate");
        let verbose = words.flag("--verbose");
        // Accepted without effect: linkspan has a built-in jq.
        let _ = words.flag("--include-gojq");
        let root = words.project(vars, here)?;
        words.end("bundle")?;
        Ok(Self {
            root,
            request,
            folder: folder.map_or_else(|| PathBuf::from("."), PathBuf::from),
            only_look,
            verbose,
        })
    }

    /// Makes the bundle, unless it is only looked at. `tell` gets the lines for stdout, `warn` those for the author.
    pub fn run(
        self,
        project: &Project,
        tell: &dyn Fn(&str),
        warn: &dyn Fn(&str),
    ) -> Result<(), AuthorError> {
        let note = |note: Note<'_>| match note {
            Note::Added(_) if !self.verbose => {}
            Note::Added(_) => tell(&note.to_string()),
            note => warn(&note.to_string()),
        };
        let bundle = Bundle::new(project, self.request, &note)?;
        if self.only_look {
            let name = replace_unprintable(&bundle.file_name());
            tell(&format!("The bundle would be {name}"));
            return Ok(());
        }
        let written = bundle.write(project, &self.folder, &note)?;
        tell(&format!(
            "{} ({} files)",
            shown(&written.path),
            written.files
        ));
        tell(&match bundle.platform() {
            Some(platform) => format!("It runs on {platform} and needs nothing else."),
            None => "It needs mcp-bash or linkspan in the PATH of the machine that it runs on."
                .to_owned(),
        });
        Ok(())
    }
}
