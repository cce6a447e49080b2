//! `cargo xtask`: the one test command, and the drivers of the suites behind it.

#![expect(
    clippy::print_stdout,
    reason = "a terminal program: its report is its output"
)]

mod acp;
mod book;
mod channels;
mod checks;
mod child;
mod chromium;
mod conformance;
mod cross;
mod demo;
mod dist;
mod fuzz;
mod install;
mod keyring;
mod node;
mod notices;
mod paths;
mod peers;
mod pipe;
mod portable;
mod programs;
mod python;
mod reference;
mod remap;
mod report;
mod reproducible;
mod rules;
mod stamp;
mod storm;
mod suites;
mod tokens;
mod tree;

use std::process::ExitCode;

use report::{Outcome, Report};

const HELP: &str = "\
usage: cargo xtask COMMAND

  demo                     every job of linkspan at work; needs nothing but Rust
  docs                     builds the book of docs/SUMMARY.md; installs mdbook into .peers/ once
  test [--peers]           everything: format, clippy, tests, docs, cargo-deny, macOS and Windows
                           (`cargo check`), real peers;
                           with --peers a peer that cannot be had is a failure
  peers                    only install the real peers into .peers/
  conformance [CELL…]      only the MCP conformance suite, or some of its cells: client and auth
                           (through `linkspan connect`); legacy, modern, dual, url, chain (`linkspan expose`);
                           gateway-legacy, gateway-modern, gateway-three (`linkspan gateway`);
                           serve (`linkspan serve --http examples/conformance`)
  acp                      only the ACP peers, which take long to compile once, and their tests; `test`
                           has them only where they are installed, or with --peers
  storm [SECONDS]          20 processes of `linkspan connect` that share one sign-in, for SECONDS (600), while
                           tokens expire and processes are killed; with the figures of mcp-remote
  keyring                  the credential store with the keyring of GNOME; installs it with apt, as root
  tokens [--level LEVEL] [--tokenizer NAME] [FILE…]
                           what the corpus saves, or files of your own, with TOON and minified JSON
                           beside it; fails if anything grows, is lost, or a row misses its goal
  tool-tokens [FILE…]      what the levels of `--tools` save on the tool lists of real servers, or on answers to
                           `tools/list` of your own; fails if a definition grows or a level misses its goal
  vocabulary               packs the published vocabularies of the registry package `bpe-openai` into
                           crates/tokens/data; a test of crates/tokens compares both
  notices                  writes the licences of all packages for `linkspan licenses`; `test` compares them
                           with Cargo.lock
  rules                    only the rules of the sources: modules, crates, sizes, columns, words, environment
  cross [TARGET…]          check, build and run the program for other systems: Windows under Wine, arm64
                           Linux under QEMU; installs what it needs with rustup and, as root, apt
  smoke                    the same commands with the program of this system
  dist [--target TARGET]… [--build-only | --programs DIR] [--repository URL]
                           everything that a release needs, in target/dist, for each target that can be built
                           here: archives, packages of each channel, manifests, SBOM, checksums; --build-only
                           ends with target/dist/programs/TARGET/linkspan, --programs begins with such a folder
  reproducible [PROFILE]   two builds of the last commit in different folders are identical, and no path of
                           this machine is in them; PROFILE is `dist`, or another one of Cargo.toml
  channels [CHANNEL…]      install the packages of target/dist as users do, on machines without Rust, and try them:
                           npm, npm-no-scripts, npm-old-node, npx, pip, uvx, mcpb, tarball, deb, windows, arm64,
                           container; the roots and the container need root
  fuzz [TARGET] [SECONDS]  run the fuzz targets, each for SECONDS (60)
  help                     this text

A suite whose peer cannot be had is skipped by name; with --peers or CI=true that is a failure.
LINKSPAN_BRIDGE='command args…' runs the peer suites against another stdio bridge,
LINKSPAN_CONDUCTOR='command args…' the ACP suite against another conductor,
LINKSPAN_EXPOSE='command args…' the conformance cells against another one that serves HTTP: in place
of `linkspan expose --port 0`, with {port} for a port if it prints no URL, and {child} for the
child's command if it is not to be appended after `--`.
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["demo"] => demo::run(),
        ["docs"] => book::run(),
        ["test"] => report_of(test),
        ["test", "--peers"] => report_on(Report::strict(), test),
        ["peers"] => report_of(|report| {
            peers::install(report);
        }),
        ["conformance", ref cells @ ..] => report_of(|report| {
            let peers = peers::install(report);
            conformance::run(report, &peers, cells);
        }),
        ["acp"] => report_of(|report| {
            let installed = peers::install_acp(report);
            suites::acp(report, &installed);
        }),
        ["storm"] => report_of(|report| storm::run(report, None)),
        ["storm", seconds] => report_of(|report| storm::run(report, Some(seconds))),
        ["keyring"] => report_of(keyring::run),
        ["rules"] => report_of(rules::run),
        ["cross", ref targets @ ..] => report_of(|report| cross::run(report, targets)),
        ["smoke"] => report_of(cross::smoke),
        ["dist", ref rest @ ..] => report_of(|report| dist::run(report, rest)),
        ["channels", ref names @ ..] => report_of(|report| channels::run(report, names)),
        ["tokens", ref rest @ ..] => tokens::run(rest),
        ["tool-tokens", ref rest @ ..] => tokens::tool_lists(rest),
        ["reproducible"] => report_of(|report| reproducible::run(report, "dist")),
        ["reproducible", profile] => report_of(|report| reproducible::run(report, profile)),
        ["notices"] => report_of(notices::write),
        ["vocabulary"] => report_of(tokens::vocabulary),
        ["fuzz", ref rest @ ..] => report_of(|report| fuzz::run(report, rest)),
        ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn test(report: &mut Report) {
    checks::run(report);
    notices::check(report);
    portable::run(report);
    report.step("other systems", || Outcome::Skipped(cross::STAMP.last()));
    let peers = peers::install(report);
    conformance::run(report, &peers, &[]);
    suites::run(report, &peers);
    report.step("sign-in storm", || Outcome::Skipped(storm::STAMP.last()));
    report.step("keyring", || Outcome::Skipped(keyring::STAMP.last()));
    report.step("reproducible builds", || {
        Outcome::Skipped(reproducible::STAMP.last())
    });
    report.step("channels", || Outcome::Skipped(channels::STAMP.last()));
}

fn report_of(work: impl FnOnce(&mut Report)) -> ExitCode {
    report_on(Report::new(), work)
}

fn report_on(mut report: Report, work: impl FnOnce(&mut Report)) -> ExitCode {
    work(&mut report);
    report.close()
}
