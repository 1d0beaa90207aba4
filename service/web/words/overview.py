"""The overview, and the comparison of two sides."""

from service.web.words import Words

WORDS: Words = {
    "overview.title": ("Overview", "Überblick"),
    "overview.every_app": ("every app", "jede Anwendung"),
    "overview.every_language": ("every language", "jede Sprache"),
    "overview.period": ("Period", "Zeitraum"),
    "overview.days.1": ("today", "heute"),
    "overview.days.7": ("7 days", "7 Tage"),
    "overview.days.30": ("30 days", "30 Tage"),
    "overview.show": ("Show", "Zeigen"),
    "overview.from_to": ("{first} to {last}, UTC", "{first} bis {last}, UTC"),
    "overview.checked": ("Answers checked", "Geprüfte Antworten"),
    "overview.queue": ("Queue", "Warteschlange"),
    "overview.open": ("{n} open", "{n} offen"),
    "overview.oldest": ("oldest {age}", "älteste {age}"),
    "overview.no_open": ("nothing waits", "nichts wartet"),
    "overview.flagged_line": ("{n} flagged by checks", "{n} mit Befund der Prüfungen"),
    "overview.today": ("{n} today", "{n} heute"),
    "overview.of": ("{hits} of {trials}", "{hits} von {trials}"),
    "overview.interval": ("{low} to {high}", "{low} bis {high}"),
    "overview.band": ("surely above {share}", "sicher über {share}"),
    "overview.no_data": ("no data", "keine Daten"),
    "overview.no_data_since": ("no data since {time}", "keine Daten seit {time}"),
    "overview.silent": (
        "No answer has been checked since {time}. What stands here is older.",
        "Seit {time} ist keine Antwort geprüft worden. Was hier steht, ist älter.",
    ),
    "overview.change.up": ("▲ {by} points", "▲ {by} Punkte"),
    "overview.change.down": ("▼ {by} points", "▼ {by} Punkte"),
    "overview.change.against": (
        "({low} to {high}) against {before} before",
        "({low} bis {high}) gegen {before} davor",
    ),
    "overview.change.untold": (
        "can't tell a change ({before} before)",
        "keine Änderung erkennbar (davor {before})",
    ),
    "overview.change.more": (
        "{n} more answers would, if the rates stay",
        "{n} weitere Antworten würden reichen, wenn die Raten so bleiben",
    ),
    "overview.change.none": ("nothing before to compare with", "davor nichts zum Vergleichen"),
    "overview.pace": ("{by} an hour against the period before", "{by} je Stunde gegen davor"),
    "overview.line": ("{what}, day by day", "{what}, Tag für Tag"),
    "overview.line.told": (
        "The last {days} days. Lowest {low}, highest {high}, last {last}.",
        "Die letzten {days} Tage. Niedrigster Wert {low}, höchster {high}, letzter {last}.",
    ),
    "overview.line.none": (
        "The last {days} days, without data.",
        "Die letzten {days} Tage, ohne Daten.",
    ),
    "overview.day": (
        "{day}: {value} ({low} to {high}), {hits} of {trials}",
        "{day}: {value} ({low} bis {high}), {hits} von {trials}",
    ),
    "overview.day.count": ("{day}: {n}", "{day}: {n}"),
    "overview.day.none": ("{day}: no data", "{day}: keine Daten"),
    "overview.companions": ("Read with it", "Dazu gehört"),
    "overview.citing": ("{share} of answers cite", "{share} der Antworten zitieren"),
    "overview.unread": (
        "citations of {citations} and numbers of {numbers} could not be evaluated",
        "bei {citations} ließen sich die Zitate, bei {numbers} die Zahlen nicht auswerten",
    ),
    "overview.silence": (
        "{missing} of {hours} hours without data",
        "{missing} von {hours} Stunden ohne Daten",
    ),
    "overview.confirmed": (
        "people called {real} of {of} findings real",
        "Menschen nannten {real} von {of} Befunden echt",
    ),
    "overview.by_day": ("By day", "Nach Tagen"),
    "overview.scale": ("0 to {top}", "0 bis {top}"),
    "overview.definitions": ("What these count", "Was diese zählen"),
    "overview.which_rate": ("Which rate", "Welche Rate"),
    "overview.introduced": ("New in these days", "Neu in diesen Tagen"),
    "overview.introduced.release": ("release {name}", "Version {name}"),
    "overview.introduced.ruleset": (
        "ruleset {name}: other checks, so another rate",
        "Regelwerk {name}: andere Prüfungen, also eine andere Rate",
    ),
    "overview.releases": ("By app and release", "Nach Anwendung und Version"),
    "overview.app": ("App", "Anwendung"),
    "overview.release": ("Release", "Version"),
    "overview.unnamed": ("(no release named)", "(keine Version genannt)"),
    "overview.answers": ("Answers", "Antworten"),
    "overview.more_releases": ("{n} more releases", "{n} weitere Versionen"),
    "overview.compare_with": ("against the one before", "gegen die davor"),
    "overview.faults": ("Who is at fault", "Woran es liegt"),
    "overview.faults.what": (
        "By what people said of answers that they called partly right or wrong; where nobody said "
        "anything of a release, by what the judge named as the cause of wrong or unsupported "
        "claims. People open the gravest cases and the judge draws by stratum: these are no shares "
        "of all answers.",
        "Nach dem, was Menschen von Antworten sagten, die sie teilweise richtig oder falsch "
        "nannten; wo zu einer Version niemand etwas sagte, nach der Ursache, die das Prüfmodell "
        "bei falschen oder unbelegten Aussagen nannte. Menschen öffnen die schwersten Fälle, und "
        "das Prüfmodell zieht nach Schichten: Anteile an allen Antworten sind das nicht.",
    ),
    "overview.faults.judge": ("judge: {n} claims", "Prüfmodell: {n} Aussagen"),
    "overview.faults.by_people": ("people: {n} answers", "Menschen: {n} Antworten"),
    "overview.faults.none": (
        "Nothing to split: no judge named a cause in this period, and no person did.",
        "Nichts aufzuteilen: Weder ein Prüfmodell noch ein Mensch hat in diesem Zeitraum eine "
        "Ursache genannt.",
    ),
    "overview.coverage": ("Judge coverage", "Abdeckung des Prüfmodells"),
    "overview.coverage.of": (
        "{share} ({selected} of {drawn} drawn)",
        "{share} ({selected} von {drawn} gezogenen)",
    ),
    "define.coverage": (
        "Of the answers drawn for the judge, those that the budget and the backlog let through. "
        "What they skip is not skipped at random: where this is low, figures of the judge say less "
        "about the rest. A count, so it has no interval.",
        "Von den Antworten, die für das Prüfmodell gezogen wurden, die, die Budget und "
        "Warteschlange durchließen. Was sie auslassen, ist kein Zufall: Wo dieser Anteil niedrig "
        "ist, sagen Zahlen des Prüfmodells weniger über den Rest. Eine Anzahl, also ohne "
        "Intervall.",
    ),
    "fault.retrieval": ("retrieval", "Suche"),
    "fault.generation": ("generation", "Formulierung"),
    "fault.not_in_corpus": ("not in corpus", "nicht im Bestand"),
    "fault.source_wrong": ("source wrong", "Quelle falsch"),
    "fault.question_unclear": ("question unclear", "Frage unklar"),
    "fault.unknown": ("unknown", "unbekannt"),
    "overview.worst": ("The worst answers of the period", "Die schlechtesten Antworten"),
    "overview.worst.what": (
        "Open cases by priority.",
        "Offene Fälle nach Dringlichkeit.",
    ),
    "overview.worst.none": (
        "No open case of this period. That is good news only as far as the books below go.",
        "Kein offener Fall aus diesem Zeitraum. Das ist nur so weit eine gute Nachricht, wie die "
        "Bücher darunter reichen.",
    ),
    "overview.question": ("Question", "Frage"),
    "overview.answer": ("Answer", "Antwort"),
    "overview.open_case": ("Open the case", "Den Fall öffnen"),
    "overview.machine": ("The machine", "Die Anlage"),
    "overview.more_cases": ("the whole queue", "die ganze Warteschlange"),
    "overview.definition": ("What it counts", "Was es zählt"),
    "rate.unresolved": ("Unresolvable citations", "Unauflösbare Zitate"),
    "rate.unresolved_citations": ("Unresolvable, by citation", "Unauflösbar, je Zitat"),
    "rate.unsupported": ("Unsupported numbers", "Unbelegte Zahlen"),
    "rate.abstained": ("Abstentions", "Enthaltungen"),
    "rate.citing": ("Answers that cite", "Antworten mit Zitat"),
    "rate.unread_citations": ("Citations not evaluated", "Zitate nicht ausgewertet"),
    "rate.unread_numbers": ("Numbers not evaluated", "Zahlen nicht ausgewertet"),
    "rate.flagged": ("Flagged answers", "Auffällige Antworten"),
    "define.checked": (
        "Live answers whose checks ran, by the time they were given. Probes, shadow traffic, "
        "errors and duplicates are not among them. A count, so it has no interval.",
        "Echte Antworten, deren Prüfungen liefen, nach der Zeit der Antwort. Testanfragen, "
        "Schattenverkehr, Fehler und Doppelte sind nicht dabei. Eine Anzahl, also ohne Intervall.",
    ),
    "define.unresolved": (
        "Answers with at least one citation that resolves to nothing retrieved, of the answers "
        "with at least one evaluated citation. Counted on all answers: exact as a count of what "
        "the check said, not of the truth. 95 % Wilson interval.",
        "Antworten mit mindestens einem Zitat, das auf nichts Abgerufenes führt, von den Antworten "
        "mit mindestens einem ausgewerteten Zitat. Auf allen Antworten gezählt: genau als Zählung "
        "dessen, was die Prüfung sagte, nicht der Wahrheit. 95-%-Intervall nach Wilson.",
    ),
    "define.unresolved_citations": (
        "Unresolvable citations, of all evaluated citations. Citations of one answer fail "
        "together, so the interval clusters by answer.",
        "Unauflösbare Zitate, von allen ausgewerteten Zitaten. Zitate einer Antwort scheitern "
        "gemeinsam, darum rechnet das Intervall in Antworten.",
    ),
    "define.unsupported": (
        "Answers with at least one number that stands in no retrieved text, of the answers with at "
        "least one evaluated number. 95 % Wilson interval.",
        "Antworten mit mindestens einer Zahl, die in keinem abgerufenen Text steht, von den "
        "Antworten mit mindestens einer ausgewerteten Zahl. 95-%-Intervall nach Wilson.",
    ),
    "define.abstained": (
        "Answers that say they have no answer, of all answers whose kind could be told.",
        "Antworten, die sagen, dass sie keine Antwort haben, von allen, deren Art sich bestimmen "
        "ließ.",
    ),
    "define.citing": (
        "Answers with at least one citation, of those in which citations were looked for. A model "
        "that stops citing must not look better: where this falls, the rate above says less.",
        "Antworten mit mindestens einem Zitat, von denen, in denen nach Zitaten gesucht wurde. Ein "
        "Modell, das aufhört zu zitieren, darf nicht besser aussehen: Wo dieser Anteil fällt, sagt "
        "die Rate darüber weniger.",
    ),
    "define.unread_citations": (
        "Answers whose citations could not be evaluated, of those that were looked at.",
        "Antworten, deren Zitate sich nicht auswerten ließen, von denen, die angesehen wurden.",
    ),
    "define.unread_numbers": (
        "Answers whose numbers could not be evaluated (mostly because a text was missing), of "
        "those that were looked at.",
        "Antworten, deren Zahlen sich nicht auswerten ließen (meist, weil ein Text fehlte), von "
        "denen, die angesehen wurden.",
    ),
    "define.flagged": (
        "Answers with a finding of any check, of all checked answers.",
        "Antworten mit einem Befund irgendeiner Prüfung, von allen geprüften Antworten.",
    ),
    "define.queue": (
        "Cases that wait for a person, and the age of the oldest. The line shows the flagged "
        "answers of each day.",
        "Fälle, die auf einen Menschen warten, und das Alter des ältesten. Die Linie zeigt die "
        "auffälligen Antworten jedes Tages.",
    ),
    "compare.title": ("Compare", "Vergleichen"),
    "compare.what": (
        "Two periods, two releases, or both at once. A difference counts only where its 95 % "
        "interval leaves 0 out. It is taken over one mix of apps, rulesets and languages, the one "
        "that both sides have together, so that other traffic is not taken for other answers.",
        "Zwei Zeiträume, zwei Versionen oder beides zugleich. Ein Unterschied zählt nur, wo sein "
        "95-%-Intervall die 0 nicht enthält. Er gilt für eine Mischung von Anwendungen, "
        "Regelwerken und Sprachen, die beider Seiten zusammen, damit anderer Verkehr nicht für "
        "andere Antworten gehalten wird.",
    ),
    "compare.first": ("First", "Zuerst"),
    "compare.second": ("Second", "Danach"),
    "compare.every_release": ("every release", "jede Version"),
    "compare.from": ("From", "Von"),
    "compare.to": ("To", "Bis"),
    "compare.rate": ("Rate", "Rate"),
    "compare.difference": ("Difference", "Unterschied"),
    "compare.higher": ("higher by {by} points", "höher um {by} Punkte"),
    "compare.lower": ("lower by {by} points", "niedriger um {by} Punkte"),
    "compare.untold": ("can't tell", "lässt sich nicht sagen"),
    "compare.untold_more": (
        "can't tell: {n} more answers would",
        "lässt sich nicht sagen: {n} weitere Antworten würden reichen",
    ),
    "compare.untold_never": ("no difference to be told", "kein Unterschied erkennbar"),
    "compare.left_out": (
        "left out, as the other side has none of their kind: {first} answers / {second} answers",
        "nicht verglichen, weil die andere Seite keine solchen hat: {first} Antworten / {second} "
        "Antworten",
    ),
    "compare.rulesets": (
        "The two sides were checked by different rulesets ({first} / {second}). A difference may "
        "be one of the checks, not of the answers.",
        "Die beiden Seiten wurden nach verschiedenen Regelwerken geprüft ({first} / {second}). Ein "
        "Unterschied kann einer der Prüfungen sein, nicht der Antworten.",
    ),
    "compare.none": ("none", "keines"),
    "compare.backwards": (
        "A period ends before it begins, or is longer than 400 days.",
        "Ein Zeitraum endet, bevor er beginnt, oder ist länger als 400 Tage.",
    ),
}
