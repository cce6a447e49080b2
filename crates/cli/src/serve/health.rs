//! Whether a folder could be served, and what might keep it from working.

use std::path::Path;

use linkspan_scripts::folder::{Catalogue, Severity};
use serde_json::json;

use super::args::{Compat, ServeArgs};
use super::reading::{Reading, catalogue};
use crate::exit::{Exit, Failure};
use crate::show::{path as shown, raw};

/// What was found out about a folder.
pub(crate) enum Health {
    /// It can be served, with this to offer.
    Good(String),
    Trouble(Trouble),
}

/// One thing that stands in the way, or might.
pub(crate) struct Trouble {
    pub(crate) fatal: bool,
    pub(crate) text: String,
    pub(crate) hint: String,
}

/// `linkspan serve --health`
pub(crate) fn run(args: &ServeArgs) -> Result<Exit, Failure> {
    let how = Reading {
        compat: args.folder.compat,
        sandbox: args.folder.sandbox,
        insecure_writable: args.folder.insecure_writable,
    };
    match catalogue(&args.dir, &how) {
        Ok(catalogue) => {
            raw(&json!({
                "status": "ok",
                "tools": catalogue.tools.len(),
                "resources": catalogue.resources.len() + catalogue.templates.len(),
                "prompts": catalogue.prompts.len(),
                "errors": errors(&catalogue),
            })
            .to_string());
            Ok(Exit::Ok)
        }
        Err(e) => {
            raw(
                &json!({ "status": "unhealthy", "reason": e.to_string(), "hint": e.hint() })
                    .to_string(),
            );
            Ok(Exit::Invalid)
        }
    }
}

/// For the doctor.
pub(crate) fn finding(dir: &Path) -> Health {
    let catalogue = match catalogue(dir, &Reading::plain(Compat::Auto)) {
        Ok(catalogue) => catalogue,
        Err(e) => {
            return Health::Trouble(Trouble {
                fatal: true,
                text: e.to_string(),
                hint: e.hint().unwrap_or_else(|| "is it readable?".to_owned()),
            });
        }
    };
    match errors(&catalogue) {
        0 => Health::Good(format!(
            "{} can be served: {}",
            shown(dir),
            offered(&catalogue)
        )),
        n => Health::Trouble(Trouble {
            fatal: false,
            text: format!("{}: {n} things in it are not offered", shown(dir)),
            hint: format!("linkspan validate {}", shown(dir)),
        }),
    }
}

/// How many entries of each kind there are.
pub(crate) fn offered(catalogue: &Catalogue) -> String {
    let count = |n: usize, one: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let resources = catalogue.resources.len() + catalogue.templates.len();
    [
        count(catalogue.tools.len(), "tool"),
        count(resources, "resource"),
        count(catalogue.prompts.len(), "prompt"),
    ]
    .join(", ")
}

fn errors(catalogue: &Catalogue) -> usize {
    let all = catalogue.problems.iter();
    all.filter(|problem| problem.severity == Severity::Error)
        .count()
}
