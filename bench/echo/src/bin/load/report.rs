//! The figures, as JSON. A figure that was not measured is null, never zero.

use std::fmt::Write;

#[derive(Default)]
pub struct Report {
    pub start_ms: Vec<f64>,
    pub list_ms: Vec<f64>,
    pub first_ms: Option<f64>,
    pub calls_1: usize,
    pub p50_ms: Option<f64>,
    pub p99_ms: Option<f64>,
    pub cpu_1: Option<f64>,
    pub foreign_1: Option<f64>,
    pub calls_64: usize,
    pub per_second: Option<f64>,
    pub p50_64_ms: Option<f64>,
    pub p99_64_ms: Option<f64>,
    pub cpu_64: Option<f64>,
    pub cpu_children_64: Option<f64>,
    pub cpu_all_64: Option<f64>,
    pub foreign_64: Option<f64>,
    pub rss_idle_kb: Option<u64>,
    pub rss_load_kb: Option<u64>,
    pub rss_peak_kb: Option<u64>,
    pub mb1_ms: Vec<f64>,
    pub mb10_ms: Vec<f64>,
    pub argument_ms: Vec<f64>,
    /// Average per session.
    pub session_kb: Option<f64>,
    pub session_processes: Option<f64>,
    failures: Vec<(&'static str, String)>,
}

impl Report {
    pub fn failed(&mut self, phase: &'static str, why: String) {
        self.failures.push((phase, why));
    }

    pub fn to_json(&self) -> String {
        let kb = |v: Option<u64>| v.map(|v| v as f64);
        let numbers = [
            ("calls_1", Some(self.calls_1 as f64)),
            ("first_ms", self.first_ms),
            ("p50_ms", self.p50_ms),
            ("p99_ms", self.p99_ms),
            ("cpu_1", self.cpu_1),
            ("foreign_1", self.foreign_1),
            ("calls_64", Some(self.calls_64 as f64)),
            ("per_second", self.per_second),
            ("p50_64_ms", self.p50_64_ms),
            ("p99_64_ms", self.p99_64_ms),
            ("cpu_64", self.cpu_64),
            ("cpu_children_64", self.cpu_children_64),
            ("cpu_all_64", self.cpu_all_64),
            ("foreign_64", self.foreign_64),
            ("rss_idle_kb", kb(self.rss_idle_kb)),
            ("rss_load_kb", kb(self.rss_load_kb)),
            ("rss_peak_kb", kb(self.rss_peak_kb)),
            ("session_kb", self.session_kb),
            ("session_processes", self.session_processes),
        ];
        let lists = [
            ("start_ms", &self.start_ms),
            ("list_ms", &self.list_ms),
            ("mb1_ms", &self.mb1_ms),
            ("mb10_ms", &self.mb10_ms),
            ("argument_ms", &self.argument_ms),
        ];
        let mut out = String::from("{");
        for (name, value) in numbers {
            let value = value.map_or("null".to_owned(), |v| format!("{v:.4}"));
            let _ = write!(out, "\"{name}\":{value},");
        }
        for (name, values) in lists {
            let values: Vec<String> = values.iter().map(|v| format!("{v:.4}")).collect();
            let _ = write!(out, "\"{name}\":[{}],", values.join(","));
        }
        let failures: Vec<String> = self
            .failures
            .iter()
            .map(|(phase, why)| format!("{}:{}", quoted(phase), quoted(why)))
            .collect();
        let _ = write!(out, "\"failures\":{{{}}}}}", failures.join(","));
        out
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
