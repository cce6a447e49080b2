//! Tests of the trampoline: this test program starts itself and becomes a shell.

#![allow(clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use linkspan_testkit::wait_for;

use super::confine::{Support, confine, support};
use super::exec::exec;
use super::profile::Profile;
use crate::folder::RunSettings;

/// The exit code of this test program as a trampoline that did not become the tool.
const REFUSED: u8 = 126;

const WORDS: &str = "LINKSPAN_TEST_WORDS";

/// Not a test: the body of the process that the tests start.
#[test]
fn trampoline() {
    let Some(words) = std::env::var_os(WORDS) else {
        return;
    };
    let words: Vec<String> = serde_json::from_str(words.to_str().unwrap()).unwrap();
    let words = words.into_iter().map(OsString::from);
    let Err(reason) = exec(words, &|name| std::env::var_os(name));
    eprintln!("not run: {reason}");
    std::process::exit(i32::from(REFUSED));
}

/// This program as a trampoline for the words after `__exec`.
fn through(words: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "sandbox::tests::trampoline", "--nocapture", "-q"])
        .env(WORDS, serde_json::to_string(words).unwrap())
        .stdin(Stdio::null());
    command
}

struct Folder(tempfile::TempDir, RunSettings);

impl Folder {
    /// A served folder with a file, beside a folder with a secret, a `data` folder and an `out` folder.
    fn new(level: u8) -> Self {
        let this = Self(tempfile::tempdir().unwrap(), RunSettings::default());
        for name in ["served", "data", "out", "tmp"] {
            fs::create_dir(this.at(name)).unwrap();
        }
        fs::write(this.at("served/file"), "served").unwrap();
        fs::write(this.at("data/file"), "data").unwrap();
        fs::write(this.at("out/file"), "out").unwrap();
        fs::write(this.at("secret"), "secret").unwrap();
        this.settings(|run| run.sandbox.level = level)
    }

