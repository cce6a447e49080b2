//! Which addresses are public, and which belong to private or special networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not on the public internet; `None` for a public address.
///
/// For IPv6 it is an allow list: only one range is in public use.
pub fn special(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => special_v4(ip),
        IpAddr::V6(ip) => special_v6(ip),
    }
}

/// Ranges of the registry of special-purpose addresses, and what they are for.
const V4: &[([u8; 4], u32, &str)] = &[
    ([0, 0, 0, 0], 8, "an unspecified address"),
    ([10, 0, 0, 0], 8, "a private address"),
    (
        [100, 64, 0, 0],
        10,
        "an address inside a provider's network",
    ),
    ([127, 0, 0, 0], 8, "this machine"),
    // The metadata service of a cloud, which hands out credentials.
    ([168, 63, 129, 16], 32, "an address inside a cloud"),
    ([169, 254, 0, 0], 16, "a link-local address"),
    ([172, 16, 0, 0], 12, "a private address"),
    ([192, 0, 0, 0], 24, "an address for protocols"),
    ([192, 0, 2, 0], 24, "an address for documentation"),
    ([192, 88, 99, 0], 24, "an address for protocols"),
    ([192, 168, 0, 0], 16, "a private address"),
    ([198, 18, 0, 0], 15, "an address for benchmarks"),
    ([198, 51, 100, 0], 24, "an address for documentation"),
    ([203, 0, 113, 0], 24, "an address for documentation"),
    ([224, 0, 0, 0], 4, "a multicast address"),
    ([255, 255, 255, 255], 32, "the broadcast address"),
    ([240, 0, 0, 0], 4, "a reserved address"),
];

fn special_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let ip = u32::from(ip);
    let (_, _, what) = V4.iter().find(|(range, bits, _)| {
        let range = u32::from(Ipv4Addr::from(*range));
        (ip ^ range).leading_zeros() >= *bits
    })?;
    Some(what)
}

fn special_v6(ip: Ipv6Addr) -> Option<&'static str> {
    match ip.segments() {
        // NAT64: the prefix of an embedded IPv4 address, which decides.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            special_v4(Ipv4Addr::new(a, b, c, d))
        }
        [0, 0, 0, 0, 0, 0, 0, 0] => Some("an unspecified address"),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some("this machine"),
        [0, 0, 0, 0, 0, 0xffff, _, _] => Some("an IPv4 address in disguise"),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => Some("an address for documentation"),
        [0x2001, 0..=0x1ff, ..] => Some("an address for protocols"),
        [0x2002, ..] => Some("an IPv4 address in disguise"),
        [0x2000..=0x3fff, ..] => None,
        [0xfc00..=0xfdff, ..] => Some("a private address"),
        [0xfe80..=0xfebf, ..] => Some("a link-local address"),
        [0xfec0..=0xfeff, ..] => Some("a private address"),
        [0xff00..=0xffff, ..] => Some("a multicast address"),
        _ => Some("a reserved address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        let table = [
            ("0.0.0.0", "an unspecified address"),
            ("0.1.2.3", "an unspecified address"),
            ("10.0.0.1", "a private address"),
            ("10.255.255.255", "a private address"),
            ("100.63.255.255", ""),
            ("100.64.0.0", "an address inside a provider's network"),
            ("100.127.255.255", "an address inside a provider's network"),
            ("100.128.0.0", ""),
            ("127.0.0.1", "this machine"),
            ("127.255.255.254", "this machine"),
            ("168.63.129.16", "an address inside a cloud"),
            ("168.63.129.17", ""),
            ("169.254.169.254", "a link-local address"),
            ("172.15.255.255", ""),
            ("172.16.0.1", "a private address"),
            ("172.31.255.255", "a private address"),
            ("172.32.0.0", ""),
            ("192.0.0.192", "an address for protocols"),
            ("192.0.1.1", ""),
            ("192.0.2.1", "an address for documentation"),
            ("192.88.99.1", "an address for protocols"),
            ("192.167.255.255", ""),
            ("192.168.1.1", "a private address"),
            ("192.169.0.1", ""),
            ("198.17.255.255", ""),
            ("198.18.0.1", "an address for benchmarks"),
            ("198.19.255.255", "an address for benchmarks"),
            ("198.20.0.0", ""),
            ("198.51.100.7", "an address for documentation"),
            ("203.0.113.7", "an address for documentation"),
            ("224.0.0.1", "a multicast address"),
            ("239.255.255.255", "a multicast address"),
            ("240.0.0.1", "a reserved address"),
            ("255.255.255.255", "the broadcast address"),
            ("1.1.1.1", ""),
            ("8.8.8.8", ""),
            ("223.255.255.255", ""),
            ("::", "an unspecified address"),
            ("::1", "this machine"),
            ("::7f00:1", "a reserved address"),
            ("::ffff:127.0.0.1", "an IPv4 address in disguise"),
            ("::ffff:8.8.8.8", "an IPv4 address in disguise"),
            ("::ffff:0:8.8.8.8", "a reserved address"),
            ("64:ff9b::127.0.0.1", "this machine"),
            ("64:ff9b::169.254.169.254", "a link-local address"),
            ("64:ff9b::8.8.8.8", ""),
            ("64:ff9b:1::8.8.8.8", "a reserved address"),
            ("100::1", "a reserved address"),
            ("1fff::1", "a reserved address"),
            ("2001::1", "an address for protocols"),
            ("2001:1ff::1", "an address for protocols"),
            ("2001:200::1", ""),
            ("2001:db8::1", "an address for documentation"),
            ("2001:db9::1", ""),
            ("2002:7f00:1::", "an IPv4 address in disguise"),
            ("2606:4700:4700::1111", ""),
            ("3ffe:ffff::1", ""),
            ("3fff::1", "an address for documentation"),
            ("3fff:fff:ffff::1", "an address for documentation"),
            ("3fff:1000::1", ""),
            ("4000::1", "a reserved address"),
            ("5f00::1", "a reserved address"),
            ("fc00::1", "a private address"),
            ("fd12:3456::1", "a private address"),
            ("fe80::1", "a link-local address"),
            ("febf::1", "a link-local address"),
            ("fec0::1", "a private address"),
            ("ff02::1", "a multicast address"),
        ];
        for (ip, what) in table {
            let found = special(ip.parse().unwrap()).unwrap_or_default();
            assert_eq!(found, what, "{ip}");
        }
    }
}
