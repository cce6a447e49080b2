//! TOML. The parser provides positions, but its maps are sorted, so the original order is restored: arguments
//! are listed in the order in which they were written.

use serde_json::Number;
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{Census, Data, Lines, Member, Node, SyntaxError};

pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        line: error.span().map_or(1, |span| lines.at(span.start)),
        text: error.message().trim().replace('\n', ", "),
    })?;
    let mut census = Census::default();
    let data = map(table.get_ref(), &lines, &mut census, 0)?;
    Ok(Node::new(1, data))
}

fn map(
    table: &DeTable<'_>,
    lines: &Lines,
    census: &mut Census,
    depth: usize,
) -> Result<Data, SyntaxError> {
    let mut pairs: Vec<_> = table.iter().collect();
    pairs.sort_by_key(|(name, _)| name.span().start);
    let mut members = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        members.push(Member {
            name: name.get_ref().to_string(),
            line: lines.at(name.span().start),
            value: node(value, lines, census, depth + 1)?,
        });
    }
    Ok(Data::Map(members))
}

fn node(
    value: &Spanned<DeValue<'_>>,
    lines: &Lines,
    census: &mut Census,
    depth: usize,
) -> Result<Node, SyntaxError> {
    let line = lines.at(value.span().start);
    census.node(line, depth)?;
    let refuse = |text: String| Err(SyntaxError { line, text });
    let data = match value.get_ref() {
        DeValue::String(text) => Data::Text(text.to_string()),
        DeValue::Integer(integer) => match integer_of(integer) {
            Some(number) => Data::Number(number, integer.to_string()),
            None => return refuse(format!("{integer} is too large")),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(Number::from_f64) {
            Some(number) => Data::Number(number, float.as_str().to_owned()),
            None => return refuse(format!("{} cannot be represented in JSON", float.as_str())),
        },
        DeValue::Boolean(flag) => Data::Bool(*flag),
        DeValue::Datetime(time) => Data::Text(time.to_string()),
        DeValue::Array(items) => {
            let items = items
                .iter()
                .map(|item| node(item, lines, census, depth + 1));
            Data::List(items.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => map(table, lines, census, depth)?,
    };
    Ok(Node::new(line, data))
}

fn integer_of(integer: &DeInteger<'_>) -> Option<Number> {
    let number = i64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
    Some(number.into())
}
