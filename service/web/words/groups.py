"""The list of groups, and the cause of each in words: ``cause.<check>.<reason>``, where ``what`` is
the answer's own words, or the ref."""

from service.web.words import Words

WORDS: Words = {
    "groups.title": ("Groups", "Gruppen"),
    "groups.what": (
        "Flagged answers with one cause, the last seen first. A group can be labelled at once, and "
        "decided for those to come.",
        "Auffällige Antworten mit einer Ursache, die zuletzt gesehene zuerst. Eine Gruppe lässt "
        "sich auf einmal beurteilen und für künftige entscheiden.",
    ),
    "groups.all": ("all groups", "alle Gruppen"),
    "groups.count": ("{n} answers", "{n} Antworten"),
    "groups.count.one": ("1 answer", "1 Antwort"),
    "groups.trend": (
        "Answers a day, the last {days} days: at most {most}",
        "Antworten am Tag, die letzten {days} Tage: höchstens {most}",
    ),
    "groups.sample": ("a case of it", "ein Fall davon"),
    "groups.reopened": (
        "open again, as its rate doubled",
        "wieder offen, da sich die Rate verdoppelt hat",
    ),
    "groups.further": ("Further groups", "Weitere Gruppen"),
    "groups.none": ("No group yet", "Noch keine Gruppe"),
    "groups.none_means": (
        "Answers that are flagged for the same cause come together here, from the first one on.",
        "Antworten, die aus derselben Ursache auffallen, kommen hier zusammen, von der ersten an.",
    ),
    "groups.none_here": ("No group here", "Keine Gruppe hier"),
    "groups.no_match": (
        "No group matches all of these filters.",
        "Keine Gruppe passt zu allen diesen Filtern.",
    ),
    "groups.see_all": ("See all groups", "Alle Gruppen ansehen"),
    "cause.citations.unknown_ref": (
        "Cites “{what}”, which no retrieved text is called",
        "Zitiert „{what}“; so heißt kein gefundener Text",
    ),
    "cause.citations.unknown_url": (
        "Cites “{what}”, an address that no retrieved text has",
        "Zitiert „{what}“; diese Adresse hat kein gefundener Text",
    ),
    "cause.citations.unknown_author_year": (
        "Cites “{what}”, a work that is not among the retrieved texts",
        "Zitiert „{what}“; dieses Werk ist nicht unter den gefundenen Texten",
    ),
    "cause.citations.index_out_of_range": (
        "Cites “{what}”, a number beyond the retrieved texts",
        "Zitiert „{what}“; so viele gefundene Texte gibt es nicht",
    ),
    "cause.citations.not_retrieved": (
        "Cites “{what}”, which exists and was not retrieved",
        "Zitiert „{what}“; das gibt es, es wurde aber nicht gefunden",
    ),
    "cause.citations.malformed": (
        "“{what}” looks like a citation and is none",
        "„{what}“ sieht aus wie ein Zitat und ist keines",
    ),
    "cause.links.unknown_link": (
        "The link “{what}” stands in no retrieved text",
        "Der Link „{what}“ steht in keinem gefundenen Text",
    ),
    "cause.links.unknown_email": (
        "The address “{what}” stands in no retrieved text",
        "Die Adresse „{what}“ steht in keinem gefundenen Text",
    ),
    "cause.quotes.not_found": (
        "The quote “{what}” stands in no retrieved text",
        "Das Zitat „{what}“ steht in keinem gefundenen Text",
    ),
    "cause.quotes.not_verbatim": (
        "The quote “{what}” is not word for word",
        "Das Zitat „{what}“ ist nicht wörtlich",
    ),
    "cause.quotes.quote_not_in_ref": (
        "The quote “{what}” does not stand in the text that is cited for it",
        "Das Zitat „{what}“ steht nicht in dem Text, der dafür genannt ist",
    ),
    "cause.numbers.absent": (
        "“{what}” stands in no retrieved text",
        "„{what}“ steht in keinem gefundenen Text",
    ),
    "cause.numbers.unit_mismatch": (
        "“{what}” stands in a source with another unit",
        "„{what}“ steht in einer Quelle mit anderer Einheit",
    ),
    "cause.numbers.magnitude": (
        "“{what}” is off by a power of ten",
        "„{what}“ liegt um eine Zehnerpotenz daneben",
    ),
    "cause.numbers.sign": (
        "“{what}” stands in a source with the other sign",
        "„{what}“ steht in einer Quelle mit anderem Vorzeichen",
    ),
    "cause.numbers.transposed": (
        "“{what}” has swapped digits",
        "„{what}“ hat vertauschte Ziffern",
    ),
    "cause.identifiers.unknown_identifier": (
        "The identifier “{what}” stands in no retrieved text",
        "Der Bezeichner „{what}“ steht in keinem gefundenen Text",
    ),
    "cause.citation_coverage.uncited_sentence": (
        "Sentences without a citation, such as “{what}”",
        "Sätze ohne Quellenangabe, etwa „{what}“",
    ),
    "cause.abstention.answered_without_evidence": (
        "Asserts something without any text to go by: “{what}”",
        "Behauptet etwas, ohne dass ein Text vorlag: „{what}“",
    ),
    "cause.abstention.refused_despite_evidence": (
        "Gives no answer, though a text holds what was asked: “{what}”",
        "Gibt keine Antwort, obwohl ein Text das Gefragte enthält: „{what}“",
    ),
    "cause.access.forbidden_chunk": (
        "“{what}” was retrieved for somebody who may not see it",
        "„{what}“ wurde für jemanden gefunden, der es nicht sehen darf",
    ),
    "cause.access.forbidden_chunk_cited": (
        "“{what}” was cited to somebody who may not see it",
        "„{what}“ wurde jemandem genannt, der es nicht sehen darf",
    ),
    "cause.judge.contradicted": (
        "A source contradicts “{what}”",
        "Eine Quelle widerspricht „{what}“",
    ),
    "cause.judge.instructions_in_data": (
        "A text tries to instruct the judge: {what}",
        "Ein Text will dem Prüfmodell Anweisungen geben: {what}",
    ),
    "cause.judge.unsupported": ("No source supports “{what}”", "Keine Quelle stützt „{what}“"),
    "cause.judge.wrong_abstention": (
        "Whether to answer was decided wrongly",
        "Ob zu antworten war, ist falsch entschieden",
    ),
    "cause.judge.miscited": (
        "“{what}” is supported, but not by what it cites",
        "„{what}“ ist belegt, aber nicht durch das, was es nennt",
    ),
    "cause.judge.off_topic": (
        "The answer is about something else",
        "Die Antwort handelt von etwas anderem",
    ),
    "cause.judge.low_relevance": (
        "The answer only touches the question",
        "Die Antwort streift die Frage nur",
    ),
    "cause.judge.sources_contradict": (
        "Retrieved texts contradict each other: {what}",
        "Gefundene Texte widersprechen einander: {what}",
    ),
}
