//! `linkspan shrink decode`: the original of a shortened text.

use std::io::{self, Write};

use linkspan_shrink::decode;

use super::args::DecodeArgs;
use super::input::read;
use crate::exit::{Exit, Failure};
use crate::show::{note, path as shown};

pub(super) fn run(args: &DecodeArgs) -> Result<Exit, Failure> {
    let file = args.file.clone().unwrap_or_else(|| "-".into());
    let text = read(&file, "linkspan shrink decode FILE")?;
    let original = decode(&text).map_err(|why| {
        Failure::new(Exit::Invalid, format!("{} cannot be decoded: {why}", shown(&file)))
            .hint("this text was not made by `linkspan shrink`, or was edited; `bcp_fetch` may still have the original")
    })?;
    note(io::stdout().write_all(original.as_bytes()));
    Ok(Exit::Ok)
}
