//! `linkspan shrink decode`: the original of a shortened text.

use std::io::{self, Write};

use linkspan_shrink::decode;
use linkspan_shrink_layer::read_text;

use super::args::DecodeArgs;
use crate::exit::{Exit, Failure};
use crate::show::{note, path as shown};
use crate::waiting::stdin;

pub(super) fn run(args: &DecodeArgs) -> Result<Exit, Failure> {
    let file = args.file.clone().unwrap_or_else(|| "-".into());
    let text = read_text(&file, stdin("a text", "linkspan shrink decode FILE"))?;
    let original = decode(&text).map_err(|why| {
        Failure::new(Exit::Invalid, format!("{} cannot be decoded: {why}", shown(&file)))
            .hint("this text was not made by `linkspan shrink`, or was edited; `bcp_fetch` may still have the original")
    })?;
    note(io::stdout().write_all(original.as_bytes()));
    Ok(Exit::Ok)
}
