//! The names of files, by form: one row for each language or format.

use linkspan_bcp::{DataFormat, DocFormat, Media};

use super::Form::{self, Code, Data, Diff, Document, Image};

/// The files of one form. Names and extensions are in lower case.
pub(super) struct Rule {
    pub(super) form: Form,
    /// Extensions, which follow the last dot of a name.
    pub(super) endings: &'static [&'static str],
    /// Whole names, or names up to a dot or dash.
    pub(super) names: &'static [&'static str],
    /// Programs that run these files.
    pub(super) programs: &'static [&'static str],
}

const fn rule(
    form: Form,
    endings: &'static [&'static str],
    names: &'static [&'static str],
    programs: &'static [&'static str],
) -> Rule {
    Rule {
        form,
        endings,
        names,
        programs,
    }
}

/// A language without a byte in the format; the name is only a comment.
const fn other(name: &'static str, endings: &'static [&'static str]) -> Rule {
    rule(Code(name), endings, &[], &[])
}

/// Every word occurs at most once per column.
#[rustfmt::skip] // Keeps the columns aligned.
pub(super) const RULES: &[Rule] = &[
    // Languages with a byte in the format.
    rule(Code("rust"), &["rs"], &[], &["rust-script"]),
    rule(Code("typescript"), &["ts", "tsx", "mts", "cts"], &[], &["deno", "ts-node", "tsx"]),
    rule(Code("javascript"), &["js", "jsx", "mjs", "cjs"], &[], &["node", "nodejs", "bun"]),
    rule(Code("python"), &["py", "pyi", "pyw"], &["sconstruct", "sconscript"], &["python", "pypy", "uv"]),
    rule(Code("go"), &["go"], &[], &[]),
    rule(Code("java"), &["java"], &[], &["java"]),
    rule(Code("c"), &["c", "h"], &[], &["tcc"]),
    rule(Code("cpp"), &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl"], &[], &[]),
    rule(Code("ruby"), &["rb", "rake", "gemspec", "ru"],
        &["rakefile", "gemfile", "vagrantfile", "podfile", "brewfile", "guardfile"], &["ruby", "jruby"]),
    rule(Code("shell"), &["sh", "bash", "zsh", "ksh", "fish", "bats"],
        &[".bashrc", ".bash_profile", ".bash_aliases", ".zshrc", ".zprofile", ".zshenv", ".profile", "pkgbuild", "apkbuild"],
        &["sh", "bash", "zsh", "ksh", "dash", "ash", "fish", "bats"]),
    rule(Code("sql"), &["sql", "psql", "ddl"], &[], &[]),
    rule(Code("css"), &["css"], &[], &[]),

    // Languages without a byte.
    rule(Code("makefile"), &["mk", "mak"], &["makefile", "gnumakefile"], &["make", "gmake"]),
    rule(Code("dockerfile"), &["dockerfile"], &["dockerfile", "containerfile"], &[]),
    rule(Code("cmake"), &["cmake"], &["cmakelists.txt"], &["cmake"]),
    rule(Code("just"), &["just"], &["justfile", ".justfile"], &["just"]),
    rule(Code("groovy"), &["groovy", "gradle"], &["jenkinsfile"], &["groovy"]),
    rule(Code("starlark"), &["bzl", "bazel", "star"], &["build.bazel", "workspace.bazel", "tiltfile"], &[]),
    rule(Code("perl"), &["pl", "pm", "t"], &[], &["perl"]),
    rule(Code("php"), &["php", "phtml"], &[], &["php"]),
    rule(Code("lua"), &["lua"], &[], &["lua", "luajit"]),
    rule(Code("awk"), &["awk"], &[], &["awk", "gawk"]),
    rule(Code("tcl"), &["tcl"], &[], &["tclsh", "wish", "expect"]),
    rule(Code("r"), &["r"], &[], &["Rscript"]),
    rule(Code("julia"), &["jl"], &[], &["julia"]),
    rule(Code("elixir"), &["ex", "exs", "heex"], &[], &["elixir"]),
    rule(Code("go module"), &[], &["go.mod", "go.work"], &[]),
    other("assembly", &["s", "asm"]),
    other("c#", &["cs", "csx"]),
    other("clojure", &["clj", "cljs", "cljc", "edn"]),
    other("cuda", &["cu", "cuh"]),
    other("d", &["d"]),
    other("dart", &["dart"]),
    other("erlang", &["erl", "hrl"]),
    other("f#", &["fs", "fsi", "fsx"]),
    other("fortran", &["f", "f90", "f95", "f03"]),
    other("graphql", &["graphql", "gql"]),
    other("haskell", &["hs", "lhs", "cabal"]),
    other("hcl", &["tf", "tfvars", "hcl"]),
    other("kotlin", &["kt", "kts"]),
    other("lean", &["lean"]),
    other("lisp", &["lisp", "el", "scm", "rkt"]),
    other("nim", &["nim", "nims"]),
    other("nix", &["nix"]),
    other("objective-c", &["m", "mm"]),
    other("ocaml", &["ml", "mli"]),
    other("pascal", &["pas", "pp"]),
    other("powershell", &["ps1", "psm1", "psd1"]),
    other("protobuf", &["proto", "thrift", "capnp", "fbs"]),
    other("qml", &["qml"]),
    other("scala", &["scala", "sc", "sbt"]),
    other("scss", &["scss", "sass", "less", "styl"]),
    other("shader", &["glsl", "hlsl", "wgsl", "vert", "frag", "metal"]),
    other("solidity", &["sol"]),
    other("swift", &["swift"]),
    other("vb", &["vb", "vbs", "bas"]),
    other("verilog", &["v", "sv", "svh", "vhd", "vhdl"]),
    other("vim", &["vim"]),
    other("web component", &["vue", "svelte", "astro"]),
    other("windows batch", &["bat", "cmd"]),
    other("xml", &["xml", "xsd", "xsl", "xslt", "plist", "csproj", "fsproj", "vcxproj", "props", "targets"]),
    other("template", &["j2", "jinja", "hbs", "ejs", "erb", "mustache", "tmpl"]),
    other("zig", &["zig", "zon"]),

    // Documents.
    rule(Document(DocFormat::Markdown), &["md", "markdown", "mdown", "mkd", "mdx", "mdc", "qmd", "rmd"], &[], &[]),
    rule(Document(DocFormat::Html), &["html", "htm", "xhtml"], &[], &[]),
    rule(Document(DocFormat::Plain), &["txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "log"],
        &["readme", "license", "licence", "copying", "copyright", "notice", "authors", "changelog", "contributing"], &[]),

    // Data.
    rule(Data(DataFormat::Json), &["json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest", "ipynb", "avsc", "har"],
        &["composer.lock", "pipfile.lock", "flake.lock", "deno.lock", ".babelrc", ".jshintrc", ".swcrc"], &[]),
    rule(Data(DataFormat::Yaml), &["yaml", "yml"], &[".clang-format", ".clang-tidy", ".yamllint", "pubspec.lock", "podfile.lock"], &[]),
    rule(Data(DataFormat::Toml), &["toml"], &["cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "pipfile"], &[]),
    rule(Data(DataFormat::Csv), &["csv"], &[], &[]),
    rule(Diff, &["diff", "patch"], &[], &[]),
    rule(Image(Media::Svg), &["svg"], &[], &[]),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use linkspan_bcp::Lang;

    use super::*;

    #[test]
    fn no_word_occurs_twice() {
        let columns: [fn(&Rule) -> &[&'static str]; 3] =
            [|rule| rule.endings, |rule| rule.names, |rule| rule.programs];
        for column in columns {
            let mut seen = HashSet::new();
            for word in RULES.iter().flat_map(|rule| column(rule).iter().copied()) {
                assert!(seen.insert(word), "{word}");
            }
        }
    }

    #[test]
    fn names_and_extensions_are_in_lower_case() {
        for rule in RULES {
            for word in rule.endings.iter().chain(rule.names) {
                assert_eq!(*word, word.to_lowercase());
            }
        }
    }

    #[test]
    fn every_language_with_a_byte_has_a_row() {
        let rows = |rule: &Rule| match rule.form {
            Code(name) => vec![name],
            Document(format) => vec![format.name()],
            Data(format) => vec![format.name()],
            _ => vec![],
        };
        let rows: HashSet<_> = RULES.iter().flat_map(rows).collect();
        for lang in (1..=0xfe).filter_map(|byte| Lang(byte).name()) {
            assert!(rows.contains(lang), "{lang}");
        }
    }
}
