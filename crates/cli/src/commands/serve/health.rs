//! `linkspan serve --health`: whether a folder can be served.

use linkspan_mcp_bash::catalogue;
use linkspan_scripts::author::errors;
use linkspan_scripts::folder::ReadOptions;
use serde_json::json;

use super::ServeArgs;
use crate::exit::{Exit, Failure};
use crate::folder::reading;
use crate::show::raw;

pub(super) fn run(args: &ServeArgs) -> Result<Exit, Failure> {
    let how = ReadOptions {
        sandbox: args.folder.sandbox,
        accept_writable: args.folder.insecure_writable,
        ..reading()
    };
    match catalogue(&args.dir, &how, args.folder.compat) {
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
