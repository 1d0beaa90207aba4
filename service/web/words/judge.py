"""What the judge said of an answer. Refs, quotes and claims are its own or the answer's words and
stay as they are."""

from service.web.words import Words

WORDS: Words = {
    "verdict.contradicted": ("contradicted", "widerlegt"),
    "verdict.unsupported": ("unsupported", "nicht belegt"),
    "verdict.missing": ("not ruled on", "nicht beurteilt"),
    "verdict.supported": ("supported", "belegt"),
    "verdict.not_a_claim": ("no claim", "keine Aussage"),
    "verdict.miscited": ("supported, miscited", "belegt, falsch zitiert"),
    "ruling.first": ("{n} claims {verdict}{refs}", "{n} Aussagen {verdict}{refs}"),
    "ruling.first.one": ("1 claim {verdict}{refs}", "1 Aussage {verdict}{refs}"),
    "ruling.miscited": ("{n} of them miscited", "{n} davon falsch zitiert"),
    "ruling.none": ("no claim to rule on", "keine Aussage zu beurteilen"),
    "ruling.context": ("context {sufficiency}", "Kontext {sufficiency}"),
    "ruling.relevance": ("relevance {relevance}", "Relevanz {relevance}"),
    "sufficiency.sufficient": ("sufficient", "ausreichend"),
    "sufficiency.insufficient": ("insufficient", "unzureichend"),
    "relevance.complete": ("complete", "vollständig"),
    "relevance.partial_but_useful": ("partial but useful", "teilweise, aber nützlich"),
    "relevance.tangential": ("tangential", "am Rande"),
    "relevance.off_topic": ("off topic", "am Thema vorbei"),
    "claim.downgraded": (
        "the judge called it supported; its evidence does not stand where it says",
        "das Prüfmodell nannte es belegt; der Beleg steht nicht dort, wo er stehen soll",
    ),
    "claim.miscited": (
        "supported, but by no chunk that its sentence cites",
        "belegt, aber durch keinen Abschnitt, den sein Satz zitiert",
    ),
    "claim.more_quotes": ("{n} more quotes in the JSON", "{n} weitere Zitate im JSON"),
    "claim.more_quotes.one": ("1 more quote in the JSON", "1 weiteres Zitat im JSON"),
    "claim.cause.generation": (
        "cause: generation; the retrieved text was enough to get it right",
        "Ursache: Generierung; der gefundene Text hätte gereicht",
    ),
    "claim.cause.retrieval": (
        "cause: retrieval; the corpus holds it, what was retrieved does not",
        "Ursache: Suche; der Bestand enthält es, das Gefundene nicht",
    ),
    "claim.cause.not_in_corpus": (
        "cause: not in the corpus; no retrieval could have found it",
        "Ursache: nicht im Bestand; keine Suche hätte es finden können",
    ),
    "claim.cause.source_wrong": (
        "source wrong: the sources contradict each other",
        "Quelle falsch: Die Quellen widersprechen einander",
    ),
    "claim.cause.unknown": (
        "cause: unknown; no corpus is loaded that could tell",
        "Ursache: unbekannt; kein Bestand ist geladen, der es sagen könnte",
    ),
    "quote.no_chunk": (
        "the judge named no chunk that exists",
        "das Prüfmodell nannte keinen Abschnitt, den es gibt",
    ),
    "quote.not_found": (
        "quote not found in the chunk",
        "das Zitat steht nicht im Abschnitt",
    ),
    "quote.not_kept": (
        "stood in the chunk; its text was not kept",
        "stand im Abschnitt; dessen Text ist nicht aufgehoben",
    ),
    "ruling.faithfulness": (
        "faithfulness {score} ({good} of {claims} claims), with {sufficiency} context",
        "Treue {score} ({good} von {claims} Aussagen), Kontext {sufficiency}",
    ),
    "ruling.useful": (
        "{share} of the chunks were of use{refs}",
        "{share} der Abschnitte waren von Nutzen{refs}",
    ),
    "ruling.answer_kind": ("kind of answer: {kind}", "Art der Antwort: {kind}"),
    "answer_kind.no_answer": ("no answer", "keine Antwort"),
    "answer_kind.clarify": ("clarify", "Rückfrage"),
    "answer_kind.deny": ("deny", "Ablehnung"),
    "ruling.rightly": (
        "whether to answer was decided rightly",
        "ob zu antworten war, ist richtig entschieden",
    ),
    "ruling.wrongly": (
        "whether to answer was decided wrongly",
        "ob zu antworten war, ist falsch entschieden",
    ),
    "ruling.contradict": (
        "{first} and {second} contradict each other",
        "{first} und {second} widersprechen einander",
    ),
    "ruling.instructs": (
        "a text tries to instruct the judge: {where}",
        "ein Text will dem Prüfmodell Anweisungen geben: {where}",
    ),
    "ruling.partial": (
        "sources were left out to fit the model; what they hold, the judge did not see",
        "Quellen wurden weggelassen, damit es ins Modell passt; was darin steht, sah das "
        "Prüfmodell nicht",
    ),
    "ruling.flipped": (
        "judged twice: a verdict differed",
        "zweimal beurteilt: ein Urteil war verschieden",
    ),
    "ruling.steady": (
        "judged twice: no verdict differed",
        "zweimal beurteilt: kein Urteil war verschieden",
    ),
    "ruling.unreadable": (
        "said something that this release cannot read; see the JSON",
        "sagte etwas, was diese Version nicht lesen kann; siehe das JSON",
    ),
    "ruling.trouble": (
        "{state}: {why}; counted, outside of every rate",
        "{state}: {why}; gezählt, außerhalb jeder Rate",
    ),
    "ruling.undetermined": (
        "undetermined, it answered, but not usably",
        "unbestimmt, es antwortete, aber nicht brauchbar",
    ),
    "ruling.failed": ("failed, no answer came", "gescheitert, es kam keine Antwort"),
    "ruling.no_ruling": ("no ruling", "kein Urteil"),
    "ruling.no_reason": ("no reason was kept", "kein Grund ist aufgehoben"),
    "trouble.refused": ("the model refused to rule", "das Modell weigerte sich zu urteilen"),
    "trouble.truncated": (
        "the ruling was cut off at its length limit",
        "das Urteil brach an seiner Längengrenze ab",
    ),
    "trouble.content_filter": (
        "the endpoint's content filter withheld the ruling",
        "der Inhaltsfilter des Endpunkts hielt das Urteil zurück",
    ),
    "trouble.invalid_json": (
        "the reply was no valid JSON",
        "die Antwort des Modells war kein gültiges JSON",
    ),
    "trouble.schema": (
        "the reply had another form than was asked for",
        "die Antwort des Modells hatte eine andere Form als verlangt",
    ),
    "trouble.empty": ("the reply held no words", "die Antwort des Modells war leer"),
    "trouble.rate_limited": (
        "the endpoint allowed no more calls",
        "der Endpunkt ließ keine weiteren Aufrufe zu",
    ),
    "trouble.quota": (
        "the endpoint's quota is used up",
        "das Kontingent des Endpunkts ist verbraucht",
    ),
    "trouble.server_error": (
        "the endpoint had a fault",
        "am Endpunkt trat ein Fehler auf",
    ),
    "trouble.transport": (
        "the connection to the endpoint broke",
        "die Verbindung zum Endpunkt brach ab",
    ),
    "trouble.timeout": (
        "the endpoint did not answer in time",
        "der Endpunkt antwortete nicht rechtzeitig",
    ),
    "trouble.context_too_long": (
        "the answer and its sources are too long for the model",
        "Antwort und Quellen sind zu lang für das Modell",
    ),
    "trouble.unauthorized": (
        "the endpoint refused the key",
        "der Endpunkt wies den Schlüssel ab",
    ),
    "trouble.not_found": (
        "the endpoint does not know the model",
        "der Endpunkt kennt das Modell nicht",
    ),
    "trouble.bad_request": (
        "the endpoint did not accept the request",
        "der Endpunkt nahm die Anfrage nicht an",
    ),
    "trouble.not_a_completion": (
        "something else than a model answered at the endpoint",
        "am Endpunkt antwortete etwas anderes als ein Modell",
    ),
    "trouble.deadline": ("the time for it ran out", "die Zeit dafür lief ab"),
    "trouble.no_sentences": (
        "the answer holds no sentence to rule on",
        "die Antwort enthält keinen Satz zu beurteilen",
    ),
    "trouble.too_large": (
        "the reply was longer than is read",
        "die Antwort des Modells war länger, als gelesen wird",
    ),
    "trouble.answer_too_long": (
        "the answer is longer than is ruled on",
        "die Antwort ist länger, als beurteilt wird",
    ),
    "trouble.too_many_sentences": (
        "the answer holds more sentences than are ruled on",
        "die Antwort enthält mehr Sätze, als beurteilt werden",
    ),
    "trouble.delimiter_collision": (
        "a text imitates the delimiter that keeps it apart from our words",
        "ein Text ahmt das Trennzeichen nach, das ihn von unseren Worten trennt",
    ),
    "trouble.payload_lost": (
        "the answer was no longer in the store",
        "die Antwort war nicht mehr im Speicher",
    ),
    "judge.about": ("judge", "Prüfmodell"),
    "judge.about_model": ("judge model", "Prüfmodell, Modell"),
    "judge.about_version": ("judge version", "Prüfmodell, Version"),
    "judge.about_tokens": ("judge tokens", "Prüfmodell, Token"),
    "judge.about_cost": ("judge cost", "Prüfmodell, Kosten"),
    "judge.about_calls": ("judge calls", "Prüfmodell, Aufrufe"),
    "judge_status.judged": ("judged", "beurteilt"),
    "judge_status.undetermined": ("undetermined", "unbestimmt"),
    "judge_status.failed": ("failed", "gescheitert"),
    "judge.used": ("{sent} in, {got} out", "{sent} hinein, {got} heraus"),
    "judge.estimated": ("(estimated)", "(geschätzt)"),
    "judge.cost": (
        "{amount} in the price table's currency",
        "{amount} in der Währung der Preistabelle",
    ),
    "judge.no_cost": (
        "nothing, or no prices are set",
        "nichts, oder es sind keine Preise gesetzt",
    ),
    "judge.calls": ("{n} in {time} s", "{n} in {time} s"),
}
