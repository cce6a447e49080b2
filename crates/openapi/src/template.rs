//! Path templates: `/pets/{petId}`.

/// A piece of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text of the document, with its percent-encoding.
    Literal(Box<str>),
    /// The name of a parameter.
    Parameter(Box<str>),
}

/// The pieces of a path. A fragment is dropped; generators add one to tell operations with the same path apart.
pub(crate) fn parse(path: &str) -> Vec<Part> {
    let mut rest = path.split('#').next().unwrap_or_default();
    let mut parts = Vec::new();
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            parts.push(Part::Literal(before.into()));
        }
        // RFC 6570 has an operator in front, which some documents write.
        let name = name
            .trim_start_matches(['+', '?', '/', ';', '.'])
            .trim_end_matches('*');
        parts.push(Part::Parameter(name.into()));
        rest = tail;
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest.into()));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_text_are_told_apart() {
        let literal = |text: &str| Part::Literal(text.into());
        let parameter = |name: &str| Part::Parameter(name.into());
        assert_eq!(
            parse("/pets/{id}.{format}/x#get"),
            [
                literal("/pets/"),
                parameter("id"),
                literal("."),
                parameter("format"),
                literal("/x")
            ]
        );
        assert_eq!(parse("/{+path*}"), [literal("/"), parameter("path")]);
        assert_eq!(parse("/a{b"), [literal("/a{b")]);
        assert_eq!(parse(""), []);
    }
}
