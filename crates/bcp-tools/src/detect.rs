//! The form of a file, by its content and its name.
//!
//! The content determines whether it is text. For texts, the first match counts: the whole name, its
//! extension, the program that runs it (`#!`), the start of the name (`Dockerfile.dev`); otherwise it is
//! plain text. `table::RULES` has all names.

mod table;

use linkspan_bcp::{DataFormat, DocFormat, Lang, Media};

use table::{RULES, Rule};

/// The kind of block that a file becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Code in the language with that name; some languages have no byte in the format.
    Code(&'static str),
    /// A document.
    Document(DocFormat),
    /// Data.
    Data(DataFormat),
    /// A diff, if it can be split into files.
    Diff,
    /// An image.
    Image(Media),
}

impl Form {
    /// The language of code.
    pub fn lang(name: &str) -> Lang {
        Lang::parse(name)
    }
}

/// Why a file does not become a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoText {
    /// It contains a NUL byte.
    Binary,
    /// It may be a text, but not in UTF-8, so it cannot be rendered.
    NotUtf8,
    /// It is a text in UTF-16.
    Utf16,
}

/// The bytes that are searched for a NUL byte.
const HEAD: usize = 8 << 10;

/// The form of a file with this name (without its folder) and content.
pub fn detect(name: &str, content: &[u8]) -> Result<Form, NoText> {
    if let Some(media) = picture(content) {
        return Ok(Form::Image(media));
    }
    let text = text(content)?;
    let name = name.to_lowercase();
    Ok(by_name(&name)
        .or_else(|| by_ending(&name))
        .or_else(|| by_interpreter(text))
        .or_else(|| by_beginning(&name))
        .or_else(|| is_svg(text).then_some(Form::Image(Media::Svg)))
        .unwrap_or(Form::Document(DocFormat::Plain)))
}

/// The form of piped content without a name.
pub fn detect_nameless(content: &[u8]) -> Result<Form, NoText> {
    match detect("", content)? {
        Form::Document(_) if is_diff(content) => Ok(Form::Diff),
        form => Ok(form),
    }
}

/// Whether the content starts like the output of `git diff` or `diff -u`.
fn is_diff(content: &[u8]) -> bool {
    let mut lines = content.split(|byte| *byte == b'\n');
    let (first, second) = (lines.next(), lines.next());
    let begins = |line: Option<&[u8]>, with: &[u8]| line.is_some_and(|l| l.starts_with(with));
    begins(first, b"diff --git ") || begins(first, b"--- ") && begins(second, b"+++ ")
}

/// Images are detected by their first bytes, independently of their names.
fn picture(content: &[u8]) -> Option<Media> {
    const MAGIC: &[(&[u8], Media)] = &[
        (b"\x89PNG\r\n\x1a\n", Media::Png),
        (b"\xff\xd8\xff", Media::Jpeg),
        (b"GIF87a", Media::Gif),
        (b"GIF89a", Media::Gif),
    ];
    let begins = |(magic, _): &&(&[u8], Media)| content.starts_with(magic);
    let webp = || content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP");
    MAGIC
        .iter()
        .find(begins)
        .map(|(_, media)| *media)
        .or_else(|| webp().then_some(Media::Webp))
}

fn text(content: &[u8]) -> Result<&str, NoText> {
    if content.starts_with(b"\xff\xfe") || content.starts_with(b"\xfe\xff") {
        return Err(NoText::Utf16);
    }
    if content[..content.len().min(HEAD)].contains(&0) {
        return Err(NoText::Binary);
    }
    // The whole content, because it is rendered as a whole.
    std::str::from_utf8(content).map_err(|_| NoText::NotUtf8)
}

fn by_name(name: &str) -> Option<Form> {
    form(|rule| rule.names.contains(&name))
}

fn by_ending(name: &str) -> Option<Form> {
    let (_, ending) = name.rsplit_once('.')?;
    form(|rule| rule.endings.contains(&ending))
}

