"""Units, currencies and scales. A new unit is one row; a new spelling is one word in a row."""

# ruff: noqa: E501 (a row of the table is a line)

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


@dataclass(frozen=True, slots=True)
class Unit:
    """``dimension``: only units of one dimension convert; base value = value x ``factor``."""

    name: str
    dimension: str
    factor: float
    hard: bool = False
    """A number without a unit is not grounded by one with a hard unit (money, shares)."""


def _money(code: str, spellings: str) -> tuple[str, str, float, str]:
    return (code, f"money {code}", 1.0, spellings)


# name, dimension, factor to the dimension's base, spellings (lower case unless case decides)
_ROWS: tuple[tuple[str, str, float, str], ...] = (
    ("%", "share", 1.0, "%|percent|prozent|per cent|pct|pct.|pour cent|por ciento|porcentaje|vom hundert|v.h.|％|prozentige|prozentiger|prozentigen|prozentiges|prozentig|volumenprozent|gewichtsprozent|massenprozent|vol %|vol -%|vol. %|vol. -%|パーセント"),
    ("‰", "share", 0.1, "‰|promille|per mille|permille|pour mille|por mil"),
    ("pp", "points", 1.0, "percentage points|percentage point|percentage-points|prozentpunkte|prozentpunkten|prozentpunkt|points de pourcentage|point de pourcentage|puntos porcentuales|punto porcentual|pp|个百分点|ポイント"),
    ("bp", "points", 0.01, "basis points|basis point|bps|bp|basispunkte|basispunkten|basispunkt|points de base|puntos básicos|个基点"),
    _money("EUR", "€|eur|euro|euros|欧元|ユーロ"),
    _money("ct", "cent|cents|ct|centimes|céntimos|¢"),
    _money("USD", "$|us$|usd|dollar|dollars|us-dollar|us-dollars|dólares|dólar|bucks|us dollars|us dollar|american dollars|u.s. dollars|dollars américains|dólares estadounidenses|美元|ドル"),
    _money("GBP", "£|gbp|quid|pfund sterling|pounds sterling|british pounds|livres sterling|livre sterling|libras esterlinas|britische pfund|英镑|ポンド"),
    _money("CHF", "chf|sfr|sfr.|fr.|franken|schweizer franken|francs|francs suisses|swiss francs|swiss franc|francos suizos|francos|瑞士法郎"),
    _money("JPY", "¥|jpy|yen|円|日元"),
    _money("CNY", "cny|rmb|yuan|元|人民币|块"),
    _money("INR", "₹|inr|rs|rs.|rupees|rupee|rupien|roupies|rupias|indian rupees|卢比"),
    _money("KRW", "₩|krw|won"),
    _money("CAD", "c$|cad|ca$|canadian dollars|canadian dollar|dollars canadiens|kanadische dollar"),
    _money("AUD", "a$|aud|au$|australian dollars|australian dollar"),
    _money("SEK", "sek|kronor|swedish kronor|schwedische kronen"),
    _money("NOK", "nok|kroner|norwegian kroner|norwegische kronen"),
    _money("DKK", "dkk|danish kroner|dänische kronen"),
    _money("PLN", "pln|zł|zloty|złoty|złote|złotych"),
    _money("BRL", "r$|brl|reais"),
    _money("MXN", "mxn|mx$|pesos"),
    ("pound", "pound", 1.0, "pound|pounds|pfund"),
    ("ms", "time", 0.001, "ms|millisecond|milliseconds|millisekunde|millisekunden|毫秒|ミリ秒"),
    ("µs", "time", 1e-6, "µs|μs|microsecond|microseconds|mikrosekunden"),
    ("s", "time", 1.0, "s|sec|secs|sec.|second|seconds|sek|sek.|sekunde|sekunden|seconde|secondes|segundo|segundos|秒|秒钟"),
    ("min", "time", 60.0, "min|min.|mins|minute|minutes|minuten|minuto|minutos|分|分钟|分鐘|分間"),
    ("h", "time", 3600.0, "h|hr|hrs|std|std.|hour|hours|stunde|stunden|heure|heures|hora|horas|小时|小時|时间|時間|个小时|stündige|stündigen|stündiger"),
    ("d", "time", 86400.0, "d|day|days|tag|tage|tagen|tages|jour|jours|día|días|dia|dias|天|日|日間|日间|tägige|tägigen|tägiger|kalendertage|kalendertagen|calendar days|calendar day"),
    ("wd", "workday", 1.0, "working days|working day|business days|business day|workdays|workday|werktag|werktage|werktagen|arbeitstag|arbeitstage|arbeitstagen|jours ouvrés|jours ouvrables|jour ouvré|jour ouvrable|días hábiles|días laborables|día hábil|个工作日|工作日|営業日"),
    ("wk", "time", 604800.0, "week|weeks|wks|woche|wochen|semaine|semaines|semana|semanas|周|週|週間|个星期|星期|wöchige|wöchigen"),
    ("mo", "months", 1.0, "month|months|mo|monat|monate|monaten|monats|mois|mes|meses|个月|個月|か月|ヶ月|カ月|ヵ月|monatige|monatigen|monatiger"),
    ("qh", "time", 900.0, "viertelstunden"),
    ("qtr", "months", 3.0, "quarters|quartale|quartalen|trimestres|vierteljahre|vierteljahren"),
    ("hy", "months", 6.0, "halbjahre|halbjahren|half-years"),
    ("decade", "months", 120.0, "decade|decades|jahrzehnt|jahrzehnts|jahrzehnte|jahrzehnten|décennie|décennies|década|décadas"),
    ("a", "months", 12.0, "year|years|yr|yrs|jahr|jahre|jahren|jahres|an|ans|année|années|año|años|年|年间|年間|jährige|jährigen|jähriger"),
    ("ns", "time", 1e-9, "ns|nanoseconds"),
    ("nm", "length", 1e-9, "nm|nanometer|nanometers|nanometre"),
    ("µm", "length", 1e-6, "µm|μm|micrometer|mikrometer|microns"),
    ("mm", "length", 0.001, "mm|millimeter|millimeters|millimetre|millimetres|millimetern|millimètres|milímetros|毫米"),
    ("cm", "length", 0.01, "cm|centimeter|centimeters|centimetre|centimetres|zentimeter|zentimetern|centimètres|centímetros|厘米|センチ"),
    ("dm", "length", 0.1, "dm"),
    ("m", "length", 1.0, "m|meter|meters|metre|metres|metern|mètre|mètres|metro|metros|米|メートル"),
    ("km", "length", 1000.0, "km|kilometer|kilometers|kilometre|kilometres|kilometern|kilomètres|kilomètre|kilómetros|kms|公里|千米|キロメートル|キロ"),
    ("in", "length", 0.0254, "inch|inches|zoll|pouces|pulgadas|″"),
    ("ft", "length", 0.3048, "ft|foot|feet|fuß|pieds|pies"),
    ("yd", "length", 0.9144, "yd|yard|yards"),
    ("nmi", "length", 1852.0, "nmi|seemeile|seemeilen|nautical miles|nautical mile|milles nautiques|millas náuticas"),
    ("mi", "length", 1609.344, "mi|mile|miles|meilen|millas"),
    ("m²", "area", 1.0, "m²|m2|sqm|qm|quadratmeter|quadratmetern|square metres|square meters|square metre|square meter|mètres carrés|metros cuadrados|平方米|平米|平方メートル|㎡"),
    ("cm²", "area", 1e-4, "cm²|cm2|quadratzentimeter"),
    ("km²", "area", 1e6, "km²|km2|quadratkilometer|quadratkilometern|square kilometres|square kilometers|平方公里|平方キロメートル"),
    ("ft²", "area", 0.09290304, "ft²|ft2|sqft|sq ft|square feet|square foot"),
    ("mi²", "area", 2589988.110336, "square miles|square mile"),
    ("ha", "area", 1e4, "ha|hectare|hectares|hektar|hectáreas|公顷|ヘクタール"),
    ("acre", "area", 4046.8564224, "acre|acres"),
    ("m³", "volume", 1000.0, "m³|m3|kubikmeter|kubikmetern|cubic metres|cubic meters|cubic metre|mètres cubes|metros cúbicos|立方米|立方メートル|㎥"),
    ("cm³", "volume", 0.001, "cm³|cm3|ccm|kubikzentimeter|cubic centimetres|cubic centimeters"),
    ("ml", "volume", 0.001, "ml|milliliter|milliliters|millilitre|millilitres|millilitern|毫升|ミリリットル"),
    ("cl", "volume", 0.01, "cl|zentiliter|centiliter|centilitre|centilitres|centilitros"),
    ("dl", "volume", 0.1, "dl|deziliter|deciliter|deciliters|decilitre|decilitres|decilitros"),
    ("dm³", "volume", 1.0, "dm³|dm3|kubikdezimeter"),
    ("µl", "volume", 1e-6, "µl|μl|mikroliter|microliter|microliters|microlitres"),
    ("l", "volume", 1.0, "l|L|liter|liters|litre|litres|litern|litro|litros|升|リットル"),
    ("hl", "volume", 100.0, "hl|hektoliter"),
    ("gal", "volume", 3.785411784, "gal|gallon|gallons|gallonen"),
    ("cup", "cup", 1.0, "cup|cups|tasse|tassen|tasses|tazas"),
    ("mg", "mass", 1e-6, "mg|milligram|milligrams|milligramm|milligrammes|miligramos|毫克"),
    ("µg", "mass", 1e-9, "µg|μg|mcg|mikrogramm|microgram|micrograms|microgrammes|microgramos"),
    ("ng", "mass", 1e-12, "ng|nanogramm|nanograms"),
    ("g", "mass", 0.001, "g|gram|grams|gramm|gramme|grammes|gramos|克|グラム"),
    ("kg", "mass", 1.0, "kg|kilo|kilos|kilogram|kilograms|kilogramm|kilogrammes|kilogramos|公斤|千克|キログラム"),
    ("t", "mass", 1000.0, "t|tonne|tonnes|tonnen|toneladas|tons|ton|吨|トン"),
    ("lb", "mass", 0.45359237, "lb|lbs|lb."),
    ("oz", "mass", 0.028349523125, "oz|ounce|ounces|unzen"),
    ("°C", "temperature", 1.0, "°c|℃|grad celsius|degrees celsius|degree celsius|degrés celsius|grados celsius|摄氏度|celsius"),
    ("°F", "fahrenheit", 1.0, "°f|℉|grad fahrenheit|degrees fahrenheit|degree fahrenheit|fahrenheit"),
    ("°", "degree", 1.0, "°|º|degree|degrees|grad|degrés|grados|度"),
    ("K", "kelvin", 1.0, "kelvin"),
    ("MP", "pixels", 1.0, "mp|MP|megapixel|megapixels|mégapixels|megapíxeles"),
    ("px", "px", 1.0, "px|pixel|pixels"),
    ("bit", "data", 0.125, "bit|bits"),
    ("B", "data", 1.0, "byte|bytes"),
    ("kbit", "data", 125.0, "kbit|kbits|kilobit|kilobits"),
    ("Mbit", "data", 125e3, "mbit|mbits|megabit|megabits"),
    ("Gbit", "data", 125e6, "gbit|gbits|gigabit|gigabits"),
    ("kB", "data", 1e3, "kb|KB|kbyte|kbytes|kilobyte|kilobytes"),
    ("MB", "data", 1e6, "mb|MB|mbyte|mbytes|megabyte|megabytes"),
    ("GB", "data", 1e9, "gb|GB|gbyte|gbytes|gigabyte|gigabytes|go|Go"),
    ("TB", "data", 1e12, "tb|TB|tbyte|tbytes|terabyte|terabytes|To"),
    ("PB", "data", 1e15, "PB|petabyte|petabytes"),
    ("KiB", "data", 1024.0, "kib|Ki"),
    ("MiB", "data", 1048576.0, "mib|Mi"),
    ("GiB", "data", 1073741824.0, "gib|Gi"),
    ("TiB", "data", 1099511627776.0, "tib"),
    ("bit/s", "rate", 1.0, "bit/s"),
    ("kbit/s", "rate", 1e3, "kbit/s|kbps|kb/s"),
    ("Mbit/s", "rate", 1e6, "mbit/s|mbps|Mbps|Mb/s"),
    ("Gbit/s", "rate", 1e9, "gbit/s|gbps|Gbps|Gb/s"),
    ("kB/s", "rate", 8e3, "KB/s|kB/s|kbyte/s"),
    ("MB/s", "rate", 8e6, "MB/s|MBps|mbyte/s"),
    ("GB/s", "rate", 8e9, "GB/s|GBps|gbyte/s"),
    ("mb/s", "loose rate", 1.0, "mb/s|gb/s"),
    ("m/s", "speed", 1.0, "m/s|metres per second|meters per second|metre per second|meter pro sekunde|米/秒"),
    ("km/s", "speed", 1000.0, "km/s"),
    ("km/h", "speed", 1 / 3.6, "km/h|kmh|kph|stundenkilometer|kilometres per hour|kilometers per hour"),
    ("mph", "speed", 0.44704, "mph|miles per hour"),
    ("kn", "speed", 1852 / 3600, "knots"),
    ("W", "power", 1.0, "W|watt|watts|瓦"),
    ("kW", "power", 1e3, "kw|kilowatt|kilowatts|千瓦"),
    ("MW", "power", 1e6, "MW|megawatt|megawatts"),
    ("kWh", "energy", 1e3, "kwh|kilowattstunde|kilowattstunden|kilowatt-hours|kilowatt-hour|kilowatt hours|kilowatt hour"),
    ("MWh", "energy", 1e6, "mwh|megawattstunde|megawattstunden|megawatt hours|megawatt hour"),
    ("GWh", "energy", 1e9, "gwh|gigawattstunden"),
    ("kcal", "energy", 4184 / 3600, "kcal|cal|calorie|calories|kalorie|kalorien|caloría|calorías|kilokalorien|kilocalories"),
    ("hPa", "pressure", 100.0, "hpa|hektopascal|hectopascal|hectopascals"),
    ("mbar", "pressure", 100.0, "mbar|millibar"),
    ("psi", "pressure", 6894.757293168, "psi"),
    ("mmHg", "pressure", 133.322387415, "mmhg|mm hg|torr"),
    ("dB", "level", 1.0, "db|dba|dezibel|decibel|decibels"),
    ("rpm", "turns", 1.0, "rpm|u/min|tr/min|r/min|upm|umdrehungen pro minute|umdrehungen je minute|umdrehungen/minute|revolutions per minute"),
    ("Nm", "torque", 1.0, "Nm|newtonmeter|newton metres|newton meters|newton-metres|newton-meters"),
    ("NM", "loose torque", 1.0, "NM"),
    ("IU", "international", 1.0, "IU|UI|IE|i. e.|i. u.|u. i.|internationale einheiten|international units|international unit|unités internationales|unidades internacionales"),
    ("mIU", "international", 1e-3, "mIU|mIE|mUI"),
    ("µIU", "international", 1e-6, "µIU|μIU|µIE|μIE"),
    ("ppm", "parts", 1.0, "ppm|parts per million"),
    ("ppb", "parts", 1e-3, "ppb|parts per billion"),
    ("lx", "illuminance", 1.0, "lx|lux"),
    ("lm", "flux", 1.0, "lm|lumen|lumens|lúmenes"),
    ("tsp", "spoon", 1.0, "TL|tsp|tsp.|teelöffel|teelöffeln|teaspoon|teaspoons|cucharadita|cucharaditas"),
    ("tbsp", "spoon", 3.0, "EL|tbsp|tbsp.|esslöffel|esslöffeln|tablespoon|tablespoons|cucharada|cucharadas"),
    ("x", "multiple", 1.0, "x|×|-fach|fach|fache|fachen|facher|fold|times|mal|fois|veces|倍"),
)  # fmt: skip

