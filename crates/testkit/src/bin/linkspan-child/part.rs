//! A component of an ACP chain.
//!
//! | command line | what it is |
//! |---|---|
//! | `part play ADDRESS NAME` | says and does what the test tells it ([`play`]) |
//! | `part pass DIALECT [--refuse]` | a proxy that passes everything on, byte for byte ([`pass`]) |
//! | `part tools DIALECT NAME` | the same with an MCP server of that name ([`tools`]) |
//! | `part stay ADDRESS NAME` | no component at all, only a process that stays |

mod pass;
mod play;
mod spelling;
mod tools;

/// Runs the component of the command line.
pub fn main() {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["play", address, name] => play::run(address, name),
        ["pass", dialect, rest @ ..] => pass::run(dialect, rest.contains(&"--refuse"), None),
        ["tools", dialect, name] => pass::run(dialect, false, Some(name)),
        ["stay", address, name] => play::stay(address, name),
        other => panic!("linkspan-child knows no part {other:?}"),
    }
}
