//! `linkspan serve --health`: whether a folder can be served.

use linkspan_scripts::author::errors;
use serde_json::json;

use super::ServeArgs;
use crate::exit::{Exit, Failure};
use crate::folder::{Reading, catalogue};
use crate::show::raw;

pub(super) fn run(args: &ServeArgs) -> Result<Exit, Failure> {
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
