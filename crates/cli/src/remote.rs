//! From flags to options of a remote server; secrets come from the environment.

use linkspan_ports::HttpOptions;
use linkspan_wire::Limits;

use crate::args::RemoteArgs;
use crate::exit::Failure;
use crate::show::on_one_line;

/// Options, and the values that must never be shown.
pub(crate) struct Remote {
    pub(crate) options: HttpOptions,
    pub(crate) secrets: Vec<String>,
}

pub(crate) fn remote(url: &str, args: &RemoteArgs) -> Result<Remote, Failure> {
    let mut options = HttpOptions::new(url, args.insecure_http)?;
    options.proxy_from(&|name| std::env::var(name).ok());
    let mut secrets = options.secrets_in_url();
    for header in &args.headers {
        let (name, value) = header_parts(header)?;
        let value = substitute(value, &mut secrets, &|name| std::env::var(name).ok())?;
        add(&mut options, &mut secrets, name, value)?;
    }
    if let Some(variable) = &args.bearer_env {
        let token = token_of("--bearer-env", variable)?;
        options.header("Authorization", &format!("Bearer {token}"))?;
        secrets.push(token);
    }
    if let Some(file) = &args.ca {
        let pem = std::fs::read(file)
            .map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))?;
        options.ca = Some(pem);
    }
    options.transport = args.transport.into();
    options.retries = args.retries;
    options.retry_delay = args.retry_delay;
    options.connect_timeout = args.connect_timeout;
    options.limits = Limits::new(args.max_message);
    Ok(Remote { options, secrets })
}

/// `NAME: VALUE`
pub(crate) fn header_parts(header: &str) -> Result<(&str, &str), Failure> {
    let (name, value) = header.split_once(':').ok_or_else(|| {
        Failure::usage("a header has the form 'NAME: VALUE'")
            .hint("for example -H 'X-Api-Key: ${API_KEY}'")
    })?;
    Ok((name.trim(), value.trim()))
}

fn add(
    options: &mut HttpOptions,
    secrets: &mut Vec<String>,
    name: &str,
    value: String,
) -> Result<(), Failure> {
    options.header(name, &value)?;
    // `Bearer abc`: the secret is the last word, and that is how it would show up elsewhere.
    secrets.extend(value.split_whitespace().last().map(str::to_owned));
    secrets.push(value);
    Ok(())
}

/// Replaces each `${NAME}`; one that is not set is an error, not an empty header.
fn substitute(
    text: &str,
    secrets: &mut Vec<String>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Failure> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(len) = rest[start..].find('}') else {
            break;
        };
        let name = &rest[start + 2..start + len];
        out.push_str(&rest[..start]);
        let value = lookup(name).ok_or_else(|| not_set(name))?;
        out.push_str(&value);
        secrets.push(value);
        rest = &rest[start + len + 1..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The token in the environment variable that a flag names.
pub(crate) fn token_of(flag: &str, variable: &str) -> Result<String, Failure> {
    token_in(flag, variable, std::env::var(variable).ok().as_deref())
}

fn token_in(flag: &str, variable: &str, value: Option<&str>) -> Result<String, Failure> {
    match value.map(str::trim) {
        Some("") => Err(Failure::usage(format!(
            "the environment variable {} is empty",
            on_one_line(variable)
        ))
        .hint("it must have the token as its value")),
        Some(token) => Ok(token.to_owned()),
        None => check_variable(flag, variable).and(Err(not_set(variable))),
    }
}

/// Refuses a word that may be the token itself, and does not show it.
pub(crate) fn check_variable(flag: &str, word: &str) -> Result<(), Failure> {
    match is_variable_name(word) {
        true => Ok(()),
        false => Err(Failure::usage(format!(
            "{flag} takes the name of an environment variable, not the token"
        ))
        .hint(format!(
            "export TOKEN=… before starting, and give {flag} TOKEN"
        ))),
    }
}

/// Whether a word can only be meant as the name of a variable. Many tokens (`ghp_…`, `AKIA…`) have only
/// characters of names, but they are long and mix letters with digits.
fn is_variable_name(word: &str) -> bool {
    let is_name = !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let longest_part = word.split('_').map(str::len).max().unwrap_or_default();
    let has_digits = word.contains(|c: char| c.is_ascii_digit());
    is_name && longest_part < 24 && (!has_digits || longest_part < 12)
}

fn not_set(name: &str) -> Failure {
    Failure::usage(format!("the environment variable {name} is not set")).hint(format!(
        "export {name}=… before starting, or put it into the client's `env`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_in_place_of_a_variable_s_name_is_not_shown() {
        for token in [
            "sk-live-abc",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "AKIAIOSFODNN7EXAMPLE",
            "eyJhbGciOi.eyJzdWIi.c2ln",
            "123456",
            "",
        ] {
            let told = token_in("--bearer-env", token, None)
                .unwrap_err()
                .in_words();
            assert!(told.starts_with("--bearer-env takes the name"), "{told}");
            assert!(token.is_empty() || !told.contains(token), "{told}");
        }
        for name in ["TOK", "my_token", "GITHUB_PERSONAL_ACCESS_TOKEN_2"] {
            let told = token_in("--bearer-env", name, None).unwrap_err().in_words();
            assert!(told.contains(&format!("{name} is not set")), "{told}");
        }
    }

    #[test]
    fn an_empty_token_is_refused() {
        for empty in ["", " \n"] {
            let failure = token_in("--bearer-env", "TOK", Some(empty)).unwrap_err();
            assert_eq!(failure.exit, crate::exit::Exit::Usage);
            assert!(
                failure
                    .in_words()
                    .starts_with("the environment variable TOK is empty")
            );
        }
        assert_eq!(token_in("--bearer-env", "TOK", Some(" a ")).unwrap(), "a");
    }

    #[test]
    fn variables_are_put_in_and_missing_ones_are_named() {
        let lookup = |name: &str| (name == "KEY").then(|| "abc".to_owned());
        let mut secrets = Vec::new();
        let mut put_in = |text| substitute(text, &mut secrets, &lookup);
        assert_eq!(put_in("Bearer ${KEY}!").unwrap(), "Bearer abc!");
        assert_eq!(put_in("${KEY}${KEY}").unwrap(), "abcabc");
        assert_eq!(put_in("$KEY ${").unwrap(), "$KEY ${");
        assert_eq!(
            put_in("${NOPE}").unwrap_err().exit,
            crate::exit::Exit::Usage
        );
        assert_eq!(secrets, ["abc", "abc", "abc"]);
    }
}