# symbol, words, dimension, factor, prefixes: each makes a row (V, mV, kV). Case decides in a symbol.
_WITH_PREFIXES: Final[tuple[tuple[str, str, str, float, str], ...]] = (
    ("V", "volt|volts", "voltage", 1.0, "-nµmkM"),
    ("A", "ampere|amperes|ampère|ampères|amperios|amps|amp", "current", 1.0, "-pnµmk"),
    ("Ah", "amperestunden|ampere hours|amp hours|ampere-hours|amp-hours", "charge", 1.0, "-mk"),
    ("F", "farad", "capacitance", 1.0, "-pnµm"),
    ("H", "", "inductance", 1.0, "-nµm"),
    ("Ω", "ohm|ohms|ohmios", "resistance", 1.0, "-µmkMG"),
    ("W", "watt|watts", "power", 1.0, "nµmGT"),
    ("Wp", "watt peak", "power", 1.0, "-kMG"),
    ("VA", "voltampere", "apparent power", 1.0, "-kM"),
    ("Wh", "wh|wattstunde|wattstunden|watt hours|watt-hours", "energy", 1.0, "-mT"),
    ("J", "joule|joules|julios", "energy", 1 / 3600, "-mkMGT"),
    ("Pa", "pascal|pascals", "pressure", 1.0, "-kMG"),
    ("bar", "", "pressure", 1e5, "-"),
    ("N", "newton|newtons", "force", 1.0, "-kd"),
    ("Hz", "hz|hertz", "frequency", 1.0, "-kMGT"),
    ("mol", "", "amount", 1.0, "-nµmk"),
    ("Sv", "sievert", "dose", 1.0, "-nµm"),
    ("Gy", "", "absorbed dose", 1.0, "-µm"),
    ("Bq", "becquerel", "activity", 1.0, "-mkMGT"),
    ("T", "", "flux density", 1.0, "-nµm"),
)
_PREFIXES: Final[dict[str, tuple[str, float]]] = {
    "-": ("", 1.0), "p": ("piko|pico", 1e-12), "n": ("nano", 1e-9), "µ": ("mikro|micro", 1e-6),
    "m": ("milli|mili", 1e-3), "k": ("kilo", 1e3), "M": ("mega", 1e6), "G": ("giga", 1e9),
    "T": ("tera", 1e12), "d": ("deka|deca", 10.0),
}  # fmt: skip
_LETTERS: Final = frozenset("AFHNT")
"""Symbols that are also labels (Plan 5 A): :func:`letter` reads them, and only where it is asked."""