    fn settings(mut self, change: impl FnOnce(&mut RunSettings)) -> Self {
        change(&mut self.1);
        self
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn profile(&self) -> Profile {
        let roots = [self.at("out"), self.at("gone")];
        let mut profile = Profile::for_run(&self.1, &roots, &self.at("served")).unwrap();
        profile.set_tmp(&self.at("tmp"));
        profile
    }

    fn command(&self, script: &str) -> Command {
        let profile = serde_json::to_string(&self.profile()).unwrap();
        let mut command = through(&[&profile, "--", "bash", "-c", script]);
        command.current_dir(self.at("served"));
        command
    }

    fn run(&self, script: &str) -> Output {
        self.command(script).output().unwrap()
    }

    /// The stdout of a script that must succeed.
    fn says(&self, script: &str) -> String {
        let output = self.run(script);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {said}", output.status);
        printed(&output)
    }

    /// Whether the command succeeds in the shell.
    fn can(&self, what: &str) -> bool {
        match self
            .says(&format!("if {what}; then echo yes; else echo no; fi"))
            .trim()
        {
            "yes" => true,
            "no" => false,
            other => panic!("{other}"),
        }
    }
}

/// The stdout without the output of the test harness.
fn printed(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let start = "running 1 test\n";
    let end = text.find(start).map_or(0, |at| at + start.len());
    text[end..].to_owned()
}

#[test]
fn only_system_files_and_the_folder_are_readable() {
    let folder = Folder::new(2);
    assert_eq!(folder.says("cat file"), "served");
    assert_eq!(folder.says("ls"), "file\n");
    assert!(folder.can("head -c1 /etc/passwd >/dev/null"));
    assert!(folder.can("head -c1 /dev/urandom >/dev/null"));
    for denied in [
        "cat ../secret",
        "cat ../data/file",
        "ls ..",
        "ls /",
        "ls /root",
        "ls ~",
    ] {
        assert!(
            !folder.can(&format!("{denied} >/dev/null 2>&1")),
            "{denied}"
        );
    }
}

#[test]
fn declared_read_paths_are_not_writable() {
    let folder = Folder::new(2);
    let data = folder.at("data");
    let folder = folder.settings(|run| run.sandbox.read = vec![data]);
    assert_eq!(folder.says("cat ../data/file; ls ../data"), "datafile\n");
    for denied in [
        "echo >../data/new",
        "echo >>../data/file",
        ": >../data/file",
        "truncate -s0 ../data/file",
        "rm ../data/file",
        "mkdir ../data/dir",
        "mv ../data/file ../data/other",
        "ln -s x ../data/link",
        "echo >file",
        "echo >new",
    ] {
        assert!(!folder.can(&format!("{denied} 2>/dev/null")), "{denied}");
    }
    assert_eq!(fs::read(folder.at("data/file")).unwrap(), b"data");
}

#[test]
fn writable_paths_allow_create_change_and_remove() {
    let folder = Folder::new(2);
    let (out, file) = (folder.at("out"), folder.at("secret"));
    let folder = folder.settings(|run| run.sandbox.write = vec![out, file]);
    let script = "set -e; cd ../out; cat file; mkdir -p a/b; echo 1 >a/b/c; mv a/b/c d; ln -s d e; \
                  truncate -s0 d; rm -r a file; ls; echo 2 >>../secret; printf '#!/bin/sh\necho ran' >f; \
                  chmod +x f; ./f";
    assert_eq!(folder.says(script), "outd\ne\nran\n");
    assert_eq!(fs::read(folder.at("secret")).unwrap(), b"secret2\n");
    assert!(!folder.can("mknod ../out/device c 1 3 2>/dev/null"));
    assert!(!folder.can("mv ../out/d ../data 2>/dev/null"));
}

#[test]
fn missing_writable_paths_in_the_folder_are_created() {
    let folder = Folder::new(2).settings(|run| {
        run.sandbox.write = vec!["./cache".into(), "logs/today.log".into()];
    });
    let script = "set -e; echo 1 >cache/new; echo 2 >>logs/today.log; cat cache/new logs/today.log";
    assert_eq!(folder.says(script), "1\n2\n");
    assert!(!folder.can("touch logs/other 2>/dev/null"));
    let folder = folder.settings(|run| run.sandbox.write = vec!["../elsewhere".into()]);
    assert_eq!(folder.run("true").status.code(), Some(i32::from(REFUSED)));
    assert!(!folder.at("elsewhere").exists());
}

#[test]
fn set_id_files_cannot_be_created() {
    let folder = Folder::new(2);
    let out = folder.at("out");
    let folder = folder.settings(|run| run.sandbox.write = vec![out]);
    assert!(folder.can("chmod 700 ../out/file"));
    for refused in ["u+s", "g+s", "4755", "2755"] {
        let chmod = format!("chmod {refused} ../out/file 2>/dev/null");
        assert!(!folder.can(&chmod), "{refused}");
    }
    let mode = fs::metadata(folder.at("out/file")).unwrap().permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o7777,
        0o700
    );
}

#[test]
fn a_tool_that_writes_nothing_changes_no_mode_owner_or_time() {
    let folder = Folder::new(2);
    for refused in [
        "chmod 777 ../secret",
        "chmod 777 file",
        "chown 0:0 ../secret",
        "touch -d 2001-01-01 ../secret",
        "touch -c ../secret",
    ] {
        assert!(!folder.can(&format!("{refused} 2>/dev/null")), "{refused}");
    }
    assert!(folder.can("touch $TMPDIR/new"));
}

#[test]
fn temporary_files_go_into_a_folder_of_its_own() {
    let folder = Folder::new(2);
    let script = "set -e; f=$(mktemp); echo x >$f; cat <<< hello; dirname $f";
    let text = format!("hello\n{}\n", folder.at("tmp").display());
    assert_eq!(folder.says(script), text);
    assert!(!folder.can("touch /tmp/linkspan-test-file 2>/dev/null"));
}

