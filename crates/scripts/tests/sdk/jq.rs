//! A program `jq` for the tests of the SDK, which runs the built-in jq.

use linkspan_jq::{World, run};
use std::io::{BufWriter, stderr, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let world = World {
        env: std::env::vars().collect(),
        restricted: std::env::var_os("LINKSPAN_JQ_RESTRICTED").is_some(),
    };
    let mut out = BufWriter::new(stdout().lock());
    let code = run(
        &args,
        &world,
        &mut stdin().lock(),
        &mut out,
        &mut stderr().lock(),
    );
    ExitCode::from(code)
}
