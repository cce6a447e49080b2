//! The conductor's half of the handshake.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::secret::{Key, client_proof, nonce, server_proof};

/// The longest line of the handshake.
const MAX_LINE: usize = 256;

/// The transport of a connection, which determines the handshake.
#[derive(Clone, Copy)]
pub(crate) enum Transport {
    /// A private socket: the secret is the first line.
    PrivateSocket,
    /// TCP: both sides prove that they know the secret.
    Tcp,
}

/// Identifies the secret that the client knows. `find` returns the matching key and its value. The returned
/// bytes followed the handshake.
pub(crate) async fn identify<T>(
    transport: Transport,
    reader: &mut (impl AsyncRead + Unpin),
    writer: &mut (impl AsyncWrite + Unpin),
    find: impl FnOnce(&dyn Fn(&Key) -> bool) -> Option<(T, Key)>,
) -> Option<(T, Vec<u8>)> {
    let mut rest = Vec::new();
    if let Transport::PrivateSocket = transport {
        let shown = Key::of(&read_line(reader, &mut rest).await?);
        let (found, _) = find(&|key| *key == shown)?;
        return Some((found, rest));
    }
    let ours = nonce()?;
    let challenge = format!("{ours}\n");
    writer.write_all(challenge.as_bytes()).await.ok()?;
    let line = read_line(reader, &mut rest).await?;
    let (theirs, proof) = line.split_once(' ')?;
    let proof = blake3::Hash::from_hex(proof).ok()?;
    let (found, key) = find(&|key| client_proof(key, &ours, theirs) == proof)?;
    let answer = format!("{}\n", server_proof(&key, &ours, theirs).to_hex());
    writer.write_all(answer.as_bytes()).await.ok()?;
    Some((found, rest))
}

/// The next line; the bytes after it stay in `rest`.
async fn read_line(reader: &mut (impl AsyncRead + Unpin), rest: &mut Vec<u8>) -> Option<String> {
    let mut buffer = [0; MAX_LINE];
    loop {
        if let Some(end) = rest.iter().take(MAX_LINE).position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            let line = String::from_utf8(line).ok()?;
            return Some(line.trim_end().to_owned());
        }
        if rest.len() >= MAX_LINE {
            return None;
        }
        match reader.read(&mut buffer).await {
            Ok(read) if read > 0 => rest.extend_from_slice(&buffer[..read]),
            _ => return None,
        }
    }
}
