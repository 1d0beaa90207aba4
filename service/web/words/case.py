"""A case, and the raw event behind it."""

from service.web.words import Words

WORDS: Words = {
    "case.title": ("Case", "Fall"),
    "case.back": ("← queue", "← Warteschlange"),
    "case.alike": ("{n} answers alike", "{n} gleiche Antworten"),
    "case.no_detail": (
        "This answer was flagged; the finding has no detail.",
        "Diese Antwort ist auffällig; der Fund sagt nichts Näheres.",
    ),
    "case.place": ("case {number} of {of}", "Fall {number} von {of}"),
    "case.left": ("{n} open", "{n} offen"),
    "case.question": ("Question", "Frage"),
    "case.answer": ("Answer", "Antwort"),
    "case.release": ("release", "Release"),
    "case.retrieved": ("Retrieved", "Gefunden"),
    "case.raw": ("raw text", "Rohtext"),
    "case.table": ("Table", "Tabelle"),
    "case.legend": ("What the marks mean", "Was die Zeichen bedeuten"),
    "case.wavy": ("wavy", "gewellt"),
    "case.wavy_means": (
        "finding; in a source, the nearest thing to it",
        "Fund; in einer Quelle das, was ihm am nächsten kommt",
    ),
    "case.solid": ("solid", "durchgezogen"),
    "case.solid_means": ("stands in a source", "steht in einer Quelle"),
    "case.dashed": ("dashed", "gestrichelt"),
    "case.dashed_means": ("quoted by the judge", "vom Prüfmodell zitiert"),
    "chunk.title": ("{value}", "{value}"),
    "chunk.rank": ("rank {value}", "Rang {value}"),
    "chunk.score": ("score {value}", "Wert {value}"),
    "chunk.not_in_prompt": ("not in the prompt", "nicht im Prompt"),
    "case.no_mark": ("no mark", "kein Zeichen"),
    "case.no_text": (
        "The text of this chunk is not known: it came without one, and no document store had it.",
        "Der Text dieses Abschnitts ist unbekannt: Er kam ohne, und kein Dokumentenspeicher hatte "
        "ihn.",
    ),
    "case.whole": ("the whole text ({n} characters)", "der ganze Text ({n} Zeichen)"),
    "case.omitted": ("⋯ {n} characters ⋯", "⋯ {n} Zeichen ⋯"),
    "case.source": ("open the source", "Quelle öffnen"),
    "case.nothing": (
        "Nothing was retrieved for this question.",
        "Zu dieser Frage wurde nichts gefunden.",
    ),
    "case.nothing_kept": (
        "Nothing was retrieved for this question, or nothing of it was kept.",
        "Zu dieser Frage wurde nichts gefunden, oder nichts davon ist aufgehoben.",
    ),
    "case.context": ("What else the model saw", "Was das Modell sonst sah"),
    "case.no_evidence": ("no evidence", "kein Beleg"),
    "case.findings": ("Findings", "Funde"),
    "case.finding": ("finding {n}", "Fund {n}"),
    "case.no_place": ("has no place in the answer", "hat keine Stelle in der Antwort"),
    "case.no_finding": (
        "No finding was kept with this case.",
        "Zu diesem Fall ist kein Fund aufgehoben.",
    ),
    "case.not_evaluated": ("Not evaluated:", "Nicht geprüft:"),
    "case.thumbs": ("Users: {up} 👍 · {down} 👎", "Nutzer: {up} 👍 · {down} 👎"),
    "case.about": ("About this answer", "Über diese Antwort"),
    "case.check": ("check {name}", "Prüfung {name}"),
    "case.checks": ("checks", "Prüfungen"),
    "case.judge_only": (
        "none flagged this answer; the judge opened the case",
        "keine fand etwas; das Prüfmodell hat den Fall eröffnet",
    ),
    "case.no_outcome": ("no outcome was kept", "kein Ergebnis ist aufgehoben"),
    "case.priority": ("priority", "Rang"),
    "case.priority_terms": (
        "severity {severity} + app {app} + rarity {rarity} + time {time} = {total}",
        "Schwere {severity} + Anwendung {app} + Seltenheit {rarity} + Zeit {time} = {total}",
    ),
    "case.priority_means": (
        "log2 of the severity (low 1, medium 4, high 16), log2 of the app’s weight, less ½·log2 of "
        "1 + the answers of the same cause before (at most 4), plus when the answer was given, in "
        "days since 1970: the highest sum stands first.",
        "log2 der Schwere (niedrig 1, mittel 4, hoch 16), log2 des Gewichts der Anwendung, weniger "
        "½·log2 von 1 + den Antworten derselben Ursache davor (höchstens 4), dazu wann die Antwort "
        "gegeben wurde, in Tagen seit 1970: Die höchste Summe steht vorn.",
    ),
    "case.reduced": (
        "This case was reduced to fit: only parts of the event were kept.",
        "Dieser Fall wurde gekürzt: Nur Teile des Ereignisses sind aufgehoben.",
    ),
    "case.json": ("as JSON", "als JSON"),
    "case.event": ("raw event", "rohes Ereignis"),
    "event.title": ("Raw event", "Rohes Ereignis"),
    "event.back": ("← case", "← Fall"),
    "judge.title": ("Judge", "Prüfmodell"),
    "judge.claims": ("Claims by sentence of the answer", "Aussagen nach Sätzen der Antwort"),
    "judge.sentence": ("Sentence", "Satz"),
    "judge.verdict": ("Verdict", "Urteil"),
    "judge.claim": ("Claim", "Aussage"),
    "judge.evidence": ("Evidence", "Beleg"),
    "judge.none": ("none", "keiner"),
    "judge.left_out": (
        "{n} more claims stand in the JSON.",
        "{n} weitere Aussagen stehen im JSON.",
    ),
}
