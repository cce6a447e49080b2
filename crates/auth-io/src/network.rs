//! In which network a server is, and which addresses it may therefore name.

use std::net::IpAddr;

use linkspan_fetch::special;
use linkspan_ports::AddressRule;

/// Where a server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    /// On this machine.
    Machine,
    /// In a private network.
    Private,
    /// On the internet, or behind a proxy that alone knows the name.
    Public,
}

impl Network {
    /// The network of a server with these addresses. All of them count: the owner of a name chooses its addresses, and
    /// a private one beside a public one proves nothing.
    pub(crate) fn of(addresses: &[IpAddr]) -> Self {
        let all = |test: fn(IpAddr) -> bool| {
            !addresses.is_empty() && addresses.iter().all(|ip| test(ip.to_canonical()))
        };
        if all(|ip| ip.is_loopback()) {
            Self::Machine
        } else if all(|ip| special(ip).is_some()) {
            Self::Private
        } else {
            Self::Public
        }
    }

    /// The addresses that a server of this network must not send us to.
    pub(crate) fn rule(self) -> AddressRule {
        match self {
            Self::Machine => never,
            Self::Private => never_here,
            Self::Public => special,
        }
    }
}

/// Addresses that no server may send us to.
pub(crate) fn never(ip: IpAddr) -> Option<&'static str> {
    named(
        ip,
        &["link-local", "cloud", "multicast", "broadcast", "reserved"],
    )
}

/// Addresses that no server of another machine may send us to.
fn never_here(ip: IpAddr) -> Option<&'static str> {
    // The unspecified address leads to this machine, too.
    never(ip).or_else(|| named(ip, &["this machine", "unspecified"]))
}

fn named(ip: IpAddr, words: &[&str]) -> Option<&'static str> {
    // An IPv4 address in the form of IPv6 is the same place.
    special(ip.to_canonical()).filter(|what| words.iter().any(|word| what.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(addresses: &[&str]) -> Network {
        let addresses: Vec<IpAddr> = addresses.iter().map(|ip| ip.parse().unwrap()).collect();
        Network::of(&addresses)
    }

    #[test]
    fn the_metadata_service_of_a_cloud_is_never_asked() {
        for ip in [
            "169.254.169.254",
            "fe80::1",
            "168.63.129.16",
            "::ffff:169.254.169.254",
        ] {
            for network in [Network::Machine, Network::Private, Network::Public] {
                assert!(network.rule()(ip.parse().unwrap()).is_some(), "{ip}");
            }
        }
        for ip in ["127.0.0.1", "10.1.2.3", "::1", "93.184.216.34"] {
            assert_eq!(never(ip.parse().unwrap()), None, "{ip}");
        }
    }

    #[test]
    fn a_server_is_private_only_if_all_its_addresses_are() {
        assert_eq!(network(&[]), Network::Public);
        assert_eq!(network(&["93.184.216.34"]), Network::Public);
        assert_eq!(network(&["93.184.216.34", "127.0.0.1"]), Network::Public);
        assert_eq!(network(&["10.0.0.1", "fd00::1"]), Network::Private);
        assert_eq!(network(&["10.0.0.1", "127.0.0.1"]), Network::Private);
        assert_eq!(network(&["127.0.0.1", "::1"]), Network::Machine);
        assert_eq!(network(&["::ffff:127.0.0.1"]), Network::Machine);
    }

    #[test]
    fn only_a_server_on_this_machine_may_name_this_machine() {
        for ip in ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0"] {
            let ip = ip.parse().unwrap();
            assert!(Network::Private.rule()(ip).is_some(), "{ip}");
            assert_eq!(Network::Machine.rule()(ip), None, "{ip}");
        }
        let neighbour = "10.0.0.7".parse().unwrap();
        assert_eq!(Network::Private.rule()(neighbour), None);
        assert!(Network::Public.rule()(neighbour).is_some());
    }
}
