//! Which operations are served.

use linkspan_gateway::Glob;

/// Patterns of operations to serve and to leave out.
pub(crate) struct Filter {
    include: Vec<Glob>,
    exclude: Vec<Glob>,
}

impl Filter {
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Self {
        let globs = |patterns: &[String]| patterns.iter().map(|one| Glob::new(one)).collect();
        Self {
            include: globs(include),
            exclude: globs(exclude),
        }
    }

    /// Whether an operation is served that has these words: its name, its tags, its path, and its method with the path.
    pub(crate) fn selects(&self, words: &[&str]) -> bool {
        let any = |globs: &[Glob]| {
            let mut globs = globs.iter();
            globs.any(|glob| words.iter().any(|word| glob.matches(word)))
        };
        (self.include.is_empty() || any(&self.include)) && !any(&self.exclude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_the_name_a_tag_the_path_or_method_and_path() {
        let words = ["deletePet", "pets", "/pets/{id}", "DELETE /pets/{id}"];
        let selects = |include: &[&str], exclude: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
            Filter::new(&owned(include), &owned(exclude)).selects(&words)
        };
        assert!(selects(&[], &[]));
        for pattern in ["deletePet", "pet?", "/pets/*", "DELETE *"] {
            assert!(selects(&[pattern], &[]), "{pattern}");
            assert!(!selects(&[], &[pattern]), "{pattern}");
        }
        assert!(!selects(&["/users*"], &[]));
        assert!(!selects(&["pets"], &["DELETE *"]));
    }
}
