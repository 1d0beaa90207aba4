"""The queue."""

from service.web.words import Words

WORDS: Words = {
    "queue.title": ("Queue", "Warteschlange"),
    "queue.status": ("Status", "Stand"),
    "queue.filter": ("Filter", "Filtern"),
    "queue.app": ("App", "Anwendung"),
    "queue.release": ("Release", "Version"),
    "queue.check": ("Check", "Prüfung"),
    "queue.reason": ("Reason", "Grund"),
    "queue.severity": ("Severity", "Schwere"),
    "queue.language": ("Language", "Sprache"),
    "queue.group": ("Group", "Gruppe"),
    "queue.since": ("Given since", "Gegeben seit"),
    "queue.age.today": ("today", "heute"),
    "queue.age.yesterday": ("yesterday", "gestern"),
    "queue.age.week": ("7 days", "7 Tagen"),
    "queue.age.month": ("30 days", "30 Tagen"),
    "queue.saved": ("Saved filters", "Gespeicherte Filter"),
    "queue.saved.all": ("All open", "Alle offenen"),
    "queue.saved.high": ("High", "Hoch"),
    "queue.saved.medium": ("Medium", "Mittel"),
    "queue.saved.low": ("Low", "Niedrig"),
    "queue.saved.today": ("New today", "Neu heute"),
    "queue.saved.claimed": ("Held", "In Arbeit"),
    "queue.saved.groups": ("Groups", "Gruppen"),
    "queue.saved.tasks": ("Audit tasks", "Stichproben"),
    "queue.saved.labels": ("Labels", "Urteile"),
    "queue.oldest": ("oldest open: {age}", "ältester offener: {age}"),
    "queue.every.app": ("every app", "jede Anwendung"),
    "queue.every.release": ("every release", "jede Version"),
    "queue.every.check": ("every check", "jede Prüfung"),
    "queue.every.reason": ("every reason", "jeder Grund"),
    "queue.every.severity": ("every severity", "jede Schwere"),
    "queue.every.status": ("every status", "jeder Stand"),
    "queue.every.language": ("every language", "jede Sprache"),
    "queue.every.since": ("every age", "jedes Alter"),
    "queue.apply": ("Apply", "Anwenden"),
    "queue.in_force": ("Filters in force", "Geltende Filter"),
    "queue.remove_filter": ("Remove this filter", "Diesen Filter entfernen"),
    "queue.remove": ("remove", "entfernen"),
    "queue.clear": ("clear all", "alle entfernen"),
    "queue.flagged": ("flagged", "auffällig"),
    "queue.by_judge": ("judge", "Prüfmodell"),
    "queue.alike": ("{n} alike", "{n} gleiche"),
    "queue.here": ("{n} on this page", "{n} auf dieser Seite"),
    "queue.holder": ("{holder} has it", "bei {holder}"),
    "queue.pick": ("Select: {what}", "Auswählen: {what}"),
    "queue.selected": ("What is selected", "Die Auswahl"),
    "queue.selected_are": ("selected. They are all", "ausgewählt. Alle sind"),
    "queue.selected_means": (
        "Nobody opened them, so these labels say nothing of a check's precision.",
        "Niemand hat sie geöffnet; über die Genauigkeit einer Prüfung sagt das nichts.",
    ),
    "queue.selected_who": (
        "To label what is selected, say who you are.",
        "Um die Auswahl zu beurteilen, sag, wer du bist.",
    ),
    "queue.done": ("Cases labelled: {n}.", "Fälle beurteilt: {n}."),
    "queue.left": (
        "Left alone: {n}. Somebody holds them, they have a label by now, or their app asks for "
        "more.",
        "Ausgelassen: {n}. Jemand hat sie gerade, sie sind schon beurteilt, oder ihre Anwendung "
        "verlangt mehr.",
    ),
    "queue.done_where": ("All labels", "Alle Urteile"),
    "queue.further": ("Further cases", "Weitere Fälle"),
    "pager.first": ("⇤ first page", "⇤ erste Seite"),
    "pager.next": ("next page →", "nächste Seite →"),
    "pager.end": ("that was the last one", "das war die letzte"),
    "queue.none_here": ("No case here", "Kein Fall hier"),
    "queue.past_end": (
        "This page is past the end of the list.",
        "Diese Seite liegt hinter dem Ende der Liste.",
    ),
    "queue.no_match": (
        "No case matches all of these filters.",
        "Kein Fall passt zu allen diesen Filtern.",
    ),
    "queue.see_whole": ("See the whole open queue", "Die ganze offene Warteschlange ansehen"),
    "queue.none": ("No {status} case", "Kein Fall: {status}"),
    "queue.none_any": ("No case", "Kein Fall"),
    "queue.none_means": (
        "Events arrive, and none is waiting for a person. That is good news only as far as the "
        "account below goes: see there how many answers were checked, and how many could not be.",
        "Ereignisse kommen an, und keines wartet auf einen Menschen. Das ist nur so weit eine gute "
        "Nachricht, wie die Rechnung darunter reicht: Dort steht, wie viele Antworten geprüft "
        "wurden und wie viele nicht geprüft werden konnten.",
    ),
    "first.none": ("No event yet", "Noch kein Ereignis"),
    "first.send": (
        "Send the first one. This answer says 54 € where the source says 45 €, so a case should be "
        "waiting here a moment later:",
        "Das erste senden. Diese Antwort sagt 54 €, wo die Quelle 45 € sagt; einen Augenblick "
        "später sollte ein Fall in der Warteschlange stehen:",
    ),
}
