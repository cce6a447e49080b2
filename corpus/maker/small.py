"""Short answers: nothing may be done to them."""

SHORT = {
    "ok.txt": "ok",
    "done.txt": "File written: src/main.rs (112 lines)\n",
    "count.json": '{"count":3}',
    "object.json": '{\n  "id": 7,\n  "name": "Ada",\n  "tags": ["a", "b"]\n}',
    "list.json": '[\n  {"a": 1, "b": 2},\n  {"a": 3, "b": 4},\n  {"a": 5, "b": 6}\n]\n',
    "tree.txt": ".\n├── a.txt\n└── b\n    └── c.txt\n\n1 directory, 2 files\n",
    "hits.txt": "src/a.rs:1:fn a() {}\nsrc/a.rs:9:fn b() {}\nsrc/b.rs:4:fn c() {}\n",
    "numbered.txt": "     1\tuse std::fmt;\n     2\t\n     3\tfn main() {}\n",
    "log.txt": "2025-01-01T00:00:00Z INFO up\n2025-01-01T00:00:01Z INFO ready\n",
    "table.md": "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "rows.csv": "id,name\n1,Ada\n2,Boris\n",
    "change.diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n",
    "error.txt": "error: no such file or directory: notes.md",
    "newline.txt": "\n",
    "crlf.txt": "one\r\ntwo\r\n",
    "unicode.txt": "naïve café 日本 🦀\n",
    "imitation.txt": "%json 3\n%end\n%%table\n",
}


def samples():
    for name, text in SHORT.items():
        yield f"small/{name}", text
