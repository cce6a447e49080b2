"""RESULTS.md has a part for each direction; a run replaces its own."""


def replace(text, title, part):
    """`text` with the part under `title` replaced, or added at its end."""
    parts = split(text)
    parts[title] = part.strip()
    return "\n\n".join(f"{head}\n\n{body}" for head, body in parts.items()) + "\n"


def split(text):
    """The parts by their titles, in order."""
    parts, title = {}, None
    for line in text.splitlines():
        if line.startswith("# "):
            title = line
            parts[title] = ""
        elif title is not None:
            parts[title] += line + "\n"
    return {title: body.strip() for title, body in parts.items()}
