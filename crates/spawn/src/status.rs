//! How a process ended.

use std::fmt;

/// How a process ended: one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What it exited with.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl Status {
    /// Whether it exited with 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }

    /// One number for both, as shells give it: 128 and the signal's number.
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
