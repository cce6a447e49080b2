//! The service and region in the name of a host.

use super::sigv4::AwsScope;

/// Under these, names have the form `….SERVICE.REGION` or `….REGION.SERVICE`.
const SUFFIXES: [&str; 4] = [".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".on.aws"];

/// The scope that the name of a host shows; `None` if it is not a regional name of AWS.
pub fn scope_of_host(host: &str) -> Option<AwsScope> {
    let host = host.to_ascii_lowercase();
    let rest = SUFFIXES.iter().find_map(|end| host.strip_suffix(end))?;
    // The endpoint of a private network.
    let rest = rest.strip_suffix(".vpce").unwrap_or(rest);
    let mut labels = rest.rsplit('.');
    let (last, before) = (labels.next()?, labels.next()?);
    let (region, service) = if is_region(last) {
        (last, before)
    } else if is_region(before) {
        (before, last)
    } else {
        return None;
    };
    let service = service.strip_suffix("-fips").unwrap_or(service);
    let service = match service {
        "lambda-url" => "lambda",
        other => other,
    };
    Some(AwsScope {
        service: service.to_owned(),
        region: region.to_owned(),
    })
}

/// `eu-central-1`, `us-gov-west-1`.
fn is_region(label: &str) -> bool {
    let parts: Vec<&str> = label.split('-').collect();
    let [area, directions @ .., number] = &parts[..] else {
        return false;
    };
    let is_word = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    (2..=4).contains(&area.len())
        && is_word(area)
        && !directions.is_empty()
        && directions.iter().all(is_word)
        && !number.is_empty()
        && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn service_and_region_are_in_the_name_of_the_host() {
        for (host, service, region) in [
            (
                "bedrock-agentcore.us-east-1.amazonaws.com",
                "bedrock-agentcore",
                "us-east-1",
            ),
            (
                "gw-1.gateway.bedrock-agentcore.eu-central-1.amazonaws.com",
                "bedrock-agentcore",
                "eu-central-1",
            ),
            (
                "a1.execute-api.us-gov-west-1.amazonaws.com",
                "execute-api",
                "us-gov-west-1",
            ),
            (
                "vpce-1.execute-api.us-east-1.vpce.amazonaws.com",
                "execute-api",
                "us-east-1",
            ),
            (
                "x.lambda-url.ap-southeast-2.on.aws",
                "lambda",
                "ap-southeast-2",
            ),
            ("AWS-MCP.us-east-1.API.aws", "aws-mcp", "us-east-1"),
            ("x.us-east-1.es.amazonaws.com", "es", "us-east-1"),
            (
                "a.execute-api.cn-north-1.amazonaws.com.cn",
                "execute-api",
                "cn-north-1",
            ),
            ("lambda-fips.us-east-2.amazonaws.com", "lambda", "us-east-2"),
        ] {
            let found = scope_of_host(host).unwrap_or_else(|| panic!("{host}"));
            assert_eq!(
                (&*found.service, &*found.region),
                (service, region),
                "{host}"
            );
        }
        for host in [
            "mcp.example.com",
            "amazonaws.com",
            "iam.amazonaws.com",
            "us-east-1.amazonaws.com",
            "x.us-east-1.amazonaws.com.evil.example",
            "xamazonaws.com",
            "",
        ] {
            assert_eq!(scope_of_host(host), None, "{host}");
        }
    }
}