#[test]
fn client_roots_are_accessible_if_configured() {
    let folder = Folder::new(2);
    assert!(!folder.can("cat ../out/file >/dev/null 2>&1"));
    let folder = folder.settings(|run| run.sandbox.roots = true);
    assert!(folder.can("cat ../out/file >/dev/null && echo >../out/new"));
    assert!(!folder.can("cat ../secret >/dev/null 2>&1"));
}

#[test]
fn what_our_variables_name_is_reached() {
    let folder = Folder::new(2);
    let stream = folder.at("stream");
    fs::write(&stream, "").unwrap();
    let script = "cat $MCP_TOOL_ARGS_FILE; cat $MCP_SDK/file; echo p >$MCP_PROGRESS_STREAM; \
                  cat $MCP_PROGRESS_STREAM; echo q >$MCP_ELICIT_REQUEST_FILE.new; \
                  mv $MCP_ELICIT_REQUEST_FILE.new $MCP_ELICIT_REQUEST_FILE; ls ../out";
    let output = folder
        .command(script)
        .env("MCP_TOOL_ARGS_FILE", folder.at("secret"))
        .env("MCP_SDK", folder.at("data"))
        .env("MCP_PROGRESS_STREAM", &stream)
        .env("MCP_LOG_STREAM", "")
        .env("MCP_ELICIT_REQUEST_FILE", folder.at("out/question"))
        .output();
    let text = "secretdatap\nfile\nquestion\n";
    assert_eq!(printed(&output.unwrap()), text);
}

#[test]
fn a_language_beside_its_libraries_runs_wherever_it_is() {
    let folder = Folder::new(2);
    for name in ["lang", "lang/bin", "lang/lib"] {
        fs::create_dir(folder.at(name)).unwrap();
    }
    fs::copy("/bin/cat", folder.at("lang/bin/run")).unwrap();
    fs::write(folder.at("lang/lib/part"), "part\n").unwrap();
    fs::write(folder.at("lang/private"), "").unwrap();
    let profile = serde_json::to_string(&folder.profile()).unwrap();
    let run = folder.at("lang/bin/run");
    let words = |file: &str| {
        let file = folder.at(file);
        let words = [
            &*profile,
            "--",
            run.to_str().unwrap(),
            file.to_str().unwrap(),
        ];
        through(&words).output().unwrap()
    };
    assert_eq!(printed(&words("lang/lib/part")), "part\n");
    assert!(!words("lang/private").status.success());
}

