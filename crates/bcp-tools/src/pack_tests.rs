//! Tests of packing, on real folders.

use linkspan_bcp::{DataFormat, EntryKind, Lang, Media, Step, WriteOptions, Writer};

use super::*;
use crate::files::Output;
use crate::scratch::Scratch;

fn pack(inputs: &[PathBuf], options: PackOptions) -> Vec<Item> {
    Pack::new(inputs.to_vec(), options, Box::new(std::io::empty()))
        .unwrap()
        .collect()
}

/// All items as lines, without the folder of the test: `src/main.rs`, `! a.bin: binary`.
fn lines(scratch: &Scratch, inputs: &[&str], options: PackOptions) -> Vec<String> {
    let inputs: Vec<_> = inputs
        .iter()
        .map(|name| scratch.path().join(name))
        .collect();
    let folder = format!("{}/", scratch.path().display());
    let line = |item: Item| match item {
        Item::Packed(packed) => packed.path,
        Item::LeftOut(left) => format!("! {}: {}", left.path, left.why),
    };
    let relative = |text: String| text.replace(&folder, "");
    pack(&inputs, options)
        .into_iter()
        .map(line)
        .map(relative)
        .collect()
}

fn plain(scratch: &Scratch) -> Vec<String> {
    lines(scratch, &["."], PackOptions::default())
}

#[test]
fn files_are_sorted_within_each_input() {
    let scratch = Scratch::new();
    for name in [
        "src/z.rs",
        "src/b/c.rs",
        "src/a.rs",
        "src/b.rs",
        "README.md",
    ] {
        scratch.file(name, "text");
    }
    let packed = lines(&scratch, &["src/", "README.md"], PackOptions::default());
    let wanted = [
        "src/a.rs",
        "src/b/c.rs",
        "src/b.rs",
        "src/z.rs",
        "README.md",
    ];
    assert_eq!(packed, wanted);
    let packed = lines(&scratch, &["README.md", "src"], PackOptions::default());
    assert_eq!(packed[0], "README.md");
}

#[test]
fn files_become_blocks_of_their_type() {
    let scratch = Scratch::new();
    let files = [
        scratch.file("main.rs", "fn main() {}\n"),
        scratch.file("README.md", "# Hi\n"),
        scratch.file("a.json", "{}"),
        scratch.file("p.png", b"\x89PNG\r\n\x1a\n\0"),
    ];
    let made: Vec<Content<'static>> = pack(&files, PackOptions::default())
        .into_iter()
        .map(|item| match item {
            Item::Packed(packed) => packed.block.content,
            Item::LeftOut(left) => panic!("{left:?}"),
        })
        .collect();
    let [main, readme, _, png] = files.map(|path| shown(&path).into());
    let code = Content::Code {
        lang: Lang::parse("rust"),
        path: main,
        content: b"fn main() {}\n"[..].into(),
        lines: None,
    };
    let document = Content::Document {
        title: readme,
        content: b"# Hi\n"[..].into(),
        format: DocFormat::Markdown,
    };
    let data = Content::StructuredData {
        format: DataFormat::Json,
        schema: None,
        content: b"{}"[..].into(),
    };
    let image = Content::Image {
        media: Media::Png,
        alt: png,
        data: b"\x89PNG\r\n\x1a\n\0"[..].into(),
    };
    assert_eq!(made, [code, document, data, image]);
}

