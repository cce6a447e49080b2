//! `linkspan serve`, and what those who write such folders need: a folder of scripts as a server.

pub(crate) mod args;
mod doctor;
mod fetch;
mod health;
pub(crate) mod names;
mod open;
mod reading;
mod run_tool;
mod scaffold;
mod secrets;
mod templates;
mod theirs;
mod tools_for_tools;
mod validate;

pub(crate) use open::backend;
pub(crate) use tools_for_tools::applet;

use crate::block_on;
use crate::exit::{Exit, Failure};
use crate::serve::args::Author;

pub(crate) fn run(command: Author) -> Result<Exit, Failure> {
    match command {
        Author::Serve(args) if args.health => health::run(&args),
        Author::Serve(args) => block_on(open::run(*args)),
        Author::New(args) => scaffold::new(&args),
        Author::Scaffold(args) => scaffold::scaffold(&args),
        Author::Validate(args) => validate::run(&args),
        Author::RunTool(args) => run_tool::run(&args),
        Author::Config(args) => crate::commands::config::run(&args),
        Author::Doctor(args) => doctor::run(&args),
        Author::Sdk(args) => tools_for_tools::sdk(&args),
        Author::Jq(args) => match tools_for_tools::jq(&args.words) {
            0 => Ok(Exit::Ok),
            // Its numbers are its own.
            code => std::process::exit(code.into()),
        },
    }
}
