//! A bare root of another release of Debian, without Rust, Node or Python: the archive, and the Debian package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::place::Place;
use super::setup::{Setup, install};
use crate::report::Outcome;
use crate::{install, paths};

/// Not the release of the machines that build.
const RELEASE: &str = "trixie";

pub fn tarball(setup: &Setup) -> Outcome {
    with_root(|root| {
        let archive =
            setup.package("linkspan-", &format!("{}-unknown-linux-musl.tar.gz", cpu()))?;
        let folder = root.join("opt").join("linkspan");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(archive).arg("-C").arg(&folder);
        install(tar.arg("--strip-components=1"))?;
        Ok(chroot(root, "/opt/linkspan/linkspan").check(setup))
    })
}

pub fn deb(setup: &Setup) -> Outcome {
    with_root(|root| {
        let debian = if cpu() == "aarch64" { "arm64" } else { "amd64" };
        let package = setup.package("linkspan_", &format!("_{debian}.deb"))?;
        install::copy(&package, &root.join("tmp"))?;
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        let mut dpkg = Command::new("chroot");
        dpkg.arg(root).args(["dpkg", "-i"]);
        install(dpkg.arg(format!("/tmp/{name}")))?;
        Ok(chroot(root, "/usr/bin/linkspan").check(setup))
    })
}

/// The root, made once.
pub fn root() -> Result<PathBuf, String> {
    let folder = paths::peers().join("root");
    install::once(&folder, RELEASE, || {
        let mut debootstrap = Command::new("debootstrap");
        debootstrap.args(["--variant=minbase", "--include=ca-certificates", RELEASE]);
        install(debootstrap.arg(&folder)).map(drop)
    })
    .map_err(|why| format!("debootstrap, which needs root, made no {RELEASE}: {why}"))?;
    Ok(folder)
}

fn with_root(test: impl FnOnce(&Path) -> Result<Outcome, String>) -> Outcome {
    match root() {
        Ok(root) => test(&root).unwrap_or_else(Outcome::Failed),
        Err(why) => Outcome::missing(why),
    }
}

/// With `/proc` of its own, and without our variables.
fn chroot(root: &Path, program: &str) -> Place {
    let root = root.to_string_lossy();
    let words = "unshare --mount --pid --fork --kill-child --mount-proc --root";
    let environment = "/usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root";
    let words = words.split(' ').chain([&*root]);
    Place::new(words.chain(environment.split(' ')).chain([program]))
}

fn cpu() -> &'static str {
    std::env::consts::ARCH
}
