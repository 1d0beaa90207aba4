"""Audit tasks."""

from service.web.words import Words

WORDS: Words = {
    "tasks.title": ("Audit tasks", "Stichproben"),
    "tasks.one": ("Audit task", "Stichprobe"),
    "tasks.what": (
        "A fair sample of all live answers, for people to label blind: nothing that was found is "
        "shown. A task that nobody labels in time is missing from the rates.",
        "Eine faire Stichprobe aller echten Antworten, die Menschen blind beurteilen: Was gefunden "
        "wurde, steht hier nicht. Eine Aufgabe, die niemand rechtzeitig beurteilt, fehlt in den "
        "Raten.",
    ),
    "tasks.old": ("{age} old", "{age} alt"),
    "tasks.due": ("due {until}", "fällig {until}"),
    "tasks.further": ("Further tasks", "Weitere Aufgaben"),
    "tasks.none_here": ("No audit task here", "Keine Stichprobe hier"),
    "tasks.none": ("No audit task waits", "Keine Stichprobe wartet"),
    "tasks.see_first": ("See the first page", "Die erste Seite ansehen"),
    "tasks.how_many": (
        "About 20 answers a day of each app are drawn (<code>audit_per_day</code> in the policy); "
        "the books say what became of them.",
        "Etwa 20 Antworten am Tag werden je Anwendung gezogen (<code>audit_per_day</code> in der "
        "Richtlinie); was aus ihnen wurde, sagen die Bücher.",
    ),
}
