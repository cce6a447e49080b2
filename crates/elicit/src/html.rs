//! The page of a question. It has no scripts; all texts of the server are escaped.

use std::fmt::Write;

use linkspan_auth_io::escape_html;

use crate::form::{Field, Form, Input, Posted, name_of, of};

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8888;--soft:#8881;--main:#0b57d0;--bad:#b3261e}\
@media(prefers-color-scheme:dark){:root{--main:#a8c7fa;--bad:#f2b8b5}}\
*{box-sizing:border-box}\
body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:0 auto;padding:1.5rem 1rem 3rem;overflow-wrap:anywhere}\
h1{font-size:1.25rem;margin:0 0 1rem}\
.from{font-size:.9rem;opacity:.8;margin:0}\
.message{white-space:pre-wrap;border-left:.25rem solid var(--line);padding-left:.75rem;margin:0 0 1.5rem}\
.address{font-family:ui-monospace,monospace;background:var(--soft);padding:.75rem;border-radius:.5rem}\
.host{font-size:1.25rem;font-weight:600}\
.field,fieldset{border:0;margin:0 0 1.25rem;padding:0}\
.name,legend{font-weight:600;padding:0;display:block}\
.need{font-weight:400;opacity:.7}\
.about{margin:0;font-size:.9rem;opacity:.8;white-space:pre-wrap}\
.wrong{margin:.25rem 0 0;color:var(--bad);font-weight:600}\
input:not([type=radio]):not([type=checkbox]),select{width:100%;font:inherit;padding:.5rem;margin-top:.25rem;border:1px solid var(--line);border-radius:.5rem;background:Canvas;color:CanvasText}\
[aria-invalid]{border-color:var(--bad)!important}\
.choice{display:flex;gap:.5rem;align-items:baseline;padding:.25rem 0}\
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:2rem}\
button{font:inherit;padding:.6rem 1.25rem;border-radius:.5rem;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer}\
button.main{background:var(--main);border-color:var(--main);color:Canvas}\
:focus-visible{outline:3px solid var(--main);outline-offset:2px}";

/// The page with what was typed so far and what is wrong with it.
pub(crate) fn question(
    server: Option<&str>,
    form: &Form,
    posted: Option<&Posted>,
    wrong: &[(usize, String)],
) -> String {
    let server = server.filter(|name| !name.is_empty());
    let server = escape_html(server.unwrap_or("A server"));
    let mut body = format!(
        "<p class=from>linkspan, for a client without this question</p><h1>{server} asks</h1><p class=message>{}</p>",
        escape_html(&form.message)
    );
    if !wrong.is_empty() {
        let _ = write!(
            body,
            "<p class=wrong role=alert>{} of the answers cannot be sent yet.</p>",
            wrong.len()
        );
    }
    body.push_str("<form method=post autocomplete=off>");
    let accept = if let Some(address) = &form.address {
        let host = escape_html(address.host_str().unwrap_or_default());
        let _ = write!(
            body,
            "<p>It asks you to open a page of</p><p class=host>{host}</p><p class=address>{}</p><p>Open it only if you expect this and trust that host.</p>",
            escape_html(address.as_str())
        );
        "Continue to this page"
    } else {
        for (number, field) in form.fields.iter().enumerate() {
            let problem = wrong.iter().find(|(at, _)| *at == number);
            let problem = problem.map(|(_, why)| why.as_str());
            write_field(&mut body, field, number, posted, problem);
        }
        if !form.fields.is_empty() {
            body.push_str(
                "<p class=about>The server gets what you write. Do not give it passwords, keys or card numbers.</p>",
            );
        }
        "Send to the server"
    };
    // Enter in a field presses the first button.
    let _ = write!(
        body,
        "<div class=buttons><button class=main name=action value=accept>{accept}</button><button name=action value=decline formnovalidate>Decline</button><button name=action value=cancel formnovalidate>Cancel</button></div></form>"
    );
    page("A question", &body)
}

/// A page that says what has been done.
pub(crate) fn done(text: &str) -> String {
    page(
        "linkspan",
        &format!("<h1>{}</h1><p>You can close this tab.", escape_html(text)),
    )
}

/// A page that leads to the address of a question.
pub(crate) fn leads_to(address: &url::Url) -> String {
    let address = escape_html(address.as_str());
    page(
        "linkspan",
        &format!(
            "<meta http-equiv=refresh content=\"0;url={address}\"><h1>Opening the page</h1><p><a rel=\"noreferrer noopener\" href=\"{address}\">{address}</a>"
        ),
    )
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width,initial-scale=1'><title>{title}</title><style>{STYLE}</style><body><main>{body}</main>"
    )
}

