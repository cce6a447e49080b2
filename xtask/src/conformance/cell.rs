//! Cells: command lines that each end in a URL for the suite.

use super::stage::{Running, Stage};
use crate::programs::Programs;

pub const NAMES: [&str; 10] = [
    "legacy",
    "modern",
    "dual",
    "url",
    "chain",
    "serve",
    "shrink",
    "gateway-legacy",
    "gateway-modern",
    "gateway-three",
];

/// Stages that are started one after the other; the URL of the last one is tested.
pub struct Cell {
    pub name: &'static str,
    stages: Vec<Stage>,
}

impl Cell {
    /// Starts every stage. They end when the result is dropped, the last one first.
    pub fn start(&self) -> Result<Vec<Running>, String> {
        let mut running: Vec<Running> = Vec::new();
        for (number, stage) in self.stages.iter().enumerate() {
            let urls: Vec<&str> = running.iter().map(|stage| stage.url.as_str()).collect();
            let log = format!("{}-{number}", self.name);
            let started = stage.start(&log, &urls)?;
            running.insert(0, started);
        }
        Ok(running)
    }
}

pub fn all(programs: &Programs) -> Vec<Cell> {
    let fixture = |era| [programs.fixture.as_str(), "--era", era];
    let plain = |era| Stage::exposing(programs, &[], &fixture(era));
    vec![
        cell("legacy", vec![plain("legacy")]),
        cell("modern", vec![plain("modern")]),
        cell("dual", vec![plain("dual")]),
        cell("url", vec![plain("legacy"), Stage::relaying(programs, &[])]),
        cell("chain", chain(programs, &fixture("legacy"))),
        cell("serve", vec![Stage::serving(programs)]),
        cell("shrink", shrink(programs, &fixture("legacy"))),
        cell("gateway-legacy", vec![one_upstream(programs, "legacy")]),
        cell("gateway-modern", vec![one_upstream(programs, "modern")]),
        cell("gateway-three", three_upstreams(programs)),
    ]
}

/// A gateway with one server, whose tools keep their names.
fn one_upstream(programs: &Programs, era: &str) -> Stage {
    let server = command(programs, era);
    let config = format!(r#"{{"mcpServers":{{"only":{server}}},"linkspan":{{"prefix":"never"}}}}"#);
    Stage::gateway(programs, config)
}

/// A gateway with servers of both eras over three transports. All have what the suite uses; rules divide it among them.
fn three_upstreams(programs: &Programs) -> Vec<Stage> {
    let sse = Stage::exposing(
        programs,
        &["--sse"],
        &[programs.fixture.as_str(), "--era", "legacy"],
    );
    let modern = Stage::exposing(
        programs,
        &["--client-era", "modern"],
        &[programs.fixture.as_str(), "--era", "modern"],
    );
    let config = format!(
        r#"{{
          "mcpServers": {{
            "stdio": {},
            "http": {{"type":"http","url":"{}"}},
            "sse": {{"type":"sse","url":"{}"}}
          }},
          "linkspan": {{
            "prefix": "never",
            "rules": [
              {{"server":"sse","tool":["test_image_content","test_audio_content"],"then":"allow"}},
              {{"server":"http","tool":["test_s*","test_*progress","test_elicit*"],"then":"allow"}},
              {{"server":"stdio","tool":["test_image_content","test_audio_content","test_s*","test_*progress","test_elicit*"],"then":"deny"}},
              {{"server":"stdio","then":"allow"}},
              {{"then":"deny"}}
            ]
          }}
        }}"#,
        command(programs, "legacy"),
        Stage::URL,
        Stage::SSE_URL,
    );
    vec![sse, modern, Stage::gateway(programs, config)]
}

fn command(programs: &Programs, era: &str) -> String {
    let fixture = &programs.fixture;
    format!(r#"{{"command":{fixture:?},"args":["--era","{era}"]}}"#)
}

/// Legacy server, modern in the middle, legacy again: two translations before the last hop.
fn chain(programs: &Programs, fixture: &[&str]) -> Vec<Stage> {
    let connect = [
        programs.linkspan.as_str(),
        "connect",
        "--client-era",
        "legacy",
        "--server-era",
        "modern",
        Stage::URL,
    ];
    vec![
        Stage::exposing(programs, &["--client-era", "modern"], fixture),
        Stage::exposing(programs, &["--server-era", "legacy"], &connect),
    ]
}

/// Both ways to shorten results, one in front of the other: messages that are not tool results, or are not worth it,
/// must not change.
fn shrink(programs: &Programs, fixture: &[&str]) -> Vec<Stage> {
    vec![
        Stage::shrinking(programs, fixture),
        Stage::relaying(programs, &["--shrink"]),
    ]
}

fn cell(name: &'static str, stages: Vec<Stage>) -> Cell {
    Cell { name, stages }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_can_be_named() {
        let programs = Programs {
            linkspan: "linkspan".to_owned(),
            fixture: "fixture".to_owned(),
        };
        let names: Vec<&str> = all(&programs).iter().map(|cell| cell.name).collect();
        assert_eq!(names, NAMES);
    }
}