/// `LICENSE-MIT`, `Dockerfile.dev`
fn by_beginning(name: &str) -> Option<Form> {
    let (beginning, _) = name.split_once(['.', '-'])?;
    form(|rule| rule.names.contains(&beginning))
}

fn form(fits: impl Fn(&Rule) -> bool) -> Option<Form> {
    RULES.iter().find(|rule| fits(rule)).map(|rule| rule.form)
}

/// By a first line like `#!/usr/bin/env -S python3 -u`.
fn by_interpreter(text: &str) -> Option<Form> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let base = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut program = base(words.next()?)?;
    if program == "env" {
        let argument = words.find(|word| !word.starts_with('-') && !word.contains('='));
        program = base(argument?)?;
    }
    // `python3.12` counts as `python`.
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(form(|rule| rule.programs.contains(&program)).unwrap_or(Form::Code("unknown")))
}

fn is_svg(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // Skips the elements that may precede `<svg>`.
    for (open, close) in [("<?xml", "?>"), ("<!DOCTYPE svg", ">"), ("<!--", "-->")] {
        if rest.starts_with(open) {
            rest = rest
                .split_once(close)
                .map_or("", |(_, rest)| rest)
                .trim_start();
        }
    }
    rest.strip_prefix("<svg")
        .is_some_and(|rest| rest.starts_with([' ', '>', '\n', '\t', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Form {
        detect(name, b"text\n").unwrap()
    }

    fn document(content: &[u8]) -> bool {
        detect("file", content) == Ok(Form::Document(DocFormat::Plain))
    }

    #[test]
    fn code_is_detected_by_its_extension() {
        for (name, lang) in [
            ("main.rs", "rust"),
            ("App.TSX", "typescript"),
            ("x.d.ts", "typescript"),
            ("index.mjs", "javascript"),
            ("a.py", "python"),
            ("a.go", "go"),
            ("A.java", "java"),
            ("a.h", "c"),
            ("a.cc", "cpp"),
            ("a.rb", "ruby"),
            ("a.sh", "shell"),
            ("a.sql", "sql"),
            ("a.css", "css"),
        ] {
            assert_eq!(named(name), Form::Code(lang), "{name}");
            assert_ne!(Form::lang(lang), Lang::UNKNOWN, "{lang}");
        }
    }

    #[test]
    fn a_language_without_a_byte_is_code_too() {
        for name in [
            "a.zig",
            "Dockerfile",
            "Dockerfile.dev",
            "GNUmakefile",
            "CMakeLists.txt",
        ] {
            let Form::Code(lang) = named(name) else {
                panic!("{name} is code");
            };
            assert_eq!(Form::lang(lang), Lang::UNKNOWN, "{name}");
        }
    }

    #[test]
    fn code_without_an_extension_is_detected_by_its_interpreter() {
        for (line, lang) in [
            ("#!/bin/sh", "shell"),
            ("#! /bin/bash -e", "shell"),
            ("#!/usr/bin/env python3.12", "python"),
            ("#!/usr/bin/env -S FOO=1 node --flag", "javascript"),
            ("#!/opt/strange", "unknown"),
        ] {
            let text = format!("{line}\ncode\n");
            assert_eq!(
                detect("run", text.as_bytes()),
                Ok(Form::Code(lang)),
                "{line}"
            );
        }
        // The name has precedence, unless only its start is known.
        assert_eq!(
            detect("license-check", b"#!/bin/sh\n"),
            Ok(Form::Code("shell"))
        );
        assert_eq!(detect("a.py", b"#!/bin/sh\n"), Ok(Form::Code("python")));
        assert!(document(b"#!"));
    }

    #[test]
    fn documents_are_detected_by_their_names() {
        for (name, format) in [
            ("README.md", DocFormat::Markdown),
            ("README", DocFormat::Plain),
            ("LICENSE-MIT", DocFormat::Plain),
            ("notes.txt", DocFormat::Plain),
            ("guide.rst", DocFormat::Plain),
            ("index.html", DocFormat::Html),
            ("whatever", DocFormat::Plain),
            ("a.strange", DocFormat::Plain),
        ] {
            assert_eq!(named(name), Form::Document(format), "{name}");
        }
    }

    #[test]
    fn data_formats_are_not_code() {
        for (name, format) in [
            ("package.json", DataFormat::Json),
            ("ci.yml", DataFormat::Yaml),
            ("Cargo.toml", DataFormat::Toml),
            ("Cargo.lock", DataFormat::Toml),
            ("composer.lock", DataFormat::Json),
            ("table.csv", DataFormat::Csv),
        ] {
            assert_eq!(named(name), Form::Data(format), "{name}");
        }
        assert_eq!(named("fix.patch"), Form::Diff);
    }

    #[test]
    fn content_without_a_name_is_detected_by_its_start() {
        for (content, form) in [
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n", Form::Diff),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", Form::Diff),
            ("--- \ntitle: x\n", Form::Document(DocFormat::Plain)),
            ("#!/bin/sh\n", Form::Code("shell")),
            ("<svg/>", Form::Document(DocFormat::Plain)),
            ("<svg >", Form::Image(Media::Svg)),
            ("", Form::Document(DocFormat::Plain)),
        ] {
            assert_eq!(detect_nameless(content.as_bytes()), Ok(form), "{content}");
        }
        assert_eq!(detect_nameless(b"\0"), Err(NoText::Binary));
    }

    #[test]
    fn images_are_detected_by_their_bytes() {
        for (bytes, media) in [
            (&b"\x89PNG\r\n\x1a\n\0\0"[..], Media::Png),
            (b"\xff\xd8\xff\xe0", Media::Jpeg),
            (b"GIF89a\0", Media::Gif),
            (b"RIFF\0\0\0\0WEBPVP8 ", Media::Webp),
        ] {
            assert_eq!(detect("wrong.txt", bytes), Ok(Form::Image(media)));
        }
        assert_eq!(detect("a.png", b"RIFF\0\0\0\0WAVE"), Err(NoText::Binary));
        assert!(document(b"a.png"));
    }

    #[test]
    fn an_svg_is_an_image() {
        let svg = b"<?xml version=\"1.0\"?>\n<!-- by hand -->\n<svg xmlns=\"x\"/>";
        for name in ["logo.svg", "logo"] {
            assert_eq!(detect(name, svg), Ok(Form::Image(Media::Svg)));
        }
        assert_eq!(
            detect("logo.html", svg),
            Ok(Form::Document(DocFormat::Html))
        );
        assert!(document(b"<svgish>") && document(b"<?xml <svg>"));
    }

    #[test]
    fn content_that_is_not_utf8_text_is_refused() {
        assert_eq!(detect("a.rs", b"a\0b"), Err(NoText::Binary));
        assert_eq!(detect("a.rs", b"\xff\xfea\0"), Err(NoText::Utf16));
        assert_eq!(detect("a.rs", b"caf\xe9"), Err(NoText::NotUtf8));
        let mut late = vec![b'a'; 2 * HEAD];
        assert_eq!(detect("a.rs", &late), Ok(Form::Code("rust")));
        late.push(0xff);
        assert_eq!(detect("a.rs", &late), Err(NoText::NotUtf8));
    }

    #[test]
    fn a_character_across_the_end_of_the_head_is_valid() {
        let mut text = vec![b'a'; HEAD - 1];
        text.extend("é".as_bytes());
        assert!(document(&text));
    }

    #[test]
    fn an_empty_file_is_detected_by_its_name() {
        assert_eq!(detect("__init__.py", b""), Ok(Form::Code("python")));
        assert!(document(b""));
    }
}
