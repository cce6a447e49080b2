//! Functions on strings: trimming, splitting, the `@` formats, regular expressions.

use super::arith::split;
use super::natives::Native;
use super::print::quote;
use super::value::{Map, R, V, fail};
use fancy_regex::Regex;
use jaq_core::native::{bome, unary, v};
use std::rc::Rc;

/// The natives of this module.
pub fn natives() -> Vec<Native> {
    vec![
        ("startswith", v(1), |cv| {
            unary(cv, |a, b| {
                both("startswith", &a, &b, |a, b| a.starts_with(b))
            })
        }),
        ("endswith", v(1), |cv| {
            unary(cv, |a, b| both("endswith", &a, &b, |a, b| a.ends_with(b)))
        }),
        ("ltrimstr", v(1), |cv| {
            unary(cv, |a, b| Ok(cut(a, &b, true, false)))
        }),
        ("rtrimstr", v(1), |cv| {
            unary(cv, |a, b| Ok(cut(a, &b, false, true)))
        }),
        ("trimstr", v(1), |cv| {
            unary(cv, |a, b| Ok(cut(a, &b, true, true)))
        }),
        ("trim", v(0), |cv| {
            bome(trimmed(&cv.1, |s| s.trim_matches(blank)))
        }),
        ("ltrim", v(0), |cv| {
            bome(trimmed(&cv.1, |s| s.trim_start_matches(blank)))
        }),
        ("rtrim", v(0), |cv| {
            bome(trimmed(&cv.1, |s| s.trim_end_matches(blank)))
        }),
        ("split_text", v(1), |cv| {
            unary(cv, |a, b| match (a.as_text(), b.as_text()) {
                (Some(text), Some(by)) => Ok(split(text, by)),
                _ => fail("split input and separator must be strings"),
            })
        }),
        ("utf8bytelength", v(0), |cv| {
            bome(match cv.1.as_text() {
                Some(text) => Ok(V::from(text.len())),
                None => fail(format_args!(
                    "{} only strings have UTF-8 byte length",
                    cv.1.named()
                )),
            })
        }),
        ("explode", v(0), |cv| {
            bome(match cv.1.as_text() {
                Some(text) => Ok(text.chars().map(|c| V::from(c as usize)).collect()),
                None => fail(format_args!("{} cannot be exploded", cv.1.named())),
            })
        }),
        ("implode", v(0), |cv| bome(implode(&cv.1))),
        ("ascii_downcase", v(0), |cv| {
            bome(cased(&cv.1, "ascii_downcase", str::to_ascii_lowercase))
        }),
        ("ascii_upcase", v(0), |cv| {
            bome(cased(&cv.1, "ascii_upcase", str::to_ascii_uppercase))
        }),
        ("@csv", v(0), |cv| bome(row(&cv.1, "csv", ",", csv_cell))),
        ("@tsv", v(0), |cv| bome(row(&cv.1, "tsv", "\t", tsv_cell))),
        ("@html", v(0), |cv| bome(Ok(V::text(html(&cv.1.plain()))))),
        ("@uri", v(0), |cv| bome(Ok(V::text(uri(&cv.1.plain()))))),
        ("@urid", v(0), |cv| bome(uri_decoded(&cv.1))),
        ("@sh", v(0), |cv| bome(shell(&cv.1))),
        ("@base64", v(0), |cv| {
            bome(Ok(V::text(encode(cv.1.plain().as_bytes(), BASE64, 6))))
        }),
        ("@base64d", v(0), |cv| {
            bome(decode(&cv.1, BASE64, 6, "base64"))
        }),
        ("@base32", v(0), |cv| {
            bome(Ok(V::text(encode(cv.1.plain().as_bytes(), BASE32, 5))))
        }),
        ("@base32d", v(0), |cv| {
            bome(decode(&cv.1, BASE32, 5, "base32"))
        }),
        ("test", v(2), |mut cv| {
            let (flags, re) = (cv.0.pop_var(), cv.0.pop_var());
            bome(matches(&cv.1, &re, &flags, true).map(|found| V::Bool(!found.is_empty())))
        }),
        ("matches", v(2), |mut cv| {
            let (flags, re) = (cv.0.pop_var(), cv.0.pop_var());
            bome(matches(&cv.1, &re, &flags, false).map(V::array))
        }),
    ]
}

