"""Markdown keeps its offsets; whatever it is given, it ends, in time that grows with its length."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.web.markdown import Close, Open, Token, host_of, pieces
from tests.unit.timing import cpu_seconds

ANSWER = """## Preise **2026**

Im *Pro-Tarif* kostet `x` **54 €** [Quelle](https://user@wiki.example/x?a=1 "t") &amp; 2*3*4 a_b_c
zweite Zeile

| Tarif | Preis |
|:---|---:|
| Pro | 45 € \\| `a|b` |

1. eins
   - innen
2. zwei
> zitiert
> weiter

```python
a = 1
```
---
ende ~~weg~~ \\*kein Stern\\*<br>neu
"""

markdown = st.lists(
    st.one_of(
        st.sampled_from([*"*_`~[]()|>#-+ \n\t\\&;!<1.a•", "](", "```\n", "|-|\n", "&lt;"]),
        st.text(max_size=3),
    ),
    max_size=60,
).map("".join)


def outline(text: str) -> str:
    """Tags, and the texts between them with their styles."""
    told = []
    for piece in pieces(text):
        if isinstance(piece, Open):
            told.append(f"<{piece.tag}{piece.value or ''}{piece.align}>")
        elif isinstance(piece, Close):
            told.append(f"</{piece.tag}>")
        else:
            shown = text[piece.start : piece.end] if piece.shown is None else piece.shown
            told.append(f"{'+'.join(piece.styles)}:{shown}|" if piece.styles else shown)
    return "".join(told)


def test_a_whole_answer() -> None:
    assert outline(ANSWER) == (
        "<h3>Preise strong:2026|</h3>"
        "<p>Im em:Pro-Tarif| kostet code:x| strong:54 €| link:Quelle|host: (wiki.example)| & "
        "2*3*4 a_b_c\nzweite Zeile</p>"
        "<table><thead><tr><th>Tarif</th><thright>Preis</th></tr></thead>"
        "<tbody><tr><td>Pro</td><tdright>45 € | code:a|b|</td></tr></tbody></table>"
        "<ol><li1><p>eins</p><ul><li><p>innen</p></li></ul></li><li2><p>zwei</p></li></ol>"
        "<blockquote><p>zitiert\nweiter</p></blockquote>"
        "<pre>a = 1</pre><hr>"
        "<p>ende s:weg| *kein Stern*\nneu</p>"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("***both***", "<p>strong+em:both|</p>"),
        ("**a *b***", "<p>strong:a |strong+em:b|</p>"),
        ("**open", "<p>**open</p>"),
        ("5 * 3 * 2", "<p>5 * 3 * 2</p>"),
        ("[ref#1] and [x] (y)", "<p>[ref#1] and [x] (y)</p>"),
        ("![logo](data:image/png;base64,x)", "<p>link:logo|host: (data:)|</p>"),
        ("https://e.example/a_b_*c*", "<p>https://e.example/a_b_*c*</p>"),
        ("a `b", "<p>a `b</p>"),
        ("``a`b``", "<p>code:a`b|</p>"),
        ("- a\n\n- b\n\nc", "<ul><li><p>a</p></li><li><p>b</p></li></ul><p>c</p>"),
        ("- a\nlazy", "<ul><li><p>a\nlazy</p></li></ul>"),
        ("1) a\n- b", "<ol><li1><p>a</p></li></ol><ul><li><p>b</p></li></ul>"),
        ("~~~\n- a", "<pre>- a</pre>"),
        ("a | b\nc", "<p>a | b\nc</p>"),
        ("|a|\n|-|\n|b|c|", "<table><thead><tr><th>a</th></tr></thead><tbody>"
         "<tr><td>b</td><td>c</td></tr></tbody></table>"),
        ("<b>x</b> &nix;", "<p><b>x</b> &nix;</p>"),
        ("#hashtag\n# ", "<p>#hashtag</p><h3></h3>"),
        ("45,50 €\r\n- a\r", "<p>45,50 €\r</p><ul><li><p>a\r</p></li></ul>"),
        ("", ""),
    ],
)  # fmt: skip
def test_each_construct(text: str, told: str) -> None:
    assert outline(text) == told


@given(markdown)
@example(ANSWER)
@example(">" * 30 + " a\n" + "- " * 30 + "b")
def test_tokens_rise_and_tags_are_closed(text: str) -> None:
    at = 0
    open_tags: list[str] = []
    for piece in pieces(text):
        if isinstance(piece, Token):
            assert at <= piece.start < piece.end <= len(text)
            assert open_tags, "text outside of every block"
            at = piece.end
        elif isinstance(piece, Open) and piece.tag != "hr":
            open_tags.append(piece.tag)
        elif isinstance(piece, Close):
            assert open_tags.pop() == piece.tag
    assert open_tags == []


@given(markdown)
@example(ANSWER)
def test_no_letter_and_no_digit_is_hidden(text: str) -> None:
    """Only Markdown's own characters are in no token (the language of a code block, and the
    number of a list item, are shown otherwise or not at all)."""
    covered = [False] * len(text)
    for piece in pieces(text):
        if isinstance(piece, Token):
            covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    fence = "```" in text or "~~~" in text
    for place, character in enumerate(text):
        if character.isalpha() and not fence:
            assert covered[place], (place, character)


HARD = {
    "brackets": "[",
    "links": "[a](",
    "stars": "*a ",
    "mixed stars": "**a*b",
    "quotes": ">",
    "items": "- ",
    "lines of items": "- a\n\n\n",
    "ticks": "`a``b",
    "pipes": "a|b\n-|-\n",
    "table row": "|`",
    "blank": "- a\n" + "\n" * 50,
    "entities": "&a",
    "targets": '](a "',
    "hashes": "# #",
    "spaces": " ",
    "underscores": "_a",
}


@pytest.mark.parametrize("name", HARD)
def test_time_grows_with_the_length_only(name: str) -> None:
    def seconds(size: int) -> float:
        text = (HARD[name] * size)[:size]
        return cpu_seconds(lambda: pieces(text))

    # Quadratic would be 100 times as long.
    assert seconds(100_000) < 40 * seconds(10_000) + 0.05


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://user:pw@wiki.example:8443/a", "wiki.example"),
        ("javascript:alert(1)", "javascript:"),
        ("/path", "/path"),
        ("https://[broken", "?"),
        ("mailto:a@b.example", "mailto:"),
        ("", ""),
    ],
)
def test_a_link_is_told_by_its_host(url: str, host: str) -> None:
    assert host_of(url) == host
