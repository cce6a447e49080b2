//! Tools that are command lines with `{{argument}}`: `exec` in a `*.tool.yaml`.

use std::fs;
use std::path::Path;

use super::catalogue::{Fix, Program, Severity, Tool};
use super::fields;
use super::listing::Item;
use super::meta::Meta;
use super::placeholders::placeholders;
use super::reader::Reader;
use crate::trust::WalkError;

impl Reader<'_> {
    pub(super) fn template_tool(
        &mut self,
        item: &Item,
        sidecars: &[&Item],
        name: &str,
    ) -> Option<Tool> {
        if let Some(sidecar) = sidecars.first() {
            let text = format!("{} contains its own metadata", item.name);
            self.error(&sidecar.shown, text);
            return None;
        }
        let layer = self.layer(item)?;
        let meta = self.describe(item, &[], Some(Ok(layer.node)), fields::TOOL)?;
        if self.disabled(item, &meta) {
            return None;
        }
        let mut words = meta.texts("exec").unwrap_or_default();
        if words.is_empty() {
            let text = "`exec` is missing: the command line to run".to_owned();
            let hint = "for example: exec: [\"du\", \"-h\", \"{{dir}}\"]".to_owned();
            self.tell_field(Severity::Error, &meta, "exec", item, text)
                .hint = Some(hint);
            return None;
        }
        if words[0].contains("{{") {
            let text = "the program itself cannot come from an argument".to_owned();
            self.tell_field(Severity::Error, &meta, "exec", item, text);
            return None;
        }
        words[0] = self.word(&words[0], item, &meta)?;
        let stays = meta.text("mode").is_some_and(|mode| mode != "once");
        if stays && words.iter().any(|word| !placeholders(word).is_empty()) {
            let text = "a long-running process starts before there are arguments, so `exec` must not use any";
            self.tell_field(Severity::Error, &meta, "exec", item, text.to_owned());
            return None;
        }
        let program = if stays {
            Program::Argv(words.into_iter().map(Into::into).collect())
        } else {
            Program::Template(words)
        };
        self.finish(item, meta, name, program, None)
    }

    /// The program of `exec`: a name is looked up when it runs, a path is relative to the folder.
    fn word(&mut self, word: &str, item: &Item, meta: &Meta) -> Option<String> {
        if !word.contains('/') {
            if !self.has_own_path(meta) && !self.is_there(word) {
                let text = format!("`{word}` is not on the PATH, so calls will fail");
                let hint = "install it, or give the path of a program in the folder".to_owned();
                let problem = self.tell_field(Severity::Warning, meta, "exec", item, text);
                problem.hint = Some(hint);
            }
            return Some(word.to_owned());
        }
        let path = self.root.join(word);
        let wrong = match fs::canonicalize(&path) {
            Ok(real) if real.is_dir() => format!("`exec` {word:?} is a folder"),
            // The same rule as for an executable tool.
            Ok(real) => match self.trust.walk(&path, &self.root) {
                Err(WalkError::Untrusted(found)) if found.path == real => {
                    format!("`exec` {word:?}: {}", found.why)
                }
                Err(error) => format!("`exec` {word:?}: {error}"),
                Ok(()) if !is_executable(&real) => {
                    let text = format!("`exec` {word:?} is not executable");
                    let problem = self.tell_field(Severity::Error, meta, "exec", item, text);
                    problem.hint = Some("chmod +x, or `linkspan validate --fix`".to_owned());
                    problem.fix = Some(Fix::MakeExecutable(real));
                    return None;
                }
                Ok(()) => return Some(path.to_string_lossy().into_owned()),
            },
            Err(error) => format!("`exec` {word:?}: {error}"),
        };
        self.tell_field(Severity::Error, meta, "exec", item, wrong);
        None
    }

    /// Whether the metadata sets its own PATH.
    fn has_own_path(&self, meta: &Meta) -> bool {
        let set = meta.node("env").and_then(|env| env.member("set"));
        let for_all = &self.defaults.env.set;
        set.is_some_and(|set| set.member("PATH").is_some())
            || for_all.iter().any(|(name, _)| name == "PATH")
    }
}

fn is_executable(path: &Path) -> bool {
    use crate::os::MetadataExt as _;
    fs::metadata(path).is_ok_and(|metadata| metadata.mode() & 0o111 != 0)
}
