"""How answers refuse, ask back, deny and chat, as data: one row a phrase.

A row is tried only on texts that hold its ``trigger``, so triggers are rare words. Triggers and
patterns are matched on folded, lower-case text without emphasis; every repetition is bounded.
"""

# ruff: noqa: E501 (a row of the table is a line)

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple


class Act(Enum):
    """What a sentence does."""

    ASSERTS = auto()
    NO_ANSWER = auto()
    """Says that the sources, or the system, do not know."""
    DENIES = auto()
    """Says that the system will not or may not answer."""
    ASKS = auto()
    """Asks the user back."""
    ABOUT_SOURCES = auto()
    """Says what the sources are about, beside a NO_ANSWER."""
    CHATS = auto()
    """Greets, offers help, points to people, leads over: nothing to check."""
    SILENT = auto()
    """A heading, code, a word or two."""


ASSERTS = Act.ASSERTS
"""By its own name: looked up through its class, a member costs ten times as much (Python 3.11)."""


class Phrase(NamedTuple):
    language: str
    act: Act
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]


_N, _D, _Q, _S, _C = Act.NO_ANSWER, Act.DENIES, Act.ASKS, Act.ABOUT_SOURCES, Act.CHATS

# words that name what the model was given
_EN = (
    r"(?:(?:provided|given|available|retrieved|supplied|above|current|relevant) (?:information|text|data|content|material|article|page|document|source|context|excerpt|passage)s?"
    r"|documents?|sources?(?! code)|context|passages|excerpts?|documentation|knowledge base|search results?|snippets|materials?|help articles|articles|texts)"
)
_DE = (
    r"(?:(?:vorliegenden|bereitgestellten|verfügbaren|vorhandenen|gegebenen|gefundenen) (?:informationen|texten?|daten|inhalten?|artikeln?|abschnitten?|seiten)"
    r"|dokumenten?|unterlagen|quellen?|kontext|textstellen?|auszügen?|dokumentation|wissensdatenbank|wissensbasis|textauszügen?|materialien|suchergebnissen?|hilfeartikeln?|hilfeseiten|treffern?|text(?:en?|es)?|passagen)"
)
_FR = r"(?:documents?|sources?|contexte|extraits?|passages|documentation|textes?|base de connaissances|informations (?:fournies|disponibles))"
_ES = r"(?:documentos?|fuentes?|contexto|fragmentos?|documentación|textos?|pasajes|base de conocimientos?|información (?:disponible|proporcionada))"
_EN_NOT = r"(?:n't|not|never|nothing|no|neither|cannot)"
_EN_THING = r"(?:information|info|details?|mention|data|answer|indication|record|reference|results?|documents?|articles?|passages?|evidence|guidance|figures?|numbers?|specifics)"
_DE_NO = r"(?:keine?[nrs]?|keinerlei|nichts|nicht (?:genug|genügend|ausreichend))"
_DE_THING = r"(?:information(?:en)?|infos?|angaben?|hinweise?n?|auskunft|auskünfte|aussagen?|details|einzelheiten|antwort(?:en)?|erwähnung|treffer|ergebnis(?:se)?|belege?|daten|passende[ns]? \w+|preise?|werte?)"