def _prefixed() -> list[tuple[str, str, float, str]]:
    rows: list[tuple[str, str, float, str]] = []
    for symbol, words, dimension, factor, prefixes in _WITH_PREFIXES:
        for prefix in prefixes:
            before, times = _PREFIXES[prefix]
            name = symbol if prefix == "-" else "da" + symbol if prefix == "d" else prefix + symbol
            spellings = [] if name in _LETTERS else [name]
            words_too = words.split("|") if words else []
            if prefix == "µ":
                spellings += ["μ" + symbol, "u" + symbol]
            if symbol == "Ω":  # the Greek letter above, here the sign
                spellings += [name.replace("Ω", "\u2126"), name.replace("Ω", "Ohm")]
                if prefix in "kG":
                    spellings.append(f"{prefix.lower()}ohm")
            # m and M are told apart by case alone
            if len(name) > 2 - (prefix in "kG") and not (prefix in "mM" and {*"mM"} <= {*prefixes}):
                if prefix != "-" and name.lower() not in _TAKEN:
                    spellings.append(name.lower())
            spellings += [start + word for word in words_too for start in before.split("|")]
            rows.append((name, dimension, factor * times, "|".join(spellings)))
    return rows


_TAKEN: Final = frozenset(
    {"nm", "na", "da", "dan", "kn", "ma", "mf", "pf", "mh", "nh", "mt", "nt", "mwh"}
)
"""Lower-case spellings that say something else, or nothing."""

