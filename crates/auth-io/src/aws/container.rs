//! The credentials endpoint of a container (ECS, EKS Pod Identity, and programs that imitate it).

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use linkspan_auth::Secret;
use linkspan_auth::aws::AwsCredentials;
use linkspan_ports::{HttpOptions, Requests};
use url::{Host, Url};

use super::environment::beginning;
use super::error::AwsError;

/// The endpoint of ECS.
const ECS: &str = "http://169.254.170.2";
/// Addresses that plain http may go to, besides this machine: ECS and EKS.
const LINK_LOCAL: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];
const TIME: Duration = Duration::from_secs(5);
const LARGEST: usize = 64 * 1024;

/// An endpoint that answers with keys.
#[derive(Debug)]
pub(super) struct Container {
    url: String,
    token: Option<Secret>,
    /// Read before each request, because its content changes.
    token_file: Option<PathBuf>,
}

impl Container {
    /// The endpoint that the variables name.
    pub(super) fn named_by(set: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let relative = set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
        let url = match relative {
            Some(path) => format!("{ECS}{path}"),
            None => set("AWS_CONTAINER_CREDENTIALS_FULL_URI")?,
        };
        Some(Self {
            url,
            token: set("AWS_CONTAINER_AUTHORIZATION_TOKEN").map(Secret::new),
            token_file: set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map(PathBuf::from),
        })
    }

    pub(super) async fn fetch(&self) -> Result<AwsCredentials, AwsError> {
        let failed = |why: String| AwsError::Container(why);
        let url = Url::parse(&self.url).map_err(|_| failed("it is not a URL".to_owned()))?;
        if !is_allowed(&url) {
            return Err(failed(
                "plain http goes to this machine or the container's own addresses only".to_owned(),
            ));
        }
        let mut headers = HeaderMap::new();
        if let Some(token) = self.token()? {
            let value = HeaderValue::try_from(token.expose());
            let mut value = value.map_err(|_| failed("its token is no header".to_owned()))?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let options = HttpOptions::new(&self.url, true).map_err(|e| failed(e.to_string()))?;
        let requests = Requests::new(&options, None, LARGEST, TIME);
        let sent = requests.send(http::Method::GET, &url, headers, String::new());
        let response = sent.await.map_err(|e| failed(e.to_string()))?;
        if !response.status().is_success() {
            return Err(failed(format!("HTTP {}", response.status().as_u16())));
        }
        AwsCredentials::parse(response.body()).map_err(|e| failed(e.to_string()))
    }

    fn token(&self) -> Result<Option<Secret>, AwsError> {
        let Some(path) = &self.token_file else {
            return Ok(self.token.clone());
        };
        Ok(Some(Secret::new(beginning(path)?.trim())))
    }
}

/// Whether keys may be asked for there: the variable may come from another program.
fn is_allowed(url: &Url) -> bool {
    let is_near = |ip: IpAddr| {
        let known = LINK_LOCAL.iter().filter_map(|text| text.parse().ok());
        ip.is_loopback() || known.into_iter().any(|known: IpAddr| known == ip)
    };
    match (url.scheme(), url.host()) {
        ("https", Some(_)) => true,
        ("http", Some(Host::Ipv4(ip))) => is_near(ip.into()),
        ("http", Some(Host::Ipv6(ip))) => is_near(ip.into()),
        ("http", Some(Host::Domain(name))) => name == "localhost",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_near() {
        let allowed = |text: &str| is_allowed(&text.parse().unwrap());
        for near in [
            "http://169.254.170.2/v2/x",
            "http://169.254.170.23/",
            "http://[fd00:ec2::23]/v1",
            "http://127.0.0.1:99/",
            "http://localhost/x",
            "https://keys.example/x",
        ] {
            assert!(allowed(near), "{near}");
        }
        for far in [
            "http://169.254.169.254/",
            "http://keys.example/",
            "http://10.0.0.1/",
            "ftp://localhost/",
        ] {
            assert!(!allowed(far), "{far}");
        }
    }
}
