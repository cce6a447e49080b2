//! The credentials of a request.

/// What `Authorization` and `DPoP` of a request say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Presented<'a> {
    /// No credentials.
    Nothing,
    /// `Authorization: Bearer`.
    Bearer(&'a str),
    /// `Authorization: DPoP`.
    Dpop {
        /// The access token.
        token: &'a str,
        /// The proof, if there is exactly one.
        proof: Option<&'a str>,
    },
    /// Another scheme, several headers, or something that is no token.
    Unclear,
}

/// The scheme of credentials, and so of the challenge that answers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// `Bearer`, and whatever is not known.
    #[default]
    Bearer,
    /// `DPoP`.
    Dpop,
}

/// Without the token.
impl std::fmt::Debug for Presented<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::Bearer(_) => "a bearer token",
            Self::Dpop { .. } => "a bound token",
            Self::Unclear => "something else",
        })
    }
}

impl<'a> Presented<'a> {
    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        match self {
            Self::Dpop { .. } => Scheme::Dpop,
            Self::Nothing | Self::Bearer(_) | Self::Unclear => Scheme::Bearer,
        }
    }

    /// Reads the values of the two headers.
    pub fn read(
        authorization: impl IntoIterator<Item = &'a [u8]>,
        dpop: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        let mut values = authorization.into_iter();
        let value = match (values.next(), values.next()) {
            (None, _) => return Self::Nothing,
            (Some(value), None) => value,
            (Some(_), Some(_)) => return Self::Unclear,
        };
        let read = || {
            let (scheme, token) = std::str::from_utf8(value).ok()?.trim().split_once(' ')?;
            let token = token.trim_start();
            let is_token = !token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic());
            is_token.then_some((scheme, token))
        };
        match read() {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Self::Bearer(token),
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("dpop") => Self::Dpop {
                token,
                proof: only(dpop),
            },
            _ => Self::Unclear,
        }
    }
}

fn only<'a>(values: impl IntoIterator<Item = &'a [u8]>) -> Option<&'a str> {
    let mut values = values.into_iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    std::str::from_utf8(value).ok().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<'a>(values: &[&'a str]) -> Presented<'a> {
        Presented::read(values.iter().map(|value| value.as_bytes()), [])
    }

    #[test]
    fn one_token_of_a_known_scheme_is_read() {
        assert_eq!(read(&[]), Presented::Nothing);
        assert_eq!(read(&["Bearer a.b"]), Presented::Bearer("a.b"));
        assert_eq!(read(&["bEARER   a "]), Presented::Bearer("a"));
        let none = Presented::Dpop {
            token: "a",
            proof: None,
        };
        assert_eq!(read(&["DPoP a"]), none);
        let proofs: [&[u8]; 2] = [b"p", b"q"];
        assert_eq!(
            Presented::read([&b"dpop a"[..]], [proofs[0]]),
            Presented::Dpop {
                token: "a",
                proof: Some("p")
            }
        );
        assert_eq!(Presented::read([&b"dpop a"[..]], proofs), none);
        for bad in ["Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearer ä"] {
            assert_eq!(read(&[bad]), Presented::Unclear, "{bad}");
        }
        assert_eq!(read(&["Bearer a", "Bearer a"]), Presented::Unclear);
    }

    proptest! {
        #[test]
        fn a_token_is_visible_ascii(value in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Presented::Bearer(token) | Presented::Dpop { token, .. } =
                Presented::read([value.as_slice()], [])
            {
                prop_assert!(!token.is_empty() && token.bytes().all(|b| b.is_ascii_graphic()));
            }
        }
    }
}
