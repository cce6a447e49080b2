//! `credential_process`: a program of the user's that prints keys.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use linkspan_auth::aws::AwsCredentials;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

/// How long it may take; it may ask the user for a second factor.
const LONGEST: Duration = Duration::from_secs(60);
/// How much of its output is read, and of what it says about an error.
const OUTPUT: u64 = 64 * 1024;
const COMPLAINT: u64 = 4 * 1024;

/// Runs the command line, without a shell. An error never has its output.
pub(super) async fn run(command: &str, without_env: &[OsString]) -> Result<AwsCredentials, String> {
    let words = words(command).ok_or("its command line has an open quotation mark")?;
    let (program, args) = words.split_first().ok_or("its command line is empty")?;
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    for name in without_env {
        command.env_remove(name);
    }
    let started = command.spawn();
    let mut child = started.map_err(|e| format!("cannot start `{program}`: {e}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let ended = timeout(LONGEST, async {
        let (output, complaint) = tokio::join!(all(stdout, OUTPUT), all(stderr, COMPLAINT));
        (child.wait().await, output, complaint)
    });
    let Ok((status, output, complaint)) = ended.await else {
        return Err(format!("no answer within {} s", LONGEST.as_secs()));
    };
    let status = status.map_err(|e| e.to_string())?;
    if !status.success() {
        let complaint = String::from_utf8_lossy(&complaint);
        let last = complaint.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
        return Err(format!("{status}{last}"));
    }
    AwsCredentials::parse(&output).map_err(|e| e.to_string())
}

/// Reads a pipe to its end, and keeps the beginning.
async fn all(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut kept = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = tokio::io::copy(&mut (&mut pipe).take(most), &mut kept).await;
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
    kept
}

/// The words of a command line; `None` if a quotation mark is open. A backslash is part of a path on Windows, and takes
/// the meaning of the next character elsewhere, except between single quotes.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), mark) if open == mark => quote = None,
            (None | Some('"'), '\\') if !cfg!(windows) => {
                word.get_or_insert_default().push(letters.next()?);
            }
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, space) if space.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const KEYS: &str = r#"printf '{"Version":1,"AccessKeyId":"A","SecretAccessKey":"secret"}'"#;

    #[test]
    fn a_line_is_split_into_words() {
        let split = |line| words(line).map(|words| words.join("|"));
        for (line, expected) in [
            (" a  b\tc ", Some("a|b|c")),
            (r#""a b" 'c "d' e\ f"#, Some(r#"a b|c "d|e f"#)),
            (r#"'a\b' "a\"b" x''y ''"#, Some(r#"a\b|a"b|xy|"#)),
            ("$(id) `id` ; *", Some("$(id)|`id`|;|*")),
            ("'a", None),
            ("a\\", None),
        ] {
            assert_eq!(split(line).as_deref(), expected, "{line}");
        }
    }

    #[tokio::test]
    async fn keys_are_read_from_the_output() {
        let read = run(&format!("sh -c \"{}\"", KEYS.replace('"', "\\\"")), &[]).await;
        assert_eq!(read.unwrap().access_key_id, "A");
    }

    #[tokio::test]
    async fn a_failure_says_why_and_never_shows_the_output() {
        for (command, why) in [
            (
                "sh -c 'echo secret; echo first >&2; echo no login >&2; exit 3'",
                "no login",
            ),
            ("sh -c 'echo secret'", "is not a JSON object"),
            ("/no/such/program x", "cannot start `/no/such/program`"),
            ("sh -c 'x", "quotation mark"),
            ("", "is empty"),
        ] {
            let told = run(command, &[]).await.unwrap_err();
            assert!(told.contains(why) && !told.contains("secret"), "{told}");
        }
    }

    #[tokio::test]
    async fn no_shell_reads_the_line_and_our_secrets_are_not_inherited() {
        let told = run("sh -c 'exit 1' ; true", &[]).await.unwrap_err();
        assert!(told.contains("exit status: 1"), "{told}");
        let script = "/bin/sh -c 'test -z \"$CARGO_MANIFEST_DIR\" || exit 7; exit 8'";
        let told = run(script, &["CARGO_MANIFEST_DIR".into()])
            .await
            .unwrap_err();
        assert!(told.contains("exit status: 8"), "{told}");
    }
}
