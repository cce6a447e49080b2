//! Examples of encoded diffs. Round trips of arbitrary diffs are tested in `properties`.

mod properties;

use super::*;
use crate::check;
use crate::context::Level;

fn at(level: Level) -> Context {
    Context {
        level,
        ..Context::default()
    }
}

/// The only candidate without its legend, after a round trip.
fn short(text: &str, level: Level) -> String {
    let made = encode(text, Kind::Diff, &at(level));
    let [one] = made.as_slice() else {
        panic!("{} candidates", made.len());
    };
    assert_eq!(decode(&one.head, &one.body).as_deref(), Ok(text));
    let usual = Head {
        level,
        form: head::Form::git(),
    };
    let said = one.head.strip_prefix(&usual.to_string()).unwrap();
    format!("{said}\n{}", one.body)
}

fn assert_restored(text: &str) {
    for level in Level::ALL {
        assert_eq!(check(text, Kind::Diff, &at(level)), Ok(1), "{text}");
    }
}

const CHANGE: &str = "\
diff --git a/src/main.rs b/src/main.rs
index 1c25178..53d1c4e 100644
--- a/src/main.rs
+++ b/src/main.rs
@@ -12,5 +12,5 @@ fn main() {
     let a = 1;
 
-    run(a, b).expect(\"it runs\");
+    run(a, c).expect(\"it runs\");
 	tab
 }
@@ -40 +40,2 @@ fn main() {
 x
+y";

#[test]
fn a_change_of_a_line_is_one_line() {
    let want = "
=== 1c25178..53d1c4e src/main.rs
@@ -12 +12 fn main() {
     let a = 1;

!    run(a, [-b-]{+c+}).expect(\"it runs\");
	tab
 }
@@ -40 +40 ...
 x
+y";
    assert_eq!(short(CHANGE, Level::Max), want);
    assert_restored(CHANGE);
}

#[test]
fn at_the_safe_level_only_headers_are_shortened() {
    let want = "
=== 1c25178..53d1c4e src/main.rs
@@ -12 +12 fn main() {
     let a = 1;
 
-    run(a, b).expect(\"it runs\");
+    run(a, c).expect(\"it runs\");
 	tab
 }
@@ -40 +40 fn main() {
 x
+y";
    assert_eq!(short(CHANGE, Level::Safe), want);
}

#[test]
fn a_new_file_needs_no_signs() {
    let text = "\
diff --git a/run.sh b/run.sh
new file mode 100755
index 0000000..53d1c4e
--- /dev/null
+++ b/run.sh
@@ -0,0 +1,6 @@
+#!/bin/sh
+
+set -e
+a
+b
+c
\\ No newline at end of file";
    let want = "
=== new:100755 53d1c4e run.sh
@@ -0 +1
{+
#!/bin/sh

set -e
a
b
c
+}
\\ No newline at end of file";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn long_runs_are_blocks_unless_a_line_would_end_them() {
    let head = "--- a/x\n+++ b/x\n@@ -1,5 +1,5 @@\n";
    let text = format!("{head}-a\n-b\n-c\n-d\n-e\n+1\n+2\n+3\n+4\n+5");
    let want = "; no diff lines\n=== x\n@@ -1 +1\n[-\na\nb\nc\nd\ne\n-]{+\n1\n2\n3\n4\n5\n+}";
    assert_eq!(short(&text, Level::Balanced), want);
    let text = format!("{head}-a\n-b\n--]\n-d\n-e\n+1\n+2\n+3\n+-]\n++}}");
    let want = "; no diff lines\n=== x\n@@ -1 +1\n-a\n-b\n--]\n-d\n-e\n+1\n+2\n+3\n+-]\n++}";
    assert_eq!(short(&text, Level::Balanced), want);
    assert_restored(&text);
}

#[test]
fn the_extended_header_of_a_file_is_on_its_line() {
    let text = "\
diff --git a/old name.rs b/new.rs
similarity index 95%
rename from old name.rs
rename to new.rs
index 1c25178..53d1c4e 100755
--- a/old name.rs\t
+++ b/new.rs
@@ -1 +1 @@
-a
+b
diff --git a/a b/b
old mode 100644
new mode 100755
similarity index 100%
copy from a
copy to b
diff --git a/gone b/gone
deleted file mode 100644
index 1c25178..0000000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/logo.png b/logo.png
index 1c25178..53d1c4e 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"
index 1c25178..53d1c4e
--- \"a/caf\\303\\251\"
+++ \"b/caf\\303\\251\"
@@ -1 +1 @@
-a
+b";
    let want = "
=== renamed:95% 1c25178..53d1c4e:100755 old name.rs => new.rs
@@ -1 +1
-a
+b
=== mode:100644..100755 copied:100% a => b
=== deleted 1c25178 gone
@@ -1 +0
-a
=== 1c25178..53d1c4e binary logo.png
=== new e69de29 empty
=== 1c25178..53d1c4e: \"caf\\303\\251\"
@@ -1 +1
-a
+b";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn diffs_of_other_tools_are_supported() {
    let hunk = "@@ -1 +1 @@\n-a\n+b";
    let cases = [
        (
            "diff -ruN one-1.0/src/x.c two-1.1/src/x.c\n--- one-1.0/src/x.c\t2026-01-02 10:00:00.0 +0000\n+++ two-1.1/src/x.c\t2026-01-03 11:00:00.0 +0000",
            "; each \"diff -ruN\"; from \"one-1.0/\" to \"two-1.1/\"\n=== src/x.c\t2026-01-02 10:00:00.0 +0000\t2026-01-03 11:00:00.0 +0000",
        ),
        (
            "Index: src/x.c\n===================================================================\n--- src/x.c\t(revision 12)\n+++ src/x.c\t(working copy)",
            "; svn; from \"\" to \"\"\n=== src/x.c\t(revision 12)\t(working copy)",
        ),
        (
            "diff -r 1f2e3d4c src/x.c\n--- a/src/x.c\tThu Jan 01 00:00:00 1970 +0000\n+++ b/src/x.c\tFri Jan 02 00:00:00 1970 +0000",
            "; once \"diff -r 1f2e3d4c\"\n=== src/x.c\tThu Jan 01 00:00:00 1970 +0000\tFri Jan 02 00:00:00 1970 +0000",
        ),
        (
            "--- src/x.c\n+++ src/x.c",
            "; no diff lines; from \"\" to \"\"\n=== src/x.c",
        ),
        ("--- /dev/null\n+++ b/x", "; no diff lines\n=== new x"),
        (
            "diff --git src/x.c src/x.c\nindex 1c25178..53d1c4e 100644\n--- src/x.c\n+++ src/x.c",
            "; from \"\" to \"\"\n=== 1c25178..53d1c4e src/x.c",
        ),
        (
            "diff --git i/x.c w/x.c\nindex 1c25178..53d1c4e 100644\n--- i/x.c\n+++ w/x.c",
            "; from \"i/\" to \"w/\"\n=== 1c25178..53d1c4e x.c",
        ),
    ];
    for (above, want) in cases {
        let text = format!("{above}\n{hunk}");
        let want = format!("{want}\n@@ -1 +1\n-a\n+b");
        assert_eq!(short(&text, Level::Max), want);
        assert_restored(&text);
    }
}

#[test]
fn commit_headers_of_git_log_are_copied() {
    let text = format!(
        "commit 0123456789\nAuthor: me\n\n    Words\n    - more words\n\n{CHANGE}\n\ncommit 9876543210\n\n    | === x\n\n{CHANGE}\n-- \n2.39.1\n"
    );
    let made = short(&text, Level::Max);
    assert!(
        made.starts_with(
            "\ncommit 0123456789\nAuthor: me\n\n    Words\n    - more words\n\n=== 1c"
        )
    );
    assert!(made.contains("\n+y\n|\ncommit 9876543210\n\n    | === x\n\n=== 1c25178"));
    assert!(made.ends_with("\n+y\n|-- \n2.39.1\n|"));
    assert_restored(&text);
}

#[test]
fn a_hunk_with_wrong_counts_is_copied() {
    let text = format!("{CHANGE}\n@@ -9,9 +9,9 @@\n x\n-y\n@@ -50 +51 @@ z\n-a\n+b");
    let made = short(&text, Level::Max);
    assert!(
        made.ends_with("\n|@@ -9,9 +9,9 @@\n x\n-y\n@@ -50 +51 z\n-a\n+b"),
        "{made}"
    );
    let text = "--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n-y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n--- a/x\n+++ b/x";
    assert_restored(text);
}

#[test]
fn combined_diffs_are_copied() {
    let combined = "\
diff --cc x.rs
index 1c25178,53d1c4e..e69de29
--- a/x.rs
+++ b/x.rs
@@@ -1,2 -1,2 +1,3 @@@
  a
- b
 -c
++d";
    let text = format!("{combined}\n{CHANGE}\n{combined}");
    let made = short(&text, Level::Max);
    assert!(made.starts_with(&format!("\n{combined}\n===")));
    assert!(made.ends_with(&format!("\n{combined}")));
    assert_restored(&text);
}

#[test]
fn lines_in_an_unusual_order_or_without_their_space_are_restored() {
    let head = "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n";
    let text = format!(
        "{head}+let one = two(three, four);\n-let one = two(three, five);\n\n-let one = two(three, six);\n+let one = two(three, ten);\n-let one = two(a);\n+let one = two(b);"
    );
    assert_restored(&text);
    let text = format!(
        "{head}\n a\n-let one = two(three, four);\n\\ No newline\n+let one = two(three, five);\n "
    );
    let made = short(&text, Level::Max);
    assert!(made.ends_with(
        "@@ -1 +1\n~\n a\n-let one = two(three, four);\n\\ No newline\n+let one = two(three, five);\n "
    ));
    assert_restored(&text);
}

#[test]
fn lines_that_contain_markers_are_not_merged() {
    let head = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n";
    for (old, new) in [
        ("let one = two(three)[-1];", "let one = two(four)[-1];"),
        ("let one = two(three-]);", "let one = two(four-]);"),
        (
            "let one = {+three+}; // x y z",
            "let one = {+four+}; // x y z",
        ),
    ] {
        let text = format!("{head}-{old}\n+{new}");
        assert_restored(&text);
    }
}

#[test]
fn counts_of_one_are_written_where_they_were() {
    let text =
        "diff -r 1f2e3d x\n--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n@@ -9,1 +9,1 @@\n-a\n+b";
    let want =
        "; once \"diff -r 1f2e3d\"; counts of 1 written\n=== x\n@@ -1 +1\n-a\n+b\n@@ -9 +9\n-a\n+b";
    assert_eq!(short(text, Level::Max), want);
    assert_restored(text);
}

#[test]
fn a_text_that_is_not_a_diff_has_no_short_form() {
    for text in [
        "",
        "@@ -1 +1 @@",
        "one\ntwo",
        "--- a\n+++ b\n",
        "@@ -1,3 +1,3 @@\n-a\n+b",
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755",
    ] {
        for level in Level::ALL {
            assert_eq!(check(text, Kind::Diff, &at(level)), Ok(0), "{text:?}");
        }
    }
}

#[test]
fn a_modified_short_form_is_refused() {
    let head = "=== file; @@ -old +new line";
    assert!(decode(head, "=== x\n@@ -1 +1\n-a").is_ok());
    for (head, body) in [
        ("", "=== x"),
        ("=== file; @@ -old +new line; each \"x", "=== x"),
        (head, "=== renamed:1% x"),
        (head, "@@ 1"),
        (head, "@@ -1 +1\n{+\na"),
        (head, "@@ -1 +1\n!a[-b"),
    ] {
        assert!(decode(head, body).is_err(), "{head} {body}");
    }
    let long = "x".repeat(201);
    assert!(decode(&format!("{head}; each \"{long}\""), "=== x").is_err());
}
