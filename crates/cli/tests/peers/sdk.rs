//! Clients on the official SDKs: programs that connect, call, answer questions and end.

use std::process::Command;

use serde_json::Value;

use crate::{installed, once};

/// An SDK and its era.
#[derive(Clone, Copy)]
pub struct Sdk {
    pub language: Language,
    pub era: Era,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    TypeScript,
    Python,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

/// One of each.
pub const ALL: [Sdk; 4] = [
    sdk(Language::TypeScript, Era::Legacy),
    sdk(Language::TypeScript, Era::Modern),
    sdk(Language::Python, Era::Legacy),
    sdk(Language::Python, Era::Modern),
];

const fn sdk(language: Language, era: Era) -> Sdk {
    Sdk { language, era }
}

/// The report of a client about its session.
#[derive(Debug)]
pub struct Told {
    pub server: Value,
    /// As the SDK parsed them, without members that only one of the eras has.
    pub results: Vec<Value>,
    /// The methods of the server's requests, in order.
    pub asked: Vec<String>,
    /// The steps of each call; the TypeScript SDKs lose some.
    pub progress: Value,
}

impl Sdk {
    /// Makes the calls to a URL, or to the stdio server that the words start.
    pub fn run(self, calls: &[(&str, &str)], target: &[String]) -> Told {
        self.run_as("Ada", calls, target)
    }

    /// The same, with another user name.
    pub fn run_as(self, name: &str, calls: &[(&str, &str)], target: &[String]) -> Told {
        self.run_with(&[("CLIENT_NAME", name)], calls, target)
    }

    /// The same, of a client whose only root is this folder.
    pub fn run_in(self, folder: &str, calls: &[(&str, &str)], target: &[String]) -> Told {
        let root = format!("file://{folder}");
        self.run_with(&[("CLIENT_ROOT", &root)], calls, target)
    }

    /// The same, with environment variables.
    pub fn run_with(self, env: &[(&str, &str)], calls: &[(&str, &str)], target: &[String]) -> Told {
        let mut command = match self.language {
            Language::TypeScript => {
                let mut node = Command::new(installed::node());
                node.arg(installed::folder().join("npm/tsclient.mjs"));
                node
            }
            Language::Python => {
                let mut python = Command::new(installed::python());
                python.arg(installed::script("pyclient.py"));
                python
            }
        };
        let era = match self.era {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        };
        let calls: Vec<String> = calls
            .iter()
            .map(|(method, params)| format!(r#"["{method}",{params}]"#))
            .collect();
        command
            .arg(era)
            .arg(format!("[{}]", calls.join(",")))
            .args(target)
            .envs(env.iter().copied());
        let printed = once::run(&format!("{:?}-{era}", self.language), &mut command);
        Told::read(&printed)
    }
}

impl Told {
    fn read(printed: &str) -> Self {
        let mut told: Value =
            serde_json::from_str(printed).unwrap_or_else(|error| panic!("{error}: {printed}"));
        let mut results = serde_json::from_value(told["results"].take());
        for result in results.iter_mut().flatten() {
            strip(result);
        }
        Self {
            server: told["server"].take(),
            results: results.expect("a list of results"),
            asked: serde_json::from_value(told["asked"].take()).expect("a list of methods"),
            progress: told["progress"].take(),
        }
    }

    /// The server's requests without those for roots, which it sends at any time.
    pub fn asked_but_for_roots(&self) -> Vec<&str> {
        let asked = self.asked.iter().map(String::as_str);
        asked.filter(|method| *method != "roots/list").collect()
    }
}

/// Removes the members that only one of the eras has from a result.
pub fn strip(result: &mut Value) {
    let Some(members) = result.as_object_mut() else {
        return;
    };
    for name in ["resultType", "ttlMs", "cacheScope"] {
        members.remove(name);
    }
    // Tasks were a part of the core protocol once; a modern SDK drops the members for them.
    let tools = members.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        if let Some(tool) = tool.as_object_mut() {
            tool.remove("execution");
        }
    }
    if let Some(meta) = members.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.remove("io.modelcontextprotocol/serverInfo");
        if meta.is_empty() {
            members.remove("_meta");
        }
    }
}
