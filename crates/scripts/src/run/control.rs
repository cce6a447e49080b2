//! The control channel of a tool: lines of JSON beside its output.
//!
//! Tools may use the short names or those of MCP. Sans-IO.

use linkspan_mcp::{Level, names};
use linkspan_wire::{Json, JsonKind, WireError, quote};

/// Length limit of a line. A longer one makes the rest of the channel unusable.
pub(crate) const LONGEST: usize = 4 << 20;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Said {
    /// The id of the call; required only from processes with several concurrent calls.
    pub(crate) call: Option<u64>,
    pub(crate) word: Word,
}

/// A message of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Word {
    /// Progress. Numbers in their original spelling.
    Progress {
        progress: String,
        total: Option<String>,
        message: Option<String>,
    },
    /// A log message: `params` of `notifications/message`, without a logger if the tool named none.
    Log {
        level: Level,
        logger: Option<String>,
        data: String,
    },
    /// A question for the client; the answer gets the same id.
    Ask { id: String, question: Question },
    /// A list has changed.
    Changed(List),
    /// A resource has changed.
    Updated(String),
    /// The request fails with this error, whatever the output is.
    Fail {
        code: i64,
        message: String,
        data: Option<String>,
    },
    /// The answer to a call: its id, and the result or error.
    Answer {
        id: u64,
        told: Result<String, ReportedError>,
    },
}

/// The `error` that a worker answered a call with, as the JSON text that it wrote.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the worker reported {0}")]
pub(crate) struct ReportedError(pub(crate) String);

/// A question of a tool for the client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    /// The parameters of `elicitation/create`.
    Elicit { params: String, url: bool },
    /// The parameters of `sampling/createMessage`.
    Sample { params: String },
    /// `roots/list`.
    Roots,
}

/// A list of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `tools/list`
    Tools,
    /// `prompts/list`
    Prompts,
    /// `resources/list` and the templates.
    Resources,
}

impl List {
    /// Its name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Tools, Self::Prompts, Self::Resources]
            .into_iter()
            .find(|list| list.name() == name)
    }
}

/// An invalid line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Odd {
    /// The error, for the author of the tool.
    pub(crate) why: LineError,
    /// The id of the question that the tool waits for, if the line is one.
    pub(crate) id: Option<String>,
}

/// Why a line is invalid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum LineError {
    #[error(transparent)]
    TooLarge(WireError),
    #[error("a line is not UTF-8")]
    NoUtf8,
    #[error("no JSON: {0}")]
    NoJson(String),
    #[error("a line must be a JSON object")]
    NoObject,
    #[error("a line needs a `method`, or the `id` of a call")]
    NoMethod,
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    #[error("an answer needs a `result` or an `error`")]
    NoResult,
    #[error("a question needs an `id`: a string or a number")]
    NoId,
    #[error("`{0}` must be {1}")]
    Member(&'static str, &'static str),
    #[error("`level` must be one of {}", Level::names().join(", "))]
    Level,
    #[error("`data` is missing: the value to log")]
    NoData,
    #[error("`message` is missing: the text of the question")]
    NoMessage,
}

impl From<LineError> for Odd {
    fn from(why: LineError) -> Self {
        Self { why, id: None }
    }
}

impl Said {
    /// Reads a line.
    pub(crate) fn parse(line: &str) -> Result<Self, Odd> {
        let json = Json::parse(line).map_err(|e| LineError::NoJson(e.to_string()))?;
        if json.kind() != JsonKind::Object {
            return Err(LineError::NoObject.into());
        }
        let call = json.get("call").and_then(Json::as_i64);
        let call = call.and_then(|call| u64::try_from(call).ok());
        let word = Word::read(json).map_err(|why| Odd {
            why,
            id: json.get("method").and_then(|_| asked_as(json)),
        })?;
        Ok(Self { call, word })
    }
}

/// The id of a question in its original spelling.
fn asked_as(json: Json<'_>) -> Option<String> {
    let id = json.get("id")?;
    let fits = matches!(id.kind(), JsonKind::String | JsonKind::Number);
    fits.then(|| id.text().to_owned())
}