_LETTERED: Final = frozenset(row[2] for row in _WITH_PREFIXES if row[0] in _LETTERS)
_HARD = ("share", "points", "money")
UNITS: Final[dict[str, Unit]] = {}
BY_NAME: dict[str, Unit] = {}
_MONEY: dict[str, Unit] = {}
"""Spellings of currencies; in front of a number ``SEK`` is money, behind it ``Sek.`` is seconds."""
_SECOND: Final[dict[str, list[tuple[str, Unit]]]] = {}
for _name, _dimension, _factor, _spellings in (*_ROWS, *_prefixed()):
    _unit = Unit(_name, _dimension, _factor, _dimension.startswith(_HARD))
    BY_NAME[_name] = _unit
    for _spelling in _spellings.split("|"):
        if " " in _spelling:
            _head, _, _rest = _spelling.partition(" ")
            _SECOND.setdefault(_head, []).append((_rest, _unit))
        else:
            if _spelling:
                UNITS[_spelling] = _unit
            if _dimension.startswith("money"):
                _MONEY[_spelling] = _unit
for _candidates in _SECOND.values():
    _candidates.sort(key=lambda row: -len(row[0]))

KIN: dict[str, frozenset[str]] = {
    "degree": frozenset({"temperature", "fahrenheit", "kelvin"}),
    "pound": frozenset({"money GBP", "mass"}),
    "points": frozenset({"share"}),
    "workday": frozenset({"time"}),
    "money JPY": frozenset({"money CNY"}),
    "loose rate": frozenset({"rate"}),
    "loose torque": frozenset({"torque", "length"}),
}
"""Dimensions that a loose spelling may stand for; the values must be equal as they stand."""

