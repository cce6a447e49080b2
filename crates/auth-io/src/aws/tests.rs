//! Tests of the signer: where keys come from, when they are renewed, and what refusals lead to.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use linkspan_ports::{Again, AuthRefusal, Authorizer, Credentials, HttpOptions, Outgoing};
use linkspan_session::Fault;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use super::{AwsEnvironment, AwsError, AwsFlags, AwsSigner};

const URL: &str = "https://a.execute-api.eu-west-1.amazonaws.com/mcp";
const KEYS: [(&str, &str); 2] = [
    ("AWS_ACCESS_KEY_ID", "AKENV"),
    ("AWS_SECRET_ACCESS_KEY", "s"),
];

fn environment(set: &[(&str, &str)]) -> AwsEnvironment {
    let variable = |name: &str| {
        let found = set.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    AwsEnvironment::read(&variable, Vec::new())
}

fn signer_at(url: &str, flags: AwsFlags, set: &[(&str, &str)]) -> Result<AwsSigner, AwsError> {
    let options = HttpOptions::new(url, true).unwrap();
    AwsSigner::new(&options, flags, environment(set))
}

fn signer(flags: AwsFlags, set: &[(&str, &str)]) -> AwsSigner {
    signer_at(URL, flags, set).unwrap()
}

fn with_profile(name: &str) -> AwsFlags {
    AwsFlags {
        profile: Some(name.to_owned()),
        ..AwsFlags::default()
    }
}

/// The credentials of a request to `url`.
async fn asked_at(signer: &AwsSigner, url: &str) -> Result<Credentials, Fault> {
    let url: Url = url.parse().unwrap();
    let headers = HeaderMap::new();
    let body = || Bytes::from_static(b"{}");
    let request = Outgoing::new(&Method::POST, &url, &headers, &body);
    match signer.ready(&request) {
        Some(ready) => Ok(ready),
        None => signer.obtain(&request).await,
    }
}

/// The `Authorization` of a request.
async fn asked(signer: &AwsSigner) -> String {
    let credentials = asked_at(signer, URL).await.unwrap();
    let (_, value) = credentials.headers.last().unwrap();
    value.to_str().unwrap().to_owned()
}

/// What a request without keys says.
async fn fault(signer: &AwsSigner) -> (String, String) {
    match asked_at(signer, URL).await {
        Err(Fault::NotSignedIn { why, hint, .. }) => (why, hint),
        other => panic!("{:?}", other.map(|it| it.headers)),
    }
}

fn refusal(generation: u64, attempt: u32, date: Option<&str>) -> AuthRefusal {
    AuthRefusal {
        status: 403,
        challenges: Vec::new(),
        date: date.map(str::to_owned),
        generation: Some(generation),
        attempt,
        may_ask: true,
    }
}

/// A home with these files in `.aws`, which only this user can write.
fn home(credentials: &str, config: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".aws");
    std::fs::create_dir(&folder).unwrap();
    for (name, text) in [("credentials", credentials), ("config", config)] {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        #[cfg(unix)]
        set_mode(&file, 0o600);
    }
    home
}

