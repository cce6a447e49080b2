//! An MCP server as a shell script: there is always `sh`.

use std::fs::File;
use std::io::Read;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use linkspan_testkit::LIMIT;

use crate::setup::Scratch;

/// Answers `tools/list` and `tools/call`, the latter with the result of `on_call`.
const SERVER: &str = r#"
on_call() { result='{"content":[{"type":"text","text":"hello from sh"}]}'; }
BEFORE
while IFS= read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    case $line in
    *'"method":"initialize"'*)
        result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*)
        result='{"tools":[{"name":"hello","description":"Says hello.","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
        on_call ;;
    *)
        continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

impl Scratch {
    /// A server that runs `before` first.
    pub fn server(&self, before: &str) -> String {
        self.write("server.sh", &SERVER.replace("BEFORE", before))
    }

    /// Shell lines that leave a process behind, and the proof of its exit.
    pub fn grandchild(&self, how: &str) -> (String, Grandchild) {
        let fifo = self.file("fifo");
        let made = Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .expect("mkfifo is there");
        assert!(made.success());
        // `$(…)` ends when the new process has closed stdout, so it has started by then; it keeps the pipe to the test.
        let line = format!(
            "exec 3>'{fifo}'; : $(sh -c '{how} echo up >&3; exec >/dev/null 2>&1; while :; do sleep 1; done' </dev/null &); exec 3>&-;"
        );
        (line, Grandchild::watch(fifo))
    }
}

/// A process that holds a pipe open while it lives. Its process id is not enough: a zombie keeps its id until its
/// parent waits for it.
pub struct Grandchild {
    up: mpsc::Receiver<()>,
    gone: mpsc::Receiver<()>,
}

impl Grandchild {
    fn watch(fifo: String) -> Self {
        let ((is_up, up), (is_gone, gone)) = (mpsc::sync_channel(1), mpsc::sync_channel(1));
        thread::spawn(move || {
            // Reading ends when the last writer has closed the pipe.
            let mut pipe = File::open(fifo).expect("it was just made");
            let told = pipe.read(&mut [0; 8]).unwrap_or(0);
            if told > 0 {
                let _ = is_up.send(());
                let _ = pipe.read_to_end(&mut Vec::new());
                let _ = is_gone.send(());
            }
        });
        Self { up, gone }
    }

    /// Waits until it has started.
    #[track_caller]
    pub fn wait_until_up(&self) {
        self.up.recv_timeout(LIMIT).expect("it was started");
    }

    /// Asserts that it ends soon; it must have been seen before.
    #[track_caller]
    pub fn assert_gone(&self) {
        let soon = std::time::Duration::from_secs(5);
        self.gone.recv_timeout(soon).expect("it is still there");
    }
}
