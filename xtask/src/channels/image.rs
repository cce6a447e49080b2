//! The container image, built and run by buildah, from the root of [`super::root`] where no registry can be reached.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::place::Place;
use super::root;
use super::setup::{Setup, install};
use crate::report::Outcome;
use crate::{child, dist, paths};

const ASK: Duration = Duration::from_secs(60);
const BASE: &str = "localhost/linkspan-base";
const IMAGE: &str = "localhost/linkspan";

pub fn built(setup: &Setup) -> Outcome {
    if child::capture(Command::new("buildah").arg("--version"), ASK).is_err() {
        return Outcome::missing("`buildah` is not installed: apt-get install buildah");
    }
    let root = match root::root() {
        Ok(root) => root,
        Err(why) => return Outcome::missing(why),
    };
    let folder = match setup.folder("container") {
        Ok(folder) => folder,
        Err(why) => return Outcome::Failed(why),
    };
    let outcome = try_out(setup, &root, &folder).unwrap_or_else(Outcome::Failed);
    // Gigabytes: each layer is a copy of the one below.
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn try_out(setup: &Setup, root: &Path, folder: &Path) -> Result<Outcome, String> {
    let buildah = Buildah {
        folder: folder.to_owned(),
    };
    buildah.import(root)?;
    buildah.build()?;
    let container = install(buildah.command().args(["from", IMAGE]))?;
    let mut words = buildah.words();
    let run = [
        "run",
        "--isolation=chroot",
        container.trim(),
        "--",
        "/usr/bin/linkspan",
    ];
    words.extend(run.map(str::to_owned));
    Ok(Place::new(words).check(setup))
}

/// With images and containers in a folder of our own.
struct Buildah {
    folder: PathBuf,
}

impl Buildah {
    fn words(&self) -> Vec<String> {
        let at = |name: &str| self.folder.join(name).to_string_lossy().into_owned();
        let (root, run) = (at("storage"), at("run"));
        let words = [
            "buildah",
            "--storage-driver=vfs",
            "--root",
            &root,
            "--runroot",
            &run,
        ];
        words.map(str::to_owned).to_vec()
    }

    fn command(&self) -> Command {
        let words = self.words();
        let mut words = words.iter();
        let mut command = Command::new(words.next().map_or("buildah", String::as_str));
        command.args(words);
        command
    }

    /// Makes the base image of a folder.
    fn import(&self, root: &Path) -> Result<(), String> {
        let container = install(self.command().args(["from", "scratch"]))?;
        let container = container.trim();
        install(
            self.command()
                .args(["copy", "--quiet", container])
                .arg(root)
                .arg("/"),
        )?;
        install(self.command().args(["commit", "--quiet", container, BASE])).map(drop)
    }

    fn build(&self) -> Result<(), String> {
        let file = paths::root().join("deploy").join("Containerfile");
        let cpu = if cfg!(target_arch = "aarch64") {
            "arm64"
        } else {
            "amd64"
        };
        let mut build = self.command();
        build.args(["build", "--isolation=chroot", "--tag", IMAGE]);
        build.args(["--build-arg", &format!("BASE={BASE}")]);
        build.args(["--build-arg", &format!("TARGETARCH={cpu}")]);
        install(build.arg("--file").arg(file).arg(dist::out())).map(drop)
    }
}
