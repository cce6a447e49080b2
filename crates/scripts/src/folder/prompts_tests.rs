use serde_json::json;

use super::super::Values;
use super::super::testing::Folder;
use super::*;

fn one(catalogue: &super::super::Catalogue) -> &Prompt {
    match catalogue.prompts.as_slice() {
        [prompt] => prompt,
        other => panic!("{other:?} {:?}", catalogue.problems),
    }
}

#[test]
fn a_text_with_front_matter_is_a_prompt() {
    let folder = Folder::new();
    folder.file(
        "prompts/review.md",
        "---\ntitle: Review\ndescription: Reviews code\narguments:\n  - name: code\n    description: The code\n    required: true\n  - name: style\n    default: plain\n    completions: [plain, strict]\n---\n\nReview this in a {{style}} way:\n\n{{code}}\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let prompt = one(&catalogue);
    assert_eq!(
        prompt.shown,
        json!({
            "name": "review",
            "title": "Review",
            "description": "Reviews code",
            "arguments": [
                {"name": "code", "description": "The code", "required": true},
                {"name": "style"},
            ],
        })
    );
    let text = "Review this in a {{style}} way:\n\n{{code}}".to_owned();
    assert_eq!(prompt.body, PromptBody::Messages(vec![(Role::User, text)]));
    assert_eq!(prompt.arguments[1].default.as_deref(), Some("plain"));
    let completion = &catalogue.completions[0];
    assert_eq!(
        completion.target,
        CompletionTarget::Prompt("review".to_owned())
    );
    assert_eq!(completion.argument, "style");
    assert_eq!(
        completion.values,
        Values::Static(vec!["plain".to_owned(), "strict".to_owned()])
    );
}

#[test]
fn a_text_prompt_has_metadata_beside_it_and_arguments_from_placeholders() {
    let folder = Folder::new();
    folder.file(
        "prompts/ask.txt",
        "Ask {{who}} about {{what}} and {{who}}\n",
    );
    folder.file("prompts/ask.meta.yaml", "title: Ask\nrole: assistant\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let prompt = one(&catalogue);
    assert_eq!(
        prompt.shown["arguments"],
        json!([{"name": "who", "required": true}, {"name": "what", "required": true}])
    );
    assert!(matches!(&prompt.body, PromptBody::Messages(m) if m[0].0 == Role::Assistant));
}

#[test]
fn several_messages_are_marked_or_listed() {
    let folder = Folder::new();
    folder.file(
        "prompts/a.md",
        "Hello\n--- assistant ---\nHi {{name}}\n\n---user---\nBye\n--- note ---\n",
    );
    folder.file(
        "prompts/b.meta.yaml",
        "messages:\n  - text: Hello\n  - {role: assistant, text: Hi}\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let user = |text: &str| (Role::User, text.to_owned());
    let model = |text: &str| (Role::Assistant, text.to_owned());
    assert_eq!(
        catalogue.prompts[0].body,
        PromptBody::Messages(vec![
            user("Hello"),
            model("Hi {{name}}"),
            user("Bye\n--- note ---")
        ])
    );
    assert_eq!(
        catalogue.prompts[1].body,
        PromptBody::Messages(vec![user("Hello"), model("Hi")])
    );
}

#[test]
fn an_executable_is_a_dynamic_prompt() {
    let folder = Folder::new();
    folder.script(
        "prompts/today.sh",
        "#!/bin/sh\n# What happened today.\n#: arguments: {where: {required: true}, how: }\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let prompt = one(&catalogue);
    assert_eq!(
        prompt.shown,
        json!({
            "name": "today",
            "description": "What happened today.",
            "arguments": [{"name": "where", "required": true}, {"name": "how"}],
        })
    );
    assert!(matches!(prompt.body, PromptBody::Run(Program::Argv(_))));
}

#[test]
fn an_executable_text_without_a_shebang_is_a_text() {
    let folder = Folder::new();
    folder.script("prompts/a.md", "Hello\n");
    assert!(matches!(one(&folder.read()).body, PromptBody::Messages(_)));
}

#[test]
fn problems_have_their_line() {
    let folder = Folder::new();
    folder.file("prompts/a.md", "---\ntitle: 1\n---\nHello\n");
    folder.file("prompts/b.md", "---\ntitle: B\n");
    folder.file("prompts/c.md", "---\ntitle: C\n---\n \n");
    folder.file("prompts/d.md", "---\ntext: D\n---\nHello\n");
    folder.file(
        "prompts/e.md",
        "---\narguments:\n  - title: E\n---\nHello\n",
    );
    folder.file(
        "prompts/f.md",
        "---\narguments: [{name: code}]\n---\nHello\n{{cod}}\n",
    );
    folder.file("prompts/g.py", "print()\n");
    folder.file("prompts/h.css", "a {}\n");
    folder.file("prompts/i.meta.yaml", "title: I\n");
    let mut bytes = b"Hello\n".to_vec();
    bytes.push(0xff);
    folder.file("prompts/j.txt", bytes);
    let catalogue = folder.read();
    assert_eq!(one(&catalogue).name, "f");
    let hint = "(chmod +x, or `linkspan validate --fix`; files that are no entries need a name that begins with `_`)";
    assert_eq!(
        folder.problems(&catalogue),
        [
            "error prompts/a.md:2: `title` must be a text, not 1 (put it in quotes: \"1\")".to_owned(),
            "error prompts/b.md:1: the front matter has no end: a line `---` is missing".to_owned(),
            "error prompts/c.md: the prompt has no text".to_owned(),
            "error prompts/d.md: both the text of the file and `text` give the text of the prompt".to_owned(),
            "error prompts/e.md:3: an argument needs a `name`".to_owned(),
            "warning prompts/f.md:5: `{{cod}}` is not an argument of this prompt (did you mean `{{code}}`?)".to_owned(),
            format!("error prompts/g.py: is not executable {hint}"),
            "warning prompts/h.css: is not a prompt: a text ends in .md or .txt, a program is executable".to_owned(),
            "warning prompts/i.meta.yaml: there is no `i.md` that it describes (add the text of the prompt as `text`)".to_owned(),
            "error prompts/j.txt:2: is not UTF-8 at byte 6".to_owned(),
        ]
    );
}

#[test]
fn completions_of_an_omitted_prompt_are_omitted() {
    let folder = Folder::new();
    for extension in ["md", "markdown"] {
        folder.file(
            &format!("prompts/a.{extension}"),
            "---\narguments: [{name: x, completions: [1]}]\n---\n{{x}}\n",
        );
    }
    let catalogue = folder.read();
    assert_eq!(
        (catalogue.prompts.len(), catalogue.completions.len()),
        (1, 1)
    );
    assert_eq!(
        folder.problems(&catalogue),
        [
            "warning prompts/a.md: the prompt `a` is already prompts/a.markdown (it is left out; rename one of them)"
        ]
    );
}
