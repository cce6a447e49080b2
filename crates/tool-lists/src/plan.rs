//! What becomes of a list: a function of the list and the options.

use linkspan_tokens::Vocabulary;
use linkspan_wire::Json;

use crate::choose::choose;
use crate::cost::at_each_level;
use crate::level::Level;
use crate::options::{Choice, ToolListOptions};

/// With more tools than this, `auto` may hide them behind a search. Most clients and model APIs take far fewer.
const MANY: usize = 400;
/// The tokens of `tool_details`, about.
const DETAILS: u64 = 150;
/// An estimate needs no vocabulary in memory. On the lists of `corpus/tool-lists` it is 1 to 15 per cent too high.
const COUNTER: Vocabulary = Vocabulary::Estimate;

/// What becomes of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The level of each tool.
    Levels(Vec<Level>),
    /// All tools are hidden; a search finds them.
    Search,
}

impl Plan {
    /// For these tools.
    pub(crate) fn new(options: &ToolListOptions, tools: &[Json<'_>]) -> Self {
        match Self::wanted(options, tools) {
            Self::Search => Self::Search,
            Self::Levels(levels) => {
                // A definition that cannot get shorter is the server's own.
                let got = levels.iter().zip(tools).map(|(level, tool)| {
                    let shorter = level.shorten(*tool);
                    shorter.map_or(Level::Full, |_| *level)
                });
                Self::Levels(got.collect())
            }
        }
    }

    fn wanted(options: &ToolListOptions, tools: &[Json<'_>]) -> Self {
        let all = |level| Self::Levels(vec![level; tools.len()]);
        match options.choice {
            Choice::Full => all(Level::Full),
            Choice::Brief => all(Level::Brief),
            Choice::Thin => all(Level::Thin),
            Choice::Search => Self::Search,
            Choice::Auto => {
                let tokens = tools.iter().map(|tool| at_each_level(*tool, COUNTER));
                let tokens: Vec<[u64; 3]> = tokens.collect();
                let total = |level: usize| tokens.iter().map(|one| one[level]).sum::<u64>();
                if total(0) <= options.budget {
                    return all(Level::Full);
                }
                if tools.len() > MANY && total(2) > options.budget {
                    return Self::Search;
                }
                Self::Levels(choose(&tokens, options.budget.saturating_sub(DETAILS)))
            }
        }
    }

    /// The level of one tool; hidden ones count as thin.
    pub(crate) fn level(&self, at: usize) -> Level {
        match self {
            Self::Levels(levels) => levels.get(at).copied().unwrap_or(Level::Full),
            Self::Search => Level::Thin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(choice: Choice, budget: u64, tools: usize) -> Plan {
        let options = ToolListOptions {
            choice,
            budget,
            ..ToolListOptions::default()
        };
        let tool = format!(
            r#"{{"name":"t","description":"Does it. {}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string","description":"long and long"}}}}}}}}"#,
            "And more. ".repeat(20)
        );
        Plan::new(&options, &vec![Json::parse(&tool).unwrap(); tools])
    }

    #[test]
    fn a_list_within_the_budget_is_full() {
        assert_eq!(
            plan(Choice::Auto, 8000, 3),
            Plan::Levels(vec![Level::Full; 3])
        );
    }

    #[test]
    fn a_list_above_the_budget_gets_shorter_and_keeps_its_tools() {
        let Plan::Levels(levels) = plan(Choice::Auto, 700, 20) else {
            panic!("no search");
        };
        assert_eq!(levels.len(), 20);
        assert!(
            levels.contains(&Level::Brief) && levels.contains(&Level::Thin),
            "{levels:?}"
        );
        assert_eq!(
            plan(Choice::Auto, 10, 400),
            Plan::Levels(vec![Level::Thin; 400])
        );
    }

    #[test]
    fn real_lists_stay_within_the_budget_as_models_count_it() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tool-lists");
        let mut shortened = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            // Not the page about them.
            let Ok(list) = Json::parse(&text) else {
                continue;
            };
            let tools: Vec<Json<'_>> = list.get("tools").unwrap().elements().collect();
            let options = ToolListOptions {
                choice: Choice::Auto,
                ..ToolListOptions::default()
            };
            let plan = Plan::new(&options, &tools);
            let count = |(at, tool): (usize, &Json<'_>)| {
                let text = plan.level(at).shorten(*tool);
                let text = text.unwrap_or_else(|| tool.text().to_owned());
                crate::cost::tokens(Json::parse(&text).unwrap(), Vocabulary::O200k)
            };
            let total: u64 = tools.iter().enumerate().map(count).sum();
            assert!(total <= options.budget, "{total} tokens: {}", &text[..80]);
            shortened += u64::from((0..tools.len()).any(|at| plan.level(at) != Level::Full));
        }
        assert!(shortened >= 5, "{shortened}");
    }

    #[test]
    fn only_very_many_tools_are_hidden() {
        assert_eq!(plan(Choice::Auto, 8000, 401), Plan::Search);
        assert_eq!(plan(Choice::Search, 8000, 1), Plan::Search);
        assert!(matches!(plan(Choice::Auto, 20_000, 401), Plan::Levels(_)));
    }
}
