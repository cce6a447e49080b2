//! Where the user is asked, and whether the user is there.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use linkspan_bridge::Bridge;

use crate::asker::{Asker, OpenPage};
use crate::factory::Elicit;
use crate::terminal::at_terminal;

/// Where the user is asked, as a flag names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On a page that only this machine reaches.
    Page,
    /// At the terminal.
    Terminal,
    /// Nowhere.
    Off,
}

/// Why the user cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No place has that name.
    #[error("it is none of page, terminal and off")]
    Name,
    /// Users of other machines would not see the question.
    #[error("--elicit asks the user of this machine, and other machines can connect")]
    Remote,
    /// The terminal is the client's.
    #[error("--elicit=terminal: the client is on stdin and stdout")]
    Stdio,
    /// There is none.
    #[error("--elicit=terminal: stdin and stderr are not a terminal")]
    NoTerminal,
}

impl PlaceError {
    /// What to do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Name | Self::Stdio | Self::NoTerminal => "use --elicit=page",
            Self::Remote => "leave out --host or --elicit",
        }
    }
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(name: &str) -> Result<Self, PlaceError> {
        match name {
            "page" => Ok(Self::Page),
            "terminal" => Ok(Self::Terminal),
            "off" => Ok(Self::Off),
            _ => Err(PlaceError::Name),
        }
    }
}

impl Place {
    /// The bridge with a layer that asks the user for clients that connect to `host`; without it they are on stdin and
    /// stdout. `open` opens a page.
    pub fn add_to(
        self,
        bridge: Bridge,
        host: Option<IpAddr>,
        open: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Result<Bridge, PlaceError> {
        Ok(match self.asker(host, Arc::new(open))? {
            Some(asker) => bridge.client_layer(Elicit::new(asker)),
            None => bridge,
        })
    }

    fn asker(self, host: Option<IpAddr>, open: Arc<OpenPage>) -> Result<Option<Asker>, PlaceError> {
        match (self, host) {
            (Self::Off, _) => Ok(None),
            (_, Some(host)) if !host.is_loopback() => Err(PlaceError::Remote),
            (Self::Page, _) => Ok(Some(Asker::Page(open))),
            (Self::Terminal, None) => Err(PlaceError::Stdio),
            (Self::Terminal, Some(_)) => match at_terminal() {
                Some(person) => Ok(Some(Asker::Terminal(person))),
                None => Err(PlaceError::NoTerminal),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(place: Place, host: Option<&str>) -> Result<bool, PlaceError> {
        let host = host.map(|host| host.parse().unwrap());
        let asker = place.asker(host, Arc::new(|_: &str| true))?;
        Ok(asker.is_some())
    }

    #[test]
    fn only_the_user_of_this_machine_is_asked() {
        for place in [Place::Page, Place::Terminal] {
            assert_eq!(asks(place, Some("0.0.0.0")), Err(PlaceError::Remote));
            assert_eq!(asks(place, Some("::")), Err(PlaceError::Remote));
        }
        assert_eq!(asks(Place::Page, Some("127.0.0.1")), Ok(true));
        assert_eq!(asks(Place::Page, None), Ok(true));
        assert_eq!(asks(Place::Off, Some("0.0.0.0")), Ok(false));
    }

    #[test]
    fn the_terminal_of_a_stdio_client_is_not_used() {
        assert_eq!(asks(Place::Terminal, None), Err(PlaceError::Stdio));
    }
}
