//! Headers and tokens from the command line, and the secrets in them.

use super::options::HttpOptions;
use super::options_error::OptionsError;
use super::variables::optional_token_in;

impl HttpOptions {
    /// Sets headers, each written as `NAME: VALUE`, and the bearer token in the variable of `--bearer-env`.
    pub fn credentials(
        &mut self,
        headers: &[String],
        bearer_env: Option<&str>,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), OptionsError> {
        for header in headers {
            self.header_line(header, lookup)?;
        }
        match bearer_env.map(|word| optional_token_in("--bearer-env", word, lookup)) {
            Some(token) => token?.map_or(Ok(()), |token| self.bearer(token)),
            None => Ok(()),
        }
    }

    /// Sets a header that is written as `NAME: VALUE`. Each `${NAME}` in the value is replaced by what `lookup` finds;
    /// a variable without a value is an error, not an empty header.
    pub fn header_line(
        &mut self,
        line: &str,
        lookup: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(), OptionsError> {
        let (name, value) = line.split_once(':').ok_or(OptionsError::HeaderForm)?;
        let value = substitute(value.trim(), &mut self.secrets, lookup)?;
        self.header(name.trim(), &value)?;
        // `Bearer abc`: the secret is the last word, which may occur elsewhere without the first.
        let last = value.split_whitespace().last().map(str::to_owned);
        self.secrets.extend(last);
        self.secrets.push(value);
        Ok(())
    }

    /// Sends a bearer token with every request.
    pub fn bearer(&mut self, token: String) -> Result<(), OptionsError> {
        self.header("Authorization", &format!("Bearer {token}"))?;
        self.secrets.push(token);
        Ok(())
    }

    /// The values that transcripts must not show: of the URL, of headers, and of the variables in them.
    pub fn secrets(&self) -> &[String] {
        &self.secrets
    }
}

/// Replaces each `${NAME}`, and adds its value to the secrets.
fn substitute(
    text: &str,
    secrets: &mut Vec<String>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<String, OptionsError> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(len) = rest[start..].find('}') else {
            break;
        };
        let name = &rest[start + 2..start + len];
        out.push_str(&rest[..start]);
        let value = lookup(name).ok_or_else(|| OptionsError::NotSet(name.to_owned()))?;
        out.push_str(&value);
        secrets.push(value);
        rest = &rest[start + len + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_and_missing_ones_are_named() {
        let lookup = |name: &str| (name == "KEY").then(|| "abc".to_owned());
        let mut secrets = Vec::new();
        let mut put_in = |text| substitute(text, &mut secrets, &lookup);
        assert_eq!(put_in("Bearer ${KEY}!").unwrap(), "Bearer abc!");
        assert_eq!(put_in("${KEY}${KEY}").unwrap(), "abcabc");
        assert_eq!(put_in("$KEY ${").unwrap(), "$KEY ${");
        let missing = put_in("${NOPE}").unwrap_err();
        assert!(matches!(missing, OptionsError::NotSet(name) if name == "NOPE"));
        assert_eq!(secrets, ["abc", "abc", "abc"]);
    }

    #[test]
    fn the_values_of_headers_and_tokens_are_secrets() {
        let mut options = HttpOptions::new("https://me:pw@x/mcp?key=k", false).unwrap();
        let lookup = |_: &str| Some("abc".to_owned());
        options.header_line("X-Key:  Token ${A} ", &lookup).unwrap();
        options.bearer("tok".to_owned()).unwrap();
        let secrets = options.secrets();
        for secret in ["pw", "k", "abc", "Token abc", "tok"] {
            assert!(secrets.iter().any(|one| one == secret), "{secret}");
        }
        let bad = options.header_line("no colon", &lookup).unwrap_err();
        assert!(matches!(bad, OptionsError::HeaderForm));
    }
}
