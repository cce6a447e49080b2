//! Cookies that bind a session to a node of a load balancer.
//!
//! Simpler than a browser's jar: a port uses a single origin, and the only purpose is to reach the node that has the
//! session. So a cookie is a name and a value until the server deletes it.

use http::header::{COOKIE, HeaderMap, HeaderValue, SET_COOKIE};

/// When a server sets more cookies, the oldest is dropped.
const MAX: usize = 32;
const MAX_LEN: usize = 4096;

#[derive(Debug, Clone, Default)]
pub(super) struct Cookies(Vec<(String, String)>);

impl Cookies {
    /// Sets and deletes cookies as a response demands.
    pub(super) fn learn(&mut self, headers: &HeaderMap) {
        for value in headers.get_all(SET_COOKIE) {
            let Some((name, value, gone)) = value.to_str().ok().and_then(parse) else {
                continue;
            };
            self.0.retain(|(known, _)| *known != name);
            if !gone {
                self.0.push((name, value));
            }
            if self.0.len() > MAX {
                self.0.remove(0);
            }
        }
    }

    /// The header for a request, after the user's own cookies.
    pub(super) fn header(&self, own: &HeaderMap) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let own = own
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let pairs = self.0.iter().map(|(name, value)| format!("{name}={value}"));
        let all: Vec<String> = own.map(str::to_owned).chain(pairs).collect();
        let mut value = HeaderValue::try_from(all.join("; ")).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

fn parse(text: &str) -> Option<(String, String, bool)> {
    let mut parts = text.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    if name.is_empty() || text.len() > MAX_LEN {
        return None;
    }
    let gone = parts.any(|attribute| {
        let (key, age) = attribute.split_once('=').unwrap_or((attribute, ""));
        key.eq_ignore_ascii_case("max-age") && age.trim().parse::<i64>().is_ok_and(|age| age <= 0)
    });
    Some((name.to_owned(), value.to_owned(), gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(set: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in set {
            headers.append(SET_COOKIE, HeaderValue::from_static(cookie));
        }
        let mut cookies = Cookies::default();
        cookies.learn(&headers);
        let header = cookies.header(&HeaderMap::new())?;
        Some(header.to_str().unwrap().to_owned())
    }

    #[test]
    fn cookies_are_kept_replaced_and_deleted() {
        assert_eq!(after(&["a=1; Path=/", "b=2"]).as_deref(), Some("a=1; b=2"));
        assert_eq!(after(&["a=1", "a=2"]).as_deref(), Some("a=2"));
        assert_eq!(after(&["a=1", "a=; Max-Age=0"]), None);
        assert_eq!(after(&["nonsense", "=x"]), None);
    }

    #[test]
    fn the_jar_is_bounded() {
        let mut cookies = Cookies::default();
        for n in 0..1000 {
            let mut headers = HeaderMap::new();
            headers.insert(
                SET_COOKIE,
                HeaderValue::try_from(format!("c{n}=1")).unwrap(),
            );
            cookies.learn(&headers);
        }
        assert_eq!(cookies.0.len(), MAX);
    }
}
