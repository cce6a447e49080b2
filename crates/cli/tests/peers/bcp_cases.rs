//! Seeded cases for the oracle: manifests that the reference's command line supports, and files with every type of
//! block, written by a few lines of code that share nothing with the codec.

/// splitmix64: the same cases on every machine.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Less than `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// One time in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Text of many shapes: empty, one word, code with indentation, markup, far letters.
    pub fn text(&mut self) -> String {
        const WORDS: [&str; 14] = [
            "fn main() {",
            "}",
            "tide",
            "Høybro",
            "“quay”",
            "⛴",
            "a < b && c > d",
            "</code>",
            "```",
            "--- x ---",
            "\"quoted\"",
            "\\",
            "\u{7f}\u{1}",
            "line of text here",
        ];
        let lines = match self.below(8) {
            0 => return String::new(),
            1 => return self.pick(&WORDS).to_owned(),
            2 => 40 + self.below(200),
            _ => 1 + self.below(12),
        };
        let (indented, mut out) = (self.once_in(3), String::new());
        for _ in 0..lines {
            if indented || self.once_in(6) {
                out += self.pick(&["    ", "\t", "  ", " "]);
            }
            for _ in 0..self.below(5) {
                out += self.pick(&WORDS);
                out.push(' ');
            }
            out += self.pick(&["\n", "\n", "\n", "\n\n", "\r\n"]);
        }
        if self.once_in(3) {
            out.truncate(out.trim_end().len());
        }
        out
    }

    /// A short text without line breaks, for names.
    pub fn name(&mut self) -> String {
        const NAMES: [&str; 10] = [
            "src/main.rs",
            "a.py",
            "README",
            "lib/a<b>.py",
            "x \"y\" & z",
            "",
            "Ærø.md",
            "rg",
            "deep/er/and/deeper.ts",
            "page",
        ];
        let name = self.pick(&NAMES);
        let number = self.below(9);
        format!("{name}{number}")
    }

    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most);
        (0..length).map(|_| self.next() as u8).collect()
    }
}

const PRIORITIES: [&str; 5] = ["critical", "high", "normal", "low", "background"];

/// A manifest of the five types that the reference's command line knows.
pub fn manifest(dice: &mut Dice) -> String {
    let mut blocks: Vec<serde_json::Value> = Vec::new();
    for _ in 0..1 + dice.below(10) {
        if !blocks.is_empty() && dice.once_in(4) {
            // `--dedup` needs a repeated block.
            let again = blocks[dice.below(blocks.len())].clone();
            blocks.push(again);
            continue;
        }
        let text = dice.text();
        let mut block = match dice.below(5) {
            0 => serde_json::json!({"type": "code", "path": dice.name(), "lang": dice.pick(&[
                "rust", "Python", "ts", "js", "sh", "bash", "c++", "go", "zig", "", "yml", "md",
                "java", "c", "cpp", "rb", "ruby", "sql", "html", "css", "json", "toml",
            ])}),
            1 => serde_json::json!({"type": "conversation",
                "role": dice.pick(&["system", "user", "ASSISTANT", "Tool"])}),
            2 => {
                let mut block = serde_json::json!({"type": "tool_result", "name": dice.name()});
                if dice.once_in(2) {
                    let status = dice.pick(&["ok", "error", "err", "timeout", "OK"]);
                    block["status"] = status.into();
                }
                block
            }
            3 => {
                let mut block = serde_json::json!({"type": "document", "title": dice.name()});
                if dice.once_in(2) {
                    let formats = ["markdown", "md", "plain", "text", "txt", "html", "HTML"];
                    block["format"] = dice.pick(&formats).into();
                }
                block
            }
            _ => serde_json::json!({"type": "structured_data",
                "format": dice.pick(&["json", "yaml", "yml", "toml", "csv", "JSON"])}),
        };
        block["content"] = text.into();
        if dice.once_in(3) {
            block["summary"] = dice.text().into();
        }
        if dice.once_in(3) {
            block["priority"] = dice.pick(&PRIORITIES).into();
        }
        if dice.once_in(5) {
            block["note"] = "an unknown member".into();
        }
        blocks.push(block);
    }
    serde_json::json!({"description": "generated", "blocks": blocks}).to_string()
}

/// A file with blocks of every type, unknown ones among them.
pub fn payload(dice: &mut Dice) -> Vec<u8> {
    let mut out = b"BCP\0\x01\0\0\0".to_vec();
    let mut frames = 0;
    for _ in 0..1 + dice.below(14) {
        let (kind, mut body) = block(dice);
        let summary = dice.once_in(3);
        if summary {
            let mut with = Vec::new();
            sized(&mut with, dice.text().as_bytes());
            with.append(&mut body);
            body = with;
        }
        frame(&mut out, kind, u8::from(summary), &body);
        frames += 1;
        if dice.once_in(3) {
            // Refers to the previous block, to any other, or to none.
            let target = if dice.once_in(4) {
                dice.below(30)
            } else {
                frames - 1
            };
            let mut body = Vec::new();
            number(&mut body, 1, target as u64);
            number(&mut body, 2, 1);
            bytes(&mut body, 3, &[1 + dice.below(6) as u8]);
            frame(&mut out, 8, 0, &body);
            frames += 1;
        }
    }
    frame(&mut out, 0xFF, 0, &[]);
    out
}

