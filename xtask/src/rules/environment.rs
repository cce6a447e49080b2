//! Only `cli` reads the environment: libraries get values.

use super::sources::Source;

/// Crates whose subject is the environment, or that are not libraries.
const EXEMPT: [&str; 2] = ["cli", "testkit"];

/// Files that may use `std::env`, by the end of their path, with the reason.
const KNOWN: [(&str, &str); 1] = [(
    "spawn/src/descendants.rs",
    "the variable marks our own processes, and is read by no other code",
)];

pub fn check(sources: &[Source]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        if EXEMPT.contains(&source.crate_name())
            || KNOWN.iter().any(|(path, _)| source.path.ends_with(path))
        {
            continue;
        }
        for (number, line) in source.production.lines().enumerate() {
            if reads_environment(line) {
                violations.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    violations
}

fn reads_environment(line: &str) -> bool {
    // `split_paths`, `consts` and the like compute with values.
    const PURE: [&str; 5] = [
        "split_paths",
        "join_paths",
        "consts",
        "ArgsOs",
        "JoinPathsError",
    ];
    let is_comment = line.trim_start().starts_with("//");
    let uses = line.split("std::env").skip(1);
    !is_comment
        && uses
            .map(|rest| rest.trim_start_matches(':'))
            .any(|rest| !PURE.iter().any(|pure| rest.starts_with(pure)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_a_variable_is_found_and_computing_with_a_value_is_not() {
        assert!(reads_environment("let x = std::env::var(\"X\");"));
        assert!(reads_environment("use std::env;"));
        assert!(reads_environment("let x = std::env::temp_dir();"));
        assert!(!reads_environment("std::env::split_paths(&path)"));
        assert!(!reads_environment("// std::env::var"));
    }
}