fn write_field(
    out: &mut String,
    field: &Field,
    number: usize,
    posted: Option<&Posted>,
    problem: Option<&str>,
) {
    let name = name_of(number);
    let given: Vec<String> = match posted {
        Some(posted) => of(posted, number).into_iter().map(str::to_owned).collect(),
        None => field.defaults(),
    };
    let need = if field.is_needed {
        ""
    } else {
        " <span class=need>(optional)</span>"
    };
    let title = format!("{}{need}", escape_html(&field.title));
    let mut about = String::new();
    if !field.description.is_empty() {
        let _ = write!(
            about,
            "<p class=about id={name}-about>{}</p>",
            escape_html(&field.description)
        );
    }
    let wrong = problem.map_or_else(String::new, |why| {
        format!("<p class=wrong id={name}-wrong>{}</p>", escape_html(why))
    });
    let invalid = if problem.is_some() {
        " aria-invalid=true"
    } else {
        ""
    };
    let described = format!(" aria-describedby=\"{name}-about {name}-wrong\"{invalid}");
    let needed = if field.is_needed { " required" } else { "" };
    match field.input() {
        Input::Line(kind) => {
            let value = escape_html(given.first().map_or("", String::as_str));
            let limits = limits(field, kind);
            let _ = write!(
                out,
                "<div class=field><label class=name for={name}>{title}</label>{about}<input id={name} name={name} type={kind} value=\"{value}\"{limits}{needed}{described}>{wrong}</div>"
            );
        }
        Input::One => {
            let _ = write!(
                out,
                "<div class=field><label class=name for={name}>{title}</label>{about}<select id={name} name={name}{needed}{described}><option value=\"\"></option>"
            );
            for (value, label) in &field.choices {
                let chosen = if_given(value, &given, " selected");
                let (value, label) = (escape_html(value), escape_html(label));
                let _ = write!(out, "<option value=\"{value}\"{chosen}>{label}</option>");
            }
            let _ = write!(out, "</select>{wrong}</div>");
        }
        Input::Boolean | Input::Several => {
            let _ = write!(out, "<fieldset{described}><legend>{title}</legend>{about}");
            write_choices(out, field, &name, &given);
            let _ = write!(out, "{wrong}</fieldset>");
        }
    }
}

/// The choices of which one, or several, can be taken.
fn write_choices(out: &mut String, field: &Field, name: &str, given: &[String]) {
    let yes_or_no = [("true", "Yes"), ("false", "No")];
    let yes_or_no = yes_or_no.map(|(value, label)| (value.to_owned(), label.to_owned()));
    let (attributes, choices) = match field.input() {
        Input::Boolean if field.is_needed => ("type=radio required", &yes_or_no[..]),
        Input::Boolean => ("type=radio", &yes_or_no[..]),
        _ => ("type=checkbox", &field.choices[..]),
    };
    for (value, label) in choices {
        let chosen = if_given(value, given, " checked");
        let (value, label) = (escape_html(value), escape_html(label));
        let _ = write!(
            out,
            "<label class=choice><input {attributes} name={name} value=\"{value}\"{chosen}> {label}</label>"
        );
    }
}

fn if_given(value: &str, given: &[String], attribute: &'static str) -> &'static str {
    if given.iter().any(|one| one == value) {
        attribute
    } else {
        ""
    }
}

/// The limits that a browser can check.
fn limits(field: &Field, kind: &str) -> String {
    let mut limits = String::new();
    let pairs: &[(&str, &str)] = match kind {
        "number" => &[("min", "minimum"), ("max", "maximum")],
        "date" => &[],
        _ => &[("minlength", "minLength"), ("maxlength", "maxLength")],
    };
    for (attribute, keyword) in pairs {
        if let Some(value) = field.limit(keyword) {
            let _ = write!(limits, " {attribute}=\"{value}\"");
        }
    }
    if kind == "number" {
        let step = if field.is_integer() { "1" } else { "any" };
        let _ = write!(limits, " step={step}");
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn html(params: &serde_json::Value) -> String {
        let form = Form::of(params).unwrap_or_else(|why| panic!("{why:?}"));
        question(Some("<i>s"), &form, None, &[])
    }

    #[test]
    fn nothing_of_a_server_becomes_markup() {
        let evil = "'\"><script>alert(1)</script>";
        let page = html(&json!({"message": evil, "requestedSchema": {"properties": {
            evil: {"type": "string", "title": evil, "description": evil, "default": evil},
            "b": {"type": "string", "enum": [evil], "enumNames": [evil]},
            "c": {"type": "array", "items": {"enum": [evil]}},
            "d": {"type": "number", "minimum": evil}}}}));
        assert!(!page.contains("<script") && !page.contains("<i>"), "{page}");
        assert!(!page.contains("'\">"), "{page}");
    }

    #[test]
    fn limits_and_defaults_are_attributes() {
        let page = html(
            &json!({"message": "m", "requestedSchema": {"required": ["n"], "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9, "default": 4},
            "b": {"type": "boolean", "default": false},
            "c": {"type": "string", "enum": ["x", "y"], "default": "y"}}}}),
        );
        assert!(page.contains("type=number value=\"4\" min=\"1\" max=\"9\" step=1 required"));
        assert!(page.contains("value=\"false\" checked"));
        assert!(page.contains("<option value=\"y\" selected>"));
    }

    #[test]
    fn an_address_is_shown_with_its_host() {
        let page =
            html(&json!({"mode": "url", "message": "m", "url": "https://example.com/?a=1&b"}));
        assert!(page.contains("<p class=host>example.com</p>"));
        assert!(page.contains("https://example.com/?a=1&amp;b"));
    }
}
