//! The outcome of a run of the suite, from its output and its files.

use super::checks::{self, Check};

/// A scenario and its checks.
#[derive(Debug)]
pub struct Scenario {
    pub name: String,
    /// Whether the revision's frozen list of requirements names it.
    pub scored: bool,
    pub checks: Vec<Check>,
}

impl Scenario {
    fn count(&self, status: &str) -> usize {
        let of_that = self.checks.iter().filter(|check| check.status == status);
        of_that.count()
    }

    /// Whether no check failed, which is the suite's own measure.
    pub fn passed(&self) -> bool {
        !self.checks.is_empty() && self.count("FAILURE") == 0
    }

    /// Passed, and neither skipped nor without anything to check.
    pub fn really_passed(&self) -> bool {
        self.passed() && self.count("SKIPPED") == 0 && self.count("SUCCESS") > 0
    }

    pub fn warnings(&self) -> usize {
        self.count("WARNING")
    }

    /// The checks that did not succeed, one per line.
    pub fn complaints(&self) -> String {
        let told =
            |check: &&Check| ["FAILURE", "WARNING", "SKIPPED"].contains(&check.status.as_str());
        self.checks
            .iter()
            .filter(told)
            .map(|check| {
                format!(
                    "    {} {}: {}\n",
                    check.status,
                    check.id,
                    clipped(&check.why)
                )
            })
            .collect()
    }
}

/// The suite quotes whole messages; the beginning contains the error.
fn clipped(why: &str) -> &str {
    let end = why.char_indices().nth(400).map(|(at, _)| at);
    &why[..end.unwrap_or(why.len())]
}

/// The scenarios of a run; `load` returns the `checks.json` of a folder.
pub fn read(said: &str, load: impl Fn(&str) -> Option<String>) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    let mut summary = false;
    for line in said.lines() {
        if let Some(name) = line.strip_prefix("=== Running scenario: ") {
            scenarios.push(Scenario {
                name: name.trim_end_matches(" ===").to_owned(),
                scored: true,
                checks: Vec::new(),
            });
        } else if let Some(folder) = line.strip_prefix("Results saved to ") {
            if let Some(scenario) = scenarios.last_mut() {
                scenario.checks = load(folder).map_or_else(Vec::new, |json| checks::read(&json));
            }
        } else if line.starts_with("Not scored for ") {
            summary = true;
        } else if let Some(name) = summary.then(|| unscored(line)).flatten() {
            for scenario in &mut scenarios {
                scenario.scored &= scenario.name != name;
            }
        }
    }
    scenarios
}

/// `  ✓ server-sse-polling (pending)`
fn unscored(line: &str) -> Option<&str> {
    let line = line.strip_prefix("  ")?;
    line.strip_prefix(['✓', '✗'])?.trim().split(' ').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "\
=== Running scenario: ping ===
Running client scenario 'ping' against server: http://x
Results saved to /out/a

=== Running scenario: caching ===
Results saved to /out/b

=== Running scenario: polling ===
Results saved to /out/c

=== Running scenario: crashed ===
Failed to run scenario crashed: Error

=== SUMMARY ===
✓ ping: 1 passed, 0 failed
✗ caching: 0 passed, 1 failed
✓ polling: 0 passed, 0 failed

Not scored for 2025-11-25: 1 scenario(s) run, 0 failing. These do not affect conformance.
  ✓ polling (pending)
";

    fn check(status: &str) -> String {
        format!("[\n  {{\n    \"id\": \"x\",\n    \"status\": \"{status}\"\n  }}\n]")
    }

    #[test]
    fn a_scenario_passes_only_if_something_was_checked() {
        let scenarios = read(SAID, |folder| match folder {
            "/out/a" => Some(check("SUCCESS")),
            "/out/b" => Some(check("FAILURE")),
            _ => Some(check("INFO")),
        });
        let shown: Vec<_> = scenarios
            .iter()
            .map(|s| (s.name.as_str(), s.scored, s.passed(), s.really_passed()))
            .collect();
        assert_eq!(
            shown,
            [
                ("ping", true, true, true),
                ("caching", true, false, false),
                ("polling", false, true, false),
                ("crashed", true, false, false),
            ]
        );
        assert_eq!(scenarios[1].complaints(), "    FAILURE x: \n");
    }
}
