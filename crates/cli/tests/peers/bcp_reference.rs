//! The oracle: `bcp` 0.1.0 itself, on generated cases. What it writes we write, byte for byte; what
//! we write it reads; and with `--compat` both show the same. It is no part of the product: it has
//! no limits and knows five types of blocks on its command line.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::bcp_cases::{Dice, manifest, payload};
use crate::installed;

const MODES: [&str; 3] = ["xml", "markdown", "minimal"];

/// How a run ended: exit code and output. Messages differ, and may.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    fine: bool,
    stdout: String,
}

/// A folder in which both programs find the same files.
struct Bench {
    folder: PathBuf,
    cases: usize,
    about: &'static str,
}

impl Bench {
    fn new(about: &'static str) -> Self {
        let name = format!("linkspan-oracle-{}-{about}", std::process::id());
        let folder = std::env::temp_dir().join(name.replace(' ', "-"));
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self {
            folder,
            cases: 0,
            about,
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.join(name), bytes).expect("a file can be written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs the reference implementation with these words.
    fn theirs(&self, words: &[&str]) -> Ended {
        let mut command = Command::new(installed::bcp());
        command.args(words);
        self.end(command, b"")
    }

    /// `linkspan bcp` with these words.
    fn ours(&self, words: &[&str], stdin: &[u8]) -> Ended {
        let mut command = Command::new(installed::linkspan());
        command.arg("bcp").args(words);
        self.end(command, stdin)
    }

    fn end(&self, mut command: Command, stdin: &[u8]) -> Ended {
        let mut child = command
            .current_dir(&self.folder)
            .env_remove("BCP_RENDER_MODE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut pipe = child.stdin.take().expect("its input is piped");
        let bytes = stdin.to_vec();
        let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
        let output = child.wait_with_output().expect("the child is ours");
        writer.join().expect("writing does not panic");
        Ended {
            fine: output.status.code() == Some(0),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        }
    }

    /// Compares the outputs of both implementations for these words; ours runs with `--compat` if the command has it.
    fn agree(&mut self, words: &[&str], compat: bool, about: &str) {
        self.cases += 1;
        let theirs = self.theirs(words);
        let mut words = words.to_vec();
        words.extend(compat.then_some("--compat"));
        assert_eq!(self.ours(&words, b""), theirs, "{words:?}: {about}");
    }

    /// In every mode, and by every other command.
    fn agree_on(&mut self, file: &str, about: &str) {
        for mode in MODES {
            self.agree(&["decode", file, "--mode", mode], true, about);
        }
        self.agree(&["inspect", file], true, about);
        self.agree(&["inspect", file, "--show-body", "--show-hex"], true, about);
        self.agree(&["inspect", file, "--block", "1"], true, about);
        self.agree(&["stats", file], true, about);
        self.agree(&["validate", file], false, about);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Past the test's own capture: the number belongs into every log.
        let _ = writeln!(std::io::stderr(), "{}: {} cases", self.about, self.cases);
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Every set of flags.
fn flags() -> Vec<Vec<&'static str>> {
    let all = ["--compress-blocks", "--compress-payload", "--dedup"];
    let chosen = |set: usize| (0..3).filter(move |at| set >> at & 1 == 1);
    let sets = (0..8).map(|set| chosen(set).map(|at| all[at]).collect());
    sets.collect()
}

fn encode<'a>(input: &'a str, output: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    [&["encode", input, "-o", output], flags].concat()
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn manifests_become_the_same_bytes() {
    let mut bench = Bench::new("bytes of encode");
    for seed in 0..150 {
        let manifest = manifest(&mut Dice::new(seed));
        bench.write("m.json", manifest.as_bytes());
        for flags in flags() {
            let theirs = bench.theirs(&encode("m.json", "theirs.bcp", &flags));
            let words = [encode("m.json", "ours.bcp", &flags), vec!["--compat"]].concat();
            let ours = bench.ours(&words, b"");
            let about = format!("seed {seed}, {flags:?}");
            assert!(theirs.fine, "the generator is wrong: {about}");
            assert!(ours.fine, "{about}: {ours:?}");
            let same = bench.read("ours.bcp") == bench.read("theirs.bcp");
            assert!(same, "{about}, see {}", bench.folder.display());
            let said = ours.stdout.replace("ours.bcp", "theirs.bcp");
            assert_eq!(said, theirs.stdout, "{about}");
            bench.cases += 1;
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn files_with_every_type_of_block_are_shown_alike() {
    let mut bench = Bench::new("files of every type");
    for seed in 0..200 {
        bench.write("all.bcp", &payload(&mut Dice::new(seed)));
        let valid = bench.theirs(&["validate", "all.bcp"]);
        assert!(valid.fine, "the generator is wrong: seed {seed}: {valid:?}");
        bench.agree_on("all.bcp", &format!("seed {seed}"));
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn what_we_write_of_every_type_the_reference_reads() {
    let mut bench = Bench::new("files of every type that we wrote");
    for seed in 0..60 {
        let file = payload(&mut Dice::new(seed));
        bench.write("all.bcp", &file);
        let json = bench.ours(&["decode", "all.bcp", "--json"], b"");
        assert!(json.fine, "seed {seed}");
        let shown = MODES.map(|mode| bench.theirs(&["decode", "all.bcp", "--mode", mode]));
        for flags in [&[][..], &["--compress-blocks"], &["--compress-payload"]] {
            let words = encode("-", "ours.bcp", flags);
            let about = format!("seed {seed}, {flags:?}");
            let written = bench.ours(&words, json.stdout.as_bytes());
            assert!(written.fine, "{about}: {}", json.stdout);
            assert!(
                !flags.is_empty() || bench.read("ours.bcp") == file,
                "{about}: other bytes, see {}",
                bench.folder.display()
            );
            for (mode, shown) in MODES.iter().zip(&shown) {
                let again = bench.theirs(&["decode", "ours.bcp", "--mode", mode]);
                assert_eq!(&again, shown, "{about}");
            }
            bench.agree_on("ours.bcp", &about);
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn its_files_with_references_are_read_by_us_alone() {
    let mut bench = Bench::new("files with references");
    let mut unreadable = 0;
    for seed in 1000..1080 {
        let manifest = manifest(&mut Dice::new(seed));
        bench.write("m.json", manifest.as_bytes());
        bench.theirs(&encode("m.json", "plain.bcp", &[]));
        for compress in [&[][..], &["--compress-blocks"], &["--compress-payload"]] {
            let flags = [compress, &["--dedup"]].concat();
            let written = bench.theirs(&encode("m.json", "dedup.bcp", &flags));
            assert!(written.fine, "seed {seed}");
            unreadable += usize::from(!bench.theirs(&["validate", "dedup.bcp"]).fine);
            for mode in MODES {
                let plain = bench.theirs(&["decode", "plain.bcp", "--mode", mode]);
                let words = ["decode", "dedup.bcp", "--mode", mode, "--compat"];
                assert_eq!(bench.ours(&words, b""), plain, "seed {seed}, {flags:?}");
                bench.cases += 1;
            }
            let valid = bench.ours(&["validate", "dedup.bcp"], b"");
            assert!(valid.fine, "seed {seed}, {flags:?}");
        }
    }
    assert!(
        unreadable > 50,
        "the generator repeats too little: {unreadable}"
    );
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn budgets_verbosities_and_filters_choose_alike() {
    let mut bench = Bench::new("budgets verbosities and filters");
    for seed in 2000..2150 {
        let mut dice = Dice::new(seed);
        bench.write("all.bcp", &payload(&mut dice));
        for _ in 0..6 {
            let budget = (dice.next() >> (40 + dice.below(24)) & 0xFFFF_FFFF).to_string();
            let mode = dice.pick(&MODES);
            let mut words = vec!["decode", "all.bcp", "--mode", mode];
            if !dice.once_in(5) {
                words.extend(["--budget", &budget]);
            }
            if dice.once_in(2) {
                let verbosity = dice.pick(&["full", "summary", "adaptive", "Summary"]);
                words.extend(["--verbosity", verbosity]);
            }
            if dice.once_in(4) {
                let include = dice.pick(&[
                    "code",
                    "code,diff",
                    "conversation,file_tree,filetree",
                    "tool_result,document,StructuredData",
                    "image,extension,embedding_ref",
                    "annotation",
                ]);
                words.extend(["--include", include]);
            }
            bench.agree(&words, true, &format!("seed {seed}"));
        }
    }
}

#[test]
#[ignore = "needs the peers that `cargo xtask test` installs"]
fn bytes_that_are_no_text_end_a_rendering_alike() {
    let mut bench = Bench::new("bytes that are no text");
    for seed in 3000..3100 {
        let mut dice = Dice::new(seed);
        let mut file = payload(&mut dice);
        // Changes bytes outside the header. Most of these files are broken; some only have other contents.
        for _ in 0..1 + dice.below(2) {
            let at = 8 + dice.below(file.len() - 8);
            file[at] = [0x80, 0xFF, 0xC3][dice.below(3)];
        }
        bench.write("odd.bcp", &file);
        for mode in MODES {
            let words = ["decode", "odd.bcp", "--mode", mode];
            let (theirs, ours) = (
                bench.theirs(&words),
                bench.ours(&[&words[..], &["--compat"]].concat(), b""),
            );
            // We may refuse what it accepts; if both accept a file, the outputs are the same; and we never accept a
            // file that it refuses.
            assert!(theirs.fine || !ours.fine, "seed {seed}: {ours:?}");
            assert!(!ours.fine || ours == theirs, "seed {seed}, {mode}");
            bench.cases += 1;
        }
    }
}