fn both(name: &str, a: &V, b: &V, f: impl Fn(&str, &str) -> bool) -> R {
    match (a.as_text(), b.as_text()) {
        (Some(a), Some(b)) => Ok(V::Bool(f(a, b))),
        _ => fail(format_args!("{name}() requires string inputs")),
    }
}

fn cut(value: V, part: &V, left: bool, right: bool) -> V {
    let (Some(text), Some(part)) = (value.as_text(), part.as_text()) else {
        return value;
    };
    let mut rest = text;
    if left {
        rest = rest.strip_prefix(part).unwrap_or(rest);
    }
    if right {
        rest = rest.strip_suffix(part).unwrap_or(rest);
    }
    V::from(rest)
}

fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}' | '\u{b}')
}

fn trimmed(value: &V, f: impl Fn(&str) -> &str) -> R {
    match value.as_text() {
        Some(text) => Ok(V::from(f(text))),
        None => fail(format_args!("{} cannot be trimmed", value.named())),
    }
}

fn cased(value: &V, name: &str, f: impl Fn(&str) -> String) -> R {
    match value.as_text() {
        Some(text) => Ok(V::text(f(text))),
        None => fail(format_args!("{name} input must be a string")),
    }
}

fn implode(value: &V) -> R {
    let V::Arr(items) = value else {
        return fail(format_args!("{} cannot be imploded", value.named()));
    };
    let each = items.iter().map(|item| match item {
        V::Num(n) => Ok(char::from_u32(n.value() as u32).unwrap_or(char::REPLACEMENT_CHARACTER)),
        other => fail(format_args!(
            "Unicode codepoint must be numeric, not {}",
            other.named()
        )),
    });
    Ok(V::text(each.collect::<R<String>>()?))
}

fn row(value: &V, name: &str, by: &str, cell: fn(&str) -> String) -> R {
    let V::Arr(items) = value else {
        return fail(format_args!(
            "{} cannot be {name}-formatted, only array",
            value.named()
        ));
    };
    let each = items.iter().map(|item| match item {
        V::Null => Ok(String::new()),
        V::Bool(_) | V::Num(_) => Ok(item.to_string()),
        V::Str(text) => Ok(cell(text)),
        other => fail(format_args!(
            "{} is not valid in a {name} row",
            other.named()
        )),
    });
    Ok(V::text(each.collect::<R<Vec<_>>>()?.join(by)))
}

