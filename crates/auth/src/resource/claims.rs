//! Claims of a token or of an introspection, as far as they matter here.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Map, Value};

use super::identity::{Identity, is_plain};
use super::token_error::TokenError;
use crate::Timestamp;

/// How far clocks may differ.
pub const CLOCK_SKEW: Duration = Duration::from_secs(SKEW);
pub(super) const SKEW: u64 = 60;

/// The claims of a token. They are only what it says.
#[derive(Clone, Copy)]
pub(super) struct Claims<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Claims<'a> {
    pub(super) fn text(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    /// A point in time; an error if it is there and is none.
    pub(super) fn time(self, name: &'static str) -> Result<Option<Timestamp>, TokenError> {
        let Some(value) = self.0.get(name) else {
            return Ok(None);
        };
        let seconds = value.as_u64().or_else(|| {
            // Fractions are allowed, and beyond 2^53 every clock has ended.
            let seconds = value.as_f64()?;
            (0.0..9e15).contains(&seconds).then_some(seconds as u64)
        });
        let time = seconds.map(Timestamp);
        time.map(Some).ok_or(TokenError::Malformed(name))
    }

    /// The resources that it is for: one, or several.
    pub(super) fn audience(self) -> Vec<&'a str> {
        match self.0.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// `scope`, else `scp`: words, or a list of them.
    pub(super) fn scopes(self) -> Vec<String> {
        // A set, because the token is not verified yet and may have thousands.
        let (mut scopes, mut seen) = (Vec::new(), HashSet::new());
        let mut words = |text: &'a str| {
            let new = text
                .split_ascii_whitespace()
                .filter(|word| seen.insert(*word));
            scopes.extend(new.map(str::to_owned));
        };
        match self.0.get("scope").or_else(|| self.0.get("scp")) {
            Some(Value::String(text)) => words(text),
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).for_each(words),
            _ => {}
        }
        scopes
    }

    /// The client, under the names that issuers use.
    pub(super) fn client_id(self) -> Option<&'a str> {
        let names = ["client_id", "azp", "cid", "appid"];
        names.into_iter().find_map(|name| self.text(name))
    }

    /// The key that the token is bound to (RFC 9449 §6). One that is bound to something else, such as a certificate, is
    /// not for every bearer.
    pub(super) fn bound_to(self) -> Result<Option<&'a str>, TokenError> {
        let Some(confirmation) = self.0.get("cnf") else {
            return Ok(None);
        };
        let key = confirmation.get("jkt").and_then(Value::as_str);
        key.map(Some).ok_or(TokenError::OtherBinding)
    }

    /// When it expires, if it is valid now.
    pub(super) fn check_times(self, now: Timestamp) -> Result<Option<Timestamp>, TokenError> {
        let expires = self.time("exp")?;
        if let Some(at) = expires
            && at.0.saturating_add(SKEW) <= now.0
        {
            let ago = now.0 - at.0;
            return Err(TokenError::Expired { ago });
        }
        if let Some(from) = self.time("nbf")?
            && from.0 > now.0.saturating_add(SKEW)
        {
            let later = from.0 - now.0;
            return Err(TokenError::NotYetValid { later });
        }
        Ok(expires)
    }

    /// The audience of ours that it names.
    pub(super) fn check_audience(self, wanted: &[String]) -> Result<&'a str, TokenError> {
        let named = self.audience();
        let found = named
            .iter()
            .find(|one| wanted.iter().any(|own| own == *one));
        found.copied().ok_or_else(|| TokenError::Audience {
            got: named.iter().map(|one| (*one).to_owned()).collect(),
            want: wanted.to_vec(),
        })
    }

    /// The text of a claim that an operator chose as the subject.
    fn subject_in(self, claim: &str) -> Result<String, TokenError> {
        let found = self.text(claim).filter(|text| is_plain(text));
        // Anyone can register with the address of another user.
        let found = found.filter(|_| claim != "email" || !self.says_unverified());
        let missing = || TokenError::Subject(claim.to_owned());
        found.map(str::to_owned).ok_or_else(missing)
    }

    /// Whether it has `email_verified` with a value other than true. Some issuers write the boolean as a text; what is
    /// neither `true` nor `"true"` proves nothing. Most access tokens do not have the claim at all.
    fn says_unverified(self) -> bool {
        let verified = self.0.get("email_verified");
        verified.is_some_and(|it| *it != Value::Bool(true) && it.as_str() != Some("true"))
    }

    /// The identity that it claims. `subject` names the claim that identifies the user, if that is not `sub`.
    pub(super) fn identity(
        self,
        issuer: &str,
        subject: Option<&str>,
    ) -> Result<Identity, TokenError> {
        let plain = |name: &'static str, text: &str| {
            let text = is_plain(text).then(|| text.to_owned());
            text.ok_or(TokenError::Malformed(name))
        };
        let subject = match subject {
            None => plain("sub", self.text("sub").ok_or(TokenError::Missing("sub"))?)?,
            Some(claim) => self.subject_in(claim)?,
        };
        let client_id = self.client_id().map(|id| plain("client_id", id));
        let names = ["preferred_username", "email", "username", "name"];
        let name = names.into_iter().find_map(|name| self.text(name));
        Ok(Identity {
            issuer: issuer.to_owned(),
            subject,
            client_id: client_id.transpose()?,
            scopes: self.scopes(),
            name: name.filter(|name| is_plain(name)).map(str::to_owned),
            views: Vec::new(),
        })
    }
}
