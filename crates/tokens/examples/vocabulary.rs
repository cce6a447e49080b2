//! Packs the published vocabularies into `data`: `cargo xtask vocabulary`. `src/vocabulary.rs` has the form.

use std::collections::HashMap;
use std::path::Path;

use bpe_openai::Tokenizer;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    pack(bpe_openai::o200k_base(), &folder.join("o200k.zst"))?;
    pack(bpe_openai::cl100k_base(), &folder.join("cl100k.zst"))
}

fn pack(published: &Tokenizer, file: &Path) -> std::io::Result<()> {
    let bpe = &published.bpe;
    let tokens: Vec<&[u8]> = (0..bpe.num_tokens() as u32)
        .map(|number| bpe.token_bytes(number))
        .collect();
    let numbers: HashMap<&[u8], u32> = tokens.iter().copied().zip(0..).collect();
    let (bytes, merged) = tokens.split_at(256);
    assert!(
        bytes.iter().all(|token| token.len() == 1),
        "the first tokens are the bytes"
    );
    let (left, right): (Vec<u32>, Vec<u32>) =
        merged.iter().map(|token| halves(token, &numbers)).unzip();
    let mut list = bytes.concat();
    for half in [left, right] {
        for shift in [16, 8, 0] {
            list.extend(half.iter().map(|number| (number >> shift) as u8));
        }
    }
    std::fs::write(file, zstd::bulk::compress(&list, 22)?)
}

/// The two tokens whose merge is this token: merges its bytes by lower ranks until two are left.
fn halves(token: &[u8], numbers: &HashMap<&[u8], u32>) -> (u32, u32) {
    let mut ends: Vec<usize> = (0..=token.len()).collect();
    while ends.len() > 3 {
        let merge = |at: usize| numbers.get(&token[ends[at]..ends[at + 2]]);
        let lowest = (0..ends.len() - 2)
            .filter_map(|at| Some((merge(at)?, at)))
            .min()
            .expect("a token is the merge of two others");
        ends.remove(lowest.1 + 1);
    }
    let number = |range| numbers[&token[range]];
    (number(ends[0]..ends[1]), number(ends[1]..ends[2]))
}
