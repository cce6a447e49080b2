//! `cargo xtask dist`: the program as it is packaged. `cargo build --release` is cheaper and plain; this one
//! is optimised across crates and, on Linux, laid out so that a process that idles beside an editor has
//! half as much of a large program in memory:
//!
//! * `xtask/layout.ld` puts what the usual work uses side by side. `bench/layout` writes it.
//! * Packed relocations take a hundredth of the room; the loader reads them all at every start, and has to
//!   know them (glibc 2.36).
//! * The unwinder comes from its archive, which saves mapping a library that nothing else here needs.
//!
//! Each is tried on a small program first and left out where it does not work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::remap::Remap;
use crate::report::Report;
use crate::{child, paths};

const ASK: Duration = Duration::from_secs(60);
const BUILD: Duration = Duration::from_secs(2 * 60 * 60);

/// Exits with 7 if it can be linked, loaded, and unwound.
const PROBE: &str = "fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| panic!());
    std::process::exit(if caught.is_err() { 7 } else { 1 })
}";
const WORKS: i32 = 7;

pub fn run(report: &mut Report) {
    report.step("build the packaged program", || {
        let mut build = paths::cargo(
            "rustc --profile dist --locked --features keyring --package linkspan --bin linkspan --",
        );
        build.args(layout());
        Remap::of(&paths::root())?.apply(&mut build);
        child::run(&mut build, BUILD)
    });
    report.step("no path of this machine is in the program", || {
        let program = format!("linkspan{}", std::env::consts::EXE_SUFFIX);
        let folder = paths::root().join("target").join("dist");
        Remap::of(&paths::root())?.check(&folder.join(program))
    });
}

/// The linker flags that work here.
fn layout() -> Vec<String> {
    if !cfg!(target_os = "linux") {
        return Vec::new();
    }
    let script = paths::root().join("xtask").join("layout.ld");
    let mut offers = vec![
        vec![format!("-Clink-arg=-T{}", script.display())],
        vec!["-Clink-arg=-Wl,-z,pack-relative-relocs".to_owned()],
    ];
    if let Some(folder) = folder_of("libgcc_eh.a") {
        offers.push(vec![
            format!("-Lnative={}", folder.display()),
            "-lstatic:-bundle=gcc_eh".to_owned(),
        ]);
    }
    let folder = paths::root().join("target").join("probe");
    let works = |flags: &Vec<String>| match probe(&folder, flags) {
        Ok(()) => true,
        Err(why) => {
            println!("left out: {}: {why}", flags.join(" "));
            false
        }
    };
    offers.into_iter().filter(works).flatten().collect()
}

/// The folder of one of the C compiler's own libraries.
fn folder_of(library: &str) -> Option<PathBuf> {
    let mut cc = Command::new("cc");
    let found = child::capture(cc.arg(format!("-print-file-name={library}")), ASK).ok()?;
    let path = PathBuf::from(found.trim());
    let is_there = path.is_absolute() && path.is_file();
    path.parent().filter(|_| is_there).map(Path::to_owned)
}

/// Whether a program can be linked with those flags, and runs.
fn probe(folder: &Path, flags: &[String]) -> Result<(), String> {
    let (source, program) = (folder.join("probe.rs"), folder.join("probe"));
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    fs::write(&source, PROBE).map_err(|error| error.to_string())?;
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024"]).args(flags);
    child::capture(rustc.arg("-o").arg(&program).arg(&source), ASK)?;
    let ended = Command::new(&program).status();
    match ended.map(|status| status.code()) {
        Ok(Some(WORKS)) => Ok(()),
        other => Err(format!("the program does not run: {other:?}")),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_the_linker_does_not_know_is_left_out() {
        let folder = std::env::temp_dir().join(format!("linkspan-probe-{}", std::process::id()));
        let unknown = ["-Clink-arg=-Wl,--no-flag-of-a-linker".to_owned()];
        let (plain, refused) = (probe(&folder, &[]), probe(&folder, &unknown));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(plain, Ok(()));
        assert!(refused.is_err());
    }
}