#[test]
fn a_diff_becomes_a_block_for_each_file_or_stays_a_document() {
    let diff = |name: &str| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n");
    let two = blocks("d/two.patch", (diff("one") + &diff("two")).into(), detect).unwrap();
    let paths: Vec<_> = two
        .iter()
        .map(|block| match &block.content {
            Content::Diff { path, .. } => path.as_ref(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(paths, ["one", "two"]);
    let text = format!("Subject: why\n\n{}", diff("one"));
    let one = blocks("d/one.patch", text.clone().into(), detect).unwrap();
    let wanted = Content::Document {
        title: "d/one.patch".into(),
        content: text.into_bytes().into(),
        format: DocFormat::Plain,
    };
    assert_eq!(one, [wanted.into()]);
}

#[test]
fn ignored_and_hidden_files_are_packed_only_on_request() {
    let scratch = Scratch::new();
    scratch.file(".gitignore", "target/\n*.log\n");
    scratch.file(".ignore", "secret.txt\n");
    scratch.file(".git/config", "[credentials]");
    for name in ["target/x.rs", "a.log", "secret.txt", ".env", "src/a.rs"] {
        scratch.file(name, "text");
    }
    assert_eq!(plain(&scratch), ["src/a.rs"]);
    let hidden = PackOptions {
        hidden: true,
        ..PackOptions::default()
    };
    let wanted = [".env", ".gitignore", ".ignore", "src/a.rs"];
    assert_eq!(lines(&scratch, &["."], hidden.clone()), wanted);
    let all = PackOptions {
        no_ignore: true,
        ..hidden
    };
    let all = lines(&scratch, &["."], all);
    assert!(
        ["a.log", "secret.txt", "target/x.rs"]
            .iter()
            .all(|name| all.contains(&(*name).into()))
    );
    assert!(!all.iter().any(|path| path.starts_with(".git/")));
}

#[test]
fn a_named_file_is_packed_despite_ignore_rules() {
    let scratch = Scratch::new();
    scratch.file(".gitignore", "*\n");
    scratch.file(".env", "A=1");
    let large = "x".repeat(2 << 20);
    scratch.file("large.txt", &large);
    let packed = lines(&scratch, &[".env", "large.txt"], PackOptions::default());
    assert_eq!(packed, [".env", "large.txt"]);
}

#[test]
fn a_named_folder_is_packed_despite_ignore_rules() {
    let scratch = Scratch::new();
    scratch.file(".gitignore", "target/\n*.log\n");
    for name in [".github/ci.yml", "target/a.rs", "target/a.log"] {
        scratch.file(name, "text");
    }
    let packed = lines(&scratch, &[".github", "target"], PackOptions::default());
    assert_eq!(packed, [".github/ci.yml", "target/a.rs"]);
}

#[test]
fn files_that_cannot_be_packed_are_reported_with_the_reason() {
    let scratch = Scratch::new();
    scratch.file("a.bin", "\0\0");
    scratch.file("b.txt", b"caf\xe9");
    scratch.file("c.txt", b"\xff\xfea\0");
    scratch.file("d.txt", vec![b'x'; (1 << 20) + 1]);
    scratch.file("e.txt", "fine");
    let wanted = [
        "! a.bin: binary",
        "! b.txt: binary, or a text that is not in UTF-8",
        "! c.txt: a text in UTF-16, not in UTF-8",
        "! d.txt: more than 1048576 bytes",
        "e.txt",
    ];
    assert_eq!(plain(&scratch), wanted);
}

#[test]
fn the_size_limit_of_the_user_applies_to_every_file() {
    let scratch = Scratch::new();
    scratch.file("src/a.rs", "12345");
    scratch.file("b.rs", "12345");
    let limited = |bytes| PackOptions {
        max_file_size: Some(bytes),
        ..PackOptions::default()
    };
    let wanted = ["! src/a.rs: more than 4 bytes", "! b.rs: more than 4 bytes"];
    assert_eq!(lines(&scratch, &["src", "b.rs"], limited(4)), wanted);
    assert_eq!(
        lines(&scratch, &["src", "b.rs"], limited(5)),
        ["src/a.rs", "b.rs"]
    );
    // A file too large for a block is left out even if the user allows more.
    scratch.file("huge.txt", vec![b'x'; 16 << 20]);
    let huge = lines(&scratch, &["huge.txt"], limited(u64::MAX));
    assert_eq!(huge, [format!("! huge.txt: more than {LARGEST} bytes")]);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_left_out_without_waiting() {
    let scratch = Scratch::new();
    scratch.file("far/secret.rs", "text");
    scratch.fifo("fifo");
    scratch.file("src/a.rs", "text");
    scratch.fifo("src/pipe");
    std::os::unix::fs::symlink("../far", scratch.path().join("src/folder")).unwrap();
    std::os::unix::fs::symlink("../far/secret.rs", scratch.path().join("src/link.rs")).unwrap();
    let packed = lines(
        &scratch,
        &["src", "fifo", "src/link.rs"],
        PackOptions::default(),
    );
    let wanted = [
        "src/a.rs",
        "! src/folder: a symbolic link",
        "! src/link.rs: a symbolic link",
        "! src/pipe: not a regular file",
        "! fifo: not a regular file",
        // A link that the user names is followed.
        "src/link.rs",
    ];
    assert_eq!(packed, wanted);
    let named = lines(&scratch, &["src/link.rs"], PackOptions::default());
    assert_eq!(named, ["src/link.rs"]);
}

#[test]
fn the_output_file_is_not_packed() {
    let scratch = Scratch::new();
    scratch.file("a.rs", "text");
    let path = scratch.file("ctx.txt", "an older output");
    let output = Output::create(&path, &scratch.partial()).unwrap();
    let options = PackOptions {
        hidden: true,
        skip: output.identities(),
        ..PackOptions::default()
    };
    assert_eq!(scratch.names().len(), 3);
    assert_eq!(lines(&scratch, &[".", "ctx.txt"], options), ["a.rs"]);
}

#[test]
fn a_file_named_twice_is_packed_once() {
    let scratch = Scratch::new();
    scratch.file("src/a.rs", "text");
    scratch.file("src/b.rs", "text");
    let packed = lines(
        &scratch,
        &["src/b.rs", "src", "./src/a.rs"],
        PackOptions::default(),
    );
    assert_eq!(packed, ["src/b.rs", "src/a.rs"]);
}

#[test]
fn a_tree_precedes_the_files_of_its_folder() {
    let scratch = Scratch::new();
    scratch.file("src/.gitignore", "ignored\n");
    scratch.file("src/ignored", "text");
    scratch.file("src/a.rs", "text");
    scratch.file("src/sub/b.bin", "\0\0\0");
    std::fs::create_dir(scratch.path().join("src/empty")).unwrap();
    let options = PackOptions {
        tree: true,
        ..PackOptions::default()
    };
    let items = pack(&[scratch.path().join("src")], options);
    let Some(Item::Packed(Packed { block, path })) = items.first() else {
        panic!("{items:?}");
    };
    let Content::FileTree { root, entries } = &block.content else {
        panic!("{block:?}");
    };
    assert_eq!(root, path);
    let entries: Vec<_> = entries
        .walk()
        .filter_map(|step| match step {
            Step::Open(entry) => Some((entry.name.into_owned(), entry.kind, entry.size)),
            Step::Close => None,
        })
        .collect();
    let wanted = [
        ("a.rs".to_owned(), EntryKind::File, 4),
        ("sub".to_owned(), EntryKind::Directory, 0),
        ("b.bin".to_owned(), EntryKind::File, 3),
    ];
    assert_eq!(entries, wanted);
    assert_eq!(items.len(), 3);
}

#[test]
fn all_packed_blocks_can_be_written() {
    let scratch = Scratch::new();
    let hunk = "@@ -1 +1 @@\n-x\n+y\n";
    let many = LARGEST as usize / hunk.len() - 10;
    let patch = format!("--- a/x\n+++ b/x\n{}", hunk.repeat(many));
    let inputs = [
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        scratch.file("largest.txt", vec![b'x'; LARGEST as usize]),
        scratch.file("many.patch", patch),
    ];
    let options = PackOptions {
        tree: true,
        ..PackOptions::default()
    };
    let mut writer = Writer::new(std::io::sink(), WriteOptions::default()).unwrap();
    for item in pack(&inputs, options) {
        match item {
            Item::Packed(packed) => writer.add(&packed.block).unwrap(),
            Item::LeftOut(left) => panic!("{left:?}"),
        };
    }
    let (_, bytes) = writer.finish().unwrap();
    assert!(bytes > 2 * LARGEST);
}

#[test]
fn an_empty_folder_is_reported() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path().join("none")).unwrap();
    let wanted = ["! none: nothing in it that is not hidden or ignored"];
    assert_eq!(lines(&scratch, &["none"], PackOptions::default()), wanted);
}

#[test]
fn a_name_that_does_not_exist_fails_before_anything_is_packed() {
    let scratch = Scratch::new();
    let inputs = vec![scratch.file("a.rs", "text"), scratch.path().join("b.rs")];
    let refused = Pack::new(inputs, PackOptions::default(), Box::new(std::io::empty()));
    let problem = refused.err().unwrap().problem();
    assert!(problem.ends_with("b.rs: there is no such file or folder"));
}

#[test]
fn paths_are_shown_as_given() {
    for (given, wanted) in [
        ("src/main.rs", "src/main.rs"),
        ("./src//main.rs", "src/main.rs"),
        ("src/", "src"),
        (".", "."),
        ("../x", "../x"),
        ("/etc/hosts", "/etc/hosts"),
    ] {
        assert_eq!(shown(Path::new(given)), wanted);
    }
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_shown_with_replacements() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"a\xff.rs");
    let scratch = Scratch::new();
    // Some file systems refuse this name.
    if std::fs::write(scratch.path().join(name), "text").is_ok() {
        assert_eq!(plain(&scratch), ["a\u{fffd}.rs"]);
    }
}
