//! Where a listener is, as a user writes it.

use std::net::{IpAddr, Ipv4Addr};

/// Reads an address; `localhost` is the one that a URL with that name reaches first.
pub fn parse_host(text: &str) -> Result<IpAddr, String> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(Ipv4Addr::LOCALHOST.into());
    }
    let bare = text.strip_prefix('[').and_then(|ip| ip.strip_suffix(']'));
    bare.unwrap_or(text).parse().map_err(|_| {
        "it must be an IP address such as 127.0.0.1 or 0.0.0.0; the port goes into --port"
            .to_owned()
    })
}

/// Reads the path of an endpoint.
pub fn parse_path(text: &str) -> Result<String, String> {
    let plain = |b: u8| b.is_ascii_graphic() && !b"?#%".contains(&b);
    if text.starts_with('/') && text.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a path begins with / and has no spaces, ?, # or %".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_is_an_address_to_listen_on() {
        for (text, ip) in [
            ("localhost", "127.0.0.1"),
            ("0.0.0.0", "0.0.0.0"),
            ("[::1]", "::1"),
            ("::1", "::1"),
        ] {
            assert_eq!(parse_host(text).unwrap().to_string(), ip);
        }
        assert!(parse_host("localhost:80").unwrap_err().contains("--port"));
    }

    #[test]
    fn a_path_has_no_query_and_no_spaces() {
        assert_eq!(parse_path("/mcp").as_deref(), Ok("/mcp"));
        for text in ["mcp", "/a b", "/a?b", "/%20"] {
            assert!(parse_path(text).is_err(), "{text}");
        }
    }
}
