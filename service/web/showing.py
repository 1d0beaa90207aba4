"""A stranger's text as something that can be shown. Pure."""

_CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"}
_CONTROLS[0x7F] = 0x2421
_OVERRIDES = (0x202D, 0x202E)
_UNSHOWABLE = _CONTROLS | dict.fromkeys(
    [*range(0x80, 0xA0), *range(0xD800, 0xE000), *_OVERRIDES], 0xFFFD
)


def showable(text: str) -> str:
    """Control characters as pictures of themselves; halves of surrogate pairs, and overrides of
    the writing direction (words read backwards), as U+FFFD. One character for one: offsets hold."""
    return text.translate(_UNSHOWABLE)
