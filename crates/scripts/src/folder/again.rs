//! Rereads a folder. An entry that became unreadable, because it is being written or has an error, keeps its
//! previous version; a removed entry is removed.

use std::path::Path;
use std::sync::Arc;

use super::catalogue::{Catalogue, Problem, Severity};
use super::reader::{FolderError, Outcome, ReadOptions, Reader};

impl Catalogue {
    /// Rereads the folder, with this catalogue as the previous version.
    pub fn read_again(&self, options: &ReadOptions) -> Result<Self, FolderError> {
        match Reader::open(&self.root, options)?.read() {
            Ok(outcome) => Ok(self.keep(outcome)),
            Err(FolderError::ServerFile(problem)) => Ok(self.stay(*problem)),
            Err(error) => Err(error),
        }
    }

    /// An empty catalogue of the same server, for a folder that is no longer trusted.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            root: self.root.clone(),
            server: self.server.clone(),
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            completions: Vec::new(),
            providers: Vec::new(),
            problems: Vec::new(),
            ignored: Vec::new(),
            program: self.program,
            page_size: self.page_size,
            concurrency: self.concurrency,
        }
    }

    /// Keeps the previous version of unreadable entries whose file still exists.
    fn keep(&self, outcome: Outcome) -> Self {
        let Outcome {
            mut catalogue,
            lost,
            filter,
        } = outcome;
        for source in &lost {
            let mut kept = false;
            let allowed = |name: &str| filter.allows(name);
            kept |= keep_one(
                &self.tools,
                &mut catalogue.tools,
                source,
                |t| (&t.source, &t.name),
                allowed,
            );
            kept |= keep_one(
                &self.prompts,
                &mut catalogue.prompts,
                source,
                |p| (&p.source, &p.name),
                any,
            );
            kept |= keep_one(
                &self.resources,
                &mut catalogue.resources,
                source,
                |r| (&r.source, &r.uri),
                any,
            );
            kept |= keep_one(
                &self.templates,
                &mut catalogue.templates,
                source,
                |t| (&t.source, &t.uri_template),
                any,
            );
            kept |= keep_one(
                &self.providers,
                &mut catalogue.providers,
                source,
                |p| (&p.source, &p.scheme),
                any,
            );
            for one in self.completions.iter().filter(|one| one.source == *source) {
                let same = |other: &&Arc<_>| is_same(one, other);
                if !catalogue.completions.iter().any(|other| same(&other)) {
                    catalogue.completions.push(Arc::clone(one));
                    kept = true;
                }
            }
            if kept {
                let path = source.strip_prefix(&self.root).unwrap_or(source);
                catalogue.problems.push(Problem {
                    severity: Severity::Warning,
                    path: path.to_owned(),
                    line: None,
                    text: "can no longer be read; the previous version stays in use".to_owned(),
                    hint: None,
                    fix: None,
                });
            }
        }
        catalogue.sort_problems();
        catalogue
    }

    /// Keeps every entry, because the settings are unknown without the server's file.
    fn stay(&self, problem: Problem) -> Self {
        let hint = "the previous version stays in use until this is fixed".to_owned();
        Self {
            root: self.root.clone(),
            server: self.server.clone(),
            tools: self.tools.clone(),
            resources: self.resources.clone(),
            templates: self.templates.clone(),
            prompts: self.prompts.clone(),
            completions: self.completions.clone(),
            providers: self.providers.clone(),
            problems: vec![Problem {
                hint: problem.hint.or(Some(hint)),
                ..problem
            }],
            ignored: self.ignored.clone(),
            program: self.program,
            page_size: self.page_size,
            concurrency: self.concurrency,
        }
    }
}

fn any(_: &str) -> bool {
    true
}

fn is_same(one: &super::Completion, other: &super::Completion) -> bool {
    one.target == other.target && one.argument == other.argument
}

/// Keeps the entry of a file, unless another entry has taken its name.
fn keep_one<T>(
    old: &[Arc<T>],
    new: &mut Vec<Arc<T>>,
    source: &Path,
    about: impl for<'a> Fn(&'a T) -> (&'a std::path::PathBuf, &'a String),
    allowed: impl Fn(&str) -> bool,
) -> bool {
    let Some(entry) = old.iter().find(|entry| about(entry).0 == source) else {
        return false;
    };
    let name = about(entry).1;
    if !allowed(name) || new.iter().any(|other| about(other).1 == name) {
        return false;
    }
    let at = new.partition_point(|other| about(other).1 < name);
    new.insert(at, Arc::clone(entry));
    true
}

#[cfg(test)]
#[path = "again_tests.rs"]
mod tests;
