//! The fixture server as a process.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

struct Fixture {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Fixture {
    fn start(flags: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_linkspan-fixture"))
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    fn send(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    fn call(&mut self, tool: &str) {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
        ));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn status(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn it_answers_a_line_with_a_line_and_ends_with_its_input() {
    let mut fixture = Fixture::start(&["--era", "legacy"]);
    fixture.send(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#);
    assert_eq!(fixture.line(), r#"{"jsonrpc":"2.0","id":7,"result":{}}"#);
    assert_eq!(fixture.status(), Some(0));
}

#[test]
fn a_crash_is_status_seven_and_a_probe_may_be_status_three() {
    let mut fixture = Fixture::start(&[]);
    fixture.call("crash");
    assert_eq!(fixture.line(), "");
    assert_eq!(fixture.status(), Some(7));
    let mut touchy = Fixture::start(&["--exit-on-probe"]);
    touchy.call("echo");
    assert_eq!(touchy.status(), Some(3));
    assert_eq!(Fixture::start(&["--era", "future"]).status(), Some(2));
}

#[test]
fn garbage_comes_before_the_answer() {
    let mut fixture = Fixture::start(&[]);
    fixture.call("garbage");
    assert_eq!(fixture.line(), "this is not JSON");
    let rest: Vec<String> = (0..4).map(|_| fixture.line()).collect();
    assert!(rest[3].contains("Sorry."), "{rest:?}");
}

#[test]
fn slow_calls_do_not_hold_up_others() {
    let mut fixture = Fixture::start(&[]);
    fixture.call("hang");
    fixture.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(fixture.line(), r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}

#[cfg(unix)]
#[test]
fn a_grandchild_holds_the_pipes_open() {
    let mut fixture = Fixture::start(&[]);
    fixture.call("grandchild");
    let line = fixture.line();
    let pid = line.split(r#""text":""#).nth(1).unwrap();
    let pid = pid.split('"').next().unwrap();
    assert!(pid.parse::<u32>().is_ok(), "{line}");
    let killed = Command::new("kill").arg(pid).status().unwrap();
    assert!(killed.success());
}