_ROWS: tuple[tuple[str, Act, str, str], ...] = (
    # ── no answer, English ──
    ("en", _N, "find|locate|determine|confirm|verify|tell|answer|say|see|know", r"\b(?:i|we) ?(?:(?:could|can|do|did|was|am|were|are)(?:n't| not)|can't|cannot|'m not able to|'re not able to|'m unable to|am unable to|was unable to|were unable to|wasn't able to|am not able to) (?:\w+ ){0,3}?(?:find|locate|determine|confirm|verify|tell|answer|say|see|know|identify)\b"),
    ("en", _N, "unable", r"\bunable to (?:\w+ )?(?:find|locate|determine|confirm|verify|answer|identify|provide an answer)\b"),
    ("en", _N, "have", rf"\b(?:i|we) (?:(?:do|did)(?:n't| not)|currently (?:do|did)(?:n't| not)) (?:\w+ )?have (?:\w+ ){{0,4}}?(?:{_EN_THING}|access|knowledge|enough)\b"),
    ("en", _N, "have no|found no|find no|see no", rf"\b(?:i|we) (?:have|had|found|find|see|could find) (?:no|nothing) ?(?:\w+ ){{0,3}}?(?:{_EN_THING}|knowledge|about|on|for|matching)\b"),
    ("en", _N, "there", rf"\bthere(?:(?:'s| is| are| was| were)(?: currently| also| unfortunately)? (?:no|not any|not enough|insufficient|nothing)|(?: is| are| was| were)n't (?:currently )?(?:any|enough|anything)) ?(?:\w+ ){{0,2}}?(?:{_EN_THING}|about|on|in)\b(?: (?:is |was |are |were )?(?:about|on|regarding|concerning|in|available|for|of|here|given|provided|found|that|whether|as|to)\b|[.,;!]|$)"),
    ("en", _N, "no ", rf"^\W{{0,3}}(?:unfortunately,? |sorry,? |so |but )?no (?:\w+ ){{0,2}}{_EN_THING} (?:\w+ ){{0,6}}?(?:found|available|provided|given|stands?|match(?:e[sd])?|in the {_EN})\b"),
    ("en", _N, "document|source|context|passage|excerpt|knowledge base|search result|snippet|material|article|provided|given|available|retrieved|supplied|above|text", rf"\b{_EN} (?:\w+,? ){{0,5}}?(?:do|does|did|is|are|was|were|can)?(?: ?n't| not|not| never) (?:\w+ ){{0,3}}?(?:contain|mention|sa[yi]|stat|specif|provid|includ|cover|address|answer|giv|describ|tell|indicat|list|discuss|explain|hav|offer|reveal|nam|touch|clear|clarif|enough|sufficient|help)"),
    ("en", _N, "document|source|context|passage|excerpt|knowledge base|search result|snippet|material|article|provided|given|available|retrieved|supplied|above|text", rf"\b{_EN} (?:\w+ ){{0,2}}?(?:say|says|contains?|hold|holds|ha[sv]e?|gives?|offers?|provides?|makes?|lacks?|are silent|is silent|include|includes)(?: (?:nothing|no|neither|insufficient|on|about)\b|\b(?<=lacks)|\b(?<=lack))"),
    ("en", _N, "document|source|context|passage|excerpt|knowledge base|search result|snippet|material|article|provided|given|available|retrieved|supplied|above|text", rf"{_EN_NOT} (?:\w+ ){{0,4}}?(?:mention|stat|specif|cover|describ|list|includ|document|giv|provid|address|found|find|discuss|nam|contain|explain|answer|appear|avail|evident|clear)\w{{0,4}} (?:anywhere |explicitly |directly )?(?:in|by|on|within|from) (?:any of |either of )?(?:the|my|our|these|those|any)? ?(?:\w+ ){{0,2}}?{_EN}"),
    ("en", _N, "document|source|context|passage|excerpt|knowledge base|search result|snippet|material|article|provided|given|available|retrieved|text", rf"\b(?:none of|nothing in|neither of) (?:the|these|my|our) (?:\w+ ){{0,2}}?{_EN}"),
    ("en", _N, "enough|sufficient", r"\b(?:not|n't|without|in)[ -]?(?:\w+ ){0,2}?(?:enough|sufficient) (?:\w+ ){0,2}?(?:information|context|details?|data|evidence)\b"),
    ("en", _N, "know", r"\b(?:i|we) (?:really |honestly )?(?:do ?n't|do not) (?:actually |currently )?know\b|\bis (?:un|not )known\b"),
    ("en", _N, "sure", r"\b(?:i'm|i am|we are) not (?:entirely |quite )?(?:sure|certain)\b"),
    ("en", _N, "determined|answered|inferred|derived|established", r"\bcan(?:'t|not| not) be (?:determined|answered|inferred|derived|established)\b"),
    ("en", _N, "no mention|no reference", r"\bno mention of\b|\bmakes? no (?:mention|reference)(?: (?:of|to)\b|[.!]|$)"),
    ("en", _N, "possible to", r"\b(?:not |im)possible to (?:determine|say|tell|answer)(?: (?:whether|if|this|that|the question|your question|from|which|how|what|when|where|who|why)\b|[.!]*$)"),
    ("en", _N, "possible to", rf"\b(?:based on|from|using|with|given) (?:only )?(?:the |these |this |my )?(?:\w+ )?{_EN},? it (?:is|was|'s) (?:\w+ )?(?:not |im)possible to (?:determine|say|tell|answer|know|identify|confirm)\b"),
    ("en", _N, "neither|no source|no document|no passage|no excerpt|no article", r"\b(?:neither|no) (?:source|document|passage|excerpt|article) (?:mentions|says|states|covers|contains|describes|gives|answers|discusses)\b"),
    ("en", _N, "insufficient", rf"\b{_EN} (?:\w+ ){{0,2}}?(?:is|are) insufficient\b"),
    ("en", _N, "haven't|have not", rf"\b(?:i|we) have(?:n't| not) (?:been able to (?:find|locate|determine|confirm|verify|answer|identify)|found (?:anything|that|this|any (?:\w+ )?{_EN_THING}))\b"),
    ("en", _N, "no idea|no clue", r"\b(?:i|we)(?: \w+)? have (?:absolutely )?no (?:idea|clue)\b"),
    ("en", _N, "isn't|not ", rf"\b(?:answer|information|info|details?|figure|that|this) (?:[\w-]+ ){{0,4}}?(?:is|are|was|were)(?:n't| not) (?:\w+ )?(?:in|part of|among) (?:the|my|our|these|any of the) (?:\w+ ){{0,2}}?{_EN}"),
    ("en", _N, "outside|beyond", rf"\b(?:outside|beyond) (?:of )?(?:the scope of )?(?:my knowledge|what (?:the {_EN}|i) (?:cover|know|have)|the {_EN})"),
    ("en", _N, "isn't|not ", r"\b(?:is|are|was|were)(?:n't| not) (?:\w+ )?(?:mentioned|specified|documented|stated|covered|addressed)(?: anywhere)?[.!]*$"),
    ("en", _N, "nothing", r"\b(?:found|find|see|is|was) nothing (?:\w+ )?(?:about|on|regarding|in|for)\b"),
    ("en", _N, "seem|appear", rf"\b(?:do|does)(?:n't| not) (?:seem|appear) to be (?:any |anything )(?:\w+ )?(?:{_EN_THING}|about|on|in)\b"),
    ("en", _N, "unclear|not clear", r"\bit(?:'s| is| remains) (?:\w+ )?(?:unclear|not clear)\b"),
    # ── no answer, German ──
    ("de", _N, "nichts", rf"{_DE} (?:\w+ ){{0,3}}?nichts[.!]*$"),
    ("de", _N, "offen", rf"\bbleib\w* (?:\w+ ){{0,6}}?{_DE} (?:\w+ ){{0,3}}?offen\b|{_DE} (?:\w+ ){{0,4}}?offen[.!]*$"),
    ("de", _N, "unklar|nicht klar", r"\b(?:ist|bleibt|wird) (?:\w+ ){0,5}?(?:unklar|nicht klar)\b"),
    ("de", _N, "fehlen|fehlt", rf"{_DE} fehl(?:t|en) (?:\w+ ){{0,4}}?{_DE_THING}|\b{_DE_THING} (?:dazu |hierzu )?fehl(?:t|en) (?:\w+ ){{0,2}}?(?:in|aus) (?:den|meinen|unseren|diesen|der|dem|unserer) {_DE}"),
    ("de", _N, "schweig", rf"\bschweig\w* (?:\w+ ){{0,3}}?{_DE}\b"),
    ("de", _N, "nicht im", r"\b(?:steht|stehen|finde\w*) (?:\w+ ){0,3}?nicht im (?:text|kontext|dokument)\b"),
    ("de", _N, "fündig", r"\bnicht fündig\b"),
    ("de", _N, "ahnung", r"^\W{0,3}(?:(?:sorry|leider|tut mir leid),? )?keine ahnung\b|\b(?:ich habe|habe ich) (?:\w+ ){0,2}?keine ahnung\b"),
    ("de", _N, "finde", r"\bf(?:inde|and) ich (?:[\w-]+ ){0,4}?nichts\b"),
    ("de", _N, "fehlen|fehlt", rf"\b(?:mir|uns) fehl(?:en|t) (?:\w+ ){{0,5}}?{_DE_THING}|\bfehl(?:en|t) (?:mir|uns) (?:\w+ ){{0,5}}?{_DE_THING}"),
    ("de", _N, "kein|nichts|nicht ge|nicht aus", rf"\b(?:find\w*|fand\w*|gefunden|hab\w*|lieg\w*|enth[aä]lt\w*|gibt es|gab es|steh\w*|mach\w*|geb\w*|gibt|konnte?n?|existier\w*|biete\w*|liefer\w*|sind|vorhanden) (?:[\w,]+ ){{0,6}}?{_DE_NO} (?:\w+ ){{0,3}}?{_DE_THING}\b(?! (?:\w+ ){{0,4}}?(?:nötig|erforderlich|notwendig|weiter\w*|gespeichert|verloren|verarbeitet|gesendet))"),
    ("de", _N, "kein|nichts|nicht ge|nicht aus", rf"{_DE_NO} (?:\w+ ){{0,3}}?{_DE_THING} (?:[\w,-]+ ){{0,9}}?(?:gefunden|finden|enthalten|vor\b|vorhanden|verfügbar|entnehmen|ableiten|vorliegen|bekannt|möglich|ersichtlich|gemacht)"),
    ("de", _N, "kein", rf"^\W{{0,3}}(?:leider )?{_DE_NO} (?:\w+ )?(?:informationen|angaben?|treffer|ergebnisse?|hinweise?|antwort)(?: (?:zu|zum|zur|über|in|dazu|hierzu|für|auf)\b|[.!]|$)"),
    ("de", _N, "dokument|unterlage|quelle|kontext|textstelle|ausz|wissens|material|suchergebnis|hilfe|treffer|text|passage|vorliegend|bereitgestellt|verfügbar|vorhanden|gegeben|gefunden", rf"{_DE} (?:[\w,-]+ ){{0,9}}?(?:nicht|nichts|keine?[nrs]?|keinerlei)(?: [\w,-]+){{0,9}}? ?(?:erwähn|genannt|nenn|enthalten|beantwort|hervor|beschr[ie]|angegeben|aufgeführt|behandel|entnehm|ableit|geregelt|steh|sag|her\b|find|gefunden|zu finden|ersichtlich|thematisier|dokumentiert|angabe|information|auskunft|hinweis|aussage|eintrag|einträge|zu lesen)"),
    ("de", _N, "dokument|unterlage|quelle|kontext|textstelle|ausz|wissens|material|suchergebnis|hilfe|treffer|text|passage|vorliegend|bereitgestellt|verfügbar|vorhanden|gegeben|gefunden", rf"{_DE} (?:[\w,-]+ ){{0,2}}?(?:sag\w*|enth[aä]lt\w*|nenn\w*|erwähn\w*|mach\w*|beantwort\w*|beschreib\w*|geb\w*|gibt|behandel\w*|steh\w*|schweig\w*|reich\w*|find\w*)(?: [\w,-]+){{0,6}}? ?(?:nicht|nichts|keine?[nrs]?|keinerlei|schweig\w*)"),
    ("de", _N, "dokument|unterlage|quelle|kontext|textstelle|ausz|wissens|material|suchergebnis|hilfe|treffer|text|passage", rf"(?:nicht|nichts|nirgends|keine?[nrs]?) (?:\w+ ){{0,5}}?(?:in|aus) (?:den|meinen|unseren|diesen|der|dem|unserer) (?:\w+ ){{0,2}}?{_DE}"),
    ("de", _N, "beantwort|finden|sagen|bestätig|ermitteln|feststell|entnehm|ableit|beurteil|auskunft|herausfind", r"\b(?:(?:kann|konnte|können|konnten|könnte) (?:ich|wir)|(?:ich|wir) (?:kann|konnte|können|konnten|könnte))\b[^.?]{0,80}?\b(?:nicht|keine?[nrs]?|nichts)\b[^.?]{0,60}?(?:beantwort|finden|sagen|bestätig|ermitteln|feststell|entnehm|ableit|beurteil|auskunft|herausfind)"),
    ("de", _N, "antwort|aussage|angabe", r"\b(?:(?:kann|konnte|können|konnten|könnte) (?:ich|wir)|(?:ich|wir) (?:kann|konnte|können|konnten|könnte))\b[^.?]{0,80}?\bkeine (?:\w+ ){0,2}?(?:antwort|aussagen?|angaben) (?:\w+ )?(?:geben|machen|treffen|liefern|nennen|formulieren)\b"),
    ("de", _N, "weiß|weiss", r"\b(?:weiß|weiss) (?:ich|wir) (?:\w+ ){0,2}?nichts?\b|\b(?:ich|wir) (?:weiß|weiss|wissen) (?:\w+ ){0,3}?(?:nicht|nichts)\b"),
    ("de", _N, "bekannt", r"\b(?:mir|uns) (?:\w+ ){0,5}?(?:nicht|nichts|keine \w+) (?:\w+ ){0,2}?bekannt|(?:nichts|nicht) bekannt[.!]*$"),
    ("de", _N, "sicher", r"\b(?:bin ich|ich bin) mir (?:\w+ ){0,2}?nicht (?:ganz )?sicher"),
    ("de", _N, "gefunden|finden", r"\b(?:habe?n?|konnte?n?|kann|können)(?: ich| wir)?(?: \w+){0,6} (?:nichts|nicht) (?:\w+ ){0,4}?(?:gefunden|finden)"),
    ("de", _N, "vorlieg|liegen|liegt", r"\b(?:liegen|liegt) (?:mir|uns) (?:\w+ ){0,6}?(?:keine?|nicht|nichts)\b"),
    ("de", _N, "lässt sich|lassen sich|ließ", r"\b(?:l[aä]ss(?:t|en)|ließ(?:en)?) sich (?:\w+ ){0,7}?(?:nicht|nichts|keine \w+) (?:\w+ ){0,3}?(?:beantwort|sagen|entnehm|ableit|ermittel|feststell|finden)"),
    ("de", _N, "nicht", r"\b(?:nicht|nirgends) (?:angegeben|genannt|erwähnt|dokumentiert|beschrieben|beantwortet)[.!]*$"),
    # ── no answer, French ──
    ("fr", _N, "je n|nous n", r"\b(?:je|nous) (?:ne|n')(?: ?\w+'?){0,2}? ?(?:sai[st]|trouve|trouvons|dispose|disposons|vois|connais|ai|avons|peux|pouvons|suis|parviens)\b(?: \w+){0,2}? ?(?:pas|rien|aucune?|malheureusement pas)\b(?! (?:vous )?(?:aider|partager|divulguer|communiquer|fournir|autorisé|donner))"),
    ("fr", _N, "aucun", r"\baucune? (?:\w+ )?(?:information|mention|donnée|indication|précision|réponse|résultat|document|source|élément)"),
    ("fr", _N, "document|source|contexte|extrait|passage|texte|informations", rf"\b{_FR}(?: \w+){{0,3}} (?:ne|n')(?: ?\w+'?){{0,2}}? ?(?:mentionn|précis|conti|indiqu|fourni|di[st]|permett|donn|trait|parl|évoqu|couvr|abord|comport|répond|réponsent)"),
    ("fr", _N, "document|source|contexte|extrait|passage|texte|informations", rf"\b(?:ne|n')(?: ?\w+'?){{0,3}}? ?pas (?:\w+ ){{0,3}}?(?:dans|par) (?:les|le|la|mes|ces|nos) (?:\w+ )?{_FR}"),
    ("fr", _N, "impossible", r"\bimpossible de (?:répondre|trouver|déterminer|confirmer|savoir|dire)"),
    ("fr", _N, "assez|suffisamment", r"\bpas (?:assez|suffisamment) d'(?:informations?|éléments|indications)"),
    ("fr", _N, "il n'y a", r"\bil n'y a (?:pas|aucune?) (?:\w+ )?(?:d')?(?:informations?|mention|données?|précision|réponse)"),
    # ── no answer, Spanish ──
    ("es", _N, "no ", r"\bno (?:lo |la |le |he |hemos |pude |puedo |podemos |consigo |logr\w+ )?(?:encontr\w+|encuentr\w+|localiz\w+|sé\b|sabemos|hall\w+)"),
    ("es", _N, "no tengo|no dispongo|no tenemos|no disponemos|no cuento|no hay", r"\bno (?:tengo|dispongo|tenemos|disponemos|cuento|hay)(?: \w+){0,3}? (?:información|datos|detalles|constancia|respuesta|ninguna mención|referencias?|menciones|documentos?|resultados)"),
    ("es", _N, "no puedo|no podemos|no es posible", r"\bno (?:puedo|podemos|es posible) (?:\w+ ){0,2}?(?:respond\w+|determin\w+|confirm\w+|deci\w+|saber|contest\w+|asegurar|indicar)"),
    ("es", _N, "no se ", r"\bno se (?:\w+ )?(?:menciona|especifica|indica|detalla|dice|describe|recoge|aclara|encuentra|incluye|responde)"),
    ("es", _N, "documento|fuente|contexto|fragmento|documentación|texto|pasaje|información", rf"\b{_ES}(?: \w+){{0,3}} no (?:\w+ )?(?:menciona|indica|contiene|especifica|dice|incluye|proporciona|ofrece|aclara|habla|trata|responde|detalla|recoge|cubre|explica|da\b|dan\b)"),
    ("es", _N, "documento|fuente|contexto|fragmento|documentación|texto|pasaje|información", rf"\bno (?:\w+ ){{0,3}}?(?:aparece|figura|consta|está|viene|se)\w* (?:\w+ ){{0,3}}?en (?:los|las|el|la|mis|estos) (?:\w+ )?{_ES}"),
    ("es", _N, "suficiente|ninguna información|ninguna mención", r"\b(?:no .{0,30}?suficiente información|ninguna (?:información|mención))"),
    # ── will not, may not ──
    ("en", _D, "help|assist", r"\b(?:i|we) ?(?:can't|cannot|can not|am unable to|am not able to|'m not able to|'m unable to|are unable to|'re unable to|won't|will not) (?:\w+ )?(?:help|assist)\b"),
    ("en", _D, "help with|assist with|help you with|assist you with", r"\b(?:i|we|i'm|i am)\b[^.,;]{0,40} can(?:'t|not| not) (?:help|assist)(?: you)? with (?:that|this)(?: request| question)?[.!]*$"),
    ("en", _D, "share|disclose|reveal|discuss|comply|provide|give|offer|show|advise|fulfil", r"\b(?:i|we)(?: am|'m)? (?:can't|cannot|can not|am unable to|unable to|not able to|won't|will not|must not|may not|am not able to) (?:\w+ )?(?:share|disclose|reveal|discuss|comply|provide (?:\w+ )?(?:legal|medical|tax|financial|personal|investment|confidential|that|this)|give (?:you )?(?:\w+ )?(?:legal|medical|tax|financial|personal|investment|out|access)|offer (?:\w+ )?(?:legal|medical|tax|financial)|show you|advise|fulfil)"),
    ("en", _D, "allowed|permitted|authorized|authorised", r"\b(?:i'm|i am|we are|we're) not (?:allowed|permitted|authori[sz]ed)\b"),
    ("en", _D, "decline|against|refuse", r"\b(?:i|we) (?:must|have to|will|need to)? ?(?:decline|refuse)\b|\bagainst (?:my|our|the) (?:\w+ )?(?:polic|guideline|rule)"),
    ("en", _D, "only ", r"\b(?:i|we) can only (?:answer|help|assist|discuss|respond)\b"),
    ("en", _D, "permission|access", r"\byou (?:do not|don't) have (?:the )?(?:permissions?|access|authori[sz]ation)(?: to (?:this|that|these|those|view|see|read|the requested)\b|[.!]?$)"),
    ("de", _D, "helfen", r"\b(?:kann|können) (?:ich|wir) (?:\w+ ){0,3}?nicht (?:weiter)?helfen|\b(?:ich|wir) (?:kann|können) (?:\w+ ){0,5}?nicht (?:\w+ )?(?:weiter)?helfen"),
    ("de", _D, "darf|dürfen", r"\b(?:darf|dürfen) (?:ich|wir)\b[^.?]{0,80}?\b(?:nicht|keine?[nr]?)\b|\b(?:ich|wir) (?:darf|dürfen)\b[^.?]{0,80}?\b(?:nicht|keine?[nr]?)\b"),
    ("de", _D, "äußern", r"\b(?:möchte|kann|darf|werde) ich mich (?:\w+ ){0,4}?nicht (?:\w+ )?äußern\b|\bich (?:möchte|kann|darf|werde) mich (?:\w+ ){0,4}?nicht (?:\w+ )?äußern\b"),
    ("de", _D, "befugt|berechtigt|autorisiert|gestattet|erlaubt", r"\b(?:bin ich|ich bin|sind wir|wir sind|ist mir|mir ist) (?:\w+ ){0,4}?nicht (?:befugt|berechtigt|autorisiert|gestattet|erlaubt)"),
    ("de", _D, "herausgeben|weitergeben|preisgeben|offenlegen|mitteilen|teilen|beratung|auskunft über|gebe keine|geben keine|leiste keine|leisten keine", r"\bkeine \w*beratung (?:leisten|geben|anbieten)|\b(?:ich|wir) (?:gebe|geben|leiste|leisten) keine \w*(?:beratung|auskunft)|\b(?:kann|können|darf|werde|möchte) (?:ich|wir)\b[^.?]{0,60}?\b(?:nicht|keine?[nr]?)\b[^.?]{0,50}?(?:herausgeben|weitergeben|preisgeben|offenlegen|mitteilen|teilen\b|beratung)|\b(?:ich|wir) (?:kann|können|darf|werde|gebe|leiste)\b[^.?]{0,60}?\b(?:nicht|keine?[nr]?)\b[^.?]{0,50}?(?:herausgeben|weitergeben|preisgeben|offenlegen|mitteilen|teilen\b|beratung)"),
    ("de", _D, "bearbeiten|erfüllen|nachkommen", r"\b(?:kann|können|werde) (?:ich|wir)\b[^.?]{0,60}?\bnicht (?:bearbeiten|erfüllen|nachkommen)|\b(?:ich|wir) (?:kann|können|werde)\b[^.?]{0,60}?\bnicht (?:bearbeiten|erfüllen|nachkommen)"),
    ("de", _D, "nur fragen|ausschließlich fragen", r"\b(?:nur|ausschließlich) fragen (?:zu|zum|zur|rund um|über)\b"),
    ("de", _D, "berechtigung|zugriff", r"\b(?:fehlt|fehlen) ihnen\b|\bihnen fehl(?:t|en)\b|\bsie haben (?:\w+ )?kein(?:e|en) (?:berechtigung|zugriff)"),
    ("fr", _D, "je ne|nous ne", r"\b(?:je|nous) ne (?:peux|pouvons|suis|sommes) pas (?:\w+ ){0,2}?(?:aider|partager|divulguer|communiquer|fournir|donner|autorisé|habilité)"),
    ("es", _D, "no puedo|no podemos|no estoy|no me está", r"\bno (?:puedo|podemos|estoy|estamos|me está) (?:\w+ ){0,2}?(?:ayudar\w*|compartir\w*|revelar\w*|proporcionar\w*|divulgar\w*|facilitar\w*|autorizad|permitido|dar(?:le|te)?\b)"),
    # ── asks back ──
    ("en", _Q, "clarify|specify|elaborate|rephrase|more detail|tell me which|let me know which|let me know what", r"\b(?:could|can|would|will|please|kindly|need you to|if you|to)(?: you)?(?: please)? (?:\w+ )?(?:clarify|elaborate|rephrase)\b|\b(?:could|can|would|will) you (?:\w+ )?specify\b|\b(?:please|kindly) (?:\w+ )?specify\b|\b(?:clarify|specify|rephrase) your\b|\b(?:could|can|would|will|please|if you)\b[^.]{0,40} more details?\b|\bfor (?:\w+ )?more details?\b|\b(?:tell me (?:which|what|whether|if)|let me know (?:which|what|whether))\b"),
    ("en", _Q, "need to know|need more|need a bit|need some more", r"\b(?:i|we)(?:'d|'ll| would| will)? need (?:to know|(?:a bit |some )?more)\b"),
    ("en", _Q, "depends on which|which ", r"^\W{0,3}(?:which|what) [^.!]{1,120}\?$"),
    ("en", _Q, "so i can|so that i can", r"\bso (?:that )?i can (?:help|assist|look|check|find|give|answer|point|search|tell)\b"),
    ("de", _Q, "damit ich", r"\bdamit ich (?:\w+ ){0,5}?(?:helfen|antworten|nachsehen|nachschauen|weiterhelfen|beantworten|suchen|prüfen) kann\b"),
    ("de", _Q, "präzisier|genauer|konkretisier|nennen sie|teilen sie|geben sie|sagen sie|nenne |teile mir|angeben|mitteilen", r"\b(?:präzisier|konkretisier|(?:etwas )?genauer (?:\w+ ){0,2}?(?:beschreib|sag|angeb|erklär)|bitte (?:\w+ )?(?:nennen|teilen|geben|sagen|nenne|teile|gib|sag) (?:sie |mir |uns )|könnten sie (?:\w+ ){0,6}?(?:angeben|mitteilen|nennen|sagen))"),
    ("de", _Q, "benötige|brauche|bräuchte", r"\b(?:benötige|brauche|bräuchte)n? (?:ich|wir)? ?(?:\w+ ){0,3}?(?:noch|weitere|genauere|mehr|zunächst|erst)\b"),
    ("fr", _Q, "précis|indiquer", r"\b(?:pourriez|pouvez|peux|pourrais)-(?:vous|tu) (?:\w+ ){0,2}?(?:préciser|indiquer|me dire|clarifier)|\bveuillez préciser|\bmerci de préciser"),
    ("es", _Q, "aclarar|especifi|indicar|concret|indique", r"\b(?:podría|podrías|puede|puedes) (?:\w+ ){0,2}?(?:aclarar\w*|especificar\w*|indicar\w*|concretar\w*)|\bpor favor,? (?:aclare|especifique|indique|concrete)"),
    # ── what the sources are about ──
    ("en", _S, "document|source|context|passage|excerpt|documentation|search result|snippet|material|article|they only|it only", r"^\W{0,3}(?:the|they|it|these|instead|what)\b(?: \w+){0,4}?(?: (?:only|merely|just|mainly))? (?:mentions?|describes?|covers?|contains?|discuss(?:es)?|focus(?:es)?|talks?|deals?|refers?|explains?|lists?) (?:only |general |the |about |on )?(?!no\b|not\b)"),
    ("de", _S, "nur|lediglich|ausschließlich|stattdessen|allgemein", rf"\b(?:darin|dort|sie|die {_DE}|{_DE}|beschrieben|erwähnt|genannt|behandelt|erläutert|enthalten)\b(?: \w+){{0,5}}? (?:nur|lediglich|ausschließlich|stattdessen|allgemein)"),
    ("fr", _S, "uniquement|seulement", rf"\b(?:ils?|elles?|{_FR})(?: \w+){{0,4}}? (?:uniquement|seulement)"),
    ("es", _S, "solo|sólo|únicamente", r"\b(?:solo|sólo|únicamente) (?:mencionan?|describen?|hablan?|tratan?|explican?|contienen?)"),
    # ── offers, greetings, pointers, transitions ──
    ("en", _C, "let me know|feel free|happy to|glad to|hope this|hope that|anything else|would you like|can i help|may i help|how can i|do you want me|shall i|should i", r"\b(?:let me know if|feel free|(?:happy|glad) to (?:help|assist|look|check)|hope (?:this|that) helps|anything else|would you like (?:me|to|more)|(?:can|may) i (?:help|assist)|how (?:can|may) i|do you want me to|(?:shall|should) i )"),
    ("en", _C, "contact|reach out|get in touch|turn to|check with|ask ", r"^\W{0,3}(?:for [^.]{1,80}, |if [^.]{1,80}, |you (?:can|may|could|should|might)(?: want to)? |please |i (?:recommend|suggest|would recommend|'d recommend) |in (?:that|this) case,? )*(?:to )?(?:contact\w*|reach(?:ing)? out|get(?:ting)? in touch|turn(?:ing)? to|check(?:ing)? with|ask(?:ing)?)\b"),
    ("en", _C, "check|consult|visit|rephras|try |refer", r"^\W{0,3}(?:for [^.]{1,80}, |(?:perhaps |maybe )?you (?:can|may|could|should|might)(?: also)?(?: want to| wish to)? |please |i (?:recommend|suggest|would recommend|'d recommend|'d suggest) )+(?:to )?(?:check\w*|consult\w*|visit\w*|rephras\w*|try\w*|refer\w*|look\w*)\b|^\W{0,3}(?:try )?rephras\w+\b"),
    ("en", _C, "sorry|apologi", r"^\W{0,3}(?:i'm |i am |we're |we are )?(?:very |so )?(?:sorry|apologi[sz]e)\b[^,;:]{0,60}[.!,]?$"),
    ("en", _C, "hello|hi |hi,|hi!|hey|good morning|good afternoon|welcome|thank|of course|sure|certainly|great question|good question", r"^\W{0,3}(?:hello|hi|hey|good (?:morning|afternoon|evening|question)|great question|you're (?:very )?welcome|thanks?(?: you)?|of course|sure(?: thing)?|certainly)\b[^.!]{0,50}[.!,]*$"),
    ("en", _C, "here is|here are|here's|below|as follows|the following", r"^\W{0,3}(?:here(?:'s| is| are)\b|(?:see )?below\b).{0,120}[:.]?$|\b(?:as follows|the following)\b[^.]{0,60}:$"),
    ("en", _C, "hope this|hope that|hope you|hesitate", r"\bi hope you (?:have|enjoy|like|find)\b|\bhope (?:this|that) (?:clear|answer|clarif|is (?:helpful|useful|what you)|was (?:helpful|useful|what you))\w*|\b(?:don't|do not) hesitate to (?:ask|reach|contact|get|let|write|call|come)\b"),
    ("en", _C, "have a nice|have a great|have a good|have a wonderful|have a lovely|have a pleasant|have a safe|have a fantastic|enjoy your|enjoy the rest|happy |safe travels|safe journey|take care|good luck|see you soon", r"^\W{0,3}(?:have an? (?:nice|great|good|wonderful|lovely|pleasant|safe|fantastic) (?:\w+ ){0,2}(?:day|evening|morning|afternoon|night|week|weekend|time|trip|journey|ride|flight|stay|holiday|one)|enjoy (?:your|the rest of your) (?:\w+ )?\w+|happy \w+ing|safe (?:travels|journey)|take care|good luck|see you soon)(?: ahead| too)?[.!,]*$"),
    ("en", _C, "dear ", r"^\W{0,3}dear (?:[\w.'-]+ ){0,3}[\w.'-]+[,!]$"),
    ("en", _C, "your team|your support|your customer|your assistant|your service", r"^\W{0,3}your (?:support |customer |service |care |help ){0,3}(?:team|assistant|support|service)[.!]?$"),
    ("en", _C, "regards|best wishes|sincerely", r"^\W{0,3}(?:(?:with )?(?:best|kind|kindest|warm|warmest) (?:regards|wishes)(?: from (?:\w+ ){0,4}\w+)?|regards|(?:yours )?sincerely(?: yours)?)(?:,[^.!:;0-9]{0,60})?[.!,]*$"),
    ("en", _C, "question", r"\bif you have (?:any )?(?:\w+ )?questions\b|\byou(?:'re| are)? ask(?:ed|ing)?\b|^\W{0,3}(?:thanks for )?your question\b"),
    ("de", _C, "gern|hoffe|kann ich|soll ich|möchten sie|möchtest du|zur verfügung|sonst", r"\b(?:gern(?:e)? geschehen|gerne?[!.]$|(?:helfe|unterstütze|prüfe|schaue) (?:ich )?(?:\w+ )?gerne?|ich hoffe,? |kann ich (?:ihnen |dir )?(?:sonst|noch|weiter|bei|helfen)|wie kann ich|soll ich|möchten sie,? (?:dass|mehr|weitere|eine)|möchtest du,? (?:dass|mehr)|(?:gerne? )?zur verfügung$|(?:gerne? )?zur verfügung[.!])"),
    ("de", _C, "fragen|frage", r"\b(?:bei|wenn sie|falls sie|haben sie|wenn du) (?:noch )?(?:weitere?n? |noch |andere )?(?:fragen|rückfragen)\b|^\W{0,3}(?:sie fragen|ihre frage|gute frage|danke für ihre frage)"),
    ("de", _C, "wenden|kontaktier|melden|sprechen sie|fragen sie|prüfen sie|schauen sie|sehen sie|besuchen sie", r"\b(?:wenden (?:sie|wir)|kontaktieren sie|melden sie sich|sprechen sie|fragen sie|(?:prüfen|schauen|sehen|besuchen) sie (?:\w+ ){0,4}?(?:website|webseite|homepage|internetseite)|wende dich|kontaktiere|melde dich)\b[^.0-9]{0,140}[.!]?$"),
    ("de", _C, "empfehle|empfiehlt|sollten sie|am besten", r"^\W{0,3}(?:ich empfehle|es empfiehlt sich|am besten)[^0-9]{0,160}(?:wenden|kontaktieren|prüfen|nachzufragen|fragen|nachzusehen|support|ansprechpartner)"),
    ("de", _C, "geehrte|liebe |lieber ", r"^\W{0,3}(?:sehr geehrte|liebe)r? (?:[\w.'-]+ ){0,5}[\w.'-]+[,!]$"),
    ("de", _C, "ihr team|ihr support|ihr kunden|ihr service|ihr assistent", r"^\W{0,3}ihr (?:[\w-]{1,30}[ -]?){0,2}(?:team|support|service|dienst|assistent)[.!]?$"),
    ("de", _C, "grüße|grüßen|gruß|grüsse", r"^\W{0,3}(?:mit )?(?:freundliche|beste|herzliche|liebe|viele|schöne)[nm]? gr(?:ü|u)(?:ß|ss)e?n?(?:,[^.!:;0-9]{0,60}| (?:aus|von|vom|ihr|euer|dein)\b[^.!:;0-9]{0,40})?[.!,]*$"),
    ("de", _C, "wünsche", r"^\W{0,3}(?:(?:ich|wir) wünschen? (?:ihnen|dir|euch)\b|wünschen? (?:ich|wir) (?:ihnen|dir|euch)\b)[^.:;0-9]{0,80}[.!]*$"),
    ("de", _C, "schönen|schönes|angenehme|viel spaß|viel erfolg|viel freude|viel glück|gute fahrt|gute reise|gutes gelingen|gute besserung", r"^\W{0,3}(?:noch )?(?:einen |ein |eine )?(?:schöne[ns]|angenehme[ns]?) (?:tag|abend|woche|wochenende|feierabend|aufenthalt|urlaub|reise|zeit)(?: noch)?[.!]*$|^\W{0,3}(?:viel (?:spaß|erfolg|freude|glück)|gute (?:fahrt|reise|besserung)|gutes gelingen)(?: (?:beim|bei|mit|im|in|auf|für|noch|und|dabei|damit|weiterhin)\b[^.:;0-9]{0,40})?[.!]*$"),
    ("de", _C, "bescheid", r"^\W{0,3}(?:(?:sagen|geben) sie|sag|gib) (?:mir |uns |einfach |gerne? |kurz |bitte ){0,3}bescheid,? (?:wenn|falls|sollten|solltest) (?:sie |du )?(?:noch |etwas |mehr |weitere |fragen |hilfe )"),
    ("de", _C, "leid|entschuldig", r"^\W{0,3}(?:(?:es |das )?tut mir (?:sehr )?leid|entschuldig\w+)\b[^;:]{0,30}[.!,]?$"),
    ("de", _C, "hallo|guten|danke|natürlich|selbstverständlich|willkommen|klar", r"^\W{0,3}(?:hallo|guten (?:tag|morgen|abend)|(?:vielen |herzlichen )?dank\w*|natürlich|selbstverständlich|(?:herzlich )?willkommen|klar)\b[^.!]{0,50}[.!,]*$"),
    ("de", _C, "hier ist|hier sind|hier die|hier eine|hier finden|im folgenden|folgende|nachfolgend", r"^\W{0,3}hier (?:ist|sind|die|eine|finden)\b[^.0-9]{0,120}[:.]?$|\b(?:im folgenden|nachfolgend|folgende[nr]?)\b[^.]{0,80}:$"),
    ("fr", _C, "bonjour|merci|hésitez|plaisir|espère|souhaitez|questions|contacte|veuillez", r"^\W{0,3}(?:bonjour|merci|avec plaisir|bien sûr)\b[^.!]{0,50}[.!,]*$|n'hésitez pas|j'espère que|souhaitez-vous|d'autres questions|\b(?:veuillez |vous pouvez )?contacte[rz]\b"),
    ("fr", _C, "cordialement|bonne journée|bonne soirée|bonne continuation|bon voyage", r"^\W{0,3}(?:(?:bien )?cordialement|bonne (?:journée|soirée|continuation)|bon voyage)\b[^.!:;0-9]{0,40}[.!,]*$"),
    ("es", _C, "saludo|buen día|buena tarde|buen viaje", r"^\W{0,3}(?:un )?(?:atento |cordial |cordiales )?saludos?\b[^.!:;0-9]{0,40}[.!,]*$|^\W{0,3}¡?(?:que )?teng(?:a|as) (?:un |una )?(?:muy )?buen[ao]? \w+[.!]*$"),
    ("es", _C, "hola|gracias|dude|espero|gusto|algo más|preguntas|contact|póngase|quiere que", r"^\W{0,3}(?:hola|gracias|con gusto|claro|por supuesto)\b[^.!]{0,50}[.!,]*$|no dudes?\b|espero que|algo más|(?:más|otras?) preguntas|\b(?:puede )?contact(?:e|ar|a)\b|póngase en contacto|quiere[s]? que"),
)  # fmt: skip

