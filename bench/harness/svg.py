"""Bar charts as SVG. They bring their own ground, so that they can be read on a light and on a dark page."""

from xml.sax.saxutils import escape

WIDTH = 880
GAP = 24
BAR = 18
ROW = 26
NAMES = 168
VALUES = 78

STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #3a4149 }
.title { font-size: 16px; font-weight: 600; fill: #14181c }
.panel { font-weight: 600 }
.own { font-weight: 600; fill: #0b6e4f }
.ground { fill: #ffffff; stroke: #d5dae0 }
.bar { fill: #b9c2cc }
.bar.own { fill: #12a373 }
@media (prefers-color-scheme: dark) {
  text { fill: #c3cbd4 }
  .title { fill: #f0f3f6 }
  .own { fill: #4fd6a5 }
  .ground { fill: #12171d; stroke: #2c343d }
  .bar { fill: #4a5560 }
  .bar.own { fill: #1fb583 }
}"""


def chart(title, source, panels, most=None):
    """A picture of panels in two columns. A panel is a title and a list of (name, value, text, whether it is ours). The
    longest bar stands for `most`, or for the highest value of its panel."""
    columns = 2 if len(panels) > 1 else 1
    width = (WIDTH - GAP * (columns + 1)) / columns
    parts, top = [], 56
    for at in range(0, len(panels), columns):
        row = panels[at:at + columns]
        for column, panel in enumerate(row):
            parts += _panel(GAP + column * (width + GAP), top, width, most, *panel)
        top += 30 + ROW * max(len(bars) for _, bars in row) + 18
    height = top + 14
    parts.append(_text(GAP, height - 14, source))
    label = escape(title, {'"': "&quot;"})
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{label}">',
        f"<style>\n{STYLE}\n</style>",
        f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        _text(GAP, 34, title, "title"),
        *parts,
        "</svg>",
    ]) + "\n"


def _panel(left, top, width, most, title, bars):
    parts = [_text(left, top + 12, title, "panel")]
    most = most or max(value for _, value, _, _ in bars)
    room = width - NAMES - VALUES
    for at, (name, value, text, own) in enumerate(bars):
        y = top + 26 + at * ROW
        kind = "own" if own else ""
        length = max(value / most * room, 1.5)
        parts.append(_text(left, y + 14, name, kind))
        parts.append(f'<rect class="bar {kind}" x="{left + NAMES:.1f}" y="{y}" width="{length:.1f}" '
                     f'height="{BAR}" rx="3"/>')
        parts.append(_text(left + NAMES + length + 7, y + 14, text, kind))
    return parts


def _text(x, y, text, kind=""):
    kind = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{kind}>{escape(text)}</text>'
