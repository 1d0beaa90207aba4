"""A group: flagged answers with one cause."""

from service.web.words import Words

WORDS: Words = {
    "group.title": ("Group", "Gruppe"),
    "group.headline": (
        "{n} answers alike: {check} · {reason}",
        "{n} gleiche Antworten: {check} · {reason}",
    ),
    "group.open": ("{n} cases open", "{n} Fälle offen"),
    "group.open.one": ("1 case open", "1 Fall offen"),
    "group.trend": ("Answers a day, the last {n} days", "Antworten am Tag, die letzten {n} Tage"),
    "group.most": ("at most {n} a day", "höchstens {n} am Tag"),
    "group.no_trend": ("No day is counted yet.", "Noch ist kein Tag gezählt."),
    "group.sample": ("For example", "Zum Beispiel"),
    "group.no_sample": ("No case of it can be seen now.", "Kein Fall davon ist gerade zu sehen."),
    "group.see": ("all its open cases", "alle offenen Fälle davon"),
    "group.bulk": ("Label all open cases at once", "Alle offenen Fälle auf einmal beurteilen"),
    "group.bulk_what": (
        "One by one counts for the precision of the check; at once does not, for nobody looked.",
        "Einzeln zählt für die Genauigkeit der Prüfung; auf einmal nicht, denn niemand sah hin.",
    ),
    "group.bulk_do": ("Label {n} cases", "{n} Fälle beurteilen"),
    "group.bulk_do.one": ("Label 1 case", "1 Fall beurteilen"),
    "group.bulk_done": ("{n} cases labelled.", "{n} Fälle beurteilt."),
    "group.bulk_done.one": ("1 case labelled.", "1 Fall beurteilt."),
    "group.decide": ("Decide for those to come", "Für künftige entscheiden"),
    "group.decide_what": (
        "Later answers with this cause are counted and open no case. The group opens again by "
        "itself when its rate doubles.",
        "Spätere Antworten mit dieser Ursache werden gezählt und eröffnen keinen Fall. Die Gruppe "
        "geht von selbst wieder auf, wenn ihre Rate sich verdoppelt.",
    ),
    "group.kind": ("It is", "Es ist"),
    "decision.known_cause": ("a known cause", "eine bekannte Ursache"),
    "decision.false_alarm": ("a false alarm", "ein Fehlalarm"),
    "group.until": ("Until (a date; empty: for good)", "Bis (ein Datum; leer: auf Dauer)"),
    "group.ruleset": (
        "only as long as the ruleset is {ruleset}",
        "nur solange der Regelsatz {ruleset} gilt",
    ),
    "group.decide_do": ("Decide", "Entscheiden"),
    "group.decided": ("Decided: {kind}", "Entschieden: {kind}"),
    "group.decided_by": ("by {who}, {time}", "von {who}, {time}"),
    "group.holds_until": ("until {time}", "bis {time}"),
    "group.holds_ruleset": ("for ruleset {ruleset}", "für Regelsatz {ruleset}"),
    "group.reopen": ("Open again", "Wieder öffnen"),
    "group.bad_date": (
        "no such date, or one that is past",
        "kein solches Datum, oder eines von gestern",
    ),
}
