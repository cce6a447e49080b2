//! Compares the rate of started processes of `std::process` on threads with a spawner under a runtime of one
//! thread, in one run.
//!
//! `cargo run --release -p linkspan-spawn --example rate [PROGRAM [ROUNDS]]`

#![allow(clippy::print_stdout, clippy::unwrap_used)]

#[cfg(target_os = "linux")]
fn main() {
    let mut words = std::env::args().skip(1);
    let program = words.next().unwrap_or_else(|| "/bin/true".into());
    let rounds = words.next().map_or(8, |n| n.parse().unwrap());
    rate::run(&program, rounds);
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod rate {
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::process::Stdio;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use linkspan_spawn::{Command, Spawner, become_subreaper, spawn};

    const COUNT: usize = 600;

    pub fn run(program: &str, rounds: usize) {
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let threads = threads.clamp(2, 8);
        become_subreaper().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let spawner = Spawner::new();
        let ways: [(&str, &dyn Fn() -> Duration); 4] = [
            ("std::process, threads", &|| plain(program, threads)),
            ("spawn(), threads", &|| direct(program, threads)),
            ("Spawner", &|| {
                runtime.block_on(through(&spawner, program, threads * 2, false))
            }),
            ("Spawner, sweeping after each", &|| {
                runtime.block_on(through(&spawner, program, threads * 2, true))
            }),
        ];
        let mut times = vec![Vec::new(); ways.len()];
        let mut ticks = vec![0; ways.len()];
        for round in 0..=rounds {
            for ((way, times), ticks) in ways.iter().zip(&mut times).zip(&mut ticks) {
                let before = processor();
                let time = (way.1)().as_secs_f64();
                // The first round warms up.
                if round > 0 {
                    times.push(time);
                    *ticks += processor() - before;
                }
            }
        }
        println!("{program:30}    median  CPU each  ratio (best to worst)");
        for ((way, mine), ticks) in ways.iter().zip(&times).zip(&ticks) {
            // Compares within a round, because the load of the machine varies.
            let ratios = times[0].iter().zip(mine).map(|(base, mine)| base / mine);
            let (low, ratio, high) = spread(ratios.collect());
            let (_, time, _) = spread(mine.clone());
            let rate = COUNT as f64 / time;
            let each = ticks * 10_000 / (COUNT * rounds);
            println!(
                "{:30} {rate:7.0}/s  {each:5} µs  {ratio:.2} ({high:.2} to {low:.2})",
                way.0
            );
        }
        let start = Instant::now();
        for _ in 0..1000 {
            runtime.block_on(spawner.sweep("unused"));
        }
        println!("a sweep that finds nothing: {:?}", start.elapsed() / 1000);
    }

    /// The CPU time of this process and its dead children so far, in hundredths of a second.
    fn processor() -> usize {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        let fields = stat[stat.rfind(')').unwrap()..].split(' ');
        fields
            .skip(12)
            .take(4)
            .map(|n| n.parse::<usize>().unwrap())
            .sum()
    }

    /// The minimum, the median and the maximum.
    fn spread(mut numbers: Vec<f64>) -> (f64, f64, f64) {
        numbers.sort_by(f64::total_cmp);
        let last = numbers.len() - 1;
        (numbers[0], numbers[last / 2], numbers[last])
    }

    fn plain(program: &str, threads: usize) -> Duration {
        on_threads(threads, || {
            let status = std::process::Command::new(program)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(status.unwrap().success());
        })
    }

    fn direct(program: &str, threads: usize) -> Duration {
        on_threads(threads, || {
            let mut child = spawn(&command(program)).unwrap();
            while child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(50));
            }
        })
    }

    fn on_threads(threads: usize, once: impl Fn() + Sync) -> Duration {
        let left = AtomicUsize::new(COUNT);
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let take = |left: usize| left.checked_sub(1);
                    while left
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                        .is_ok()
                    {
                        once();
                    }
                });
            }
        });
        start.elapsed()
    }

    async fn through(spawner: &Spawner, program: &str, flying: usize, sweep: bool) -> Duration {
        let start = Instant::now();
        let mut calls = tokio::task::JoinSet::new();
        for lane in 0..flying {
            let (spawner, program) = (spawner.clone(), program.to_owned());
            let share = COUNT / flying + usize::from(lane < COUNT % flying);
            calls.spawn(async move {
                for _ in 0..share {
                    let mut child = spawner.spawn(command(&program), true).await.unwrap();
                    assert!(child.wait().await.unwrap().success());
                    if sweep {
                        spawner.sweep("unused").await;
                    }
                }
            });
        }
        while let Some(done) = calls.join_next().await {
            done.unwrap();
        }
        start.elapsed()
    }

    fn command(program: &str) -> Command {
        let null = || {
            OwnedFd::from(
                File::options()
                    .read(true)
                    .write(true)
                    .open("/dev/null")
                    .unwrap(),
            )
        };
        Command {
            program: program.into(),
            args: vec![program.into()],
            env: std::env::vars_os().collect(),
            cwd: "/".into(),
            fds: vec![(null(), 0), (null(), 1), (null(), 2)],
        }
    }
}
