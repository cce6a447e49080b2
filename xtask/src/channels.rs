//! `cargo xtask channels`: the packages of `target/dist`, installed as users install them, on machines without Rust.
//!
//! Each installed program is asked for its version, lists the tools of a real server, calls one, and connects a
//! client by another author to that server.

mod bundle;
mod emulated;
mod image;
mod npm;
mod place;
mod python;
mod root;
mod servers;
mod setup;

use setup::Setup;

use crate::report::{Outcome, Report};
use crate::stamp::Stamp;

pub const STAMP: Stamp = Stamp("channels");

/// A channel by its name, and its test.
type Channel = (&'static str, fn(&Setup) -> Outcome);

const CHANNELS: [Channel; 12] = [
    ("npm", npm::from_files),
    ("npm-no-scripts", npm::without_scripts),
    ("npm-old-node", npm::with_old_node),
    ("npx", npm::from_registry),
    ("pip", python::pip),
    ("uvx", python::uvx),
    ("mcpb", bundle::unpacked),
    ("tarball", root::tarball),
    ("deb", root::deb),
    ("windows", emulated::windows),
    ("arm64", emulated::arm64),
    ("container", image::built),
];

pub fn run(report: &mut Report, only: &[&str]) {
    if let Some(unknown) = only
        .iter()
        .find(|name| CHANNELS.iter().all(|(one, _)| one != *name))
    {
        let all: Vec<&str> = CHANNELS.iter().map(|(name, _)| *name).collect();
        let why = format!("`{unknown}` is not a channel; there are {}", all.join(", "));
        return report.step("channels", || Outcome::Failed(why));
    }
    let mut setup = None;
    report.step("server, client and registry", || match Setup::make() {
        Ok(made) => {
            setup = Some(made);
            Outcome::Passed
        }
        Err(why) => Outcome::missing(why),
    });
    let Some(setup) = setup else { return };
    for (name, test) in CHANNELS {
        if only.is_empty() || only.contains(&name) {
            report.step(name, || test(&setup));
        }
    }
    if only.is_empty() && report.all_passed() {
        report.step("remember that it passed", || STAMP.write());
    }
}
