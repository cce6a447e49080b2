//! Tests of `sigv4.rs`. The signatures were made by botocore (`xtask/peers/aws_sign.py`); a test of the peers compares
//! many more.

use super::*;
use crate::secret::Secret;

const API: &str = "https://a.execute-api.us-east-1.amazonaws.com/mcp";
const TIME: u64 = 1_795_062_600;

fn credentials(token: Option<&str>) -> AwsCredentials {
    AwsCredentials {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: Secret::new("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
        session_token: token.map(Secret::new),
        expires: None,
    }
}

/// Signed headers and signature.
fn signed(
    (method, url, body): (&str, &str, &str),
    headers: &[(&str, &str)],
    (scope, token, time): ((&str, &str), Option<&str>, u64),
) -> (String, String) {
    let headers: Vec<_> = headers.iter().map(|(n, v)| (*n, v.as_bytes())).collect();
    let request = Signable {
        method,
        url: &url.parse().unwrap(),
        headers: &headers,
        body: body.as_bytes(),
    };
    let scope = AwsScope {
        service: scope.0.to_owned(),
        region: scope.1.to_owned(),
    };
    let added = scope.sign(&request, &credentials(token), Timestamp(time));
    let (_, value) = added.last().unwrap();
    let (_, rest) = value.split_once("SignedHeaders=").unwrap();
    let (names, signature) = rest.split_once(", Signature=").unwrap();
    (names.to_owned(), signature.to_owned())
}

#[test]
fn signatures_are_those_of_botocore() {
    let api = (("execute-api", "us-east-1"), None, TIME);
    let json = [
        ("content-type", "application/json"),
        ("mcp-session-id", " a  b "),
    ];
    let other = (("s", "eu-central-1"), None, TIME);
    let hashed = [
        ("x-amz-content-sha256", "UNSIGNED-PAYLOAD"),
        ("x-amz-a", "2"),
        ("x-amz-a", "1"),
    ];
    for (request, headers, scope, names, signature) in [
        (
            ("POST", API, ""),
            &[][..],
            api,
            "host;x-amz-date",
            "bed8c8c246174fed222627c334c4a7bd839cfa4de3f7e2a60764293595f239fa",
        ),
        (
            ("POST", API, r#"{"text":"ø ⛴"}"#),
            &json,
            api,
            "content-type;host;mcp-session-id;x-amz-date",
            "ac4575a39eb37abf75ce1244c7a7c9ae01e9985a54905a77d962273581ed6ffe",
        ),
        (
            ("POST", API, ""),
            &[],
            (api.0, Some("tok/en+=="), TIME),
            "host;x-amz-date;x-amz-security-token",
            "11d0926fc1be570a43d6a59d80f999f14ec6194a0eaea151b39fb0c3eee6e0bc",
        ),
        (
            (
                "GET",
                "https://h.example:8443/a%20b//c%2Fd/~x/?b&a=1%202/%C3%B8&a=+&B=%3D%26",
                "",
            ),
            &[],
            other,
            "host;x-amz-date",
            "c67a83f1f6709a49849b42552838d12681acd74dc6283cf7872d3e3f90180778",
        ),
        (
            (
                "POST",
                "https://h.example/runtimes/arn%3Aaws%3Ax%3A1%2Fy/invocations?qualifier=DEFAULT",
                "",
            ),
            &[],
            api,
            "host;x-amz-date",
            "ca26b1bc4680cd0e60fd9c3b0d1be527c2fb201e8b89fe000a4422e05110784b",
        ),
        (
            ("DELETE", "https://h.example/", "not looked at"),
            &hashed,
            (api.0, None, 951_782_400),
            "host;x-amz-a;x-amz-content-sha256;x-amz-date",
            "9626cc5ead338d4add2db250741f02cf1105e7fa9c9ddf6af2f89970b9ab1a96",
        ),
    ] {
        let expected = (names.to_owned(), signature.to_owned());
        assert_eq!(signed(request, headers, scope), expected, "{request:?}");
    }
}

#[test]
fn the_headers_of_a_signature_name_its_time_and_its_session() {
    let url = API.parse().unwrap();
    let request = Signable {
        method: "POST",
        url: &url,
        headers: &[],
        body: b"",
    };
    let scope = AwsScope {
        service: "execute-api".to_owned(),
        region: "us-east-1".to_owned(),
    };
    // A leap day.
    let added = scope.sign(&request, &credentials(Some("t")), Timestamp(951_782_400));
    let names: Vec<_> = added.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        ["x-amz-date", "x-amz-security-token", "authorization"]
    );
    assert_eq!(added[0].1, "20000229T000000Z");
    assert_eq!(added[1].1, "t");
    assert!(!added[2].1.contains("wJalr"));
}