fn csv_cell(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn tsv_cell(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

fn uri(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn uri_decoded(value: &V) -> R {
    let text = value.plain();
    let bad = || format!("{} is not a valid uri encoding", value.named());
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |i: usize| rest.get(i).and_then(|b| (*b as char).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else {
            return fail(bad());
        };
        bytes.push((high * 16 + low) as u8);
        rest = &rest[2..];
    }
    Ok(V::text(String::from_utf8_lossy(&bytes)))
}

fn shell(value: &V) -> R {
    let word = |item: &V| match item {
        V::Str(text) => Ok(format!("'{}'", text.replace('\'', "'\\''"))),
        V::Arr(_) | V::Obj(_) => fail(format_args!(
            "{} can not be escaped for shell",
            item.named()
        )),
        other => Ok(other.to_string()),
    };
    match value {
        V::Arr(items) => Ok(V::text(
            items.iter().map(word).collect::<R<Vec<_>>>()?.join(" "),
        )),
        other => word(other).map(V::text),
    }
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Bits in groups of six or five; a full block is a multiple of eight bits.
fn encode(bytes: &[u8], alphabet: &[u8], width: u32) -> String {
    let mut out = String::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in bytes {
        bits = (bits << 8) | u32::from(*byte);
        count += 8;
        while count >= width {
            count -= width;
            out.push(alphabet[((bits >> count) & ((1 << width) - 1)) as usize] as char);
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        out.push(alphabet[((bits << (width - count)) & ((1 << width) - 1)) as usize] as char);
    }
    let block = if width == 6 { 4 } else { 8 };
    while !out.len().is_multiple_of(block) {
        out.push('=');
    }
    out
}

fn decode(value: &V, alphabet: &[u8], width: u32, name: &str) -> R {
    let text = value.plain();
    let bad = || fail(format_args!("{} is not valid {name} data", value.named()));
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0u32);
    for byte in text.trim_end_matches('=').bytes() {
        let Some(digit) = alphabet.iter().position(|a| *a == byte) else {
            return bad();
        };
        bits = (bits << width) | digit as u32;
        count += width;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    if out.is_empty() && !text.trim_end_matches('=').is_empty() {
        return bad();
    }
    Ok(V::text(String::from_utf8_lossy(&out)))
}

fn matches(value: &V, re: &V, flags: &V, only_first: bool) -> R<Vec<V>> {
    let (re, flags) = match re {
        V::Arr(pair) => (
            pair.first().cloned().unwrap_or_default(),
            pair.get(1).cloned().unwrap_or_default(),
        ),
        other => (other.clone(), flags.clone()),
    };
    let Some(text) = value.as_text() else {
        return fail(format_args!(
            "{} cannot be matched, as it is not a string",
            value.named()
        ));
    };
    let Some(pattern) = re.as_text() else {
        return fail(format_args!(
            "{} cannot be matched, as it is not a string",
            re.named()
        ));
    };
    let flags = match &flags {
        V::Null => "",
        V::Str(flags) => flags.as_str(),
        other => return fail(format_args!("{} is not a string", other.named())),
    };
    let (mut all, mut skip_empty, mut inline) = (false, false, String::new());
    for flag in flags.chars() {
        match flag {
            'g' => all = true,
            'n' => skip_empty = true,
            'i' | 'x' => inline.push(flag),
            'p' => inline.push('s'),
            's' | 'l' => {}
            _ => return fail(format_args!("{flags} is not a valid modifier string")),
        }
    }
    let pattern = if inline.is_empty() {
        pattern.to_owned()
    } else {
        format!("(?{inline}){pattern}")
    };
    let regex = match Regex::new(&pattern) {
        Ok(regex) => regex,
        Err(e) => {
            let mut shown = String::new();
            quote(&mut shown, re.as_text().unwrap_or_default(), false);
            return fail(format_args!(
                "{shown} (at offset 0) is not a valid regex: {e}"
            ));
        }
    };
    let mut found = Vec::new();
    for captures in regex.captures_iter(text) {
        let captures = match captures {
            Ok(captures) => captures,
            Err(e) => return fail(format_args!("regex failed: {e}")),
        };
        let Some(whole) = captures.get(0) else {
            continue;
        };
        if skip_empty && whole.range().is_empty() {
            continue;
        }
        let mut object = part(text, Some(whole.range()));
        let groups = regex.capture_names().enumerate().skip(1).map(|(i, name)| {
            let mut group = part(text, captures.get(i).map(|m| m.range()));
            group.insert(Rc::from("name"), name.map_or(V::Null, V::from));
            V::object(group)
        });
        object.insert(Rc::from("captures"), groups.collect());
        found.push(V::object(object));
        if only_first || !all {
            break;
        }
    }
    Ok(found)
}

fn part(text: &str, range: Option<std::ops::Range<usize>>) -> Map {
    let (offset, length, string) = match range {
        Some(range) => {
            let offset = text[..range.start].chars().count();
            let string = &text[range];
            (
                V::from(offset),
                V::from(string.chars().count()),
                V::from(string),
            )
        }
        None => (V::from(-1isize), V::from(0usize), V::Null),
    };
    Map::from_iter([
        (Rc::from("offset"), offset),
        (Rc::from("length"), length),
        (Rc::from("string"), string),
    ])
}
