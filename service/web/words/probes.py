"""The overview's block of probes."""

from service.web.words import Words

WORDS: Words = {
    "probes.title": ("Probes", "Probeläufe"),
    "probes.what": (
        "The last time that each app was asked the labelled questions. Not live traffic: these "
        "answers are in none of the figures above.",
        "Als jeder Anwendung zuletzt die Fragen mit bekannten Antworten gestellt wurden. Kein "
        "Live-Verkehr: Diese Antworten sind in keiner Zahl weiter oben.",
    ),
    "probes.app": ("App and release", "Anwendung und Version"),
    "probes.hit": ("Hit rate", "Trefferquote"),
    "probes.recall": ("Recall", "Recall"),
    "probes.precision": ("Precision", "Precision"),
    "probes.questions": ("Questions", "Fragen"),
    "probes.interval": ("{low} to {high}, {n} questions", "{low} bis {high}, {n} Fragen"),
    "probes.interval.one": ("{low} to {high}, {n} question", "{low} bis {high}, {n} Frage"),
    "probes.attainable": ("at most {share}", "höchstens {share}"),
    "probes.failed": ("{n} without an answer", "{n} ohne Antwort"),
    "probes.none": ("not measured", "nicht gemessen"),
    "probes.lost": (
        "{n} critical questions without a relevant text:",
        "{n} kritische Fragen ohne passenden Text:",
    ),
    "probes.lost.one": (
        "{n} critical question without a relevant text:",
        "{n} kritische Frage ohne passenden Text:",
    ),
    "probes.answered": (
        "{n} unanswerable questions got an answer:",
        "{n} Fragen bekamen eine Antwort, auf die es keine geben darf:",
    ),
    "probes.answered.one": (
        "{n} unanswerable question got an answer:",
        "{n} Frage bekam eine Antwort, auf die es keine geben darf:",
    ),
    "probes.more": ("and {n} more", "und {n} weitere"),
}