_LOOSE_POINTS = frozenset({"bp"})

# spelling -> power of ten; the short ones only where they are glued to the digits
SCALES: dict[str, int] = {}
for _power, _line in (
    (2, "hundred|hundert|cent|cien|百"),
    (
        3,
        "thousand|tausend|tsd|tsd.|mille|mil|thousands|mila|duizend|tys|tys.|tysiąc|tysiące|tysięcy|千",
    ),
    (4, "万|萬|만"),
    (5, "lakh|lakhs|lac"),
    (
        6,
        "million|millions|millionen|mio|mio.|mill.|mn|mln|millón|millones|milione|milioni|milhão|milhões|miljoen|milion|miliony|milionów|百万",
    ),
    (7, "crore|crores|千万|千萬"),
    (8, "億|亿"),
    (
        9,
        "billion|billions|bn|mrd|mrd.|milliarde|milliarden|milliard|milliards|mld|mld.|miliardo|miliardi|miljard|miliard|miliardy|miliardów|bilhão|bilhões",
    ),
    (12, "trillion|trillions|billionen|bio.|biljoen|bilione|bilioni|bilião|biliões|兆|万亿"),
):
    SCALES |= dict.fromkeys(_line.split("|"), _power)
_GLUED: Final = {"k": 3, "K": 3, "M": 6, "B": 9, "bn": 9, "m": 6, "mn": 6, "T": 12, "b": 9}
_MONEY_SCALED = {
    "teur": ("EUR", 3), "t€": ("EUR", 3), "keur": ("EUR", 3), "k€": ("EUR", 3), "tsd.€": ("EUR", 3),
    "mio.€": ("EUR", 6), "m€": ("EUR", 6), "meur": ("EUR", 6), "tchf": ("CHF", 3), "tusd": ("USD", 3),
    "k$": ("USD", 3), "mrd.€": ("EUR", 9), "md€": ("EUR", 9),
}  # fmt: skip

