//! Samples of every kind as tools print them, and text to put before and after them.

use super::*;

/// `count` lines, numbered from 0.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|index| line(index) + "\n").collect()
}

/// A sample of a kind with about `count` lines, at least three.
pub(super) fn sample(kind: Kind, variant: usize, count: usize) -> String {
    let variants: &[&dyn Fn(usize) -> String] = match kind {
        Kind::Json => &[
            &|n| {
                format!(
                    "[\n{}  {{\n    \"id\": 0\n  }}\n]\n",
                    lines(n, |i| format!(
                        "  {{\n    \"id\": {i},\n    \"a\": \"x\"\n  }},"
                    ))
                )
            },
            &|n| {
                format!(
                    "{{\n{}  \"end\": null\n}}\n",
                    lines(n, |i| format!("  \"key{i}\": [{i}, true],"))
                )
            },
        ],
        Kind::Ndjson => &[&|n| {
            lines(n, |i| {
                format!("{{\"id\": {i}, \"message\": \"it is {i}\"}}")
            })
        }],
        Kind::Diff => &[
            &|n| {
                format!(
                    "diff --git a/x.rs b/x.rs\nindex 123..456 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1,{0} +1,{0} @@ fn x()\n{1}",
                    n,
                    lines(n, |i| format!("-old {i}\n+new {i}"))
                )
            },
            &|n| {
                lines(n, |i| {
                    format!("--- a/f{i}\n+++ b/f{i}\n@@ -1 +1,2 @@\n one\n+two")
                })
            },
            &|n| {
                lines(n, |i| format!("commit {i:040x}\nAuthor: A <a@b.c>\nDate:   Mon Jan 1 00:00:00 2025 +0000\n\n    Message\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -{i} +{i} @@\n-a\n+b\n")).trim_end().to_owned() + "\n"
            },
        ],
        Kind::Search => &[
            &|n| {
                lines(n, |i| {
                    format!("crates/a/src/file{}.rs:{i}:    let x = {i};", i / 4)
                })
            },
            &|n| {
                lines(n, |i| {
                    format!(
                        "/home/me/project/lib/m{}.py:{i}:9: error: bad thing {i}",
                        i / 4
                    )
                })
            },
            &|n| lines(n, |i| format!("a.c-{i}-before\na.c:{}:the hit\n--", i + 1)),
            &|n| lines(n, |i| format!("src/a.ts({i},5): error TS2304: no {i}")),
            &|n| lines(n * 2, |i| format!("./src/f{}.c:  call();", i / 4)),
        ],
        Kind::Tree => &[
            &|n| {
                format!(
                    ".\n{}└── last\n\n1 directory, {n} files\n",
                    lines(n, |i| format!("├── file{i}.rs"))
                )
            },
            &|n| {
                format!(
                    "root\n|-- src\n{}`-- end\n",
                    lines(n, |i| format!("|   |-- f{i}"))
                )
            },
            &|n| format!("src/\n{}", lines(n, |i| format!("  file{i}.rs"))),
        ],
        Kind::Paths => &[
            &|n| lines(n + 1, |i| format!("./src/dir{}/file{i}.rs", i / 3)),
            &|n| format!(".:\nsrc\n\n./src:\n{}", lines(n, |i| format!("file {i}"))),
            &|n| lines(n + 1, |i| format!("[FILE] name{i}.txt")),
        ],
        Kind::Numbered => &[
            &|n| lines(n, |i| format!("{:6}\tlet x = {i};", i + 1)),
            &|n| lines(n, |i| format!("{:5}→    call({i})", i + 98)),
            &|n| lines(n, |i| format!("{:3} | it(is, {i})", i + 1)),
            &|n| lines(n, |i| format!("{}: foo", i + 1)),
        ],
        Kind::Csv => &[
            &|n| {
                format!(
                    "id,name,mail\n{}",
                    lines(n, |i| format!("{i},user {i},u{i}@x.org"))
                )
            },
            &|n| {
                format!(
                    "id\tname\tmail\n{}",
                    lines(n, |i| format!("{i}\tuser {i}\tu{i}@x.org"))
                )
            },
            &|n| {
                format!(
                    "id;name;note\n{}",
                    lines(n, |i| format!("{i};\"user; {i}\";\"a \"\"b\"\"\nc\""))
                )
            },
        ],
        Kind::Markdown => &[
            &|n| {
                format!(
                    "| id | name |\n|----|:----:|\n{}",
                    lines(n, |i| format!("| {i} | user {i} |"))
                )
            },
            &|n| {
                format!(
                    "id | name\n--- | ---\n{}",
                    lines(n, |i| format!("{i} | user {i}"))
                )
            },
        ],
        Kind::Drawn => &[
            &|n| {
                let file = |i| format!("-rw-r--r--  1 me us  {i}12 Jan  2 03:04 file{i}");
                format!("total 12\n{}", lines(n, file))
            },
            &|n| {
                format!(
                    "+----+----+\n| id | x  |\n+----+----+\n{}+----+----+\n",
                    lines(n, |i| format!("| {:2} | a  |", i % 100))
                )
            },
            &|n| {
                format!(
                    "┌────┬────┐\n│ id │ x  │\n├────┼────┤\n{}└────┴────┘\n",
                    lines(n, |i| format!("│ {:2} │ a  │", i % 100))
                )
            },
            &|n| {
                format!(
                    " id | name \n----+------\n{}({n} rows)\n",
                    lines(n, |i| format!(" {:2} | user ", i % 100))
                )
            },
            &|n| {
                format!(
                    "NAME      READY   STATUS    AGE\n{}",
                    lines(n + 2, |i| format!(
                        "pod-{:04}  1/1     Running   {}d",
                        i,
                        i % 10
                    ))
                )
            },
        ],
        Kind::Log => &[
            &|n| {
                lines(n, |i| {
                    format!("2025-01-02T03:04:{:02}Z INFO request {i} done", i % 60)
                })
            },
            &|n| {
                lines(n, |i| {
                    format!("Jan  2 03:04:{:02} host sshd[{i}]: Accepted key", i % 60)
                })
            },
            &|n| {
                lines(n, |i| {
                    format!(
                        "10.0.0.1 - - [02/Jan/2025:03:04:{:02} +0000] \"GET /{i} HTTP/1.1\" 200 {i}",
                        i % 60
                    )
                })
            },
            &|n| lines(n, |i| format!("[INFO] step {i} of many")),
            &|n| {
                lines(n, |i| {
                    format!("time=\"2025-01-02T03:04:05Z\" level=info msg=\"n {i}\"")
                })
            },
        ],
        Kind::Yaml => &[&|n| {
            format!(
                "kind: Pod\nmetadata:\n  name: x\n{}",
                lines(n, |i| format!("  label{i}: y"))
            )
        }],
        Kind::Toml => &[&|n| {
            format!(
                "[package]\nname = \"x\"\n{}",
                lines(n, |i| format!("key{i} = {i}"))
            )
        }],
        Kind::Base64 => &[&|n| {
            lines(n, |i| {
                format!(
                    "{:0>76}",
                    format!("aGVsbG8{i}").repeat(3) + &"Zm9vYmFyQmF6QUJD".repeat(3)
                )
            })
        }],
        Kind::Html => &[&|n| {
            format!(
                "<!DOCTYPE html>\n<html><body>\n{}</body></html>\n",
                lines(n, |i| format!("<p>text {i}</p>"))
            )
        }],
        Kind::Code | Kind::Plain => &[],
    };
    match variants.len() {
        0 => String::new(),
        length => variants[variant % length](count),
    }
}

/// The kinds that have samples.
pub(super) fn kinds_with_samples() -> impl Iterator<Item = Kind> {
    Kind::ALL
        .into_iter()
        .filter(|kind| !sample(*kind, 0, 3).is_empty())
}

#[test]
fn samples_are_detected_as_their_kind() {
    for kind in kinds_with_samples() {
        for variant in 0..5 {
            for count in [4, 10, 60] {
                let text = sample(kind, variant, count);
                assert_eq!(super::kind(&text), kind, "{text}");
                assert_eq!(super::kind(&text.replace('\n', "\r\n")), kind, "{text}");
                assert_eq!(super::kind(text.trim_end()), kind, "{text}");
            }
        }
    }
}

#[test]
fn more_fitting_lines_raise_the_confidence() {
    let sure = |count| detect(&sample(Kind::Search, 0, count), 0.0)[0].confidence;
    assert!(sure(3) < sure(10) && sure(10) < sure(100));
    let noisy = sample(Kind::Search, 0, 10).replace(":5:", " five ");
    assert!(detect(&noisy, 0.0)[0].confidence < sure(10));
}
