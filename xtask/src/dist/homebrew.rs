//! The formula for Homebrew, which installs the archive of the system.

use super::release::{Program, Release};
use super::table::System;
use super::tarball;

pub fn write(release: &Release) -> Result<(), String> {
    release.write("linkspan.rb", formula(release)?.as_bytes())
}

fn formula(release: &Release) -> Result<String, String> {
    let mut systems = String::new();
    for (name, system) in [("macos", System::MacOs), ("linux", System::Linux)] {
        let programs = release.programs.iter();
        let programs: Vec<&Program> = programs.filter(|one| one.target.system == system).collect();
        if programs.is_empty() {
            continue;
        }
        systems += &format!("  on_{name} do\n");
        for program in programs {
            let cpu = if program.target.triple.starts_with("aarch64") {
                "arm"
            } else {
                "intel"
            };
            let (url, sum) = tarball::address(release, program)?;
            systems +=
                &format!("    on_{cpu} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n");
        }
        systems += "  end\n\n";
    }
    Ok(format!(
        "class Linkspan < Formula\n  desc \"{}\"\n  homepage \"{}\"\n  version \"{}\"\n  license any_of: [\"MIT\", \
         \"Apache-2.0\"]\n\n{systems}{INSTALL}",
        release.description, release.repository, release.version
    ))
}

const INSTALL: &str = r##"  def install
    bin.install "linkspan"
    man1.install "linkspan.1"
    bash_completion.install "completions/linkspan.bash" => "linkspan"
    zsh_completion.install "completions/_linkspan"
    fish_completion.install "completions/linkspan.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/linkspan --version")
  end
end
"##;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::dist::release::tests::written;

    #[test]
    fn the_formula_has_the_archive_of_each_processor_with_its_checksum() {
        let (release, folder) = written("homebrew");
        tarball::write(&release).unwrap();
        let formula = formula(&release).unwrap();
        let sums = release.checksums().unwrap();
        fs::remove_dir_all(&folder).unwrap();
        let of_unix = sums.iter().filter(|(name, _)| name.ends_with(".tar.gz"));
        for (name, sum) in of_unix {
            let row = format!("/releases/download/v1.2.3/{name}\"\n      sha256 \"{sum}\"");
            assert!(formula.contains(&row), "{formula}");
        }
        assert_eq!(formula.matches("sha256").count(), 4);
    }
}
