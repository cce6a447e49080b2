//! The language of code, from the word on its fence or the extension of its file.

use linkspan_bcp::Lang;

/// Extensions and words that differ from the name of the language.
const OTHERS: [(&str, &str); 14] = [
    ("rs", "rust"),
    ("tsx", "typescript"),
    ("jsx", "javascript"),
    ("mjs", "javascript"),
    ("node", "javascript"),
    ("python3", "python"),
    ("golang", "go"),
    ("h", "c"),
    ("hpp", "cpp"),
    ("cc", "cpp"),
    ("cxx", "cpp"),
    ("zsh", "shell"),
    ("console", "shell"),
    ("htm", "html"),
];

pub(super) fn of(lang: Option<&str>, path: Option<&str>) -> Lang {
    let ending = || path.and_then(|path| Some(path.rsplit_once('.')?.1));
    let word = lang.or_else(ending).unwrap_or("");
    let known = OTHERS
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(word));
    Lang::parse(known.map_or(word, |(_, name)| name))
}
