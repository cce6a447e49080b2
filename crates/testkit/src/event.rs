//! Events of a stream, as they were sent.

/// An event, or a comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its `id:`.
    pub id: Option<String>,
    /// Its `event:`.
    pub kind: Option<String>,
    /// Its `data:` lines, joined.
    pub data: Option<String>,
    /// Its `retry:`.
    pub retry: Option<u64>,
    /// Its comments.
    pub comments: Vec<String>,
}

impl Event {
    /// Takes the first complete event of a text. `looked` is how much of the text was searched before: an event may be
    /// long and arrive in many pieces.
    pub(crate) fn take(text: &mut Vec<u8>, looked: &mut usize) -> Option<Self> {
        let from = looked.saturating_sub(1);
        let Some(end) = crate::http_client::find(&text[from..], b"\n\n") else {
            *looked = text.len();
            return None;
        };
        *looked = 0;
        let block: Vec<u8> = text.drain(..from + end + 2).collect();
        let mut event = Self::default();
        for line in String::from_utf8_lossy(&block).lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match name {
                "" if line.is_empty() => {}
                "" => event.comments.push(value),
                "id" => event.id = Some(value),
                "event" => event.kind = Some(value),
                "retry" => event.retry = value.parse().ok(),
                "data" => match &mut event.data {
                    Some(data) => *data = format!("{data}\n{value}"),
                    None => event.data = Some(value),
                },
                _ => {}
            }
        }
        Some(event)
    }

    /// Whether this is a priming event: an id and nothing else.
    pub fn is_priming(&self) -> bool {
        self.id.is_some() && self.data.as_deref().unwrap_or_default().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_taken_when_its_end_is_there() {
        let (mut text, mut looked) = (b"id: 7\ndata: a\nda".to_vec(), 0);
        assert_eq!(Event::take(&mut text, &mut looked), None);
        text.extend(b"ta: b\n");
        assert_eq!(Event::take(&mut text, &mut looked), None);
        text.extend(b"\n: alive\n\n");
        let event = Event::take(&mut text, &mut looked).unwrap();
        assert_eq!(
            (event.id.as_deref(), event.data.as_deref()),
            (Some("7"), Some("a\nb"))
        );
        let comment = Event::take(&mut text, &mut looked).unwrap();
        assert_eq!(
            (comment.comments, comment.data),
            (vec!["alive".into()], None)
        );
        assert!(text.is_empty());
    }
}
