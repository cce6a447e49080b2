//! Signatures for AWS (SigV4), compared with those of botocore, and a server that checks each request with it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use linkspan_auth::aws::{AwsCredentials, AwsScope, Signable};
use linkspan_auth::{Secret, Timestamp};
use serde_json::{Value, json};
use url::Url;

use crate::client::Client;
use crate::server::Server;
use crate::{installed, stdio};

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % limit
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn text(&mut self, letters: &[&str], most: usize) -> String {
        (0..self.below(most + 1))
            .map(|_| self.of(letters))
            .collect()
    }
}

const ODD: [&str; 22] = [
    "a", "Z", "9", "-", ".", "_", "~", "/", "//", " ", "+", "%", "&", "=", ":", "@", "*", "'", "ø",
    "⛴", "(", ",",
];
const VISIBLE: [&str; 9] = ["a", "B", "7", " ", "  ", "\t", ";", ",", "="];

/// A request as botocore takes it, and our `Authorization` for it.
fn request(numbers: &mut Numbers) -> (Value, String) {
    let method = numbers.of(&["GET", "POST", "DELETE"]);
    let host = numbers.of(&[
        "a.execute-api.eu-west-1.amazonaws.com",
        "h.example:8443",
        "localhost:80",
    ]);
    let mut url = Url::parse(&format!("https://{host}/")).expect("a URL");
    let segments: Vec<_> = (0..numbers.below(4))
        .map(|_| numbers.text(&ODD, 6))
        .collect();
    url.path_segments_mut().expect("a path").extend(&segments);
    let place = url.as_str().to_owned();
    let params: Vec<_> = (0..numbers.below(5))
        .map(|_| (numbers.text(&ODD, 4), numbers.text(&ODD, 6)))
        .filter(|(name, _)| !name.is_empty())
        .collect();
    if !params.is_empty() {
        // `query_pairs_mut` writes `+` for a space.
        let encoded = |text: &str| {
            text.bytes()
                .map(|byte| format!("%{byte:02X}"))
                .collect::<String>()
        };
        let pairs = params
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        url.set_query(Some(&pairs.collect::<Vec<_>>().join("&")));
    }
    let names = ["content-type", "mcp-session-id", "mcp-name", "x-amz-meta-a"];
    let headers: Vec<_> = (0..numbers.below(5))
        .map(|_| (numbers.of(&names), numbers.text(&VISIBLE, 8)))
        .collect();
    let body = numbers.text(&ODD, 40);
    let token = (numbers.below(2) == 0).then(|| numbers.text(&["A", "+", "/", "="], 20) + "t");
    let (service, region) = (
        numbers.of(&["execute-api", "lambda"]),
        numbers.of(&["eu-west-1", "us-east-1"]),
    );
    let time = 900_000_000 + numbers.below(2_000_000_000) as u64;
    let key = numbers.text(&["k", "/", "+", "9"], 40) + "k";
    let credentials = AwsCredentials {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: Secret::new(&*key),
        session_token: token.clone().map(Secret::new),
        expires: None,
    };
    let scope = AwsScope {
        service: service.to_owned(),
        region: region.to_owned(),
    };
    let bytes: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()))
        .collect();
    let signable = Signable {
        method,
        url: &url,
        headers: &bytes,
        body: body.as_bytes(),
    };
    let signed = scope.sign(&signable, &credentials, Timestamp(time));
    let given = json!({
        "method": method, "url": place, "params": params, "headers": headers, "body": body, "service": service,
        "region": region, "id": "AKIDEXAMPLE", "key": key, "token": token, "time": time,
    });
    (given, signed.last().expect("a signature").1.clone())
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn signatures_of_odd_requests_are_those_of_botocore() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let requests: Vec<_> = (0..2000).map(|_| request(&mut numbers)).collect();
    let mut python = Command::new(installed::python())
        .arg(installed::script("aws_sign.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut stdin = python.stdin.take().expect("it is piped");
    let lines: String = requests
        .iter()
        .map(|(given, _)| format!("{given}\n"))
        .collect();
    std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = python.wait_with_output().expect("it ends");
    let theirs = String::from_utf8(output.stdout).expect("headers are text");
    assert_eq!(theirs.lines().count(), requests.len());
    for ((given, ours), theirs) in requests.iter().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "{given}");
    }
}

const KEY: &str = "wJalrXUtnFEMI+secret";
const FLAGS: [&str; 5] = [
    "--aws-sigv4",
    "--aws-service",
    "bedrock-agentcore",
    "--aws-region",
    "eu-west-1",
];
const PATH: &str = "/runtimes/arn%3Aaws%3Ax%3A1%2Fy/invocations?qualifier=a%20b%2F%C3%B8&x";

/// A server whose clock is that many seconds ahead.
fn server(ahead: &str) -> Server {
    Server::start("aws_server", |port| {
        let mut command = Command::new(installed::python());
        command.arg(installed::script("aws_server.py"));
        command.args([port, "AKID", KEY, "bedrock-agentcore", "eu-west-1", ahead]);
        command
    })
}

/// A client with these keys, by a configuration file, so that no other test sees them.
fn config(folder: &std::path::Path, key: &str) -> [(String, String); 4] {
    let file = folder.join("credentials");
    let text = format!(
        "[test]\naws_access_key_id=AKID\naws_secret_access_key={key}\naws_session_token=to/ken+\n"
    );
    std::fs::write(&file, text).expect("a file");
    let path = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    [
        (
            "AWS_SHARED_CREDENTIALS_FILE".to_owned(),
            path("credentials"),
        ),
        ("AWS_CONFIG_FILE".to_owned(), path("none")),
        ("AWS_PROFILE".to_owned(), "test".to_owned()),
        ("LINKSPAN_STATE".to_owned(), path("state")),
    ]
}

fn call(server: &Server, key: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(installed::linkspan());
    command.args(["call", "echo", "message=ø ⛴"]).args(FLAGS);
    command
        .arg(server.url(PATH))
        .envs(config(folder.path(), key));
    command.output().expect("it runs")
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn every_request_of_a_session_is_signed() {
    let server = server("0");
    let folder = tempfile::tempdir().expect("a folder");
    let env = config(folder.path(), KEY).map(|(name, value)| format!("{name}={value}"));
    let mut words = vec!["env".to_owned()];
    words.extend(env);
    words.extend([installed::linkspan(), "connect"].map(str::to_owned));
    words.extend(FLAGS.map(str::to_owned));
    words.push(server.url(PATH));
    let (mut client, _): (Client, String) = stdio::start(&words);
    for message in ["plain", "ø ⛴ \\\" \\u0000"] {
        let arguments = format!(r#"{{"name":"echo","arguments":{{"message":"{message}"}}}}"#);
        let answer = client.call("tools/call", &arguments);
        assert!(answer.contains("Echo: "), "{answer}");
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_clock_that_is_wrong_costs_one_request_and_is_reported() {
    let ran = call(&server("4000"), KEY);
    assert!(ran.status.success(), "{ran:?}");
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(told.contains("clock of this machine"), "{told}");
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn a_wrong_key_is_refused_with_a_hint_and_never_shown() {
    let ran = call(&server("0"), "another-secret");
    assert!(!ran.status.success());
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(told.contains("AWS key is wrong"), "{told}");
    assert!(
        !told.contains("another-secret") && !told.contains("to/ken+"),
        "{told}"
    );
}
