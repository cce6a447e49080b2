//! A remote MCP server for `cargo xtask demo`: prints its URL, and serves until its stdin closes.
#![expect(clippy::print_stdout, reason = "its URL is its output")]

use linkspan_testkit::Server;

fn main() {
    let server = Server::legacy().start();
    println!("{}", server.url());
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}
