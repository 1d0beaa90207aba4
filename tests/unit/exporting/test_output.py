"""A file that an export goes on with: no line twice, none by halves, whatever broke off."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from service.exporting.cursor import START, Cursor
from service.exporting.output import KEPT_EVERY, Kept, Printed
from service.exporting.part import Part


def part(number: int, *lines: str) -> Part:
    return Part(list(lines), Cursor((number, f"case:c{number}#1")), number, 9)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.jsonl"


def keep(path: Path, *parts: Part, export: str = "labels", head: str = "") -> Cursor:
    """The cursor that the run began at."""
    with Kept(path, export, START) as file:
        begin = file.cursor
        if head:
            file.write_head(head)
        for one in parts:
            file.write(one)
    return begin


def test_it_goes_on_where_it_stopped(path: Path) -> None:
    assert keep(path, part(1, "a", "b")) == START
    assert keep(path, part(2, "c")) == part(1).cursor
    assert keep(path) == part(2).cursor
    assert path.read_text() == "a\nb\nc\n"


def test_the_head_is_written_once(path: Path) -> None:
    keep(path, part(1, "a"), head="column")
    keep(path, part(2, "b"), head="column")
    assert path.read_text() == "column\na\nb\n"


def test_what_a_killed_run_wrote_is_cut_off_and_written_again(path: Path) -> None:
    keep(path, part(1, "a"))
    killed = Kept(path, "labels", START)
    killed.write(part(2, "b"))
    killed._file.flush()
    with path.open("a") as file:
        file.write('{"torn')
    assert keep(path, part(2, "b")) == part(1).cursor
    assert path.read_text() == "a\nb\n"
    killed._file.close()


def test_a_run_killed_before_its_first_line_is_no_obstacle(path: Path) -> None:
    killed = Kept(path, "labels", START)
    killed.write_head("column")
    killed._file.close()
    keep(path, part(1, "a"), head="column")
    assert path.read_text() == "column\na\n"


def test_what_was_written_before_an_error_stays(path: Path) -> None:
    def break_off() -> None:
        with Kept(path, "labels", START) as file:
            file.write(part(1, "a"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert keep(path, part(2, "b")) == part(1).cursor
    assert path.read_text() == "a\nb\n"


def test_it_is_kept_now_and_then(path: Path) -> None:
    file = Kept(path, "labels", START)
    for number in range(KEPT_EVERY + 5):
        file.write(part(number + 1, "x"))
    file._file.flush()
    assert keep(path) == part(KEPT_EVERY).cursor
    assert path.read_text() == "x\n" * KEPT_EVERY
    file._file.close()


def test_parts_without_a_cursor_move_nothing(path: Path) -> None:
    keep(path, Part([], None, 1, 2))
    assert keep(path) == START


def test_a_new_file_may_begin_later_and_an_old_one_goes_on(path: Path) -> None:
    after = part(3).cursor
    assert after is not None
    with Kept(path, "labels", after) as file:
        assert file.cursor == after
    with pytest.raises(ValueError, match="leave --after out"):
        Kept(path, "labels", after)


def test_other_files_are_left_alone(path: Path) -> None:
    path.write_text("precious\n")
    with pytest.raises(ValueError, match="name another file"):
        Kept(path, "labels", START)
    assert path.read_text() == "precious\n"


def test_another_export_is_refused(path: Path) -> None:
    keep(path, part(1, "a"))
    with pytest.raises(ValueError, match="holds labels, not cases"):
        Kept(path, "cases", START)


def test_a_file_that_was_cut_is_refused(path: Path) -> None:
    keep(path, part(1, "abc"))
    path.write_text("a")
    with pytest.raises(ValueError, match="was cut"):
        Kept(path, "labels", START)


@pytest.mark.parametrize("state", ["", "[]", '{"export": "labels"}', '{"export": 1, "bytes": 0}'])
def test_a_state_that_cannot_be_read_is_refused(path: Path, state: str) -> None:
    keep(path, part(1, "a"))
    path.with_name("labels.jsonl.cursor").write_text(state)
    with pytest.raises(ValueError, match="cannot be read"):
        Kept(path, "labels", START)


def test_only_the_owner_may_read_what_people_wrote(path: Path) -> None:
    keep(path, part(1, "a"))
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_printed_lines_and_their_cursor() -> None:
    said: list[str] = []
    out = Printed(said.append, START)
    out.write_head("column")
    out.write(part(1, "a", "b"))
    out.write(Part([], None, 1, 2))
    assert said == ["column", "a", "b"]
    assert out.cursor == part(1).cursor
    resumed = Printed(said.append, out.cursor)
    resumed.write_head("column")
    assert said[3:] == []
