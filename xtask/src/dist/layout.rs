//! The layout of the packaged program on Linux: a process that idles beside an editor has half as much of a large
//! program in memory.
//!
//! * `xtask/layout.ld` puts what the usual work uses side by side. `bench/layout` writes it.
//! * Packed relocations take a hundredth of the room; they are all read at every start.
//!
//! Each is tried on a small program first and left out where it does not work.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::table::{Build, System, Target};
use crate::{child, paths};

const ASK: Duration = Duration::from_secs(60);

/// Exits with 7 if it can be linked, loaded, and unwound.
const PROBE: &str = "fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| panic!());
    std::process::exit(if caught.is_err() { 7 } else { 1 })
}";
const WORKS: i32 = 7;

/// The linker flags that work for a target.
pub fn flags(target: &Target) -> Vec<String> {
    if target.system != System::Linux {
        return Vec::new();
    }
    let script = paths::root().join("xtask").join("layout.ld");
    let offers = [
        format!("-Clink-arg=-T{}", script.display()),
        "-Clink-arg=-Wl,-z,pack-relative-relocs".to_owned(),
    ];
    let folder = paths::root().join("target").join("probe");
    let works = |flag: &String| match probe(&folder, target, flag) {
        Ok(()) => true,
        Err(why) => {
            println!("left out: {flag}: {why}");
            false
        }
    };
    offers.into_iter().filter(works).collect()
}

/// Whether a program can be linked with that flag, and runs.
fn probe(folder: &Path, target: &Target, flag: &str) -> Result<(), String> {
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::write(&source, PROBE).map_err(|error| error.to_string())?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--target", target.triple, flag]);
    let mut run = Command::new(&program);
    if let Build::Cross {
        compiler, emulator, ..
    } = &target.build
    {
        rustc.arg(format!("-Clinker={compiler}"));
        if !target.runs_here() {
            run = Command::new(emulator);
            run.arg(&program);
        }
    }
    child::capture(rustc.arg("-o").arg(&program).arg(&source), ASK)?;
    match run.status().map(|status| status.code()) {
        Ok(Some(WORKS)) => Ok(()),
        other => Err(format!("the program does not run: {other:?}")),
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_the_linker_does_not_know_is_left_out() {
        let folder = std::env::temp_dir().join(format!("linkspan-probe-{}", std::process::id()));
        // Of the machine itself: its standard library is installed.
        let here = Target {
            triple: "x86_64-unknown-linux-gnu",
            system: System::Linux,
            node: "",
            node_cpus: &[],
            wheel: "",
            debian: None,
            build: Build::OnMac,
        };
        let (known, unknown) = (
            "-Clink-arg=-Wl,--gc-sections",
            "-Clink-arg=-Wl,--no-flag-of-a-linker",
        );
        let (plain, refused) = (probe(&folder, &here, known), probe(&folder, &here, unknown));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(plain, Ok(()));
        assert!(refused.is_err());
    }
}