PHRASES: tuple[Phrase, ...] = tuple(
    Phrase(language, act, tuple(triggers.split("|")), re.compile(pattern))
    for language, act, triggers, pattern in _ROWS
)

NEGATIONS = tuple(
    (
        "not no n't 't cannot nothing none never neither unable unclear insufficient lack silent "
        "outside beyond decline refuse against only won't "
        "kein nicht nirg nur ausschließlich fehl schweig unklar offen pas n' ne aucun rien "
        "impossible ningun"
    ).split()
)
"""Beginnings of words; one of them stands in every refusal."""

CONTRAST = re.compile(
    r"[,;.]? +(?:but|however|although|though|yet|aber|jedoch|allerdings|doch|sondern|dagegen|mais|"
    r"cependant|toutefois|pero|sin embargo|aunque)\b,?|;| [–—-] "
)
"""Where a sentence turns: I could not find Y, but X costs 5 €."""
INNER_CONTRAST = re.compile(r"\w +(?:aber|jedoch|allerdings|dagegen|hingegen)\b")
"""What stands inside the clause that turns, not before it."""
CONCESSION = re.compile(
    r"\W{0,3}(?:while|although|though|even though|obwohl|während|auch wenn|zwar|bien que|même si|"
    r"aunque|si bien)\b"
)
"""How a sentence begins that turns at its first comma."""
