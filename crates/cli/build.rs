//! Tells the linker how to lay out a release build on Linux, so that a process that runs for hours beside
//! an editor has little of a large program in memory:
//!
//! * `layout.ld` puts what the usual work uses side by side. `bench/layout` writes it.
//! * Packed relocations take a hundredth of the room; the loader reads them all at every start, and has to
//!   know them (glibc 2.36).
//! * The unwinder comes from its archive, which saves mapping a library that nobody else here needs.
//!
//! Each is tried on a small program first and left out where it does not work: no build fails over this.
//! `LINKSPAN_LAYOUT=off` leaves out all of it; tools that read symbols may want that.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Says 7 if it can be linked, loaded, and unwound.
const PROBE: &str = "fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| panic!());
    std::process::exit(if caught.is_err() { 7 } else { 1 })
}";
const SAYS: i32 = 7;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=layout.ld");
    println!("cargo::rerun-if-env-changed=LINKSPAN_LAYOUT");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let is_wanted = is("PROFILE", "release") && !is("LINKSPAN_LAYOUT", "off");
    // What was linked for another machine cannot be tried here.
    let runs_here = env::var("HOST").ok() == env::var("TARGET").ok();
    if !is_wanted || !runs_here || !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    if let Ok(dir) = env::var("CARGO_MANIFEST_DIR") {
        offer_argument(&format!("-T{dir}/layout.ld"));
    }
    offer_argument("-Wl,-z,pack-relative-relocs");
    if let Some(dir) = folder_of("libgcc_eh.a") {
        offer_archive(&dir, "gcc_eh");
    }
}

fn offer_argument(arg: &str) {
    if works(&[format!("-Clink-arg={arg}")]) {
        println!("cargo::rustc-link-arg-bins={arg}");
    }
}

fn offer_archive(dir: &str, name: &str) {
    if works(&[
        format!("-Lnative={dir}"),
        format!("-lstatic:-bundle={name}"),
    ]) {
        println!("cargo::rustc-link-search=native={dir}");
        println!("cargo::rustc-link-lib=static:-bundle={name}");
    }
}

/// Where the compiler has one of its own libraries.
fn folder_of(library: &str) -> Option<String> {
    let cc = env::var_os("RUSTC_LINKER").unwrap_or_else(|| OsString::from("cc"));
    let ask = format!("-print-file-name={library}");
    let said = Command::new(cc).arg(ask).stderr(Stdio::null()).output();
    let path = PathBuf::from(String::from_utf8(said.ok()?.stdout).ok()?.trim());
    let dir = path.parent().filter(|dir| dir.is_absolute())?;
    path.is_file().then(|| dir.to_str().map(str::to_owned))?
}

/// Whether a program can be made with those flags, by the linker that will make ours, and runs.
fn works(flags: &[String]) -> bool {
    let Some(probe) = env::var_os("OUT_DIR").map(|dir| PathBuf::from(dir).join("probe")) else {
        return false;
    };
    let code = || Command::new(&probe).status().ok()?.code();
    make(flags, &probe) == Some(true) && code() == Some(SAYS)
}

fn make(flags: &[String], probe: &Path) -> Option<bool> {
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.args(["--crate-name", "probe", "--edition", "2024"]);
    rustc.arg("--target").arg(env::var_os("TARGET")?);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut word = OsString::from("-Clinker=");
        word.push(linker);
        rustc.arg(word);
    }
    let usual = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(usual.split('\u{1f}').filter(|flag| !flag.is_empty()));
    rustc.args(flags).arg("-o").arg(probe).arg("-");
    rustc.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = rustc.stdin(Stdio::piped()).spawn().ok()?;
    running.stdin.take()?.write_all(PROBE.as_bytes()).ok()?;
    running.wait().ok().map(|status| status.success())
}
