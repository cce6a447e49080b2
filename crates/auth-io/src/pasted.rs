//! Lines that a user pastes.

use std::io::BufRead;

use tokio::sync::mpsc;

/// The lines of `from` that are not empty. A thread of its own reads them: a read from a terminal cannot be cancelled.
pub fn pasted_lines(from: impl BufRead + Send + 'static) -> mpsc::Receiver<String> {
    let (tx, rx) = mpsc::channel(4);
    std::thread::spawn(move || {
        for line in from.lines().map_while(Result::ok) {
            if !line.trim().is_empty() && tx.blocking_send(line).is_err() {
                return;
            }
        }
    });
    rx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn empty_lines_are_left_out() {
        let mut lines = pasted_lines(&b"\n  \nhttp://x\n"[..]);
        assert_eq!(lines.recv().await.as_deref(), Some("http://x"));
        assert_eq!(lines.recv().await, None);
    }
}