impl Word {
    fn read(json: Json<'_>) -> Result<Self, LineError> {
        let Some(method) = json.get("method") else {
            return answer(json);
        };
        let method = method
            .as_str()
            .ok_or(LineError::Member("method", "a string"))?;
        let params = Params(json.get("params"));
        match &*method {
            "progress" | names::PROGRESS => progress(params),
            "log" | names::MESSAGE => log(params),
            "elicit" | "elicitation/create" => ask(json, elicit(params)?),
            "sample" | "sampling/createMessage" => {
                let params = params
                    .whole()
                    .ok_or(LineError::Member("params", "an object"))?;
                ask(json, Question::Sample { params })
            }
            "roots" | names::ROOTS_LIST => ask(json, Question::Roots),
            "changed" => {
                let what = params
                    .text("what")
                    .ok_or(LineError::Member("what", "a string"))?;
                let list = List::named(&what);
                list.map(Word::Changed)
                    .ok_or(LineError::Member("what", "tools, prompts or resources"))
            }
            "updated" | names::RESOURCE_UPDATED => {
                let uri = params
                    .text("uri")
                    .ok_or(LineError::Member("uri", "a string"))?;
                Ok(Self::Updated(uri))
            }
            "error" => fail(params),
            other => {
                let list = other.strip_prefix("notifications/");
                let list = list.and_then(|rest| rest.strip_suffix("/list_changed"));
                let list = list.and_then(List::named);
                list.map(Word::Changed)
                    .ok_or_else(|| LineError::UnknownMethod(other.to_owned()))
            }
        }
    }
}

fn answer(json: Json<'_>) -> Result<Word, LineError> {
    let id = json.get("id").and_then(Json::as_i64);
    let id = id.and_then(|id| u64::try_from(id).ok());
    let id = id.ok_or(LineError::NoMethod)?;
    let told = match (json.get("result"), json.get("error")) {
        (Some(result), None) => Ok(result.text().to_owned()),
        (None, Some(error)) => Err(ReportedError(error.text().to_owned())),
        _ => return Err(LineError::NoResult),
    };
    Ok(Word::Answer { id, told })
}

fn ask(json: Json<'_>, question: Question) -> Result<Word, LineError> {
    let id = asked_as(json).ok_or(LineError::NoId)?;
    Ok(Word::Ask { id, question })
}

#[derive(Clone, Copy)]
struct Params<'a>(Option<Json<'a>>);

impl<'a> Params<'a> {
    fn get(self, name: &str) -> Option<Json<'a>> {
        let member = self.0.and_then(|params| params.get(name));
        member.filter(|m| m.kind() != JsonKind::Null)
    }

    fn text(self, name: &str) -> Option<String> {
        Some(self.get(name)?.as_str()?.into_owned())
    }

    /// A number in its original spelling; also in quotes, as shells tend to write it.
    fn number(self, name: &str) -> Option<String> {
        let json = self.get(name)?;
        let text = match json.kind() {
            JsonKind::Number => json.text().to_owned(),
            _ => json.as_str()?.trim().to_owned(),
        };
        let spelled = Json::parse(&text).is_ok_and(|json| json.kind() == JsonKind::Number);
        spelled.then_some(text)
    }

    fn whole(self) -> Option<String> {
        let params = self.0.filter(|params| params.kind() == JsonKind::Object)?;
        Some(params.text().to_owned())
    }
}

fn progress(params: Params<'_>) -> Result<Word, LineError> {
    Ok(Word::Progress {
        progress: params
            .number("progress")
            .ok_or(LineError::Member("progress", "a number"))?,
        total: params.number("total"),
        message: params.text("message"),
    })
}

fn fail(params: Params<'_>) -> Result<Word, LineError> {
    let code = params.get("code").and_then(Json::as_i64);
    Ok(Word::Fail {
        code: code.ok_or(LineError::Member("code", "a whole number"))?,
        message: params
            .text("message")
            .ok_or(LineError::Member("message", "a string"))?,
        data: params.get("data").map(|data| data.text().to_owned()),
    })
}

fn log(params: Params<'_>) -> Result<Word, LineError> {
    let level = match params.get("level") {
        None => Level::DEFAULT,
        Some(level) => Level::parse(level).ok_or(LineError::Level)?,
    };
    let data = params.get("data").or_else(|| params.get("message"));
    let data = data.ok_or(LineError::NoData)?;
    Ok(Word::Log {
        level,
        logger: params.text("logger"),
        data: data.text().to_owned(),
    })
}

