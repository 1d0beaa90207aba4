"""What the judge says of all answers, corrected by people; and how good the judge is."""

from service.web.words import Words

WORDS: Words = {
    "judged.title": (
        "What the judge says of all answers",
        "Was das Prüfmodell über alle Antworten sagt",
    ),
    "judged.what": (
        "Weighted from the judged sample; the first line is corrected by people's audits.",
        "Aus der geprüften Stichprobe hochgerechnet; die erste Zeile ist durch Stichproben von "
        "Menschen berichtigt.",
    ),
    "judged.page": ("The judge, checked", "Das Prüfmodell, geprüft"),
    "judged.link": ("How good is the judge?", "Wie gut ist das Prüfmodell?"),
    "judged.rate": ("Rate", "Rate"),
    "judged.value": ("Value and interval", "Wert und Intervall"),
    "judged.answers": ("Answers", "Antworten"),
    "judged.labels": ("{n} labels", "{n} Urteile"),
    "judged.labels.one": ("1 label", "1 Urteil"),
    "judged.labels_head": ("Labels", "Urteile"),
    "judged.bad_answers": (
        "Answers with a bad claim, corrected",
        "Antworten mit falscher Aussage, berichtigt",
    ),
    "judged.faithfulness": ("Faithfulness", "Quellentreue"),
    "judged.context_sufficiency": ("Context sufficient", "Kontext ausreichend"),
    "judged.relevance": ("Relevance of the answer", "Relevanz der Antwort"),
    "judged.context_precision": ("Context precision", "Kontextpräzision"),
    "judged.unsupported_claims": ("Unsupported claims", "Unbelegte Aussagen"),
    "judged.contradicted_claims": ("Contradicted claims", "Widerlegte Aussagen"),
    "define.bad_answers": (
        "Share of answers with a claim that the sources do not carry. The judge sorts many "
        "answers, people label a few of each sort blind, and both are weighed; without labels for "
        "this very judge version there is no value.",
        "Anteil der Antworten mit einer Aussage, die die Quellen nicht tragen. Das Prüfmodell "
        "sortiert viele Antworten, Menschen beurteilen von jeder Sorte einige blind, und beides "
        "wird gewichtet; ohne Urteile zu genau dieser Version des Prüfmodells gibt es keinen Wert.",
    ),
    "define.faithfulness": (
        "Mean share of an answer's claims that the judge finds supported by the sources; of "
        "answers with a claim whose sources it saw in full.",
        "Mittlerer Anteil der Aussagen einer Antwort, die das Prüfmodell in den Quellen belegt "
        "findet; von Antworten mit Aussagen, deren Quellen es ganz sah.",
    ),
    "define.context_sufficiency": (
        "Share of answers whose sources sufficed to answer the question, by the judge.",
        "Anteil der Antworten, deren Quellen nach dem Prüfmodell für die Frage reichten.",
    ),
    "define.relevance": (
        "How far answers answer the question: complete 1, partial but useful 0.7, tangential 0.3, "
        "off topic 0.",
        "Wie weit Antworten die Frage beantworten: vollständig 1, teilweise, aber nützlich 0,7, am "
        "Rande 0,3, am Thema vorbei 0.",
    ),
    "define.context_precision": (
        "Mean share of the chunks given to the model that were of use.",
        "Mittlerer Anteil der Textstücke für das Modell, die von Nutzen waren.",
    ),
    "define.unsupported_claims": (
        "Of all claims of all answers, those that stand in no source. Claims of one answer go "
        "together, so the answer is the unit of the interval.",
        "Von allen Aussagen aller Antworten die, die in keiner Quelle stehen. Aussagen einer "
        "Antwort hängen zusammen; das Intervall zählt darum Antworten.",
    ),
    "define.contradicted_claims": (
        "Of all claims of all answers, those that a source contradicts; with the answer as the "
        "unit of the interval.",
        "Von allen Aussagen aller Antworten die, denen eine Quelle widerspricht; das Intervall "
        "zählt Antworten.",
    ),
    "judged.days": ("last {n} days", "letzte {n} Tage"),
    "judged.days.one": ("today", "heute"),
    "judged.version": ("judge version", "Version des Prüfmodells"),
    "judged.rulesets": ("rulesets", "Regelsätze"),
    "judged.calibrated": ("{n} labels for this version", "{n} Urteile zu dieser Version"),
    "judged.calibrated.one": ("1 label for this version", "1 Urteil zu dieser Version"),
    "judged.uncalibrated": ("uncalibrated", "nicht geeicht"),
    "judged.uncalibrated.what": (
        "Nobody has labelled an audit that this judge version ruled on. A new model, prompt or "
        "schema needs labels of its own.",
        "Noch hat niemand eine Stichprobe beurteilt, über die diese Version des Prüfmodells "
        "entschied. Ein neues Modell, ein neuer Prompt oder ein neues Schema braucht eigene "
        "Urteile.",
    ),
    "judged.needed": ("{n} more for ± 2 points", "{n} weitere für ± 2 Punkte"),
    "judged.needed.one": ("1 more for ± 2 points", "1 weiteres für ± 2 Punkte"),
    "judged.needed.enough": ("enough for ± 2 points", "genug für ± 2 Punkte"),
    "judged.needed.none": (
        "too few judged answers for ± 2 points",
        "zu wenige geprüfte Antworten für ± 2 Punkte",
    ),
    "judged.none": ("No judge has ruled yet", "Noch hat kein Prüfmodell entschieden"),
    "judged.none.what": (
        "Set GROUNDWATCH_JUDGE_BASE_URL and GROUNDWATCH_JUDGE_MODEL, or wait for the first answers "
        "of this selection.",
        "GROUNDWATCH_JUDGE_BASE_URL und GROUNDWATCH_JUDGE_MODEL setzen, oder auf die ersten "
        "Antworten dieser Auswahl warten.",
    ),
    "judged.family": (
        "Judge and generator are both of the family {family}: models prefer what their own family "
        "wrote. A judge of another family is the better witness.",
        "Prüfmodell und Antwortmodell sind beide aus der Familie {family}: Modelle bevorzugen, was "
        "ihre eigene Familie schrieb. Ein Prüfmodell aus einer anderen ist der bessere Zeuge.",
    ),
    "judged.table": ("Judge and people", "Prüfmodell und Menschen"),
    "judged.table.what": (
        "Audited answers alone: a uniform sample, labelled blind. Sensitivity and specificity are "
        "weighted to all answers.",
        "Nur Stichproben: gleichmäßig gezogen, blind beurteilt. Sensitivität und Spezifität sind "
        "auf alle Antworten hochgerechnet.",
    ),
    "judged.people_bad": ("People: not grounded", "Menschen: nicht belegt"),
    "judged.people_fine": ("People: grounded", "Menschen: belegt"),
    "judged.judge_bad": ("Judge: a bad claim", "Prüfmodell: eine falsche Aussage"),
    "judged.judge_fine": ("Judge: fine", "Prüfmodell: in Ordnung"),
    "judged.sensitivity": ("Sensitivity", "Sensitivität"),
    "judged.specificity": ("Specificity", "Spezifität"),
    "judged.counted": (
        "{judged} answers judged, {undecided} undecided; audits: {unsaid} say nothing of "
        "grounding, {unmatched} of answers that this version did not judge",
        "{judged} Antworten geprüft, {undecided} unentschieden; Stichproben: {unsaid} sagen nichts "
        "zum Beleg, {unmatched} zu Antworten, die diese Version nicht prüfte",
    ),
    "judged.missed": ("Missed", "Übersehen"),
    "judged.missed.what": (
        "The judge said fine, people said not grounded.",
        "Das Prüfmodell sagte in Ordnung, Menschen sagten nicht belegt.",
    ),
    "judged.false_alarms": ("False alarms", "Fehlalarme"),
    "judged.false_alarms.what": (
        "The judge found a bad claim, people said grounded.",
        "Das Prüfmodell fand eine falsche Aussage, Menschen sagten belegt.",
    ),
    "judged.no_example": ("None among the audits read.", "Keine unter den gelesenen Stichproben."),
    "judged.no_question": ("(no question)", "(keine Frage)"),
    "judged.more": ("and {n} more", "und {n} weitere"),
    "judged.more.one": ("and 1 more", "und 1 weitere"),
    "judged.alone": (
        "By the judge alone {judge}, by the labels alone {people}.",
        "Nach dem Prüfmodell allein {judge}, nach den Urteilen allein {people}.",
    ),
    "judged.by_verdict": ("By verdict", "Nach Verdikt"),
    "judged.by_verdict.what": (
        "Of the audited answers whose gravest verdict it is, the share that people call bad.",
        "Von den Stichproben mit diesem schwersten Verdikt der Anteil, den Menschen falsch nennen.",
    ),
    "judged.verdict": ("Gravest verdict", "Schwerstes Verdikt"),
    "judged.word.contradicted": ("contradicted", "widerlegt"),
    "judged.word.unsupported": ("unsupported", "unbelegt"),
    "judged.word.supported": ("nothing bad", "nichts Falsches"),
    "judged.word.undecided": ("undecided", "unentschieden"),
    "judged.cuts": ("By app, language and version", "Nach Anwendung, Sprache und Version"),
    "judged.cut": ("Of", "Von"),
    "judged.scope": ("Shown", "Gezeigt"),
    "judged.unnamed": ("(unknown)", "(unbekannt)"),
    "judged.earlier": ("earlier version", "frühere Version"),
}