#[test]
fn ports_are_reached_if_they_are_granted() {
    let (open, shut) = (listener(), listener());
    let (open_port, shut_port) = (port(&open), port(&shut));
    let connects = |folder: &Folder, port: u16| {
        folder.can(&format!("(exec 9<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null"))
    };
    let folder = Folder::new(2);
    assert!(connects(&folder, open_port) && connects(&folder, shut_port));
    let folder = folder.settings(|run| run.sandbox.net = Some(vec![open_port]));
    assert!(connects(&folder, open_port));
    assert!(!connects(&folder, shut_port));
    let folder = folder.settings(|run| run.sandbox.net = Some(Vec::new()));
    assert!(!connects(&folder, open_port));
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn port(listener: &TcpListener) -> u16 {
    listener.local_addr().unwrap().port()
}

#[test]
fn the_server_process_cannot_be_signalled_or_traced() {
    let folder = Folder::new(2);
    let us = std::process::id();
    assert!(
        folder.can("cat /proc/self/environ >/dev/null"),
        "its own is not"
    );
    assert!(!folder.can(&format!("cat /proc/{us}/environ >/dev/null 2>&1")));
    assert!(!folder.can(&format!("cat /proc/{us}/maps >/dev/null 2>&1")));
    assert!(!folder.can(&format!("readlink /proc/{us}/fd/0 >/dev/null 2>&1")));
    if support().scopes {
        assert!(!folder.can(&format!("kill -0 {us} 2>/dev/null")));
    }
    assert!(
        folder.can("{ sleep 60 & kill $!; }"),
        "its own children are not"
    );
}

#[test]
fn pipes_and_substitutions_of_a_shell_still_work() {
    let folder = Folder::new(2);
    assert_eq!(
        folder.says("cat <(echo a) | tr a b; echo c >/dev/stdout"),
        "b\nc\n"
    );
}

#[test]
fn limits_are_set_and_none_is_raised() {
    let folder = Folder::new(1).settings(|run| {
        run.limits.cpu = Some(7);
        run.limits.memory = Some(1 << 30);
        run.limits.files = Some(33);
        run.limits.file_size = Some(8192);
        run.limits.processes = Some(4444);
    });
    let all = "ulimit -St; ulimit -Ht; ulimit -v; ulimit -n; ulimit -f; ulimit -u; ulimit -c";
    assert_eq!(folder.says(all), "7\n8\n1048576\n33\n8\n4444\n0\n");
    let folder = folder.settings(|run| run.limits.files = Some(u64::MAX));
    assert_ne!(folder.says("ulimit -n"), "unlimited\n");
}

#[test]
fn limits_are_enforced() {
    let folder = Folder::new(1).settings(|run| {
        run.limits.cpu = Some(1);
        run.limits.memory = Some(256 << 20);
        run.limits.files = Some(12);
        run.limits.file_size = Some(8192);
    });
    let start = Instant::now();
    let output = folder.run("exec 2>/dev/null; while :; do :; done");
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(output.status.signal(), Some(24), "XCPU: {output:?}");
    assert!(!folder.can("(head -c 9000 /dev/zero >../out/big) 2>/dev/null"));
    assert_eq!(fs::metadata(folder.at("out/big")).unwrap().len(), 8192);
    assert!(!folder.can("(exec 11</dev/null 12</dev/null) 2>/dev/null"));
    assert!(!folder.can("(x=$(head -c 300000000 /dev/zero | tr '\\0' x)) 2>/dev/null"));
}

#[test]
fn level_1_drops_privileges_and_resets_signals() {
    for (level, expected) in [(0, "0"), (1, "1"), (2, "1")] {
        let folder = Folder::new(level).settings(|run| run.limits.files = Some(99));
        let text = folder.says("cat /proc/self/status");
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap().trim().to_owned()
        };
        assert_eq!(field("NoNewPrivs:"), expected);
        let ignored = u64::from_str_radix(&field("SigIgn:"), 16).unwrap();
        assert_eq!(ignored & (1 << 12), 0, "SIGPIPE");
        assert_eq!(field("SigBlk:"), "0000000000000000");
    }
}

#[test]
fn no_file_of_the_trampoline_is_left_open() {
    let list = "ls /proc/self/fd";
    let plain = Command::new("bash").args(["-c", list]).output().unwrap();
    // The same descriptors as in a plain shell of this test.
    let expected = String::from_utf8(plain.stdout).unwrap();
    assert_eq!(Folder::new(2).says(list), expected);
}

#[test]
fn root_keeps_file_access_and_no_other_capabilities() {
    let folder = Folder::new(2);
    let text = folder.says("cat /proc/self/status");
    for name in ["CapPrm:", "CapEff:", "CapAmb:", "CapInh:"] {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let set = u64::from_str_radix(line.unwrap().trim(), 16).unwrap();
        assert_eq!(set & !0b10, 0, "{name} {set:x}");
    }
}

