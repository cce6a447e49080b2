//! The exit status of a process.

use std::fmt;

/// The exit status of a process: either a code or a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The exit code.
    pub code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
}

impl Status {
    /// Whether the exit code is 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// The exit code as a shell reports it: for a signal 128 plus its number.
    pub fn shell_code(&self) -> i32 {
        match (self.code, self.signal) {
            (Some(code), _) => code,
            (None, Some(signal)) => 128 + signal,
            (None, None) => 255,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, Some(signal)) => write!(f, "signal {signal}"),
            (None, None) => f.write_str("unknown end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status;

    #[test]
    fn a_signal_is_a_code_over_128() {
        let killed = Status {
            code: None,
            signal: Some(9),
        };
        assert_eq!(killed.shell_code(), 137);
        assert_eq!(killed.to_string(), "signal 9");
        assert!(!killed.success());
    }
}
