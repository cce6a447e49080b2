//! The checks of one scenario, from the `checks.json` that the suite writes.
//!
//! The suite prints it with an indentation of two, so a check's own members stand four spaces in
//! and everything nested deeper: lines are enough, and we need no JSON reader.

/// One check that is worth telling about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    pub id: String,
    pub status: String,
    pub why: String,
}

/// Every check, in order.
pub fn read(json: &str) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for line in json.lines() {
        if line == "  {" {
            checks.push(Check::default());
        }
        let Some(check) = checks.last_mut() else {
            continue;
        };
        let member = |name: &str| {
            let value = line.strip_prefix("    \"")?.strip_prefix(name)?;
            let value = value.strip_prefix("\": \"")?;
            Some(value.trim_end_matches(',').trim_end_matches('"').to_owned())
        };
        if let Some(id) = member("id") {
            check.id = id;
        } else if let Some(status) = member("status") {
            check.status = status;
        } else if let Some(why) = member("errorMessage") {
            check.why = why;
        }
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_members_are_not_the_checks_own() {
        let json = r#"[
  {
    "id": "one",
    "specReferences": [
      {
        "id": "SEP-1"
      }
    ],
    "status": "FAILURE",
    "errorMessage": "got \"x\"",
    "details": {
      "status": "SUCCESS"
    }
  },
  {
    "id": "two",
    "status": "SUCCESS"
  }
]"#;
        let check = |id: &str, status: &str, why: &str| Check {
            id: id.to_owned(),
            status: status.to_owned(),
            why: why.to_owned(),
        };
        assert_eq!(
            read(json),
            [
                check("one", "FAILURE", r#"got \"x\"#),
                check("two", "SUCCESS", "")
            ]
        );
    }
}