#[test]
fn a_failed_restriction_is_reported_and_nothing_runs() {
    let refused = |words: &[&str], expected: &str| {
        let output = through(words).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(i32::from(REFUSED)), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!printed(&output).contains("ran"));
    };
    let folder = Folder::new(2);
    let good = serde_json::to_string(&folder.profile()).unwrap();
    refused(&[], "no profile");
    refused(&["{}", "--", "echo", "ran"], "the profile is unreadable");
    refused(
        &["nonsense", "--", "echo", "ran"],
        "the profile is unreadable",
    );
    let more = good.replacen('{', "{\"more\":1,", 1);
    refused(&[&more, "--", "echo", "ran"], "unknown field `more`");
    refused(&[&good, "echo", "ran"], "`--` is expected");
    refused(&[&good, "--"], "no program");
    refused(&[&good, "--", "linkspan-no-such"], "linkspan-no-such: ");

    let gone = folder.at("gone");
    let folder = folder.settings(|run| run.sandbox.write = vec![gone]);
    let bad = serde_json::to_string(&folder.profile()).unwrap();
    refused(
        &[&bad, "--", "echo", "ran"],
        "gone (under `write`): No such file",
    );

    let mut late = Folder::new(2).profile();
    late.server = 1;
    let late = serde_json::to_string(&late).unwrap();
    refused(
        &[&late, "--", "echo", "ran"],
        "the server that started this call has ended",
    );
}

#[test]
fn missing_support_is_fatal_unless_optional() {
    let nothing = Support {
        files: false,
        ports: false,
        scopes: false,
    };
    let files = Support {
        files: true,
        ..nothing
    };
    let folder = Folder::new(2).settings(|run| run.sandbox.net = Some(vec![1]));
    let reach = folder.profile().reach.unwrap();
    let refuses = |can| {
        confine(&reach, "sh".as_ref(), &|_| None, can)
            .unwrap_err()
            .to_string()
    };
    assert!(
        refuses(nothing).contains("files (Linux 6.2"),
        "{}",
        refuses(nothing)
    );
    assert!(refuses(files).contains("TCP ports (Linux 6.7"));
    let mut free = reach.clone();
    free.optional = true;
    // On a thread of its own, which is all that Landlock confines.
    let confined = std::thread::spawn(move || {
        confine(&free, "sh".as_ref(), &|_| None, nothing).unwrap();
        fs::read_dir("/").is_err()
    });
    assert_eq!(confined.join().unwrap(), support().files);
}

#[test]
fn a_tool_ends_with_its_server() {
    let folder = Folder::new(1).settings(|run| run.limits.files = Some(99));
    let profile = serde_json::to_string(&folder.profile()).unwrap();
    let own = format!("\"server\":{},", std::process::id());
    let template = profile.replacen(&own, "\"server\":PARENT,", 1);
    assert_ne!(template, profile);
    let words = serde_json::to_string(&[&template, "--", "sleep", "600"]).unwrap();
    // A shell acts as the server. It starts the trampoline, prints its process id, and waits to be killed.
    let script = format!(
        "export {WORDS}=$(printf %s \"$TEMPLATE\" | sed s/PARENT/$$/); \
         \"$@\" </dev/null >/dev/null & echo $!; wait"
    );
    let mut trampoline = through(&[]);
    trampoline.env("TEMPLATE", words);
    let mut server = Command::new("sh");
    server.args(["-c", &script, "sh"]);
    server
        .arg(trampoline.get_program())
        .args(trampoline.get_args());
    for (name, value) in trampoline.get_envs() {
        server.env(name, value.unwrap());
    }
    let mut server = server.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let stdout = server.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    let tool = format!("/proc/{}", line.trim());
    let name = || fs::read_to_string(format!("{tool}/comm")).unwrap_or_default();
    wait_for("the tool", || name() == "sleep\n");
    server.kill().unwrap();
    server.wait().unwrap();
    wait_for("the end of the tool", || {
        !Path::new(&tool).exists() || name().is_empty() || is_zombie(&tool)
    });
}

fn is_zombie(process: &str) -> bool {
    let stat = fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
    stat.contains(") Z ")
}
