//! The systems that a release is for. Every package is made from this table.

pub struct Target {
    pub triple: &'static str,
    pub system: System,
    /// `os-cpu`, as in `process.platform` and `process.arch` of Node.
    pub node: &'static str,
    /// The processors of `node` that run the program; Windows on arm64 emulates x64.
    pub node_cpus: &'static [&'static str],
    /// The platform tags of a Python wheel. A static program needs no glibc, so it has the tags of the oldest one.
    pub wheel: &'static str,
    /// The name of the processor in Debian and in container images.
    pub debian: Option<&'static str>,
    pub build: Build,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    Linux,
    Windows,
    MacOs,
}

/// Where and how a program is built.
pub enum Build {
    /// By this compiler, which also links; the package of Debian that has it; and what runs its programs on another
    /// system.
    Cross {
        compiler: &'static str,
        package: &'static str,
        emulator: &'static str,
    },
    /// On macOS only: the linker and the libraries of the system come with Xcode.
    OnMac,
}

pub const TARGETS: [Target; 5] = [
    Target {
        triple: "x86_64-unknown-linux-musl",
        system: System::Linux,
        node: "linux-x64",
        node_cpus: &["x64"],
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
        build: Build::Cross {
            compiler: "x86_64-linux-gnu-gcc",
            package: "gcc",
            emulator: "qemu-x86_64",
        },
    },
    Target {
        triple: "aarch64-unknown-linux-musl",
        system: System::Linux,
        node: "linux-arm64",
        node_cpus: &["arm64"],
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
        build: Build::Cross {
            compiler: "aarch64-linux-gnu-gcc",
            package: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            emulator: "qemu-aarch64",
        },
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        system: System::Windows,
        node: "win32-x64",
        node_cpus: &["x64", "arm64"],
        wheel: "win_amd64.win_arm64",
        debian: None,
        build: Build::Cross {
            compiler: "x86_64-w64-mingw32-gcc",
            package: "mingw-w64",
            emulator: "wine",
        },
    },
    Target {
        triple: "aarch64-apple-darwin",
        system: System::MacOs,
        node: "darwin-arm64",
        node_cpus: &["arm64"],
        wheel: "macosx_11_0_arm64",
        debian: None,
        build: Build::OnMac,
    },
    Target {
        triple: "x86_64-apple-darwin",
        system: System::MacOs,
        node: "darwin-x64",
        node_cpus: &["x64"],
        wheel: "macosx_10_12_x86_64",
        debian: None,
        build: Build::OnMac,
    },
];

impl Target {
    pub fn named(triple: &str) -> Result<&'static Self, String> {
        let found = TARGETS.iter().find(|target| target.triple == triple);
        found.ok_or_else(|| {
            let all: Vec<&str> = TARGETS.iter().map(|target| target.triple).collect();
            format!("`{triple}` is not a target; there are {}", all.join(", "))
        })
    }

    /// The file name of the program.
    pub fn program(&self) -> &'static str {
        match self.system {
            System::Windows => "linkspan.exe",
            System::Linux | System::MacOs => "linkspan",
        }
    }

    /// Whether its programs run here without an emulator.
    pub fn runs_here(&self) -> bool {
        let system = match self.system {
            System::Linux => "linux",
            System::Windows => "windows",
            System::MacOs => "macos",
        };
        system == std::env::consts::OS && self.triple.starts_with(std::env::consts::ARCH)
    }

    /// `os` and `cpu` of its npm package.
    pub fn node_os(&self) -> &'static str {
        self.node.split_once('-').map_or(self.node, |(os, _)| os)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_targets_share_a_name_in_any_channel() {
        let names = |name: fn(&Target) -> String| TARGETS.iter().map(name).collect::<HashSet<_>>();
        assert_eq!(
            names(|target| target.triple.to_owned()).len(),
            TARGETS.len()
        );
        assert_eq!(names(|target| target.node.to_owned()).len(), TARGETS.len());
        assert_eq!(names(|target| target.wheel.to_owned()).len(), TARGETS.len());
    }

    #[test]
    fn an_unknown_target_is_refused_with_the_known_ones() {
        assert!(Target::named("x86_64-pc-windows-gnu").is_ok());
        let refused = Target::named("sparc").err().unwrap();
        assert!(refused.contains("aarch64-apple-darwin"), "{refused}");
    }
}
