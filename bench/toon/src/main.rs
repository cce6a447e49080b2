//! JSON on stdin, TOON on stdout.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let value: serde_json::Value = match serde_json::from_reader(std::io::stdin().lock()) {
        Ok(value) => value,
        Err(error) => return fail(&error),
    };
    let written = match toon_format::encode_default(&value) {
        Ok(toon) => std::io::stdout().write_all(toon.as_bytes()),
        Err(error) => return fail(&error),
    };
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(why: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
