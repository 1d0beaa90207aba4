"""Knowledge gaps: what was asked and not served."""

from service.web.words import Words

WORDS: Words = {
    "gaps.title": ("Knowledge gaps", "Wissenslücken"),
    "gaps.link": ("Knowledge gaps", "Wissenslücken"),
    "gaps.what": (
        "Questions that retrieval did not serve, alike ones together: what the corpus should say "
        "next. Alike are those that share half of their content words; a paraphrase in other words "
        "stands apart.",
        "Fragen, die die Suche nicht bediente, ähnliche zusammen: was der Bestand als Nächstes "
        "sagen sollte. Ähnlich sind Fragen, die die Hälfte ihrer Inhaltswörter teilen; dieselbe "
        "Frage in anderen Worten steht für sich.",
    ),
    "gaps.counted": ("{n} questions", "{n} Fragen"),
    "gaps.counted.one": ("1 question", "1 Frage"),
    "gaps.question": ("Question", "Frage"),
    "gaps.asked": ("Asked", "Gestellt"),
    "gaps.last": ("Last", "Zuletzt"),
    "gaps.why.empty": ("nothing retrieved", "nichts gefunden"),
    "gaps.why.abstained": ("no answer", "keine Antwort"),
    "gaps.why.unused": ("retrieved, unused", "gefunden, ungenutzt"),
    "gaps.why.disliked": ("thumbs down", "Daumen runter"),
    "gaps.wordings": ("other wordings", "andere Formulierungen"),
    "gaps.more": ("and {n} gaps more", "und {n} weitere Lücken"),
    "gaps.more.one": ("and 1 gap more", "und 1 weitere Lücke"),
    "gaps.export": ("All of them as a file:", "Alle als Datei:"),
    "gaps.none": ("No unserved question", "Keine unbediente Frage"),
    "gaps.none.what": (
        "None was kept in this period: nothing was asked, every retrieval brought something that "
        "was used, or GROUNDWATCH_MAX_QUESTIONS is 0.",
        "In diesem Zeitraum blieb keine stehen: Es kam keine Frage, jede Suche brachte etwas, das "
        "genutzt wurde, oder GROUNDWATCH_MAX_QUESTIONS ist 0.",
    ),
}