#[cfg(unix)]
fn set_mode(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn home_of(folder: &Path) -> [(&'static str, &str); 2] {
    let path = folder.to_str().unwrap();
    [("HOME", path), ("USERPROFILE", path)]
}

#[tokio::test]
async fn keys_of_the_environment_come_first_unless_a_profile_is_named() {
    let home = home(
        "[default]\naws_access_key_id=AKDEF\naws_secret_access_key=s\n\
         [work]\naws_access_key_id=AKWORK\naws_secret_access_key=s\n",
        "",
    );
    let files = home_of(home.path());
    let both = [&files[..], &KEYS].concat();
    let named = [&files[..], &[("AWS_PROFILE", "work")]].concat();
    for (flags, set, id) in [
        (AwsFlags::default(), &both[..], "AKENV"),
        (with_profile("work"), &both, "AKWORK"),
        (AwsFlags::default(), &named, "AKWORK"),
        (AwsFlags::default(), &files, "AKDEF"),
    ] {
        let header = asked(&signer(flags, set)).await;
        assert!(header.contains(&format!("Credential={id}/")), "{header}");
        assert!(header.contains("/eu-west-1/execute-api/aws4_request"));
    }
}

#[tokio::test]
async fn without_keys_a_request_says_what_to_do() {
    let home = home(
        "",
        "[profile sso]\nsso_session=x\n[profile bare]\nregion=x\n",
    );
    let files = home_of(home.path());
    for (flags, why, hint) in [
        (
            AwsFlags::default(),
            "no AWS credentials",
            "AWS_ACCESS_KEY_ID",
        ),
        (
            with_profile("none"),
            "no AWS profile `none`",
            "list-profiles",
        ),
        (with_profile("bare"), "has no keys", "aws configure"),
        (
            with_profile("sso"),
            "by `sso_session`",
            "export-credentials --profile sso",
        ),
    ] {
        let (told, hinted) = fault(&signer(flags, &files)).await;
        assert!(told.contains(why), "{told}");
        assert!(hinted.contains(hint), "{hinted}");
    }
}

#[test]
fn the_service_and_region_come_from_flags_the_host_and_the_environment() {
    let far = "https://mcp.example.com/mcp";
    let flags = |service: Option<&str>, region: Option<&str>| AwsFlags {
        service: service.map(str::to_owned),
        region: region.map(str::to_owned),
        profile: None,
    };
    let region = [("AWS_REGION", "us-east-2")];
    let refused = |url, flags, set: &[_]| signer_at(url, flags, set).err().map(|e| e.to_string());
    let told = refused(far, flags(None, None), &region).unwrap();
    assert!(told.contains("`mcp.example.com` does not show"), "{told}");
    let told = refused(far, flags(Some("x"), None), &[]).unwrap();
    assert!(told.contains("no AWS region"), "{told}");
    assert_eq!(refused(far, flags(Some("x"), None), &region), None);
    assert_eq!(refused(far, flags(Some("x"), Some("y")), &[]), None);
    assert_eq!(refused(URL, flags(None, None), &[]), None);
    let mut options = HttpOptions::new(URL, false).unwrap();
    options.header("Authorization", "Bearer x").unwrap();
    let refused = AwsSigner::new(&options, flags(None, None), environment(&[]));
    assert!(matches!(refused, Err(AwsError::Header("authorization"))));
}

#[tokio::test]
async fn only_requests_to_the_origin_of_the_server_are_signed() {
    let signer = signer(AwsFlags::default(), &KEYS);
    asked(&signer).await;
    let other = asked_at(&signer, "https://evil.example/mcp").await.unwrap();
    assert!(other.headers.is_empty());
    let credentials = asked_at(&signer, URL).await.unwrap();
    let headers = credentials.headers.iter();
    let open = headers.filter(|(_, value)| !value.is_sensitive());
    let open: Vec<_> = open.map(|(name, _)| name.as_str()).collect();
    assert_eq!(open, ["x-amz-date"]);
    assert_eq!(signer.secrets(), ["s"]);
}

#[tokio::test]
async fn a_wrong_clock_is_corrected_by_the_server_s_time_once() {
    let signer = signer(AwsFlags::default(), &KEYS);
    asked(&signer).await;
    let near = signer.refused(refusal(1, 0, None)).await.unwrap();
    assert_eq!(near, Again::Stop);
    let date = Some("Thu, 19 Nov 2099 04:30:00 GMT");
    assert_eq!(signer.refused(refusal(1, 0, date)).await, Ok(Again::Retry));
    let header = asked(&signer).await;
    assert!(header.contains("/20991119/"), "{header}");
    assert_eq!(signer.refused(refusal(1, 1, date)).await, Ok(Again::Stop));
}

#[cfg(unix)]
#[tokio::test]
async fn keys_of_a_program_are_renewed_before_they_expire_and_after_a_refusal() {
    let home = home("", "");
    let count = home.path().join("count");
    let soon = jiff::Timestamp::now() + Duration::from_secs(240);
    let script = home.path().join("keys.sh");
    let text = format!(
        "echo x >> '{0}'\nprintf '{{\"Version\":1,\"AccessKeyId\":\"AK%s\",\"SecretAccessKey\":\"s\",\
         \"Expiration\":\"{soon}\"}}' $(wc -l < '{0}')\n",
        count.display()
    );
    std::fs::write(&script, text).unwrap();
    let config = format!(
        "[default]\ncredential_process = sh '{}'\n",
        script.display()
    );
    let file = home.path().join(".aws/config");
    std::fs::write(&file, config).unwrap();
    let signer = signer(AwsFlags::default(), &home_of(home.path()));
    assert!(asked(&signer).await.contains("=AK1/"));
    assert!(asked(&signer).await.contains("=AK1/"), "a pause first");
    pass(Duration::from_secs(31)).await;
    assert!(asked(&signer).await.contains("=AK2/"), "they expire soon");
    pass(Duration::from_secs(31)).await;
    assert_eq!(signer.refused(refusal(2, 0, None)).await, Ok(Again::Retry));
    assert!(asked(&signer).await.contains("=AK3/"));
    let late = signer.refused(refusal(2, 0, None)).await;
    assert_eq!(late, Ok(Again::Retry), "others have renewed them");
    let again = signer.refused(refusal(3, 0, None)).await;
    assert_eq!(again, Ok(Again::Stop), "not at once");
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_fails_is_run_once_for_all_requests_that_wait() {
    let home = home("", "");
    let count = home.path().join("count");
    let config = format!(
        "[default]\ncredential_process = sh -c 'echo x >> \"{}\"; exit 9'\n",
        count.display()
    );
    std::fs::write(home.path().join(".aws/config"), config).unwrap();
    let signer = signer(AwsFlags::default(), &home_of(home.path()));
    let (first, second, third) = tokio::join!(fault(&signer), fault(&signer), fault(&signer));
    assert!(first.0.contains("exit status: 9"), "{}", first.0);
    assert_eq!([&second, &third], [&first; 2]);
    assert_eq!(std::fs::read_to_string(&count).unwrap(), "x\n");
    fault(&signer).await;
    assert_eq!(std::fs::read_to_string(&count).unwrap(), "x\nx\n");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_another_user_could_have_written_is_not_run() {
    use std::os::unix::fs::chown;
    let home = home("", "[default]\ncredential_process = sh -c 'exit 9'\n");
    let file = home.path().join(".aws/config");
    let refused = async || fault(&signer(AwsFlags::default(), &home_of(home.path()))).await;
    let (why, _) = refused().await;
    assert!(why.contains("exit status: 9"), "{why}");
    set_mode(&file, 0o666);
    let (why, hint) = refused().await;
    assert!(why.contains("is not run") && hint.contains("go-w"), "{why}");
    set_mode(&file, 0o644);
    // Only root can give a file away.
    if chown(&file, Some(12345), None).is_ok() {
        let (why, _) = refused().await;
        assert!(why.contains("belongs to another user"), "{why}");
    }
}

/// Lets time pass. It must not stand still while a program is waited for.
#[cfg(unix)]
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn the_endpoint_of_a_container_gives_keys_for_its_token() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let heard = Arc::new(parking_lot::Mutex::new(String::new()));
    let hears = Arc::clone(&heard);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        let length = stream.read(&mut head).await.unwrap();
        *hears.lock() = String::from_utf8_lossy(&head[..length]).to_lowercase();
        let body = r#"{"AccessKeyId":"AKECS","SecretAccessKey":"s","Token":"t"}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    let set = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", &*url),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pass"),
    ];
    let header = asked(&signer(AwsFlags::default(), &set)).await;
    assert!(header.contains("Credential=AKECS/"), "{header}");
    assert!(header.contains("x-amz-security-token"), "{header}");
    let heard = heard.lock().clone();
    assert!(heard.starts_with("get /keys ") && heard.contains("authorization: pass"));
}
