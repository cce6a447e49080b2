//! `cargo xtask demo`: the main job, seen to work with nothing but Rust on the machine.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use crate::child;
use crate::paths;

const BUILD: Duration = Duration::from_secs(1800);
const STEP: Duration = Duration::from_secs(30);

/// Starts a remote server and reaches it through the bridge, as a stdio client would.
pub fn run() -> ExitCode {
    match show() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn show() -> Result<(), String> {
    println!("Building (a few minutes the first time) …\n");
    let build = "build --locked --quiet -p linkspan -p linkspan-testkit --bins --examples";
    child::run(&mut paths::cargo(build), BUILD)?;
    let built = paths::built();
    let linkspan = built.join("linkspan").to_string_lossy().into_owned();

    let (mut server, url) = serve(&built.join("examples").join("demo_server"))?;
    println!("\nA remote server is running at {url}\n");
    let odd = r#"{"text":"hello","n":18446744073709551616,"x":0.10}"#;
    let steps: [(&str, &[&str]); 2] = [
        ("What it offers:", &["tools", &url]),
        (
            "The same server for a stdio client, which starts `linkspan connect` and speaks to that.\n\
             Every byte crosses as it was sent, also numbers that others would round:",
            &["call", "echo", odd, "--", &linkspan, "connect", &url],
        ),
    ];
    let shown = steps.into_iter().try_for_each(|(title, args)| {
        println!("{title}");
        child::run(Command::new(&linkspan).args(args), STEP)?;
        println!();
        Ok(())
    });
    let _ = server.kill();
    let _ = server.wait();
    shown
}

fn serve(program: &std::path::Path) -> Result<(Child, String), String> {
    let mut server = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("the demo server does not start: {e}"))?;
    let mut url = String::new();
    if let Some(out) = server.stdout.take() {
        let read = BufReader::new(out).read_line(&mut url);
        read.map_err(|e| e.to_string())?;
    }
    Ok((server, url.trim().to_owned()))
}
