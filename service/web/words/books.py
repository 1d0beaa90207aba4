"""The books."""

from service.web.words import Words

WORDS: Words = {
    "books.title": ("Books", "Bücher"),
    "books.balance": ("The books balance", "Die Bücher gehen auf"),
    "books.no_balance": ("The books do not balance", "Die Bücher gehen nicht auf"),
    "books.caption": (
        "Every record is accounted for exactly once. An imbalance other than 0 is a defect or a "
        "loss.",
        "Jeder Datensatz ist genau einmal verbucht. Eine Abweichung, die nicht 0 ist, ist ein "
        "Fehler oder ein Verlust.",
    ),
    "books.equation": ("Equation", "Gleichung"),
    "books.left": ("Left", "Links"),
    "books.right": ("Right", "Rechts"),
    "books.imbalance": ("Imbalance", "Abweichung"),
    "books.words": ("What the words mean", "Was die Wörter bedeuten"),
    "books.word.eligible": (
        "Answers that could be judged while a judge was configured. Each was selected, sampled out "
        "(its chance did not come up), or budget skipped (it would have been selected, but the "
        "budget or the backlog had no room).",
        "Antworten, die geprüft werden konnten, während ein Prüfmodell eingerichtet war. Jede "
        "wurde gezogen (selected), nicht gezogen (sampled out: ihr Los kam nicht) oder übergangen "
        "(budget skipped: gezogen, aber Budget oder Rückstau ließen keinen Platz).",
    ),
    "books.word.selected": (
        "Answers that were drawn for the judge. Each was judged; or is undetermined (the judge "
        "answered, but not usably) or failed (no answer came in time), both outside of every rate; "
        "or is pending (it waits or is being judged now); or was erased at somebody's request.",
        "Antworten, die für das Prüfmodell gezogen wurden. Jede ist beurteilt (judged); oder offen "
        "geblieben (undetermined: es kam eine Antwort, aber keine brauchbare) oder gescheitert "
        "(failed: rechtzeitig kam keine), beides außerhalb jeder Rate; oder sie wartet (pending); "
        "oder sie wurde auf jemandes Verlangen gelöscht (erased).",
    ),
    "books.word.tasks": (
        "Audit tasks: answers drawn at random for people to label blind. Each is open, done, "
        "expired (nobody labelled it in time: it is missing) or erased. While one is open, a case "
        "of the same answer is withheld.",
        "Stichproben: zufällig gezogene Antworten, die Menschen blind beurteilen. Jede ist offen "
        "(open), erledigt (done), verfallen (expired: niemand hat sie rechtzeitig beurteilt, sie "
        "fehlt) oder gelöscht (erased). Solange sie offen ist, wird ein Fall derselben Antwort "
        "zurückgehalten.",
    ),
    "books.word.flagged": (
        "Answers with a finding. Each has a case; or is suppressed: one of a flood, counted in its "
        "groups without a case of its own; or is auto grouped: its cause was decided already.",
        "Antworten mit einem Befund. Jede hat einen Fall (case); oder ist unterdrückt "
        "(suppressed): eine von einer Flut, in ihren Gruppen gezählt, ohne eigenen Fall; oder ist "
        "eingeordnet (auto grouped): über ihre Ursache ist schon entschieden.",
    ),
    "books.word.cases": (
        "Each is open, claimed, withheld, resolved, expired or erased.",
        "Jeder ist offen (open), in Arbeit (claimed), zurückgehalten (withheld), erledigt "
        "(resolved), verfallen (expired) oder gelöscht (erased).",
    ),
    "books.partitions": ("Partitions", "Partitionen"),
    "books.source": ("Source", "Quelle"),
    "books.partition": ("Partition", "Partition"),
    "books.segment": ("Segment", "Abschnitt"),
    "books.first": ("First", "Erste"),
    "books.next": ("Next", "Nächste"),
    "books.no_record": (
        "No record has arrived from any source yet.",
        "Noch ist aus keiner Quelle ein Datensatz gekommen.",
    ),
}
