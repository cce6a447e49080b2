use super::super::testing::Folder;
use super::*;

fn prompt(folder: &Folder) {
    folder.file("prompts/review.md", "{{language}} {{style}} {{code}}\n");
}

#[test]
fn a_completion_file_is_matched_by_name() {
    let folder = Folder::new();
    prompt(&folder);
    folder.file(
        "completions/review.language.txt",
        "rust\r\n\n go \npython\n",
    );
    folder.file("completions/review.style.json", "[\"plain\", 1, true]");
    folder.script("completions/review.code", "#!/bin/sh\n#: timeoutSecs: 2\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let [code, language, style] = catalogue.completions.as_slice() else {
        panic!("{:?}", catalogue.completions)
    };
    assert!(matches!(code.values, Values::Run(_)));
    assert_eq!(code.run.timeout.as_secs(), 2);
    let list = |words: &[&str]| Values::Static(words.iter().map(|w| (*w).to_owned()).collect());
    assert_eq!(language.values, list(&["rust", "go", "python"]));
    assert_eq!(style.values, list(&["plain", "1", "true"]));
}

#[test]
fn template_variables_can_be_completed() {
    let folder = Folder::new();
    folder.script(
        "resources/item.sh",
        "#!/bin/sh\n#: uriTemplate: 'item://{id}/{part}'\n",
    );
    folder.file("completions/item.id.txt", "1\n2\n");
    folder.file(
        "completions/other.meta.yaml",
        "uriTemplate: 'item://{id}/{part}'\nargument: part\nvalues: [a, b]\n",
    );
    let catalogue = folder.read();
    assert_eq!(catalogue.problems, []);
    let target = CompletionTarget::Resource("item://{id}/{part}".to_owned());
    assert!(catalogue.completions.iter().all(|one| one.target == target));
    assert_eq!(catalogue.completions.len(), 2);
}

#[test]
fn a_completion_without_a_target_is_reported() {
    let folder = Folder::new();
    prompt(&folder);
    folder.file("completions/review.txt", "x\n");
    folder.file("completions/review", "x\n");
    folder.file("completions/reveiw.style.txt", "x\n");
    folder.file("completions/review.language.json", "{}");
    folder.file("completions/review.code.sh", "#!/bin/sh\n");
    let catalogue = folder.read();
    assert_eq!(catalogue.completions.len(), 0);
    let problems = folder.problems(&catalogue);
    assert_eq!(
        problems[0],
        "error completions/reveiw.style.txt: there is no prompt and no resource template `reveiw` (did you mean `review`?)"
    );
    assert_eq!(
        problems[1],
        "error completions/review: its name does not identify the argument that it completes (call it `PROMPT.ARGUMENT`, with an extension if you like)"
    );
    assert!(problems[2].starts_with("error completions/review.code.sh: is not executable"));
    assert_eq!(
        problems[3],
        "error completions/review.language.json:1: a list of texts was expected"
    );
    assert_eq!(
        problems[4],
        "error completions/review.txt: `review` has no argument `txt`"
    );
}

#[test]
fn a_provider_is_named_after_its_scheme() {
    let folder = Folder::new();
    folder.script("providers/wiki.sh", "#!/bin/sh\n");
    folder.script("providers/wiki.zsh", "#!/bin/sh\n");
    folder.script("providers/git+ssh", "#!/bin/sh\n");
    folder.script("providers/1st.sh", "#!/bin/sh\n");
    folder.file("providers/notes.txt", "x");
    let catalogue = folder.read();
    let schemes: Vec<_> = catalogue
        .providers
        .iter()
        .map(|p| p.scheme.as_str())
        .collect();
    assert_eq!(schemes, ["git+ssh", "wiki"]);
    assert_eq!(catalogue.problems.len(), 3, "{:?}", catalogue.problems);
}
