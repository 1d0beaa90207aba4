"""What changed, and what rose since."""

from service.web.words import Words

WORDS: Words = {
    "incident.title": ("What changed", "Was sich geändert hat"),
    "incident.what": (
        "Two stretches of time held against each other: what answers were made with, what was "
        "found in them, and the first bad ones.",
        "Zwei Zeitspannen nebeneinander: womit die Antworten entstanden, was in ihnen gefunden "
        "wurde, und die ersten schlechten.",
    ),
    "incident.link": ("what changed since", "was sich seither änderte"),
    "incident.link_day": ("What changed in the last 24 hours", "Was sich in 24 Stunden änderte"),
    "incident.rose": (
        "{rate} rose from {before} to {after}.",
        "{rate}: von {before} auf {after} gestiegen.",
    ),
    "incident.none_rose": (
        "No rate rose beyond what chance explains.",
        "Keine Rate stieg über das hinaus, was der Zufall erklärt.",
    ),
    "incident.silent": (
        "No answer has been checked since then.",
        "Seither wurde keine Antwort geprüft.",
    ),
    "incident.no_before": (
        "Nothing to compare with: no answer was checked before.",
        "Kein Vergleich möglich: Davor wurde keine Antwort geprüft.",
    ),
    "incident.with": ("At the same time:", "Zur selben Zeit:"),
    "incident.nothing_changed": (
        "Nothing that the answers tell of themselves changed at the same time: look at the "
        "sources, and at what people ask.",
        "Nichts, was die Antworten über sich sagen, änderte sich zur selben Zeit: Sieh nach den "
        "Quellen, und danach, was gefragt wird.",
    ),
    "incident.part.other": ("{part} {before} → {after}", "{part} {before} → {after}"),
    "incident.part.share": (
        "{part} {value}: {before} → {after} of answers",
        "{part} {value}: {before} → {after} der Antworten",
    ),
    "incident.windows": (
        "{after_from} to {after_to}, against {before_from} to {before_to}",
        "{after_from} bis {after_to}, gegen {before_from} bis {before_to}",
    ),
    "incident.answers.one": ("1 answer against {before}", "1 Antwort gegen {before}"),
    "incident.answers": (
        "{n} answers against {before}",
        "{n} Antworten gegen {before}",
    ),
    "incident.whole_days": (
        "so long ago, only whole days are known",
        "so lange her: nur ganze Tage sind bekannt",
    ),
    "incident.choose": ("Of which app?", "Welche Anwendung?"),
    "incident.no_app": (
        "No app has sent an answer with a finding yet.",
        "Noch keine Anwendung hat eine auffällige Antwort gesendet.",
    ),
    "incident.unknown_app": (
        "No answer of this app in either stretch. Is it called so? Known are:",
        "In keiner der Spannen eine Antwort dieser Anwendung. Heißt sie so? Bekannt sind:",
    ),
    "incident.odd.unread": ("{field} is not a time.", "{field}: das ist keine Zeit."),
    "incident.odd.future": ("{field} lies ahead.", "{field}: das liegt in der Zukunft."),
    "incident.odd.backwards": (
        "{field} is not after the beginning.",
        "{field}: das liegt nicht nach dem Anfang.",
    ),
    "incident.parts": ("What answers were made with", "Womit die Antworten entstanden"),
    "incident.part": ("Part", "Teil"),
    "incident.before": ("Before", "Davor"),
    "incident.after": ("After", "Danach"),
    "incident.not_told": ("not told", "nicht gesagt"),
    "incident.more_values": ("and {n} more", "und {n} weitere"),
    "incident.ruleset": (
        "other checks: a rate may differ for that alone",
        "andere Prüfungen: schon darum kann eine Rate anders sein",
    ),
    "incident.same": ("Unchanged:", "Unverändert:"),
    "incident.new_told": ("Not told before:", "Davor nicht gesagt:"),
    "incident.untold": (
        "The answers do not tell:",
        "Die Antworten sagen nichts über:",
    ),
    "part.release": ("release", "Version"),
    "part.ruleset": ("ruleset", "Regelwerk"),
    "part.model": ("model", "Modell"),
    "part.prompt": ("prompt", "Prompt"),
    "part.retriever": ("retriever", "Suche"),
    "part.retrieval_params": ("retrieval parameters", "Suchparameter"),
    "part.embedding_model": ("embedding model", "Einbettungsmodell"),
    "part.chunking": ("chunking", "Zerlegung"),
    "part.index": ("index", "Index"),
    "part.corpus": ("corpus", "Bestand"),
    "incident.causes": ("What was found", "Was gefunden wurde"),
    "incident.causes.what": (
        "Answers with a finding of this kind, of all checked answers. What rose beyond chance "
        "comes first.",
        "Antworten mit einem solchen Fund, von allen geprüften Antworten. Was über den Zufall "
        "hinaus stieg, steht oben.",
    ),
    "incident.causes.none": (
        "Nothing was found in any answer of either stretch.",
        "In keiner Antwort beider Spannen wurde etwas gefunden.",
    ),
    "incident.cause": ("Finding", "Fund"),
    "incident.grown": (
        "Single causes that brought the most since that day",
        "Einzelne Ursachen, die seit diesem Tag am meisten brachten",
    ),
    "incident.grown_by": ("{n} since", "{n} seither"),
    "incident.first": ("The first bad answers", "Die ersten schlechten Antworten"),
    "incident.first.none": (
        "No open case of this time.",
        "Kein offener Fall aus dieser Zeit.",
    ),
    "incident.all_cases": ("all its cases", "alle seine Fälle"),
    "incident.rates": ("How the rates moved", "Wie sich die Raten bewegten"),
    "incident.since": ("Since", "Seit"),
    "incident.until": ("Until", "Bis"),
    "incident.now": ("now", "jetzt"),
    "incident.release": ("Only this release after", "Danach nur diese Version"),
    "incident.show": ("Show", "Zeigen"),
    "incident.how": (
        "A time may be 2026-11-29T09:00 (UTC), 2026-11-29, seconds or milliseconds since 1970, or "
        "so long ago: 30m, 2h, 3d, 1w. Its hour counts as after.",
        "Eine Zeit kann 2026-11-29T09:00 (UTC) sein, 2026-11-29, Sekunden oder Millisekunden seit "
        "1970, oder so lange her: 30m, 2h, 3d, 1w. Ihre Stunde zählt zu danach.",
    ),
}