/// A type and the fields of a block of it.
fn block(dice: &mut Dice) -> (u64, Vec<u8>) {
    let mut out = Vec::new();
    let kind = [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0xFE, 0x42][dice.below(13)];
    match kind {
        1 => {
            number(&mut out, 1, [1, 2, 4, 8, 10, 17, 66, 255][dice.below(8)]);
            bytes(&mut out, 2, dice.name().as_bytes());
            bytes(&mut out, 3, dice.text().as_bytes());
            if dice.once_in(3) {
                let start = dice.below(400) as u64;
                number(&mut out, 4, start);
                number(&mut out, 5, start + dice.below(400) as u64);
            }
        }
        2 => {
            number(&mut out, 1, 1 + dice.below(4) as u64);
            bytes(&mut out, 2, dice.text().as_bytes());
            if dice.once_in(3) {
                bytes(&mut out, 3, b"call_1");
            }
        }
        3 => {
            bytes(&mut out, 1, dice.name().as_bytes());
            for _ in 0..dice.below(5) {
                let entry = entry(dice, 0);
                nested(&mut out, 2, &entry);
            }
        }
        4 => {
            bytes(&mut out, 1, dice.name().as_bytes());
            number(&mut out, 2, 1 + dice.below(3) as u64);
            bytes(&mut out, 3, dice.text().as_bytes());
            if dice.once_in(3) {
                bytes(&mut out, 4, b"rows");
            }
        }
        5 => {
            bytes(&mut out, 1, dice.name().as_bytes());
            bytes(&mut out, 2, dice.text().as_bytes());
            number(&mut out, 3, 1 + dice.below(3) as u64);
        }
        6 => {
            number(&mut out, 1, 1 + dice.below(4) as u64);
            if dice.once_in(3) {
                bytes(&mut out, 2, b"schema");
            }
            bytes(&mut out, 3, dice.text().as_bytes());
        }
        7 => {
            bytes(&mut out, 1, dice.name().as_bytes());
            for _ in 0..dice.below(4) {
                let mut hunk = Vec::new();
                number(&mut hunk, 1, dice.below(500) as u64);
                number(&mut hunk, 2, dice.below(500) as u64);
                bytes(&mut hunk, 3, dice.text().as_bytes());
                nested(&mut out, 2, &hunk);
            }
        }
        8 => {
            number(&mut out, 1, dice.below(20) as u64);
            number(&mut out, 2, 2 + dice.below(2) as u64);
            bytes(&mut out, 3, dice.name().as_bytes());
        }
        9 => {
            bytes(&mut out, 1, dice.name().as_bytes());
            bytes(&mut out, 2, &[0xAB; 32]);
            bytes(&mut out, 3, dice.name().as_bytes());
        }
        10 => {
            number(&mut out, 1, 1 + dice.below(5) as u64);
            bytes(&mut out, 2, dice.name().as_bytes());
            bytes(&mut out, 3, &dice.bytes(2000));
        }
        0xFE => {
            bytes(&mut out, 1, dice.name().as_bytes());
            bytes(&mut out, 2, dice.name().as_bytes());
            bytes(&mut out, 3, dice.text().as_bytes());
        }
        _ => out = dice.bytes(300),
    }
    (kind, out)
}

fn entry(dice: &mut Dice, depth: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let folder = depth < 4 && dice.once_in(2);
    bytes(&mut out, 1, dice.name().as_bytes());
    number(&mut out, 2, u64::from(folder));
    number(
        &mut out,
        3,
        if folder {
            0
        } else {
            dice.next() >> dice.below(64)
        },
    );
    if folder {
        for _ in 0..dice.below(4) {
            let child = entry(dice, depth + 1);
            nested(&mut out, 4, &child);
        }
    }
    out
}

fn frame(out: &mut Vec<u8>, kind: u64, flags: u8, body: &[u8]) {
    varint(out, kind);
    out.push(flags);
    sized(out, body);
}

fn number(out: &mut Vec<u8>, field: u64, value: u64) {
    varint(out, field);
    varint(out, 0);
    varint(out, value);
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field);
    varint(out, 1);
    sized(out, value);
}

fn nested(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field);
    varint(out, 2);
    sized(out, value);
}

fn sized(out: &mut Vec<u8>, value: &[u8]) {
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7F {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
