//! Builds the program of one target, optimised across crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::layout;
use super::table::{Build, System, Target};
use crate::remap::Remap;
use crate::report::Outcome;
use crate::{child, install, paths, portable};

const ASK: Duration = Duration::from_secs(60);
const BUILD: Duration = Duration::from_secs(3 * 60 * 60);
/// The C compilers have the headers of glibc. With these flags, what they compile calls neither its checked functions nor
/// its `fopen64`, which musl does not have.
const FOR_MUSL: &str = "-U_FORTIFY_SOURCE -D_FILE_OFFSET_BITS=32";

/// Builds the program and puts it where [`place`] says.
pub fn run(target: &Target, programs: &Path) -> Outcome {
    let compiler = match &target.build {
        Build::OnMac if !cfg!(target_os = "macos") => {
            return Outcome::Skipped(format!(
                "{} is linked with Xcode, which exists for macOS only: .github/workflows/release.yml; \
                 `cargo xtask test` checks that it compiles",
                target.triple
            ));
        }
        Build::OnMac => None,
        Build::Cross {
            compiler, package, ..
        } => {
            if child::capture(Command::new(compiler).arg("--version"), ASK).is_err() {
                return Outcome::missing(format!(
                    "`{compiler}` is not installed: `apt-get install {package}`"
                ));
            }
            Some(*compiler)
        }
    };
    if let Err(why) = portable::add_target(target.triple) {
        return Outcome::missing(why);
    }
    build(target, compiler)
        .and_then(|built| {
            let folder = programs.join(target.triple);
            fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            install::copy(&built, &folder)
        })
        .into()
}

/// Where the program of a target is.
pub fn place(programs: &Path, target: &Target) -> PathBuf {
    programs.join(target.triple).join(target.program())
}

fn build(target: &Target, compiler: Option<&str>) -> Result<PathBuf, String> {
    let mut build = paths::cargo(
        "rustc --profile dist --locked --features keyring --package linkspan --bin linkspan --target",
    );
    build.arg(target.triple);
    let key = target.triple.replace('-', "_");
    if let Some(compiler) = compiler {
        build.env(format!("CC_{key}"), compiler);
        let linker = format!("CARGO_TARGET_{}_LINKER", key.to_uppercase());
        build.env(linker, compiler);
    }
    if target.system == System::Windows {
        // aws-lc has its assembly for Windows compiled already; NASM is not needed.
        build.env("AWS_LC_SYS_PREBUILT_NASM", "1");
    }
    build.arg("--").args(layout::flags(target));
    let folder = paths::root().join("target");
    build.env("CARGO_TARGET_DIR", &folder);
    let remap = Remap::of(&paths::root())?;
    remap.apply(&mut build);
    if target.system == System::Linux {
        add_c_flags(&mut build, FOR_MUSL);
    }
    child::run(&mut build, BUILD)?;
    let program = folder.join(target.triple).join("dist");
    let program = program.join(target.program());
    remap.check(&program)?;
    Ok(program)
}

fn add_c_flags(build: &mut Command, more: &str) {
    let mut set = build.get_envs();
    let set = set.find_map(|(name, value)| value.filter(|_| name == "CFLAGS"));
    let mut flags = set.unwrap_or_default().to_owned();
    flags.push(" ");
    flags.push(more);
    build.env("CFLAGS", flags);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_c_compiler_are_added_to_the_others() {
        let mut build = Command::new("cargo");
        build.env("CFLAGS", "-ffile-prefix-map=/a=b");
        add_c_flags(&mut build, "-U_FORTIFY_SOURCE");
        let flags = build.get_envs().next().and_then(|(_, value)| value);
        assert_eq!(flags.unwrap(), "-ffile-prefix-map=/a=b -U_FORTIFY_SOURCE");
    }
}
