//! Keys that requests to AWS are signed with, as programs and endpoints hand them out.

use serde::Deserialize;

use crate::secret::Secret;
use crate::time::Timestamp;

/// Keys that requests to AWS are signed with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwsCredentials {
    /// The id of the key, which is not a secret.
    pub access_key_id: String,
    /// The key.
    pub secret_access_key: Secret,
    /// Sent with every request by temporary keys.
    pub session_token: Option<Secret>,
    /// When they expire, if that is known.
    pub expires: Option<Timestamp>,
}

/// Why a text has no credentials. It never has the text, which may be secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AwsCredentialsError {
    /// Not the JSON object that was expected.
    #[error("its output is not a JSON object with AccessKeyId and SecretAccessKey")]
    Form,
    /// A version of the object that is not known.
    #[error("its output has the version {0}; version 1 is known")]
    Version(u64),
    /// A time that cannot be read.
    #[error("its Expiration is not a time such as 2026-11-19T04:30:00Z")]
    Expiration,
    /// A character that no header can have.
    #[error("a key of it has characters that HTTP does not allow")]
    Characters,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Given {
    version: Option<u64>,
    access_key_id: String,
    secret_access_key: Secret,
    session_token: Option<Secret>,
    /// The same by the endpoint of a container.
    token: Option<Secret>,
    expiration: Option<String>,
}

impl AwsCredentials {
    /// Keys without an expiry.
    pub fn new(
        id: &str,
        key: &str,
        session_token: Option<&str>,
    ) -> Result<Self, AwsCredentialsError> {
        let credentials = Self {
            access_key_id: id.trim().to_owned(),
            secret_access_key: Secret::new(key.trim()),
            session_token: session_token.map(|token| Secret::new(token.trim())),
            expires: None,
        };
        credentials.checked()
    }

    /// The output of a `credential_process`, or the answer of the endpoint of a container.
    pub fn parse(json: &[u8]) -> Result<Self, AwsCredentialsError> {
        let given: Given = serde_json::from_slice(json).map_err(|_| AwsCredentialsError::Form)?;
        if let Some(version) = given.version.filter(|version| *version != 1) {
            return Err(AwsCredentialsError::Version(version));
        }
        let expires = given.expiration.map(|text| {
            let time = text.parse::<jiff::Timestamp>();
            let time = time.map_err(|_| AwsCredentialsError::Expiration)?;
            Ok(Timestamp(u64::try_from(time.as_second()).unwrap_or(0)))
        });
        let credentials = Self {
            access_key_id: given.access_key_id,
            secret_access_key: given.secret_access_key,
            session_token: given.session_token.or(given.token),
            expires: expires.transpose()?,
        };
        credentials.checked()
    }

    fn checked(self) -> Result<Self, AwsCredentialsError> {
        let is_visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        let token = self.session_token.as_ref().map_or("", Secret::expose);
        if self.access_key_id.is_empty() || self.secret_access_key.expose().is_empty() {
            return Err(AwsCredentialsError::Form);
        }
        if is_visible(&self.access_key_id) && is_visible(token) {
            Ok(self)
        } else {
            Err(AwsCredentialsError::Characters)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_program_and_the_answer_of_an_endpoint_are_read() {
        let process = br#"{"Version":1,"AccessKeyId":"AKID","SecretAccessKey":"s/k",
            "SessionToken":"t","Expiration":"2026-11-19T04:30:00+00:00"}"#;
        let read = AwsCredentials::parse(process).unwrap();
        assert_eq!(read.access_key_id, "AKID");
        assert_eq!(read.session_token, Some(Secret::new("t")));
        assert_eq!(read.expires, Some(Timestamp(1_795_062_600)));
        let endpoint = br#"{"RoleArn":"r","AccessKeyId":"A","SecretAccessKey":"s","Token":"t"}"#;
        let read = AwsCredentials::parse(endpoint).unwrap();
        assert_eq!(read.session_token, Some(Secret::new("t")));
    }

    #[test]
    fn what_cannot_be_used_is_an_error_without_its_text() {
        use AwsCredentialsError as Error;
        for (json, error) in [
            ("secret", Error::Form),
            (r#"{"AccessKeyId":"A"}"#, Error::Form),
            (r#"{"AccessKeyId":"","SecretAccessKey":"s"}"#, Error::Form),
            (
                r#"{"Version":2,"AccessKeyId":"A","SecretAccessKey":"s"}"#,
                Error::Version(2),
            ),
            (
                r#"{"AccessKeyId":"A","SecretAccessKey":"s","Expiration":"soon"}"#,
                Error::Expiration,
            ),
            (
                r#"{"AccessKeyId":"A\nX: y","SecretAccessKey":"s"}"#,
                Error::Characters,
            ),
        ] {
            assert_eq!(AwsCredentials::parse(json.as_bytes()), Err(error), "{json}");
        }
    }
}
