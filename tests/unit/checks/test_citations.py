"""Check ``citations``: which marks are citations, what they resolve to, what is said about them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from service.checks import citation_forms as forms
from service.checks.citations import MAX_ANSWER, MAX_MEMBERS, SEVERITY, check, read
from service.checks.model import (
    CheckInput,
    CheckResult,
    Evidence,
    Finding,
    NotEvaluated,
    Outcome,
    Severity,
)
from service.policy import AppPolicy, CitationPolicy
from tests.unit.answers import as_event
from tests.unit.timing import cpu_seconds

BACKUPS = ["kb-101", "kb-102", "kb-103", "kb-104"]
WARTUNG = ["wartung#filter", "wartung#oel", "sicherheit#lockout", "garantie#umfang"]
BAD = ["https://www.küstenbad.example/preise/saunatag", "https://www.küstenbad.example/anfahrt"]


def given(
    refs: Sequence[Any],
    answer: str,
    citations: Sequence[dict[str, Any]] = (),
    policy: CitationPolicy | None = None,
    corpus_refs: frozenset[str] = frozenset(),
    text: str = "A text.",
) -> CheckInput:
    chunks = [ref if isinstance(ref, dict) else {"ref": ref, "text": text} for ref in refs]
    event = as_event(
        {
            "event_id": "e1",
            "query": "A question?",
            "retrieved": chunks,
            "answer": answer,
            "citations": list(citations),
        }
    )
    texts = tuple(chunk.text for chunk in event.retrieved)
    return CheckInput(event, texts, AppPolicy(citations=policy or CitationPolicy()), corpus_refs)


@dataclass
class Case:
    """``evaluated`` citations in the answer, of which the ``failed`` surfaces do not resolve."""

    name: str
    refs: Sequence[Any]
    answer: str
    evaluated: int
    failed: list[str]
    citations: Sequence[dict[str, Any]] = ()
    policy: CitationPolicy = field(default_factory=CitationPolicy)


CASES = [
    Case("positions", BACKUPS, "A [1]. B [4]. C [5].", 3, ["[5]"]),
    Case("full_width_comma", BACKUPS, "A [1，2]。B [1，7]。", 2, ["[1，7]"]),
    Case("full_width_brackets", BACKUPS, "A ［1］. B ［9］.", 2, ["［9］"]),
    Case("lenticular_brackets", BACKUPS, "A 【1】. B 【9】. 【重要】 C", 2, ["【9】"]),
    Case("escaped_brackets", BACKUPS, "A \\[1\\]. B \\[9\\].", 2, ["\\[9\\]"]),
    Case("adjacent", BACKUPS, "A [1][2][9].", 3, ["[9]"]),
    Case(
        "a_ref_and_a_page_each_labelled",
        BACKUPS,
        "A [chunk_id: kb-101 | page: 9]. B [chunk_id: kb-109, page: 9].",
        2,
        ["[chunk_id: kb-109, page: 9]"],
    ),
    Case("a_chunk_within_a_source", BACKUPS, "A [Source 1: book.txt, chunk 30].", 1, []),
    Case("chunks", BACKUPS, "A [chunk 1, chunk 30].", 1, ["[chunk 1, chunk 30]"]),
    Case(
        "two_authors",
        ["Lindqvist & Roy, 2021", "Okafor et al., 2020"],
        "A (Lindqvist & Roy, 2021). B (Lindqvist and Roy, 2021). C (Lindqvist et al., 2021). "
        "D (Lindqvist & Roy, 2019).",
        4,
        ["(Lindqvist & Roy, 2019)"],
    ),
    Case(
        "what_is_counted_after_a_label",
        BACKUPS,
        "A [Note: 9 days for part-time]. B [Document: 9 pages]. [Fußnote 9 unten]",
        0,
        [],
    ),
    Case(
        "a_label_a_number_and_a_name",
        BACKUPS,
        "A [Source 9 Handbook]. B [Source: 9, p. 3]. C [Referenz 9 Seite 3].",
        3,
        ["[Source 9 Handbook]", "[Source: 9, p. 3]", "[Referenz 9 Seite 3]"],
    ),
    Case(
        "numbers_of_tickets",
        BACKUPS,
        "See issue [#123]. Your ticket (ID: 482). (Reference: 310) [ID: 9] [#9]",
        2,
        ["[ID: 9]", "[#9]"],
    ),
    Case(
        "an_index_beside_a_ref",
        BACKUPS,
        "A [9, kb-101]. B [2, kb-101]. C [kb-101, 9].",
        3,
        ["[9, kb-101]"],
    ),
    Case("subscripts_of_calls", BACKUPS, "rows()[9] and self.rows[9], but A()B [9].", 1, ["[9]"]),
    Case(
        "double_bracket_links",
        BACKUPS,
        "A [[1]](https://x.example/a) B [[9]](https://x.example/a).",
        2,
        ["[[9]](https://x.example/a)"],
    ),
    Case("double_brackets", BACKUPS, "A [[1]] and [[9]].", 2, ["[9]"]),
    Case("links_to_an_anchor", BACKUPS, "A [1](#toolu_1) B [9](#toolu_2)", 2, ["[9](#toolu_2)"]),
    Case("zero_is_nothing", BACKUPS, "A [0].", 1, ["[0]"]),
    Case(
        "zero_based_app", BACKUPS, "A [0]. B [3]. C [4].", 3, ["[4]"], policy=CitationPolicy(base=0)
    ),
    Case("ranges", BACKUPS, "A [1–3]. B [3–6].", 2, ["[3–6]"]),
    Case("non_breaking_hyphen", BACKUPS, "A [1‑3].", 1, []),
    Case("arabic_indic_digits", BACKUPS, "A [١]. B [٩].", 2, ["[٩]"]),
    Case("list_with_a_range", BACKUPS, "A [1, 3–4, 9].", 1, ["[1, 3–4, 9]"]),
    Case(
        "pages_are_no_indices",
        BACKUPS,
        ("A [1, p. 6–7]. B [9, pp. 6-7]. C [2, Seite 12]. D [3, § 5]. E [1, S. 12; 9, S. 3]"),
        5,
        ["[9, pp. 6-7]", "[1, S. 12; 9, S. 3]"],
    ),
    Case("glued_to_a_word", BACKUPS, "Text[1] and more[9].", 2, ["[9]"]),
    Case("glued_to_cjk", BACKUPS, "市价[1]，收费[9]。", 2, ["[9]"]),
    Case("group_with_a_word", BACKUPS, "A [1] and [2] or [1 and 9].", 3, ["[1 and 9]"]),
    Case(
        "footnotes_with_prose_definitions",
        BACKUPS,
        "A [^1] B [^9].\n\n[^1]: Handbuch, S. 3\n[^9]: Handbuch",
        2,
        ["[^9]"],
    ),
    Case(
        "footnotes_defined_by_refs",
        BACKUPS,
        "A [^a] B [^b].\n\n[^a]: kb-101\n[^b]: kb-999",
        2,
        ["[^b]"],
    ),
    Case(
        "footnotes_after_a_letter",
        WARTUNG,
        "A[^1] B[^2].\n\n[^1]: wartung#filter\n[^2]: wartung#riemen\n",
        2,
        ["[^2]"],
    ),
    Case(
        "superscripts_but_no_exponents",
        BACKUPS,
        "A ¹ no. Fläche 12 m², 10³. Wort.¹ Wort² Wort.⁹ Wort¹,² x² km² 5 cm³",
        4,
        ["⁹"],
    ),
    Case(
        "superscript_tags",
        BACKUPS,
        "Wort.<sup>1</sup> Wort<sup>9</sup> m<sup>2</sup>",
        2,
        ["<sup>9</sup>"],
    ),
    Case(
        "documents_by_number",
        BACKUPS,
        "A [doc1]. B [doc7]. [Doc 2] [Document 3] [Dokument 9]",
        5,
        ["[doc7]", "[Dokument 9]"],
    ),
    Case(
        "label_number_and_file",
        BACKUPS,
        "A [Source 1: handbook.txt, chunk 3] B [Source 9: handbook.txt, chunk 3]",
        2,
        ["[Source 9: handbook.txt, chunk 3]"],
    ),
    Case(
        "labels_in_parentheses",
        BACKUPS,
        "A (source 1) B (Source: 9) C (Quelle 2) (Fuente: 9) （出典：1）（来源：9）",
        6,
        ["(Source: 9)", "(Fuente: 9)", "（来源：9）"],
    ),
    Case(
        "labels_in_other_languages",
        BACKUPS,
        "A [出典1] B [出典9] [来源 2] [Fuente 3] [Fuente 8] [Source : 9]",
        6,
        ["[出典9]", "[Fuente 8]", "[Source : 9]"],
    ),
    Case(
        "context_in_either_base",
        BACKUPS,
        "A [CONTEXT 0] [CONTEXT 1] [CONTEXT 9]",
        3,
        ["[CONTEXT 9]"],
    ),
    Case(
        "id_in_either_base",
        BACKUPS,
        "A [ID:1] (ID: 12) [ID: 2] 【ID: 12】 [ID:٢]",
        5,
        ["(ID: 12)", "【ID: 12】"],
    ),
    Case("hash_index", BACKUPS, "A ##0$$ B ##9$$", 2, ["##9$$"]),
    Case("placeholder", BACKUPS, "A {{source:1}} B {{source:9}}", 2, ["{{source:9}}"]),
    Case(
        "cite_citation_reference",
        BACKUPS,
        ("A [cite: 1] B [cite: 1, 9] [citation:2] [citation:7] [reference:0] [reference:7]"),
        6,
        ["[cite: 1, 9]", "[citation:7]", "[reference:7]"],
    ),
    Case(
        "daggers",
        BACKUPS,
        "A 【4:0†source】 B 【4:9†source】 【1†source】 【9†source】 【2†Quelle】 【2†L3-L5】",
        6,
        ["【4:9†source】", "【9†source】"],
    ),
    Case(
        "dagger_with_a_file",
        ["handbuch.pdf#1", "agb.pdf#2"],
        "A 【4:0†handbuch.pdf】 B 【4:0†fremd.pdf】",
        2,
        ["【4:0†fremd.pdf】"],
    ),
    Case(
        "private_use_turns",
        BACKUPS,
        "A \ue200cite\ue202turn0search0\ue201 B \ue200cite\ue202turn0search9\ue201 C",
        2,
        ["\ue200cite\ue202turn0search9\ue201"],
    ),
    Case("plain_turns", BACKUPS, "A citeturn0search0 B citeturn0search9", 2, ["citeturn0search9"]),
    Case("src_label", BACKUPS, "A [src_1] B [src_9]", 2, ["[src_9]"]),
    Case("dotted_source", BACKUPS, "A [1.1 source] B [1.9 source]", 2, ["[1.9 source]"]),
    Case("file_labels", BACKUPS, "A [File1] B [File9] [Datei 2]", 3, ["[File9]"]),
    Case(
        "latex",
        BACKUPS,
        (
            "A \\cite{kb-101} \\cite{kb-101,kb-999} \\citep[p. 3]{kb-102} \\citet{foo2020} "
            "\\parencite{kb-103}"
        ),
        5,
        ["\\cite{kb-101,kb-999}", "\\citet{foo2020}"],
    ),
    Case(
        "pandoc",
        BACKUPS,
        "A [@kb-101] [@kb-101; @kb-999] [@kb-102, p. 3] [@smith2020]",
        4,
        ["[@kb-101; @kb-999]", "[@smith2020]"],
    ),
    Case(
        "spelling_does_not_matter",
        BACKUPS,
        "A [kb‑101] B [kb–102] [kb-1\u200b03] [KB-104] [kb-105]",
        5,
        ["[kb-105]"],
    ),
    Case(
        "groups_of_refs",
        BACKUPS,
        "A [ｋｂ-101]. [kb-101, kb-103] [kb-101; kb-999] [kb-101 und kb-999]",
        4,
        ["[kb-101; kb-999]", "[kb-101 und kb-999]"],
    ),
    Case(
        "documents_and_near_names",
        WARTUNG,
        (
            "A [wartung] B [wartungen#oel] C [wartung#öl] [wartung#filte] "
            "[garantie#umfang1] [reinigung#pumpe] [wartung#oel, S. 3]"
        ),
        7,
        [
            "[wartungen#oel]",
            "[wartung#öl]",
            "[wartung#filte]",
            "[garantie#umfang1]",
            "[reinigung#pumpe]",
        ],
    ),
    Case("plural_of_a_document", WARTUNG, "A [garantien]. B [wartung].", 2, ["[garantien]"]),
    Case(
        "refs_in_parentheses",
        WARTUNG,
        (
            "A (wartung#filter) B (wartung#riemen) C (siehe garantie#umfang) D (Quelle: "
            "garantie#dauer) (vgl. C#)"
        ),
        4,
        ["(wartung#riemen)", "(Quelle: garantie#dauer)"],
    ),
    Case(
        "named_sources",
        WARTUNG,
        (
            "A (Quelle: Statistisches Bundesamt). Quelle: wartung#filter\nQuelle: "
            "wartung#riemen\nQuellen: wartung#oel, garantie#nix."
        ),
        3,
        ["Quelle: wartung#riemen", "Quellen: wartung#oel, garantie#nix"],
    ),
    Case(
        "plain_word_refs",
        ["pricing", "returns", "shipping"],
        "A [pricing]. B [prices]. C [return].",
        3,
        ["[prices]", "[return]"],
    ),
    Case(
        "plain_words_are_prose",
        ["pricing", "returns", "shipping"],
        "is mounted [readonly] here. [Enter] [d]ie [sic]. [optional].",
        0,
        [],
    ),
    Case(
        "file_tokens",
        ["file-7Qd2x", "file-9Lm0a"],
        (
            "A <|file-7Qd2x|> [file-9Lm0a] (file-9Lm0a) <|file-2Kk8z|> [file-2Kk8z] "
            "(file-2Kk8z) <|im_end|>"
        ),
        6,
        ["<|file-2Kk8z|>", "[file-2Kk8z]", "(file-2Kk8z)"],
    ),
    Case(
        "refs_that_look_like_labels",
        ["doc-7", "doc-12", "doc-3"],
        "A [doc-7]. B [doc-9]. C [doc-1].",
        3,
        ["[doc-9]", "[doc-1]"],
    ),
    Case(
        "refs_with_spaces",
        ["passage 1", "passage 2"],
        "A [passage 1] B [passage 4] (passage 2)",
        3,
        ["[passage 4]"],
    ),
    Case(
        "refs_with_slashes",
        ["abcd-1234/1", "abcd-1234/2"],
        "A [abcd-1234/1] B [abcd-1234/7].",
        2,
        ["[abcd-1234/7]"],
    ),
    Case(
        "refs_that_are_numbers",
        ["48213", "48214"],
        "A [48213] [48999] [1] [9]",
        4,
        ["[48999]", "[9]"],
    ),
    Case(
        "numbers_of_the_chunks",
        [{"ref": "a", "number": 3}, {"ref": "b", "number": 7}],
        "A [3] [7] [1]",
        3,
        ["[1]"],
    ),
    Case(
        "only_chunks_in_the_prompt",
        [{"ref": "a", "in_prompt": False}, {"ref": "b"}, {"ref": "c"}],
        "A [1] [2] [3]",
        3,
        ["[3]"],
    ),
    Case(
        "nothing_retrieved", [], "A [1]. B [pricing#plans]. See [x].", 2, ["[1]", "[pricing#plans]"]
    ),
    Case(
        "files_in_folders",
        ["docs/handbuch.pdf#page=1", "docs/b.pdf#page=2"],
        ("A [handbuch.pdf] [handbuch.pdf#page=1] [docs/handbuch.pdf#page=9] [c.pdf#page=1]"),
        4,
        ["[docs/handbuch.pdf#page=9]", "[c.pdf#page=1]"],
    ),
    Case(
        "whole_document_retrieved",
        ["handbuch.pdf"],
        "A [handbuch.pdf#page=3] [handbuch.pdf, S. 4] [handbuch]",
        2,
        [],
    ),
    Case(
        "titles",
        [{"ref": "k1", "title": "Garantiebedingungen"}, {"ref": "k2", "title": "Preisliste 2026"}],
        "A [Garantiebedingungen] (Quelle: Preisliste 2026)",
        2,
        [],
    ),
    Case(
        "tags",
        BACKUPS,
        (
            'A <cite>kb-101</cite> <cite>kb-999</cite> <cite id="kb-102">foo 45</cite> '
            "<ref id=kb-999 /> <ref id='kb-103'></ref> <source id=\"9\"/>"
        ),
        6,
        ["<cite>kb-999</cite>", "<ref id=kb-999 />", '<source id="9"/>'],
    ),
    Case(
        "tags_that_are_html",
        BACKUPS,
        '<cite>Der Herr der Ringe</cite> <source src="movie.mp4"> <ref> ok',
        0,
        [],
    ),
    Case(
        "empty_marks",
        BACKUPS,
        "<cite></cite> \\cite{} [Source: ]",
        3,
        ["<cite></cite>", "\\cite{}", "[Source: ]"],
    ),
    Case("cohere_tags", BACKUPS, "A <co: 1>text</co: 1> B <co: 9>text</co: 9>", 2, ["<co: 9>"]),
    Case(
        "url_spellings",
        BAD,
        (
            "A ([Preise](http://WWW.küstenbad.example/preise/saunatag/?utm_source=x)) "
            "[x](https://www.küstenbad.example/preise) "
            "https://www.küstenbad.example/anfahrt. https://www.küstenbad.example/kurse, "
            "(https://www.xn--kstenbad-65a.example/anfahrt)"
        ),
        5,
        ["[x](https://www.küstenbad.example/preise)", "https://www.küstenbad.example/kurse"],
    ),
    Case(
        "url_as_source",
        BAD,
        (
            "Quelle: https://www.küstenbad.example/kurse\n"
            "<https://www.küstenbad.example/massage> [mail](mailto:a@b.de) [tel](tel:+49) "
            "![x](https://cdn.example/x.png)"
        ),
        2,
        ["https://www.küstenbad.example/kurse", "<https://www.küstenbad.example/massage>"],
    ),
    Case(
        "links_where_nobody_cites_by_url",
        BACKUPS,
        "A [Website](https://www.example.com) https://foo.example [1]",
        1,
        [],
    ),
    Case(
        "numbers_as_links",
        BAD,
        (
            "A [1](https://www.küstenbad.example/anfahrt) "
            "[2](https://www.küstenbad.example/nix) <a "
            'href="https://www.küstenbad.example/nix2">x</a>'
        ),
        3,
        ["[2](https://www.küstenbad.example/nix)", '<a href="https://www.küstenbad.example/nix2">'],
    ),
    Case(
        "url_field",
        [{"ref": "a", "url": "https://x.example/p%C3%A4"}, "b"],
        "A [t](https://x.example/pä) [a] [t](https://x.example/p) [2]",
        4,
        ["[t](https://x.example/p)"],
    ),
    Case(
        "author_year",
        ["mueller2021", "smith_2019", "Özil-2020"],
        (
            "A (Müller, 2021) B (Smith et al., 2019) C (Jones, 2018) D Smith (2019) E "
            "Jones & Lee (2018) F [Smith 2019] G (siehe Müller 2021; Smith 2019, S. 4) H "
            "(Mai 2026) [Jones, 2018] (Ozil 2020)"
        ),
        9,
        ["(Jones, 2018)", "Jones & Lee (2018)", "[Jones, 2018]"],
    ),
    Case("no_authors", BACKUPS, "A (Müller, 2021). Smith (2019)", 0, []),
    Case(
        "author_metadata_and_title",
        [
            {"ref": "k1", "metadata": {"authors": ["Ann Smith", "Bo Li"], "year": 2019}},
            {"ref": "k2", "title": "Müller (2021): Pumpen"},
        ],
        "A (Smith & Li, 2019) (Müller, 2021) (Kim, 2020)",
        3,
        ["(Kim, 2020)"],
    ),
    Case(
        "months_are_no_authors",
        ["preise-2026", "handbuch-2024", "agb-2025"],
        ("A (Stand: Mai 2026) B [preise-2026] (Oktober 2026) (Januar 2025) (Version 2024)"),
        1,
        [],
    ),
    Case(
        "code",
        BACKUPS,
        ("`a[0]` and dp[i][7] and ``x[9]`` a[9] first = rows[0]\n```\na[9]\n```\n~~~\n[9]\n~~~\n"),
        0,
        [],
    ),
    Case(
        "brackets_of_other_kinds",
        BACKUPS,
        (
            "[--flag] [::1] [fe80::1] [2001:db8::1] [ ] [x] [sic] [...] […] [0, 1] [a-z] "
            "[a-zA-Z0-9_] [02:30] [10:10] [Strg] [d]ie 〔2021〕 [2021] [1:02:30] [!NOTE] "
            "[-1, 1] [0.5, 1.0] [NAME] [OPTIONS] [file...]"
        ),
        0,
        [],
    ),
    Case("task_boxes", BACKUPS, "- [x] a\n- [ ] b\n1. [X] c\n* [ ] d", 0, []),
    Case(
        "arrays_and_intervals",
        BACKUPS,
        (
            '"value": [4, 8, 15] ports: x = [9] {"a": [9]}\nports: [80, 443]\nim Intervall '
            "[1, 10] in the range [5, 9] x ∈ [9]"
        ),
        0,
        [],
    ),
    Case(
        "labels_of_other_things",
        BACKUPS,
        (
            "[Tabelle 9] [Abb. 9] [Schritt 9] [Step 9] [Seite 3] [9 Stück] (siehe "
            "Abschnitt 9) (9) (1, 9) [F9] [Shift]+[9]"
        ),
        0,
        [],
    ),
    Case(
        "codes_of_other_things",
        BACKUPS,
        "[utf-8] is used [covid-19] here, [ISO-27001] there; [read-only] x",
        0,
        [],
    ),
    Case("cut_off", BACKUPS, "Ende [kb-1", 0, []),
    Case("punctuation_after", BACKUPS, 'A [kb-101]: text. "B" [kb-102]- c', 2, []),
    Case("list_of_sources", BACKUPS, "[1] Handbuch\n[2] Preise\n[9] Nix", 3, ["[9]"]),
    Case("emphasis", BACKUPS, "A **[1]** *[9]* _[2]_", 3, ["[9]"]),
    Case("table_cells", BACKUPS, "| a | [1] |\n| b | [9] |", 2, ["[9]"]),
    Case(
        "editorial_brackets",
        BACKUPS,
        ("„Text [Hervorhebung im Original]“ [1]. [Anm. d. Red.] [gekürzt] [Name geändert]"),
        1,
        [],
    ),
    Case(
        "structured_unknown",
        BACKUPS,
        "x",
        1,
        ["kb-999"],
        citations=[{"ref": "kb-999", "start": 0, "end": 1}],
    ),
    Case(
        "structured_marker",
        BACKUPS,
        "x [1]",
        1,
        [],
        citations=[{"ref": "kb-101", "start": 2, "end": 5}],
    ),
    Case(
        "structured_overrules_marker",
        BACKUPS,
        "x [9]",
        1,
        [],
        citations=[{"ref": "kb-101", "start": 2, "end": 5}],
    ),
    Case(
        "structured_unknown_marker",
        BACKUPS,
        "x [1]",
        1,
        ["[1]"],
        citations=[{"ref": "kb-999", "start": 2, "end": 5}],
    ),
    Case("structured_numbers", BACKUPS, "x", 2, ["7"], citations=[{"ref": "2"}, {"ref": "7"}]),
    Case(
        "several_labels",
        BACKUPS,
        (
            "A [Source 1, Source 9] (Source 1, Source 2) [ID:1, ID:12] [doc1; doc9] "
            "[Quellen 1–3] (Quellen 1 und 9) (vgl. Quelle 2) (siehe [2])"
        ),
        8,
        ["[Source 1, Source 9]", "[ID:1, ID:12]", "[doc1; doc9]", "(Quellen 1 und 9)"],
    ),
    Case("footnote_groups", BACKUPS, "A [^1, ^9] [^1][^2] [^1,2]", 4, ["[^1, ^9]"]),
    Case("line_starts", BACKUPS, "[kb-101]: Text hier.\n[kb-999]: Text dort.", 2, ["[kb-999]"]),
    Case(
        "definition_by_ref", BACKUPS, "Siehe [1] und [9].\n\n[1]: kb-101\n[9]: Handbuch", 2, ["[9]"]
    ),
    Case(
        "definition_by_url",
        BAD,
        (
            "Siehe [1] und [2].\n\n[1]: https://www.küstenbad.example/anfahrt\n[2]: "
            "https://www.küstenbad.example/nix"
        ),
        2,
        ["[2]"],
    ),
    Case(
        "ref_and_its_title",
        BACKUPS,
        "A [kb-101: Backups] [kb-999: Tapes] [kb-102 Abschnitt 2]",
        3,
        ["[kb-999: Tapes]"],
    ),
    Case(
        "labels_and_refs",
        WARTUNG,
        (
            "A [ref: wartung#oel] [ref:wartung#x] [chunk: wartung#oel] [id=wartung#y] "
            "(Source: [wartung#oel]) [Quelle: wartung#oel, S. 3]"
        ),
        6,
        ["[ref:wartung#x]", "[id=wartung#y]"],
    ),
    Case(
        "label_spellings",
        WARTUNG,
        "[Quelle 1, S. 4] [SOURCE 9] [source_1] [Source #9] [SRC2]",
        5,
        ["[SOURCE 9]", "[Source #9]"],
    ),
    Case(
        "numbers_in_tags",
        BACKUPS,
        "<cite>[1]</cite> <cite>1, 9</cite> <ref>2</ref>",
        3,
        ["<cite>1, 9</cite>"],
    ),
    Case(
        "maths_and_placeholders",
        BACKUPS,
        (
            "f: [0, 1] → [1, 2]; [0-9] [1984, S. 12] [Joh 3,16] > [!WARNING]\n[[Page]] "
            "[YOUR_API_KEY]. [hier]."
        ),
        0,
        [],
    ),
    Case(
        "label_after_a_label",
        BACKUPS,
        "Achtung: bitte lesen: Quelle: kb-101. Source: kb-999.",
        2,
        ["Source: kb-999"],
    ),
    Case("by_rank", [{"ref": "a", "rank": 3}, {"ref": "b", "rank": 1}], "A [2]", 1, []),
    Case(
        "weaker_labels",
        BACKUPS,
        (
            "A [Beleg 1] [Beleg 8] [Fundstelle: 2] (Ref. 3) (ref 9) [Passage 9] [Auszug 2] "
            "[Kontext 9]"
        ),
        8,
        ["[Beleg 8]", "(ref 9)", "[Passage 9]", "[Kontext 9]"],
    ),
    Case("joined_brackets", BACKUPS, "A [1],[2];[9] and [1]–[3], [1]-[9].", 7, ["[9]", "[9]"]),
    Case(
        "large_numbers_are_ids",
        BACKUPS,
        "Kunde (ID: 48213), Auftrag [ID: 99213], Ticket (Doc 2021)",
        0,
        [],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_form(case: Case) -> None:
    result = check(given(case.refs, case.answer, case.citations, case.policy))

    assert [finding.surface for finding in result.findings] == case.failed
    assert result.evaluated == case.evaluated
    assert result.failed == len(case.failed)
    assert result.outcome is outcome_of(case)
    all_placed: list[Finding | Evidence] = [*result.findings, *result.evidence]
    for placed in all_placed:
        if placed.start is not None:
            assert case.answer[placed.start : placed.end] == placed.surface
    assert list(result.owned) == sorted(result.owned)


def outcome_of(case: Case) -> Outcome:
    if case.failed:
        return Outcome.FAIL
    return Outcome.PASS if case.evaluated else Outcome.NOT_APPLICABLE


def test_case_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def only(result: CheckResult) -> Finding:
    (finding,) = result.findings
    return finding


# ------------------------------------------------------------------------------ what is said


def test_an_unknown_ref_names_its_nearest_sibling() -> None:
    finding = only(
        check(given(["pricing#plans", "returns#period"], "A seat costs 9 € [pricing#seats]."))
    )

    assert finding.reason == "unknown_ref"
    assert finding.severity is Severity.HIGH
    assert finding.cause == "pricing#seats"
    assert finding.detail == (
        "[pricing#seats] is not among the 2 retrieved chunks. Nearest: pricing#plans."
    )


def test_a_ref_of_the_corpus_was_not_retrieved() -> None:
    case = given(BACKUPS, "Text [kb-220].", corpus_refs=frozenset({"kb-220"}))

    finding = only(check(case))

    assert (finding.reason, finding.severity) == ("not_retrieved", Severity.MEDIUM)
    assert "document store" in finding.detail


def test_unknown_refs_are_as_cited_for_the_document_store() -> None:
    case = given(BACKUPS, "A [KB‑220]. B [kb-101]. C [9]. D <cite>kb-4</cite>.")

    reading = read(case.event, case.policy.citations)

    assert reading.unknown_refs == {"KB-220", "kb-4"}


def test_a_group_is_one_finding_that_names_its_dead_member() -> None:
    result = check(given(BACKUPS, "Text [1, 7]."))

    finding = only(result)
    assert (finding.surface, finding.reason, finding.cause) == ("[1, 7]", "index_out_of_range", "7")
    assert finding.detail == "[1, 7]: 7 points to none of the 4 chunks in the prompt (1 to 4)."
    assert [(found.kind, found.ref) for found in result.evidence] == [("resolved", "kb-101")]
    assert (result.evaluated, result.failed) == (1, 1)


def test_a_range_stops_at_its_first_dead_number() -> None:
    finding = only(check(given(BACKUPS, "Text [3-900].")))

    assert finding.cause == "5"


def test_details_of_indices_follow_the_base() -> None:
    case = given(BACKUPS, "Text [4].", policy=CitationPolicy(base=0))

    assert only(check(case)).detail.endswith("(0 to 3).")
    assert "none was in the prompt" in only(check(given([], "Text [1]."))).detail


@pytest.mark.parametrize(
    ("refs", "answer", "reason"),
    [
        (BACKUPS, "Text [kb-999].", "unknown_ref"),
        (BACKUPS, "Text [9].", "index_out_of_range"),
        (BAD, "Text [x](https://www.küstenbad.example/kurse).", "unknown_url"),
        (["smith2019"], "Text (Jones, 2018).", "unknown_author_year"),
        (BACKUPS, "Text <cite></cite>.", "malformed"),
    ],
)
def test_every_reason_has_a_severity(refs: list[str], answer: str, reason: str) -> None:
    finding = only(check(given(refs, answer)))

    assert finding.reason == reason
    assert finding.severity is SEVERITY[reason]
    assert 0 < len(finding.cause) <= 200


def test_causes_of_alike_faults_are_equal() -> None:
    answers = ("A [KB-999].", "B [kb‑999]!", "C (source: kb-999)", "D <cite>Kb-999</cite>")

    assert {only(check(given(BACKUPS, answer))).cause for answer in answers} == {"kb-999"}
    urls = ("https://www.küstenbad.example/kurse/", "http://küstenbad.example/kurse?utm_source=a")
    assert len({only(check(given(BAD, f"A [x]({url})"))).cause for url in urls}) == 1


def test_a_long_hostile_ref_is_cut() -> None:
    finding = only(check(given(BACKUPS, "A <cite>" + "x" * 290 + "</cite>")))

    assert len(finding.cause) == 200
    assert len(finding.detail) < 400
    structured = only(check(given(BACKUPS, "A", citations=[{"ref": "y" * 2048}])))
    assert len(structured.detail) < 400


def test_evidence_links_a_document_to_its_first_chunk() -> None:
    result = check(given(WARTUNG, "Text [wartung]. [garantie#umfang]"))

    assert [(found.surface, found.ref) for found in result.evidence] == [
        ("[wartung]", "wartung#filter"),
        ("[garantie#umfang]", "garantie#umfang"),
    ]


def test_a_structured_citation_without_a_marker_has_no_place_and_owns_none() -> None:
    claim = {"ref": "kb-999", "start": 0, "end": 12}

    result = check(given(BACKUPS, "It costs 9 €.", citations=[claim]))

    finding = only(result)
    assert (finding.surface, finding.start, finding.end) == ("kb-999", None, None)
    assert result.owned == ()


def test_citations_and_definitions_are_owned() -> None:
    answer = "Text [^1].\n\n[^1]: Handbuch, Seite 12"

    owned = check(given(BACKUPS, answer)).owned

    assert [answer[start:end] for start, end in owned] == ["[^1]", "[^1]:"]


def test_details_where_little_was_retrieved() -> None:
    assert only(check(given([], "A [kb#1]."))).detail == (
        "[kb#1] names a source, but nothing was retrieved."
    )
    assert only(check(given(["kb#2"], "A [kb#1]."))).detail == (
        "[kb#1] is not the one retrieved chunk. Nearest: kb#2."
    )


# ------------------------------------------------------------------------------ what is asked


def test_no_citation_is_not_applicable_even_where_one_is_required() -> None:
    case = given(BACKUPS, "Backups run nightly (see below).", policy=CitationPolicy(required=True))

    assert check(case) == CheckResult(Outcome.NOT_APPLICABLE)


def test_only_the_forms_of_the_policy_count() -> None:
    answer = "A [9]. B [kb-999]. C <cite>kb-999</cite>."
    policy = CitationPolicy(forms=("numeric", "tag"))

    findings = check(given(BACKUPS, answer, [{"ref": "kb-7"}], policy)).findings

    assert [finding.surface for finding in findings] == ["[9]", "<cite>kb-999</cite>"]


def test_form_names_are_those_that_reading_reports() -> None:
    seen = {
        citation.form
        for case in CASES
        for citation in read(
            given(case.refs, case.answer, case.citations, case.policy).event, case.policy
        ).citations
    }

    assert seen == forms.FORM_NAMES


def test_every_form_and_reason_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "checks" / "citations.md").read_text("utf-8")

    assert [name for name in (*forms.FORM_NAMES, *SEVERITY) if f"`{name}`" not in page] == []


def test_another_separator() -> None:
    policy = CitationPolicy(separator="::")
    case = given(["pricing::plans"], "A [pricing]. B [pricing::seats].", policy=policy)

    assert only(check(case)).surface == "[pricing::seats]"


def test_links_do_not_count_where_the_policy_says_so() -> None:
    policy = CitationPolicy(by_url=False)

    assert check(given(BAD, "[x](https://a.example)", policy=policy)).outcome is (
        Outcome.NOT_APPLICABLE
    )


def test_a_link_that_the_retrieved_text_shows_is_passed_on_not_cited() -> None:
    answer = "Buchen Sie unter https://tickets.example/buchen."

    assert only(check(given(BAD, answer))).reason == "unknown_url"
    quoted = given(BAD, answer, text="Tickets: https://tickets.example/buchen")
    assert check(quoted).outcome is Outcome.NOT_APPLICABLE


def test_a_path_prefix_of_a_retrieved_page_is_another_page() -> None:
    assert only(check(given(BAD, "[x](https://www.küstenbad.example/preise)"))).reason == (
        "unknown_url"
    )


def test_a_reading_made_before_is_used() -> None:
    case = given(BACKUPS, "A [9].")
    reading = read(case.event, case.policy.citations)

    assert check(case, reading) == check(case)
    assert check(case, read(given(BACKUPS, "A").event, CitationPolicy())).outcome is (
        Outcome.NOT_APPLICABLE
    )


# ------------------------------------------------------------------------------ hostile text


def test_too_large_an_answer_is_not_evaluated() -> None:
    fits = given(BACKUPS, "x" * (MAX_ANSWER - 4) + " [9]")
    assert check(fits).outcome is Outcome.FAIL

    result = check(given(BACKUPS, "x" * MAX_ANSWER + "[9]"))

    assert result == CheckResult(Outcome.NOT_EVALUATED, not_evaluated=NotEvaluated.TOO_LARGE)


def test_too_many_citations_are_not_evaluated() -> None:
    assert check(given(BACKUPS, "[1] " * MAX_MEMBERS)).evaluated == MAX_MEMBERS
    assert check(given(BACKUPS, "[1] " * (MAX_MEMBERS + 1))).not_evaluated is (
        NotEvaluated.TOO_LARGE
    )
    many = [{"ref": "kb-101"}] * (MAX_MEMBERS + 1)
    assert check(given(BACKUPS, "x", many)).not_evaluated is NotEvaluated.TOO_LARGE


HOSTILE = [
    "[", "(", "`", "``a ", "[1", "[a](", "[a](b", "((((a", "<cite ", "<cite id=", "https://",
    "source: ", "a¹,", "[1-99999]", "[wabc]. ", "[99999]", "\n~~~", "[^1]: a\n", "\\cite{",
    "【4:0†", "[ﷺﷺﷺﷺﷺﷺ]", "<a href=", "{{source:", "\ue200cite", "citeturn0search0", "[[1]](",
    "##1$$", "[1, p. ", "(a 2020", "[Source ", "![", "*[1", "\x00[", "\ud7ff[1\u200b",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_work_is_linear(piece: str) -> None:
    """Four times the text, at most some eight times the work: a quadratic scan needs sixteen."""
    refs = [f"kb-{n}" for n in range(200)]
    small, large = (given(refs, (piece * size)[:size]) for size in (20_000, 80_000))

    assert cpu_seconds(lambda: check(large)) < 8 * cpu_seconds(lambda: check(small)) + 0.05


def test_no_mixture_of_marks_raises() -> None:
    alphabet = "[](){}<>`~#:^*_\\ 0129,;-ab\n【】（）†¹²\"'=@|/.citeSource\ue200\ue201\u200b\u0661"
    dice = random.Random(7)
    for _ in range(300):
        answer = "".join(dice.choice(alphabet) for _ in range(400))
        result = check(given([*BACKUPS, *WARTUNG, *BAD], answer))
        for finding in result.findings:
            assert answer[finding.start : finding.end] == finding.surface