/// Accepts the short form and the parameters of `elicitation/create`.
fn elicit(params: Params<'_>) -> Result<Question, LineError> {
    let message = params.text("message").ok_or(LineError::NoMessage)?;
    let url = params.text("url");
    if let Some(url) = &url
        && params.get("elicitationId").is_none()
    {
        let params = format!(
            r#"{{"mode":"url","message":{},"url":{},"elicitationId":"{}"}}"#,
            quote(&message),
            quote(url),
            super::random_name(),
        );
        return Ok(Question::Elicit { params, url: true });
    }
    let whole = params
        .whole()
        .ok_or(LineError::Member("params", "an object"))?;
    if url.is_some() || params.get("requestedSchema").is_some() {
        let url = url.is_some();
        return Ok(Question::Elicit { params: whole, url });
    }
    let schema = params.get("schema").map_or(NO_SCHEMA, Json::text);
    let params = format!(
        r#"{{"message":{},"requestedSchema":{schema}}}"#,
        quote(&message)
    );
    Ok(Question::Elicit { params, url: false })
}

/// A form without fields, for a plain confirmation.
const NO_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

#[cfg(test)]
mod tests {
    use super::*;

    fn word(line: &str) -> Word {
        Said::parse(line).unwrap().word
    }

    #[test]
    fn short_and_long_names_mean_the_same() {
        for (short, long) in [
            (
                r#"{"method":"progress","params":{"progress":1}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1,"total":null}}"#,
            ),
            (
                r#"{"method":"log","params":{"level":"error","data":"x"}}"#,
                r#"{"method":"notifications/message","params":{"level":"error","data":"x"}}"#,
            ),
            (
                r#"{"id":1,"method":"roots"}"#,
                r#"{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}"#,
            ),
            (
                r#"{"method":"changed","params":{"what":"tools"}}"#,
                r#"{"method":"notifications/tools/list_changed"}"#,
            ),
            (
                r#"{"id":1,"method":"elicit","params":{"message":"m","schema":{}}}"#,
                r#"{"id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}}"#,
            ),
        ] {
            assert_eq!(word(short), word(long), "{long}");
        }
    }

    #[test]
    fn numbers_keep_their_spelling() {
        let said = word(r#"{"method":"progress","params":{"progress":"0.10","total":1e2}}"#);
        let Word::Progress {
            progress, total, ..
        } = said
        else {
            panic!("{said:?}");
        };
        assert_eq!((progress.as_str(), total.as_deref()), ("0.10", Some("1e2")));
    }

    #[test]
    fn invalid_lines_are_explained() {
        for (line, why) in [
            ("", "no JSON"),
            ("[]", "must be a JSON object"),
            ("{}", "needs a `method`"),
            (r#"{"method":7}"#, "must be a string"),
            (r#"{"method":"x"}"#, "no method `x`"),
            (r#"{"method":"progress"}"#, "`progress` must be a number"),
            (
                r#"{"method":"log","params":{"level":"fatal","data":1}}"#,
                "one of debug, info",
            ),
            (
                r#"{"method":"elicit","params":{"message":"m"}}"#,
                "needs an `id`",
            ),
            (r#"{"id":1,"method":"sample"}"#, "must be an object"),
            (
                r#"{"method":"changed","params":{"what":"x"}}"#,
                "tools, prompts or resources",
            ),
            (
                r#"{"method":"error","params":{"code":"x"}}"#,
                "a whole number",
            ),
            (r#"{"id":1}"#, "a `result` or an `error`"),
        ] {
            let said = Said::parse(line).unwrap_err();
            assert!(said.why.to_string().contains(why), "{line}: {said:?}");
        }
    }

    #[test]
    fn an_address_to_visit_gets_an_id() {
        let said =
            word(r#"{"id":"a","method":"elicit","params":{"message":"m","url":"https://x"}}"#);
        let Word::Ask {
            id,
            question: Question::Elicit { params, url },
        } = said
        else {
            panic!("{said:?}");
        };
        assert!(url && id == r#""a""#);
        assert!(params.contains(r#""mode":"url""#) && params.contains("elicitationId"));
    }
}
