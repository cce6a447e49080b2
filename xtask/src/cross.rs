//! `cargo xtask cross`: the program for other systems, built here and run under an emulator.

mod scenes;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use scenes::Stage;

use crate::report::{Outcome, Report};
use crate::stamp::Stamp;
use crate::{child, paths, portable};

pub const STAMP: Stamp = Stamp("cross");

const ASK: Duration = Duration::from_secs(60);
const INSTALL: Duration = Duration::from_secs(30 * 60);
const BUILD: Duration = Duration::from_secs(2 * 60 * 60);

const MINGW: &str = "x86_64-w64-mingw32-gcc";

/// A system that we can build for and emulate.
struct System {
    target: &'static str,
    /// Debian's packages: a compiler, and the emulator.
    packages: &'static [&'static str],
    /// The compiler, which is also the linker.
    compiler: &'static str,
    /// What runs its programs.
    emulator: &'static str,
    /// The name of our program.
    program: &'static str,
    /// Whether folders of scripts are refused there.
    refuses_folders: bool,
}

const SYSTEMS: [System; 2] = [
    System {
        target: "x86_64-pc-windows-gnu",
        packages: &["mingw-w64", "wine64", "wine"],
        compiler: MINGW,
        emulator: "wine",
        program: "linkspan.exe",
        refuses_folders: true,
    },
    System {
        target: "aarch64-unknown-linux-musl",
        packages: &[
            "gcc-aarch64-linux-gnu",
            "libc6-dev-arm64-cross",
            "qemu-user",
        ],
        compiler: "aarch64-linux-gnu-gcc",
        emulator: "qemu-aarch64",
        program: "linkspan",
        refuses_folders: false,
    },
];

/// Checks, builds and runs, for the named targets or for all; the stamp records when all of it last passed.
pub fn run(report: &mut Report, only: &[&str]) {
    let is_wanted = |target: &str| only.is_empty() || only.contains(&target);
    portable::run_static(report, is_wanted);
    for system in SYSTEMS.iter().filter(|system| is_wanted(system.target)) {
        let name = format!("build and run {}", system.target);
        report.step(&name, || system.build_and_run());
    }
    if only.is_empty() && report.all_passed() {
        report.step("remember that it passed", || STAMP.write());
    }
}

/// `cargo xtask smoke`: the same commands with the program of this system.
pub fn smoke(report: &mut Report) {
    report.step("build and run", || {
        let mut build = paths::cargo("build --locked --package linkspan --bin linkspan");
        child::run(&mut build, BUILD)?;
        let name = format!("linkspan{}", std::env::consts::EXE_SUFFIX);
        scenes::play(&Stage {
            program: paths::built().join(name),
            emulator: None,
            refuses_folders: !cfg!(unix),
        })
    });
}

impl System {
    fn build_and_run(&self) -> Outcome {
        if let Err(why) = self.install() {
            return Outcome::missing(why);
        }
        self.build()
            .and_then(|program| {
                scenes::play(&Stage {
                    program,
                    emulator: Some(self.emulator),
                    refuses_folders: self.refuses_folders,
                })
            })
            .into()
    }

    /// Installs missing packages with apt, which requires root.
    fn install(&self) -> Result<(), String> {
        portable::add_target(self.target)?;
        let is_there =
            |program: &str| child::capture(Command::new(program).arg("--version"), ASK).is_ok();
        // Debian's compilers for other systems come without the headers of a C library.
        let mut preprocess = Command::new(self.compiler);
        preprocess.args(["-E", "-x", "c", "-include", "sys/types.h", "/dev/null"]);
        let has_headers = child::capture(&mut preprocess, ASK).is_ok();
        if is_there(self.emulator) && has_headers {
            return Ok(());
        }
        let mut apt = Command::new("apt-get");
        apt.args(["install", "--yes", "--no-install-recommends"]);
        apt.args(self.packages)
            .env("DEBIAN_FRONTEND", "noninteractive");
        child::capture(&mut apt, INSTALL).map(drop).map_err(|why| {
            let packages = self.packages.join(" ");
            format!("`apt-get install {packages}` did not work: {why}")
        })
    }

    fn build(&self) -> Result<PathBuf, String> {
        let mut build = paths::cargo("build --locked --package linkspan --bin linkspan --target");
        build.arg(self.target);
        let key = self.target.replace('-', "_");
        build.env(format!("CC_{key}"), self.compiler);
        build.env(
            format!("CARGO_TARGET_{}_LINKER", key.to_uppercase()),
            self.compiler,
        );
        // aws-lc has its assembly for Windows compiled already; NASM is not needed.
        build.env("AWS_LC_SYS_PREBUILT_NASM", "1");
        // Symbols are of no use under an emulator.
        build.env("CARGO_PROFILE_DEV_DEBUG", "false");
        let target = paths::root().join("target").join("cross");
        child::run(build.env("CARGO_TARGET_DIR", &target), BUILD)?;
        let folder = target.join(self.target).join("debug");
        if self.emulator == "wine" {
            build_missing_library(&folder)?;
        }
        Ok(folder.join(self.program))
    }
}

/// A library of Windows that Wine 8 (Debian 12) lacks, beside a program.
pub fn build_missing_library(folder: &Path) -> Result<(), String> {
    let source = paths::root().join("xtask/wine/bcryptprimitives.c");
    let mut build = Command::new(MINGW);
    build.arg("-shared").arg(source).arg("-ladvapi32");
    build.arg("-o").arg(folder.join("bcryptprimitives.dll"));
    child::run(&mut build, ASK)
}
