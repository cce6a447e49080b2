//! Many processes with one store. The children are this test program with a filter and a task.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::*;

const TASK: &str = "LINKSPAN_TEST_STORE_TASK";
const FOLDER: &str = "LINKSPAN_TEST_STORE_FOLDER";
const NUMBER: &str = "LINKSPAN_TEST_STORE_NUMBER";
const LIMIT: Duration = Duration::from_secs(120);

/// What a child does. Without a task, in a normal run of the tests, it does nothing.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let store = open(Path::new(&folder), KeySource::File).unwrap();
    let number = std::env::var(NUMBER).unwrap();
    match task.as_str() {
        "increment under the lock" => (0..10).for_each(|_| increment_under_lock(&store)),
        "increment" => (0..10).for_each(|_| increment(&store)),
        "write one record" => {
            let key = sample::key(&number);
            store.write(&key, 0, sample::record(&number)).unwrap();
        }
        "write for ever" => loop {
            increment(&store);
        },
        "hold the lock" => {
            let _lock = store.lock(&sample::key("shared")).unwrap();
            writeln!(std::io::stdout(), "held").unwrap();
            // Until the parent kills this process, or is gone.
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        task => panic!("{task}"),
    }
}

/// As a refresh does it: a conflict cannot happen.
fn increment_under_lock(store: &Store) {
    let key = sample::key("shared");
    let _lock = store.lock_within(&key, LIMIT).unwrap();
    let generation = generation(store, &key);
    let written = store.write(&key, generation, sample::record("token"));
    assert_eq!(written.unwrap(), generation + 1);
}

/// Without the lock, by compare-and-swap alone.
fn increment(store: &Store) {
    let key = sample::key("shared");
    let mut expected = generation(store, &key);
    loop {
        match store.write(&key, expected, sample::record("token")) {
            Ok(_) => return,
            Err(StoreError::Conflict { current }) => expected = current.generation,
            Err(error) => panic!("{error}"),
        }
    }
}

fn generation(store: &Store, key: &CredentialKey) -> u64 {
    let record = store.read(key).unwrap();
    record.map_or(0, |record| record.generation)
}

fn start(folder: &TempDir, task: &str, number: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::processes::child", "--nocapture"])
        .env(TASK, task)
        .env(FOLDER, folder.path().join("auth"))
        .env(NUMBER, number.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap()
}

fn run(folder: &TempDir, task: &str, count: usize) {
    let children: Vec<Child> = (0..count)
        .map(|number| start(folder, task, number))
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn twenty_processes_under_the_lock_make_two_hundred_generations() {
    let folder = folder();
    run(&folder, "increment under the lock", 20);
    assert_eq!(generation(&store(&folder), &sample::key("shared")), 200);
}

#[test]
fn compare_and_swap_alone_loses_no_write() {
    let folder = folder();
    run(&folder, "increment", 8);
    assert_eq!(generation(&store(&folder), &sample::key("shared")), 80);
}

#[test]
fn processes_that_make_the_store_at_the_same_time_have_one_key() {
    let folder = folder();
    run(&folder, "write one record", 12);
    assert_eq!(store(&folder).list().unwrap().len(), 12);
}

#[test]
fn a_killed_process_does_not_keep_its_lock() {
    let folder = folder();
    let mut child = start(&folder, "hold the lock", 0);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("held")));
    let store = store(&folder);
    let key = sample::key("shared");
    assert!(store.try_lock(&key).unwrap().is_none());
    if cfg!(unix) {
        assert_eq!(store.holder(&key), Some(child.id()));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    store.lock_within(&key, LIMIT).unwrap();
}

#[test]
fn a_writer_that_is_killed_at_any_point_leaves_a_whole_store() {
    let folder = folder();
    let store = store(&folder);
    let key = sample::key("shared");
    let mut before = 0;
    for turn in 0..10 {
        let mut child = start(&folder, "write for ever", turn);
        let start = Instant::now();
        while generation(&store, &key) <= before + u64::try_from(turn).unwrap() {
            assert!(start.elapsed() < LIMIT, "the child writes nothing");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let after = generation(&store, &key);
        assert!(after > before);
        before = after;
        increment_under_lock(&store);
    }
}
