//! Finds tools by words (BM25 over names, descriptions and the names of arguments).

use std::collections::HashMap;

use linkspan_wire::Json;

/// How much more a word of the name counts.
const NAME: f64 = 3.0;
/// The usual parameters of BM25.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// Words of a query that count.
const MOST_WORDS: usize = 64;

/// The positions of the tools that fit a query, the best first.
pub(crate) fn search<'a>(query: &str, tools: impl IntoIterator<Item = Json<'a>>) -> Vec<usize> {
    let mut wanted: Vec<String> = words(query).take(MOST_WORDS).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let place: HashMap<&str, usize> = wanted.iter().map(|it| &**it).zip(0..).collect();
    let documents: Vec<Document> = tools
        .into_iter()
        .map(|tool| Document::of(tool, &place))
        .collect();
    let count = documents.len() as f64;
    let average = documents.iter().map(|one| one.length).sum::<f64>() / count.max(1.0);
    let rarity: Vec<f64> = (0..wanted.len())
        .map(|word| {
            let with = documents.iter().filter(|one| one.hits[word] > 0.0).count() as f64;
            (1.0 + (count - with + 0.5) / (with + 0.5)).ln()
        })
        .collect();
    let score = |one: &Document| -> f64 {
        let relative = 1.0 - LENGTH + LENGTH * one.length / average.max(1.0);
        let each = one.hits.iter().zip(&rarity);
        each.map(|(hits, rarity)| {
            rarity * hits * (SATURATION + 1.0) / (hits + SATURATION * relative)
        })
        .sum()
    };
    let mut found: Vec<(usize, f64)> = documents.iter().map(score).enumerate().collect();
    found.retain(|(_, score)| *score > 0.0);
    found.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    found.into_iter().map(|(at, _)| at).collect()
}

/// The words of a tool, as far as they matter for a query.
struct Document {
    length: f64,
    /// The weight of each word of the query.
    hits: Vec<f64>,
}

impl Document {
    fn of(tool: Json<'_>, wanted: &HashMap<&str, usize>) -> Self {
        let mut document = Self {
            length: 0.0,
            hits: vec![0.0; wanted.len()],
        };
        let mut add = |text: &str, weight: f64| {
            for word in words(text) {
                document.length += weight;
                if let Some(at) = wanted.get(&*word) {
                    document.hits[*at] += weight;
                }
            }
        };
        for (key, weight) in [("name", NAME), ("title", 1.0), ("description", 1.0)] {
            if let Some(text) = tool.get(key).and_then(Json::as_str) {
                add(&text, weight);
            }
        }
        let properties = tool.path(&["inputSchema", "properties"]);
        for (name, _) in properties.into_iter().flat_map(Json::members) {
            add(&name, 1.0);
        }
        document
    }
}

/// The words of a text, without endings. `createPullRequest` and `create_pull_request` have three.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut was_lower = false;
    for c in text.chars() {
        let begins = c.is_uppercase() && was_lower;
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.push(word);
    words.into_iter().filter(|it| !it.is_empty()).map(stem)
}

/// A word without the endings of English.
fn stem(word: String) -> String {
    let longer = |rest: &&str| rest.len() >= 3;
    let stem = if let Some(rest) = word.strip_suffix("ies").filter(longer) {
        return format!("{rest}y");
    } else if let Some(rest) = word.strip_suffix("ing").filter(longer) {
        rest
    } else if let Some(rest) = word.strip_suffix("ed").filter(longer) {
        rest
    } else if let Some(rest) = word.strip_suffix('s').filter(longer) {
        rest
    } else {
        &word
    };
    stem.strip_suffix('e')
        .filter(longer)
        .unwrap_or(stem)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_are_found_in_names_of_every_style_and_without_endings() {
        let all: Vec<String> =
            words("createPull_requests: merging files, HTTPServer 2nd").collect();
        assert_eq!(
            all,
            [
                "creat",
                "pull",
                "request",
                "merg",
                "fil",
                "httpserver",
                "2nd"
            ]
        );
    }

    #[test]
    fn the_best_tool_is_first() {
        let list = r#"[
            {"name":"read_file","description":"Reads a file.","inputSchema":{"properties":{"path":{}}}},
            {"name":"list_issues","description":"Lists issues of a repository."},
            {"name":"issue_write","description":"Creates an issue, or closes it. Reads nothing."},
            {"name":"move_file","description":"Moves files.","inputSchema":{"properties":{"destination":{}}}}
        ]"#;
        let found = |query: &str| search(query, Json::parse(list).unwrap().elements());
        assert_eq!(found("reading a file")[0], 0);
        assert_eq!(found("create issues")[0], 2);
        assert_eq!(found("destination"), [3]);
        assert_eq!(found("weather"), [] as [usize; 0]);
        assert_eq!(found(""), [] as [usize; 0]);
    }

    proptest! {
        #[test]
        fn any_query_ends(query in "(?s).{0,200}") {
            let list = Json::parse(r#"[{"name":"a b"},{}]"#).unwrap();
            prop_assert!(search(&query, list.elements()).len() <= 2);
        }
    }
}
