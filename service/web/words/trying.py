"""Try: checks over what was pasted."""

from service.web.words import Words

WORDS: Words = {
    "try.title": ("Try", "Ausprobieren"),
    "try.what": (
        "Paste a question, the texts that were retrieved, and an answer. The checks run as they do "
        "on events, and nothing is stored.",
        "Frage, abgerufene Texte und Antwort einfügen. Die Prüfungen laufen wie bei Ereignissen, "
        "und nichts wird gespeichert.",
    ),
    "try.app": ("Checked as", "Geprüft als"),
    "try.default": ("the default policy", "nach der Grundeinstellung"),
    "try.question": ("Question", "Frage"),
    "try.texts": ("Retrieved texts", "Abgerufene Texte"),
    "try.texts.how": (
        "A line that starts with # begins a text and names it, as in # pricing#plans.",
        "Eine Zeile, die mit # beginnt, fängt einen Text an und benennt ihn, etwa # pricing#plans.",
    ),
    "try.answer": ("Answer", "Antwort"),
    "try.check": ("Check", "Prüfen"),
    "try.clean": ("No check found anything", "Keine Prüfung hat etwas gefunden"),
    "try.found": ("{n} findings", "{n} Befunde"),
    "try.found.one": ("1 finding", "1 Befund"),
    "try.outcomes": ("What each check said", "Was jede Prüfung sagte"),
    "try.refused": ("This cannot be checked: {why}.", "Das lässt sich nicht prüfen: {why}."),
    "try.marked": ("Answer, marked", "Antwort, markiert"),
    "try.sources": ("Texts, marked", "Texte, markiert"),
    "try.none": ("No text was given.", "Es wurde kein Text angegeben."),
    "try.placeless": ("has no place in the answer", "hat keine Stelle in der Antwort"),
    "try.findings": ("Findings", "Befunde"),
    "outcome.pass": ("pass", "bestanden"),
    "outcome.fail": ("fail", "gefunden"),
    "outcome.not_applicable": ("not applicable", "trifft nicht zu"),
    "outcome.not_evaluated": ("not evaluated", "nicht ausgewertet"),
    "outcome.disabled": ("disabled", "abgeschaltet"),
}
