"""The monthly report."""

from service.web.words import Words

WORDS: Words = {
    "report.title": ("Answers in {month}", "Antworten im {month}"),
    "report.of": ("{first} to {last} (UTC)", "{first} bis {last} (UTC)"),
    "report.made": ("made {at}", "erstellt {at}"),
    "report.running": (
        "The month is not over: the figures reach until today.",
        "Der Monat ist nicht vorbei: Die Zahlen reichen bis heute.",
    ),
    "report.empty": (
        "No answer was checked in this month.",
        "In diesem Monat wurde keine Antwort geprüft.",
    ),
    "report.checked": ("{n} answers were checked.", "{n} Antworten wurden geprüft."),
    "report.checked.one": ("1 answer was checked.", "1 Antwort wurde geprüft."),
    "report.silent": ("{n} days had no answer.", "{n} Tage hatten keine Antwort."),
    "report.silent.one": ("1 day had no answer.", "1 Tag hatte keine Antwort."),
    "report.rates": ("Counted on all answers", "Gezählt an allen Antworten"),
    "report.rates.what": (
        "Exact as counts of what the checks said, not of truth. Left out: checked answers that a "
        "rate says nothing of, such as those without a citation.",
        "Genau als Zählung dessen, was die Prüfungen sagten, nicht der Wahrheit. Ausgelassen: "
        "geprüfte Antworten, über die eine Rate nichts sagt, etwa solche ohne Zitat.",
    ),
    "report.denominator": ("Of", "Von"),
    "report.left_out": ("Left out", "Ausgelassen"),
    "report.from_answers": ("from {n} answers", "aus {n} Antworten"),
    "report.from_answers.one": ("from 1 answer", "aus 1 Antwort"),
    "report.measure": ("Measure", "Maß"),
    "report.no_judge": (
        "Nothing was judged in this month.",
        "In diesem Monat hat das Prüfmodell nichts beurteilt.",
    ),
    "report.changes": ("Releases and rulesets", "Versionen und Regelwerke"),
    "report.changes.what": (
        "What was seen for the first time. Another ruleset is other checks, so another rate.",
        "Was zum ersten Mal auftrat. Ein anderes Regelwerk sind andere Prüfungen, also eine andere "
        "Rate.",
    ),
    "report.none": ("none", "keine"),
    "report.people": ("What people decided", "Was Menschen entschieden"),
    "report.spent": (
        "Labels: {n}. People: {people}. Skipped: {skipped}. Taken back: {undone}.",
        "Urteile: {n}. Menschen: {people}. Übersprungen: {skipped}. Zurückgenommen: {undone}.",
    ),
    "report.incomplete": (
        "More was decided than is read here; the exports have all of it.",
        "Es wurde mehr entschieden, als hier gelesen wird; die Exporte haben alles.",
    ),
    "report.labels": ("Labels spent", "Vergebene Urteile"),
    "report.answers": ("Answers", "Antworten"),
    "report.faults": ("At fault", "Fehlerquelle"),
    "report.grounded": ("Grounded in the sources", "Von den Quellen getragen"),
    "report.findings": ("Findings of the checks", "Befunde der Prüfungen"),
    "report.decisions": ("Groups", "Gruppen"),
    "report.kind.case": ("on cases", "zu Fällen"),
    "report.kind.task": ("on audits", "zu Stichproben"),
    "report.kind.group": ("on groups", "zu Gruppen"),
    "report.answer.correct": ("correct", "richtig"),
    "report.answer.partly": ("partly right", "teils richtig"),
    "report.answer.wrong": ("wrong", "falsch"),
    "report.answer.cant_tell": ("can't tell", "unklar"),
    "report.grounded.yes": ("yes", "ja"),
    "report.grounded.no": ("no", "nein"),
    "report.grounded.cant_tell": ("can't tell", "unklar"),
    "report.finding.real": ("real", "echt"),
    "report.finding.false_alarm": ("false alarm", "Fehlalarm"),
    "report.decision.decided": ("decided", "entschieden"),
    "report.decision.reopened": ("opened again", "wieder geöffnet"),
    "report.worst": ("Worst cases", "Schlimmste Fälle"),
    "report.worst.what": (
        "By priority, of those whose texts are still kept, whoever settled them.",
        "Nach Dringlichkeit, von denen, deren Texte noch da sind, auch wenn sie erledigt sind.",
    ),
}