_GAP = r"(?:[ \n]|\\[,; ]|~|&nbsp;)?[*_]{0,2}(?:[ -])?\\?"
_WORD: Final = re.compile(
    _GAP
    + r"(t€|k€|m€|k\$|us\$|[%‰€$£¥₹₩¢°º℃℉″㎡㎥]c?f?(?![a-z])|[a-zà-öø-ÿąćęłńśźżµμ×Ω\u2126]+(?:-\n[a-zà-ÿ]+)?"
    r"(?:[²³]|[23](?![0-9a-z]))?(?:/(?:s|h|min)(?![a-z]))?\.?)",
    re.IGNORECASE,
)
_CJK_CHARS = "[\u3040-\u30ff\u4e00-\u9fff]"
_CJK = re.compile(
    r" ?("
    + "|".join(
        sorted(
            (s for s in (*UNITS, *SCALES) if re.match(_CJK_CHARS, s)), key=lambda s: (-len(s), s)
        )
    )
    + ")"
)
_SYMBOLS: Final = frozenset("€$£¥₹₩")
_HEAD = re.compile(r"[/23²³]")
_OTHER_WORD: Final = {
    "in": re.compile(
        r"(?i)[ \n]+(?!by\b|x\b|wide|long|tall|high|deep|thick|diam|length|width|height)[^\W\d_]|-"
    ),
    "an": re.compile(
        r"(?i)[ \n]+(?:de[nmr]|dies\w*|ein\w*|d[ai]e?s?|jede\w*|alle\w*|bord|land|ihr\w*|hour|hr|acre|ounce|inch|item)\b"
    ),
    "go": re.compile(r"[ \n]+[a-z]"),
    "won": re.compile(r"[ \n]+[a-z]"),
    "x": re.compile(r" ?[0-9]"),
    "×": re.compile(r" ?[0-9]"),
    "fr.": re.compile(r"[ \n]+[0-9]"),
    # 3 UI designers, 12 VA hospitals; but 400 UI de insulina
    **dict.fromkeys(
        ("ui", "iu", "ie", "va"),
        re.compile(
            r"(?i)[ \n]+(?!(?:of|de|d|per|pro|je|par|por|a|am|and|und|et|y|or|oder|to|bis|is|are|ist|vitamin\w*|insulin\w*|daily|täglich|for|für|in|im|every|each)\b)[^\W\d_]"
        ),
    ),
}
"""Units that are also common words: what follows shows that the word is meant."""
_MORE = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])|[0-9]+(?:\.[0-9]+)?")
_REST = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])|[0-9]{2,8}(?![0-9年月]|[.,][0-9])")
"""What follows 万 without a scale of its own. (``1万5`` is 15,000 to some.)"""
_INVERSE = re.compile(r"\^?\{?[⁻-][1¹](?![0-9])")
"""Behind a unit: ``3000 min⁻¹`` are no minutes."""
_BEFORE_INVERSE: Final = frozenset("⁻^-")
_CAPITALS: Final = frozenset({"i.", "u."})
"""Firsts of units in capitals; in small letters they say something else (i. e.)."""
_LETTER: Final = re.compile(rf" ?([{''.join(sorted(_LETTERS))}])(?![\w'’&/-]|[.] ?[^\W\d_])")
_NEXT = re.compile(r"[ \n]?(?:de |d'|of |di )?")


