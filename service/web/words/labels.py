"""Labels: what people said, and how far they agree."""

from service.web.words import Words

WORDS: Words = {
    "labels.title": ("Labels", "Urteile"),
    "labels.views": ("Which labels", "Welche Urteile"),
    "labels.mine": ("mine", "meine"),
    "labels.all": ("all", "alle"),
    "labels.disagreements": ("disagreements", "Widersprüche"),
    "labels.of": ("by {name}", "von {name}"),
    "labels.when": ("When", "Wann"),
    "labels.who": ("Who", "Wer"),
    "labels.what": ("What", "Was"),
    "labels.said": ("Said", "Gesagt"),
    "labels.case": ("case", "Fall"),
    "labels.task": ("audit task", "Stichprobe"),
    "labels.group": ("group", "Gruppe"),
    "labels.sealed": (
        "not shown while the task is open: a second person may still label it blind",
        "verdeckt, solange die Aufgabe offen ist: Vielleicht urteilt noch jemand blind",
    ),
    "labels.real": ("{n} findings real", "{n} Befunde echt"),
    "labels.real.one": ("1 finding real", "1 Befund echt"),
    "labels.false": ("{n} false alarms", "{n} Fehlalarme"),
    "labels.false.one": ("1 false alarm", "1 Fehlalarm"),
    "labels.needed": ("{n} chunks needed", "{n} Textstücke nötig"),
    "labels.needed.one": ("1 chunk needed", "1 Textstück nötig"),
    "labels.taken_back": ("took back change {n}", "nahm Änderung {n} zurück"),
    "labels.none": ("No label here yet", "Noch kein Urteil hier"),
    "labels.none.what": (
        "Labels come from the queue and from audit tasks. Each change stands here for good, with "
        "who made it and when.",
        "Urteile kommen aus der Warteschlange und aus den Stichproben. Jede Änderung bleibt hier "
        "stehen, mit wem und wann.",
    ),
    "labels.none.disagreements": (
        "No two people have labelled an audit task differently.",
        "Noch haben keine zwei Menschen eine Stichprobe verschieden beurteilt.",
    ),
    "labels.agreement": ("How far two people agree", "Wie weit zwei Menschen übereinstimmen"),
    "labels.agreement.what": (
        "Audit tasks that two people labelled blind in the last 60 days, of the newest 5,000 "
        "changes at most. Kappa falls towards 0 "
        "where nearly every answer is of one class, so AC1 and the share stand beside it.",
        "Stichproben der letzten 60 Tage, die zwei Menschen blind beurteilt haben, aus höchstens "
        "den neuesten 5.000 Änderungen. Kappa fällt "
        "gegen 0, wo fast jede Antwort zur selben Klasse gehört; darum stehen AC1 und der Anteil "
        "daneben.",
    ),
    "labels.agreement.none": (
        "Nobody can tell yet: no audit task has two blind labels. 15 % of them are dealt twice, "
        "unless the policy says otherwise.",
        "Lässt sich noch nicht sagen: Keine Stichprobe hat zwei blinde Urteile. 15 % werden "
        "doppelt vergeben, wenn die Richtlinie nichts anderes sagt.",
    ),
    "labels.part": ("Part", "Teil"),
    "labels.tasks": ("Tasks", "Aufgaben"),
    "labels.observed": ("Agreed", "Gleich"),
    "labels.kappa": ("Cohen's kappa", "Cohens Kappa"),
    "labels.ac1": ("Gwet's AC1", "Gwets AC1"),
    "labels.classes": ("Table of classes", "Tafel der Klassen"),
    "labels.first": ("first: {name}", "zuerst: {name}"),
    "labels.undefined": ("not defined", "nicht bestimmt"),
    "labels.further": ("Further labels", "Weitere Urteile"),
    "action.labelled": ("labelled", "beurteilt"),
    "action.skipped": ("skipped", "übersprungen"),
    "action.undone": ("undone", "zurückgenommen"),
    "action.labelled_in_bulk": ("labelled with its group", "mit der Gruppe beurteilt"),
    "action.decided": ("group decided", "Gruppe entschieden"),
    "action.reopened": ("group reopened", "Gruppe wieder offen"),
    "part.answer": ("answer", "Antwort"),
    "part.fault": ("cause", "Ursache"),
    "part.behaviour": ("right behaviour", "richtiges Verhalten"),
    "part.grounded": ("grounded", "belegt"),
    "part.helpful": ("helpful", "hilfreich"),
    "said.correct": ("correct", "richtig"),
    "said.partly": ("partly", "teilweise"),
    "said.wrong": ("wrong", "falsch"),
    "said.cant_tell": ("can't tell", "nicht zu sagen"),
    "said.yes": ("yes", "ja"),
    "said.no": ("no", "nein"),
    "said.retrieval": ("retrieval", "Suche"),
    "said.generation": ("generation", "Formulierung"),
    "said.not_in_corpus": ("not in corpus", "nicht im Bestand"),
    "said.source_wrong": ("source wrong", "Quelle falsch"),
    "said.question_unclear": ("question unclear", "Frage unklar"),
    "said.answer": ("answer", "antworten"),
    "said.clarify": ("clarify", "nachfragen"),
    "said.no_answer": ("no answer", "keine Antwort"),
    "said.deny": ("deny", "ablehnen"),
    "said.complete": ("complete", "vollständig"),
    "said.partial_but_useful": ("partial but useful", "unvollständig, aber nützlich"),
    "said.tangential": ("tangential", "am Rande"),
    "said.off_topic": ("off topic", "am Thema vorbei"),
}
