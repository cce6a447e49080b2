//! The profiles of the AWS command line: `~/.aws/credentials` and `~/.aws/config`.

use std::collections::HashMap;

/// The sections of the two files.
#[derive(Debug, Default)]
pub struct AwsProfiles {
    credentials: HashMap<String, AwsProfile>,
    config: HashMap<String, AwsProfile>,
}

/// The settings of one section. Values may be secret, so `Debug` shows only names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AwsProfile(HashMap<String, String>);

/// Where the keys of a profile come from.
#[derive(Debug, PartialEq, Eq)]
pub enum AwsSource<'a> {
    /// Id, key and session token.
    Keys(&'a str, &'a str, Option<&'a str>),
    /// A command line that prints them.
    Process(&'a str),
    /// A setting that names another way, which is not supported.
    Other(&'static str),
}

/// Settings of profiles whose keys come from a sign-in or another role.
const OTHERS: [&str; 5] = [
    "role_arn",
    "sso_session",
    "sso_start_url",
    "web_identity_token_file",
    "login_session",
];

impl AwsProfiles {
    /// Reads the texts of the files. Lines that are not understood are skipped, as other programs do.
    pub fn parse(credentials: &str, config: &str) -> Self {
        Self {
            credentials: sections(credentials, Some),
            config: sections(config, |heading| {
                let name = heading.strip_prefix("profile")?;
                name.starts_with([' ', '\t']).then(|| name.trim())
            }),
        }
    }

    /// Whether there is a profile of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.credentials.contains_key(name) || self.config.contains_key(name)
    }

    /// The region of a profile.
    pub fn region(&self, name: &str) -> Option<&str> {
        self.setting(name, "region")
    }

    /// Where the keys of a profile come from, in the order of the AWS SDKs; `None` if it does not say.
    ///
    /// But a command comes before a sign-in, so that one can be added to a profile that other programs use.
    pub fn source(&self, name: &str) -> Option<AwsSource<'_>> {
        let mut others = OTHERS.into_iter();
        let other = others.find(|other| self.setting(name, other).is_some());
        let command = self.setting(name, "credential_process");
        let [first, second] =
            [&self.credentials, &self.config].map(|file| file.get(name).and_then(AwsProfile::keys));
        // The keys of a profile with a role are those that may assume it.
        first
            .filter(|_| other.is_none())
            .or(command.map(AwsSource::Process))
            .or(other.map(AwsSource::Other))
            .or(second)
    }

    fn setting(&self, name: &str, key: &str) -> Option<&str> {
        let files = [&self.credentials, &self.config];
        files.into_iter().find_map(|file| file.get(name)?.get(key))
    }
}

impl AwsProfile {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?;
        Some(&**value).filter(|value| !value.is_empty())
    }

    fn keys(&self) -> Option<AwsSource<'_>> {
        let id = self.get("aws_access_key_id")?;
        let key = self.get("aws_secret_access_key")?;
        Some(AwsSource::Keys(id, key, self.get("aws_session_token")))
    }
}

impl std::fmt::Debug for AwsProfile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The sections of a file whose headings `name` understands; `[default]` has the same name in both files.
fn sections<'a>(
    text: &'a str,
    name: impl Fn(&'a str) -> Option<&'a str>,
) -> HashMap<String, AwsProfile> {
    let mut all: HashMap<String, AwsProfile> = HashMap::new();
    let mut current = None;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let is_indented = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(heading) = line.strip_prefix('[') {
            let heading = heading.split(']').next().unwrap_or_default().trim();
            let heading = match heading {
                "default" => Some(heading),
                _ => name(heading),
            };
            current = heading.map(|name| name.trim_matches('"').to_owned());
            if let Some(name) = &current {
                all.entry(name.clone()).or_default();
            }
            continue;
        }
        // An indented line belongs to a setting with several values.
        let (Some(section), Some((key, value)), false) =
            (&current, line.split_once('='), is_indented)
        else {
            continue;
        };
        let key = key.trim().to_ascii_lowercase();
        let profile = all.entry(section.clone()).or_default();
        profile.0.insert(key, value.trim().to_owned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "\u{feff}# mine\n[default]\naws_access_key_id = AK\n\
        AWS_SECRET_ACCESS_KEY=a=b\n[temporary]\naws_access_key_id=T\naws_secret_access_key=S\n\
        aws_session_token=tok\n[half]\naws_access_key_id=H\n";
    const CONFIG: &str = "[default]\nregion = eu-west-1\ns3 =\n  region = none\n\
        [profile half]\naws_access_key_id=C\naws_secret_access_key=D\n[profile \"work\"]\n\
        sso_session = s\n[profile tool]\nrole_arn = r\ncredential_process = /bin/x --y\n\
        [sso-session s]\nregion = us-east-1\n[half]\nregion = none\n\
        [profile temporary]\ncredential_process = x\n[profile role]\nrole_arn = r\n\
        aws_access_key_id=C\naws_secret_access_key=D\n[profile both]\ncredential_process = y\n\
        aws_access_key_id=C\naws_secret_access_key=D\n";

    #[test]
    fn a_profile_says_where_its_keys_are() {
        let profiles = AwsProfiles::parse(CREDENTIALS, CONFIG);
        for (name, source) in [
            ("default", Some(AwsSource::Keys("AK", "a=b", None))),
            ("temporary", Some(AwsSource::Keys("T", "S", Some("tok")))),
            ("half", Some(AwsSource::Keys("C", "D", None))),
            ("work", Some(AwsSource::Other("sso_session"))),
            ("tool", Some(AwsSource::Process("/bin/x --y"))),
            ("role", Some(AwsSource::Other("role_arn"))),
            ("both", Some(AwsSource::Process("y"))),
            ("none", None),
        ] {
            assert_eq!(profiles.source(name), source, "{name}");
            assert_eq!(profiles.contains(name), name != "none", "{name}");
        }
        assert_eq!(profiles.region("default"), Some("eu-west-1"));
        assert_eq!(profiles.region("half"), None);
        assert!(!format!("{profiles:?}").contains("a=b"));
    }
}