@dataclass(slots=True, init=False)
class Measure:
    """What follows a number: the end of it, its unit, its power of ten, and (for 1億2000万) more,
    with the power of ten that this is told in."""

    end: int
    unit: Unit | None
    power: int
    extra: float = 0.0
    extra_power: int = 0

    def __init__(
        self,
        end: int,
        unit: Unit | None,
        power: int,
        extra: float = 0.0,
        extra_power: int = 0,
    ) -> None:
        self.end = end
        self.unit = unit
        self.power = power
        self.extra = extra
        self.extra_power = extra_power


def prefix_unit(word: str) -> tuple[Unit, int] | None:
    """A currency in front of the number (``CHF``, ``US$``, ``TEUR``), with its power of ten."""
    low = word.lower()
    if low in _MONEY_SCALED:
        name, power = _MONEY_SCALED[low]
        return BY_NAME[name], power
    unit = _MONEY.get(low)
    if unit is None:
        return None
    is_code = not low.islower() or word.isupper() or low in {"rs.", "rs", "fr.", "sfr."}
    return (unit, 0) if is_code else None


def read(text: str, pos: int, money: bool = False) -> Measure:
    """Scale and unit that follow a number that ends at ``pos`` in folded text."""
    end, power, extra, least = pos, 0, 0.0, 0
    for _ in range(3):
        char = text[end : end + 1]
        if not char or char in "\r,;:)!?|\"'":
            break
        if char > "\u2fff" or (char == " " and text[end + 1 : end + 2] > "\u2fff"):
            found = _CJK.match(text, end)
            if found is None:
                break
            word = found.group(1)
            if word in SCALES:
                power += SCALES[word]
                end, extra, least = _behind_scale(text, found.end(), power)
                continue
            return Measure(found.end(), UNITS[word], power, extra, least)
        found = _WORD.match(text, end)
        if found is None:
            break
        word, word_end = found.group(1), found.end()
        glued = found.start(1) == end
        if not glued and word in _SYMBOLS and "0" <= text[word_end : word_end + 1] <= "9":
            break  # of the next number: $5-$10k
        if glued and power == 0 and word.rstrip(".") in _GLUED:
            bare = word.rstrip(".")
            if bare not in {"m", "b"} or money:
                power = _GLUED[bare]
                end += len(bare)
                continue
        elided = word in "dl" and text[word_end : word_end + 1] == "'"
        step = None if elided else _lookup(text, found.start(1), word, word_end)
        if step is None and power and end != pos:
            step = _joined(text, end)
        if step is None:
            break
        unit, more_power, step_end = step
        if unit is not None:
            return Measure(step_end, unit, power + more_power, extra, least)
        if more_power == 2 and word.lower().startswith("cent") and power == 0:
            break
        power += more_power
        end = step_end
    return Measure(end, None, power, extra, least)


def _behind_scale(text: str, end: int, power: int) -> tuple[int, float, int]:
    """What goes on behind a scale that ends at ``end``: 1億2,000万, 1万8500. Where it ends, its
    value, and the power of ten that it is told in."""
    extra, least = 0.0, power
    while text[end : end + 1].isdigit():
        more = _MORE.match(text, end)
        tail = None if more is None else _CJK.match(text, more.end())
        scale = 0 if tail is None else SCALES.get(tail.group(1), 0)
        if more is None or tail is None or not scale:
            more = _REST.match(text, end)
            if more is not None and least >= 4 and _digits(more) < 10**least:
                return more.end(), extra + _digits(more), 0
            break
        part = float(f"{more.group().replace(',', '')}e{scale}")
        if scale >= least or part >= 10.0**least:
            break
        end, extra, least = tail.end(), extra + part, scale
    return end, extra, least


def _digits(match: re.Match[str]) -> int:
    return int(match.group().replace(",", ""))


def begins_more(low: str) -> bool:
    """Whether a lower-case word may be the first of a unit of several words, or no unit at all."""
    return low in _SECOND or low in _OTHER_WORD


