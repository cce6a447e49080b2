//! The arguments of a tool, and where their values go.

/// Where the value of an argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Cookie,
    /// A member of the body.
    Member,
    /// The body itself.
    Body,
}

impl Place {
    /// The place of a parameter with this `in`. The places of bodies are not parameters here.
    pub(crate) fn of(word: &str) -> Option<Self> {
        match word {
            "path" => Some(Self::Path),
            "query" => Some(Self::Query),
            "header" => Some(Self::Header),
            "cookie" => Some(Self::Cookie),
            _ => None,
        }
    }

    /// Its word in names of arguments.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Member | Self::Body => "body",
        }
    }
}

/// How a list or an object becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    /// Items of a list with another separator: `spaceDelimited`, `pipeDelimited`, and formats of Swagger 2.0.
    Joined(char),
    Deep,
    /// The JSON text of the value.
    Json,
}

/// How a value becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
}

impl Encoding {
    /// The default of a place.
    pub(crate) fn of(place: Place) -> Self {
        let is_form = matches!(place, Place::Query | Place::Cookie | Place::Member);
        Self {
            style: if is_form { Style::Form } else { Style::Simple },
            explode: is_form,
            allow_reserved: false,
        }
    }
}

/// An argument of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    /// Its name in the tool.
    pub(crate) name: String,
    /// The name of the parameter, or of the member of the body.
    pub(crate) original: Box<str>,
    pub(crate) place: Place,
    pub(crate) encoding: Encoding,
    pub(crate) is_required: bool,
    /// Whether its value is a file.
    pub(crate) is_file: bool,
    /// The media type of its part in a multipart body, if the document names one.
    pub(crate) media: Option<Box<str>>,
}
