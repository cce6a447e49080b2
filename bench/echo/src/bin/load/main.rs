//! Measures one way to reach the echo server and prints the figures as one JSON object.
//!
//! `bench-load [--quick] [--sse] --echo PATH direct`
//! `bench-load [--quick] [--sse] [--stderr FILE] --echo PATH bridge CMD ARG…`, where
//! `{url}` in an argument becomes the server's URL.
//! `bench-load [--quick] [--modern] [--stderr FILE] --echo PATH exposed CMD ARG…`, where
//! `{port}` becomes the port to listen on; with `--modern` the client is one of 2026-07-28.
//! `bench-load [--quick] [--stderr FILE] [--in-flight N] served CMD ARG…`, a server of tools of its
//! own; without a number only its start is measured.
//! `bench-load [--quick] [--stderr FILE] told CMD ARG…`, a server or a bridge whose tool `text` gives one
//! text.
//! `bench-load [--quick] --in-flight N spawning CMD ARG…`, the tool itself, without any server.

mod args;
mod ask;
mod bridge;
mod connection;
mod direct;
mod echo_process;
mod exposed;
mod group;
mod line;
mod measure;
mod plan;
mod proc;
mod report;
mod served;
mod sessions;
mod spawning;
mod stats;
mod told;
mod watchdog;

use args::{Args, Target};
use ask::Era;
use bridge::Bridge;
use direct::Direct;
use echo_process::EchoProcess;
use exposed::Exposed;
use measure::Link;
use plan::Plan;
use report::Report;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The error is a text for the table.
pub type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    match Args::parse().and_then(|args| run(&args)) {
        Ok(report) => {
            println!("{}", report.to_json());
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("bench-load: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome<Report> {
    let mut plan = if args.quick {
        Plan::quick()
    } else {
        Plan::full()
    };
    plan.in_flight = args.in_flight.unwrap_or(plan.in_flight);
    let stderr = args.stderr.as_deref();
    let mut report = Report::default();
    match &args.target {
        Target::Served(command) if args.in_flight.is_none() => {
            served::starts(command, stderr, &plan, &mut report)?;
        }
        Target::Served(command) => served::calls(command, stderr, &plan, &mut report)?,
        Target::Told(command) => told::calls(command, stderr, &plan, &mut report)?,
        Target::Spawning(command) => spawning::measure(command, &plan, &mut report)?,
        _ => through(args, &plan, &mut report)?,
    }
    Ok(report)
}

/// Measurements through the echo server.
fn through(args: &Args, plan: &Plan, report: &mut Report) -> Outcome<()> {
    let stderr = args.stderr.as_deref();
    let echo = EchoProcess::start(
        args.echo.as_ref().ok_or("--echo PATH is missing")?,
        args.sse,
    )?;
    match &args.target {
        Target::Direct => {
            let open = || Direct::open(echo.address(), args.era);
            measured(report, plan, open)?;
        }
        Target::Bridge(command) => {
            let command: Vec<String> = command
                .iter()
                .map(|word| word.replace("{url}", echo.url()))
                .collect();
            let open = || Bridge::start(&command, stderr);
            measured(report, plan, open)?;
        }
        Target::Exposed(command) if args.era == Era::Modern => {
            // The other measurements do not depend on the era.
            let mut link = Exposed::start(command, stderr, args.era)?;
            link.initialize()?;
            measure::short_calls(&mut link, plan, report);
        }
        Target::Exposed(command) => {
            let open = || Exposed::start(command, stderr, args.era);
            measured(report, plan, open)?;
            if let Err(why) = open().and_then(|b| sessions::measure(b, plan, report)) {
                report.failed("sessions", why);
            }
        }
        Target::Served(_) | Target::Told(_) | Target::Spawning(_) => {}
    }
    Ok(())
}

fn measured<L: Link>(
    report: &mut Report,
    plan: &Plan,
    open: impl Fn() -> Outcome<L>,
) -> Outcome<()> {
    let until = Instant::now() + plan.start_limit;
    for round in 0..plan.starts {
        if round >= 3 && Instant::now() > until {
            break;
        }
        let start = Instant::now();
        let mut link = open()?;
        let answered = link.initialize()?;
        report.start_ms.push(stats::ms(answered - start));
        drop(link);
        // Let the ended process leave the machine before the next one comes.
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut link = open()?;
    measure::session(&mut link, plan, report)
}
