//! The fixture server as a program: `linkspan-fixture --era legacy|modern|dual [flags]`.

use std::process::ExitCode;

fn main() -> ExitCode {
    linkspan_testkit::fixture::run(std::env::args().skip(1))
}