def is_abbreviation(word: str) -> bool:
    """Whether a full stop behind ``word`` may belong to it, or the word is short for an hour."""
    dotted = f"{word.lower()}."
    known = UNITS.get(word) or UNITS.get(word.lower())
    return (
        dotted in UNITS
        or dotted in SCALES
        or dotted in _MONEY_SCALED
        or (known is not None and known.name == "h")
    )


def _joined(text: str, end: int) -> tuple[Unit | None, int, int] | None:
    """``2 milliards d'euros``, ``3 millones de euros``: a preposition before the unit."""
    link = _NEXT.match(text, end)
    if link is None or link.end() <= end + 1:
        return None
    found = _WORD.match(text, link.end())
    return found and _lookup(text, found.start(1), found.group(1), found.end())


@lru_cache(maxsize=20_000)
def spelled(word: str) -> tuple[Unit | None, int, int] | None:
    """Unit and scale that a single word says, and how many characters of it (a full stop) are too
    many. Case may decide (``SEK``, ``Sek.``)."""
    low = word.lower().replace("-\n", "")
    if word.isupper() and low in _MONEY:
        return _MONEY[low], 0, 0
    for spelling in (word, low):
        for name, cut in ((spelling, 0), (spelling.rstrip("."), 1)):
            if name in UNITS:
                return UNITS[name], 0, cut
            if name in _MONEY_SCALED:
                currency, power = _MONEY_SCALED[name]
                return BY_NAME[currency], power, cut
            if name in SCALES:
                return None, SCALES[name], cut
            if not spelling.endswith("."):
                break
    return None


def _lookup(text: str, start: int, word: str, end: int) -> tuple[Unit | None, int, int] | None:
    low = word.lower().replace("-\n", "")
    if low in _SECOND and not (low in _CAPITALS and word == low):
        rest_of_text = text[end : end + 24].lower()
        for rest, unit in _SECOND[low]:
            gap = 1 if rest_of_text[:1] in (" ", "\n") else 0
            stop = gap + len(rest)
            if rest_of_text[gap:stop] == rest and not rest_of_text[stop : stop + 1].isalpha():
                return unit, 0, end + stop
    known = spelled(word)
    if known is not None:
        stop = end - known[2]
        other = _OTHER_WORD.get(low)
        if other is not None and other.match(text, stop):
            return None
        if text[stop : stop + 1] in _BEFORE_INVERSE and _INVERSE.match(text, stop):
            return None
        return known[0], known[1], stop
    if "/" in low or low[-1:] in "23²³":
        head = _HEAD.split(low, maxsplit=1)[0]
        if head in UNITS:
            return UNITS[head], 0, start + len(head)
    return None


def letter(text: str, end: int) -> Unit | None:
    """The unit whose symbol is a single letter and stands behind the number that ends at ``end``,
    if the letter is a symbol there at all: a plan, a gate and a house have letters, too."""
    found = _LETTER.match(text, end)
    return None if found is None else BY_NAME[found.group(1)]


def is_dollar(mine: Unit, theirs: Unit) -> bool:
    """Whether mine is said with the sign that theirs, a dollar or peso of its own, has too."""
    return mine.name == "USD" and theirs.name in {"CAD", "AUD", "MXN"}


def has_letter(dimension: str) -> bool:
    """Whether a unit of this dimension is spelled with a letter that may be a label."""
    return dimension in _LETTERED


def comparable(mine: Unit | None, theirs: Unit | None) -> bool:
    """Whether two equal values with these units say the same."""
    if mine is theirs or mine is None or theirs is None:
        return mine is theirs or not (theirs is not None and theirs.hard)
    if mine.dimension == theirs.dimension:
        return mine.factor == theirs.factor
    for one, other in ((mine, theirs), (theirs, mine)):
        if other.dimension in KIN.get(one.dimension, ()):
            if one.dimension == "points":
                return False
            return not (one.dimension == "workday" and other.name != "d")
    return False


def base(value: float, unit: Unit) -> tuple[str, float]:
    """A key under which equal quantities of one dimension meet (72 h and 3 d)."""
    return unit.dimension, rounded(value * unit.factor)


_SHORT = 1e10
_LONG = 1e15
_STEP = 1e5
"""A whole multiple of it below 1e15 has ten digits at most."""


def rounded(amount: float) -> float:
    """To ten digits: what arithmetic leaves in the last ones must not part equals."""
    if amount.is_integer():
        size = abs(amount)
        if size < _SHORT or (size < _LONG and size % _STEP == 0.0):
            return amount
    return float(f"{amount:.10g}")
