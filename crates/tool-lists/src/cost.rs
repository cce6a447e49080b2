//! How many tokens the definitions of tools need.

use std::fmt::{self, Write};

use linkspan_tokens::Vocabulary;
use linkspan_wire::{Json, Object, escape_line, quote};

use crate::level::Level;

/// The tokens of a definition as a model gets it: name, description and arguments. Clients keep the rest.
pub(crate) fn tokens(tool: Json<'_>, vocabulary: Vocabulary) -> u64 {
    let mut shown = Object::empty();
    for key in ["name", "description", "inputSchema"] {
        if let Some(value) = tool.get(key) {
            shown.push(key, value.text());
        }
    }
    vocabulary.count(&shown.text())
}

/// The tokens of a tool at each level, in the order of [`Level::ALL`].
pub(crate) fn at_each_level(tool: Json<'_>, vocabulary: Vocabulary) -> [u64; 3] {
    Level::ALL.map(|level| match level.shorten(tool) {
        Some(text) => Json::parse(&text).map_or(0, |tool| tokens(tool, vocabulary)),
        None => tokens(tool, vocabulary),
    })
}

/// The tokens of the tools of a list, per tool and level. Its `Display` is a table of 80 columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Costs {
    vocabulary: Vocabulary,
    /// The most expensive first.
    tools: Vec<(String, [u64; 3])>,
}

impl Costs {
    /// Of these tools.
    pub fn new<'a>(tools: impl IntoIterator<Item = Json<'a>>, vocabulary: Vocabulary) -> Self {
        let cost = |tool: Json<'_>| {
            let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
            (name.into_owned(), at_each_level(tool, vocabulary))
        };
        let mut tools: Vec<_> = tools.into_iter().map(cost).collect();
        tools.sort_by(|(one, a), (other, b)| b.cmp(a).then_with(|| one.cmp(other)));
        Self { vocabulary, tools }
    }

    /// The tools, with their tokens in the order of [`Level::ALL`].
    pub fn tools(&self) -> &[(String, [u64; 3])] {
        &self.tools
    }

    /// The tokens of all tools, in the order of [`Level::ALL`].
    pub fn total(&self) -> [u64; 3] {
        self.tools.iter().fold([0; 3], |sum, (_, tokens)| {
            std::array::from_fn(|at| sum[at] + tokens[at])
        })
    }

    /// What each level saves, in percent of the tokens of the full list.
    pub fn saved(&self) -> [f64; 3] {
        let total = self.total();
        let share = |tokens: u64| 100.0 - 100.0 * tokens as f64 / total[0].max(1) as f64;
        total.map(share)
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let members = |tokens: &[u64; 3]| {
            let pairs = Level::ALL.iter().zip(tokens);
            let pairs = pairs.map(|(level, tokens)| format!(r#""{level}":{tokens}"#));
            pairs.collect::<Vec<_>>().join(",")
        };
        let tools = self.tools.iter();
        let tools = tools
            .map(|(name, tokens)| format!(r#"{{"name":{},{}}}"#, quote(name), members(tokens)));
        format!(
            r#"{{"tokenizer":"{}","tools":[{}],"total":{{{}}}}}"#,
            self.vocabulary,
            tools.collect::<Vec<_>>().join(","),
            members(&self.total())
        )
    }
}

/// Columns of the name in the table.
const NAME: usize = 49;

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:NAME$}", "tool")?;
        for level in Level::ALL {
            write!(f, "{level:>10}")?;
        }
        f.write_char('\n')?;
        for (name, tokens) in &self.tools {
            row(f, &escape_line(name), tokens.map(with_commas))?;
        }
        let count = format!("total of {} tools", self.tools.len());
        row(f, &count, self.total().map(with_commas))?;
        let saved = self.saved().map(|percent| format!("{percent:.1} %"));
        row(f, "saved", saved)?;
        write!(f, "Tokens as counted by {}.", self.vocabulary)
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, figures: [String; 3]) -> fmt::Result {
    let end = name.char_indices().nth(NAME).map(|(end, _)| end);
    match end {
        Some(_) => {
            let kept: String = name.chars().take(NAME - 1).collect();
            write!(f, "{kept}…")?;
        }
        None => write!(f, "{name:NAME$}")?,
    }
    let [full, brief, thin] = figures;
    writeln!(f, "{full:>10}{brief:>10}{thin:>10}")
}

/// A number with its thousands apart.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs() -> Costs {
        let list = format!(
            r#"[{{"name":"small","inputSchema":{{"type":"object"}}}},{{"name":"{}","description":"Does it. {}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string"}}}}}}}}]"#,
            "long_".repeat(12),
            "And more. ".repeat(400)
        );
        Costs::new(Json::parse(&list).unwrap().elements(), Vocabulary::O200k)
    }

    #[test]
    fn the_most_expensive_tool_is_first_and_the_total_is_the_sum() {
        let costs = costs();
        let [(first, long), (second, small)] = costs.tools() else {
            panic!("two tools");
        };
        assert!(first.starts_with("long_") && second == "small");
        assert!(long[0] > long[1] && long[1] > long[2], "{long:?}");
        assert_eq!(small[0], small[2], "nothing to shorten");
        assert_eq!(costs.total()[1], long[1] + small[1]);
    }

    #[test]
    fn the_table_has_eighty_columns() {
        let table = costs().to_string();
        for line in table.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(table.contains("…"), "{table}");
        assert!(table.contains("total of 2 tools"), "{table}");
    }

    #[test]
    fn json_has_a_member_per_level() {
        let text = costs().to_json();
        let json = Json::parse(&text).unwrap();
        assert_eq!(json.get("tokenizer").unwrap().text(), r#""o200k""#);
        let sum: i64 = json
            .get("tools")
            .unwrap()
            .elements()
            .map(|t| t.get("brief").unwrap().as_i64().unwrap())
            .sum();
        assert_eq!(json.path(&["total", "brief"]).unwrap().as_i64(), Some(sum));
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!(with_commas(0), "0");
        assert_eq!(with_commas(999), "999");
        assert_eq!(with_commas(1_234_567), "1,234,567");
    }
}
