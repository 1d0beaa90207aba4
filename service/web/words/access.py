"""Who may do what, and why not."""

from service.web.words import Words

WORDS: Words = {
    "who.reads": (
        "You may read here, and not label.",
        "Du darfst hier lesen, aber nicht urteilen.",
    ),
    "error.title.401": ("Not signed in", "Nicht angemeldet"),
    "error.title.403": ("Not allowed", "Nicht erlaubt"),
    "error.title.421": ("Not by this name", "Nicht unter diesem Namen"),
    "error.title.429": ("Too often", "Zu oft"),
    "error.unauthenticated": (
        "Come by the proxy that signs people in, or show a key.",
        "Komm über den Proxy, bei dem man sich anmeldet, oder zeig einen Schlüssel vor.",
    ),
    "error.key_refused": (
        "This key opens nothing here (any more).",
        "Dieser Schlüssel öffnet hier nichts (mehr).",
    ),
    "error.too_many_failures": (
        "Too many refused keys from your address; come back later.",
        "Zu viele abgelehnte Schlüssel von deiner Adresse; komm später wieder.",
    ),
    "error.no_rule": (
        "You are signed in, but in no group that may look here. Ask whoever runs groundwatch.",
        "Du bist angemeldet, aber in keiner Gruppe, die hier etwas sehen darf. Frag, wer "
        "groundwatch betreibt.",
    ),
    "error.role": (
        "Your role may read, and not do this. Ask whoever runs groundwatch.",
        "Deine Rolle darf lesen, aber das hier nicht. Frag, wer groundwatch betreibt.",
    ),
    "error.every_app": (
        "This tells of all apps together, and you may see some of them.",
        "Das erzählt von allen Apps zusammen, und du darfst nur einige sehen.",
    ),
    "error.cross_site": (
        "This came from another address than that of these pages, so nothing was done. Whoever "
        "runs groundwatch sets their address: GROUNDWATCH_PUBLIC_URL.",
        "Das kam von einer anderen Adresse als der dieser Seiten, deshalb ist nichts geschehen. "
        "Wer groundwatch betreibt, stellt ihre Adresse ein: GROUNDWATCH_PUBLIC_URL.",
    ),
    "error.host": (
        "Nobody calls this server by that name. Whoever runs groundwatch lists its names: "
        "GROUNDWATCH_ALLOWED_HOSTS.",
        "Unter diesem Namen kennt niemand diesen Server. Wer groundwatch betreibt, führt seine "
        "Namen auf: GROUNDWATCH_ALLOWED_HOSTS.",
    ),
}
"""Of a page; machines read the problem's own sentence."""
