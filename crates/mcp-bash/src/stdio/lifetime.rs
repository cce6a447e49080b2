//! When a server exits while stdin is still open, configured by mcp-bash's variables.

use std::time::Duration;

use super::super::vars::Vars;

/// Default seconds between two checks of the parent process.
const LOOK: u64 = 30;
/// Idle seconds if the variable is not a number.
const SILENCE: u64 = 3600;

/// When a server exits by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// After this long without a message from the client and without a call in flight.
    pub idle: Option<Duration>,
    /// When the parent process has ended; checked at this interval.
    pub orphan: Option<Duration>,
}

impl Lifetime {
    /// The operator's settings. mcp-bash exits after an hour of silence by default; clients take that for a
    /// crash, so here only a variable enables it.
    pub fn of(vars: &Vars) -> Self {
        if vars.is_on("MCPBASH_CI_MODE") {
            return Self::default();
        }
        let seconds = |name: &str, usual: u64| vars.number(name).unwrap_or(usual);
        let idle = vars
            .get("MCPBASH_IDLE_TIMEOUT")
            .map(|_| seconds("MCPBASH_IDLE_TIMEOUT", SILENCE))
            .filter(|&seconds| seconds > 0 && !vars.is_off("MCPBASH_IDLE_TIMEOUT_ENABLED"));
        let orphan = match seconds("MCPBASH_ORPHAN_CHECK_INTERVAL", LOOK) {
            0 => LOOK,
            seconds => seconds,
        };
        Self {
            idle: idle.map(Duration::from_secs),
            orphan: (!vars.is_off("MCPBASH_ORPHAN_CHECK_ENABLED"))
                .then(|| Duration::from_secs(orphan)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vars: &[(&str, &str)]) -> (Option<u64>, Option<u64>) {
        let Lifetime { idle, orphan } = Lifetime::of(&vars.iter().copied().collect());
        (
            idle.map(|time| time.as_secs()),
            orphan.map(|time| time.as_secs()),
        )
    }

    #[test]
    fn the_variables_of_mcp_bash_decide_it() {
        const IDLE: &str = "MCPBASH_IDLE_TIMEOUT";
        assert_eq!(of(&[]), (None, Some(30)));
        assert_eq!(of(&[(IDLE, "2")]), (Some(2), Some(30)));
        assert_eq!(of(&[(IDLE, "soon")]), (Some(3600), Some(30)));
        assert_eq!(of(&[(IDLE, "0")]), (None, Some(30)));
        let off = ("MCPBASH_IDLE_TIMEOUT_ENABLED", "false");
        assert_eq!(of(&[(IDLE, "2"), off]), (None, Some(30)));
        assert_eq!(of(&[("MCPBASH_ORPHAN_CHECK_INTERVAL", "5")]).1, Some(5));
        assert_eq!(of(&[("MCPBASH_ORPHAN_CHECK_INTERVAL", "0")]).1, Some(30));
        assert_eq!(of(&[("MCPBASH_ORPHAN_CHECK_ENABLED", "false")]).1, None);
        let ci = ("MCPBASH_CI_MODE", "true");
        assert_eq!(of(&[(IDLE, "2"), ci]), (None, None));
    }
}
