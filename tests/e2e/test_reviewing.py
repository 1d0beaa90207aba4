"""Reviewers at real browsers: by keyboard alone, late, in bulk, and without a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, expect

from service.review.labels import AnswerCall, FindingCall, Label
from tests.e2e.reviewing import Reviewer
from tests.e2e.screens import german
from tests.e2e.screens import world as screens
from tests.e2e.serving import serving
from tests.unit.web.desk import LEASE_MS
from tests.unit.web.world import NOW_MS, World

Arrive = Callable[..., Reviewer]


class Clock:
    now = NOW_MS / 1000 + 60

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock) -> World:
    return screens(20, now=clock)


@pytest.fixture
def arrive(chrome: Browser, world: World) -> Iterator[Arrive]:
    """A reviewer who sits down; every browser is closed at the end."""
    people: list[Reviewer] = []
    with serving(world.app) as address:

        def sit_down(name: str = "ann", **options: object) -> Reviewer:
            people.append(Reviewer(chrome, address, name, **options))
            return people[-1]

        yield sit_down
        for person in people:
            person.leave()


def labels(world: World, subject: str) -> list[Label | None]:
    return [change.label for change in world.desk.history(subject)]


def test_twenty_cases_by_keyboard_alone(arrive: Arrive, world: World) -> None:
    ann = arrive()
    ann.open("/review/next")
    for number in range(1, 21):
        ann.page.wait_for_url(f"**/cases/c{number}*")
        ann.press("j", "f", "j", "r", "x", "1234"[number % 4])
    ann.page.wait_for_url("**/cases/rtl*")
    answers = [AnswerCall.PARTLY, AnswerCall.WRONG, AnswerCall.CANT_TELL, AnswerCall.CORRECT]
    for number in range(1, 21):
        (label,) = labels(world, f"case:c{number}")
        assert label is not None
        assert label.answer is answers[(number - 1) % 4]
        calls = [said.call for said in label.findings]
        assert calls == [FindingCall.FALSE_ALARM, FindingCall.REAL]
    assert world.desk.holders([f"case:c{n}" for n in range(1, 21)]) == {}


def test_every_key_does_what_the_list_of_keys_says(arrive: Arrive, world: World) -> None:
    ann = arrive()
    page = ann.open("/cases/c1")
    ann.press("?")
    told = page.locator("#keys").inner_text()
    for key in "j k o x g r f 1 2 3 4 s u m ?".split():
        assert key in told.split()
    ann.press("1")  # behind the dialog nothing is settled
    ann.press("Escape")
    assert labels(world, "case:c1") == []

    ann.press("j")
    expect(page.locator("#finding-1")).to_be_focused()
    assert page.locator(".answer .prose .lit").all_inner_texts() == ["54 €"]
    assert page.locator(".sources .lit").all_inner_texts() == ["45 €"]
    ann.press("j", "k", "x")  # the chunk that finding 1 leads to
    assert page.locator(".chunk input:checked").count() == 1
    ann.press("j", "j", "j", "o")
    expect(page.locator("details.chunk").nth(1)).to_have_attribute("open", "")
    ann.press("m")
    expect(page.locator(".raw .text")).to_contain_text("| Pro | ")
    expect(page.locator(".prose")).to_be_hidden()
    ann.press("m")
    expect(page.locator(".prose")).to_be_visible()

    ann.press("s")
    page.wait_for_url("**/cases/c2*")
    assert labels(world, "case:c1") == [Label(skipped=True)]
    ann.press("u")
    page.wait_for_url("**/cases/c1")
    assert labels(world, "case:c1")[-1] is None
    ann.press("g")
    page.wait_for_url("**/groups/g1")


def test_letters_typed_into_a_note_press_no_key(arrive: Arrive, world: World) -> None:
    ann = arrive()
    page = ann.open("/cases/c1")
    page.locator(".more summary").click()
    page.locator("textarea[name=note]").click()
    page.keyboard.type("1 2 3 4 s u j g ? it is")
    assert ann.path == "/cases/c1"
    page.locator("h1").click()
    ann.press("3")
    page.wait_for_url("**/cases/c2*")
    (label,) = labels(world, "case:c1")
    assert label is not None
    assert label.note == "1 2 3 4 s u j g ? it is"


def test_enter_in_a_field_settles_nothing(arrive: Arrive, world: World) -> None:
    ann = arrive()
    page = ann.open("/cases/c1")
    page.locator("#finding-1 [data-call=r]").focus()
    with page.expect_response("**/cases/c1/label*"):
        ann.press("Enter")
    assert [label for label in labels(world, "case:c1") if label and label.answer] == []


def test_what_somebody_holds_says_who(arrive: Arrive) -> None:
    ann, bob = arrive("ann"), arrive("bob")
    ann.open("/cases/c1")
    page = bob.open("/cases/c1")
    expect(page.locator(".bar")).to_contain_text("ann holds this until")
    bob.press("3")
    assert bob.path == "/cases/c1"
    page.get_by_role("link", name="next case").click()
    page.wait_for_url("**/cases/c2")


def test_an_expired_lease_is_told_and_a_late_label_overwrites_nothing(
    arrive: Arrive, world: World, clock: Clock
) -> None:
    ann, bob = arrive("ann"), arrive("bob")
    ann.open("/cases/c1")
    clock.now += LEASE_MS / 1000 + 1
    bob.open("/cases/c1")
    bob.press("3")
    bob.page.wait_for_url("**/cases/c2*")
    ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ann.page.locator(".held-lost")).to_be_visible()
    ann.press("1")
    expect(ann.page.locator("h1")).to_have_text("Nothing was saved")
    expect(ann.page.locator("main")).to_contain_text("bob was here since")
    expect(ann.page.locator("main")).to_contain_text("It stands: wrong.")
    assert labels(world, "case:c1") == [Label(answer=AnswerCall.WRONG)]


def test_an_open_page_keeps_its_lease(arrive: Arrive, world: World, clock: Clock) -> None:
    ann = arrive()
    ann.open("/cases/c1")
    before = world.desk.leases["case:c1"].until_ms
    clock.now += 300
    with ann.page.expect_response("**/review/renew"):
        ann.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert world.desk.leases["case:c1"].until_ms == before + 300_000


def test_a_group_is_labelled_in_bulk(arrive: Arrive, world: World) -> None:
    ann = arrive()
    page = ann.open("/groups/g1")
    page.get_by_label("wrong", exact=True).check()
    world.desk.claim("case:c13", "bob", NOW_MS)
    page.get_by_role("button", name="Label 22 cases").click()
    expect(page.locator(".told")).to_have_text("21 cases labelled.")
    assert labels(world, "case:c12") == [Label(answer=AnswerCall.WRONG)]
    assert labels(world, "case:c13") == []


def test_the_queue_by_keyboard_alone(arrive: Arrive, world: World) -> None:
    """A group is one row; `x` selects, a number labels what is selected, `g` opens the group."""
    ann = arrive()
    page = ann.open("/queue")
    assert page.locator(".rows > li").count() == 1  # all are of one cause
    ann.press("3")  # nothing is selected: nothing is labelled
    assert ann.path == "/queue"
    expect(page.locator(".selected")).to_be_hidden()
    ann.press("j", "x")
    expect(page.locator("[data-picked]")).to_have_text("1")
    ann.press("3")
    page.wait_for_url("**/queue?done=22*")
    expect(page.locator(".told")).to_contain_text("Cases labelled: 22.")
    assert labels(world, "case:c1") == [Label(answer=AnswerCall.WRONG)]
    ann.press("j", "g")
    page.wait_for_url("**/groups/g1")


def test_the_saved_filters_count_on_while_the_rows_stand_still(
    arrive: Arrive, world: World
) -> None:
    ann = arrive()
    page = ann.open("/queue")
    rows = page.locator(".rows").inner_text()
    world.cases.cases.append(german("late"))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("[data-count=all]")).to_have_text("23")
    assert page.locator(".rows").inner_text() == rows


def test_the_next_case_comes_with_the_save_and_no_file_is_asked_for_twice(arrive: Arrive) -> None:
    ann = arrive()
    ann.open("/review/next")
    ann.asked.clear()
    ann.press("3")
    ann.page.wait_for_url("**/cases/c2*")
    paths = [url.removeprefix(ann.address).partition("?")[0] for url in ann.asked]
    assert [path for path in paths if "/static/" not in path] == ["/cases/c1/label", "/cases/c2"]
    fetched = ann.page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.transferSize > 0).length"
    )
    assert fetched == 0


def test_at_200_percent_zoom_the_label_bar_leaves_room_to_read(arrive: Arrive) -> None:
    ann = arrive(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = ann.open("/cases/c1")
    assert page.evaluate("document.documentElement.scrollWidth") == 640
    page.locator("#answer").scroll_into_view_if_needed()
    box = page.locator(".bar").bounding_box()
    assert box is not None
    assert box["y"] >= 400


def test_all_of_it_works_without_a_script(arrive: Arrive, world: World) -> None:
    ann = arrive(java_script_enabled=False)
    page = ann.open("/cases/c1")
    page.locator("#finding-1 input[value=false_alarm]").check()
    page.locator(".chunk input[type=checkbox]").first.check()
    page.get_by_role("button", name="wrong").click()
    page.wait_for_url("**/cases/c2*")
    (label,) = labels(world, "case:c1")
    assert label is not None
    assert (label.answer, label.needed) == (AnswerCall.WRONG, ("pricing#plans",))
    page.get_by_role("button", name="undo").click()
    page.wait_for_url("**/cases/c1")
    page.locator(".raw summary").click()
    expect(page.locator(".raw .text")).to_contain_text("**Pro-Tarif**")


def test_a_task_by_keyboard(arrive: Arrive, world: World) -> None:
    ann = arrive()
    page = ann.open("/review/next-task")
    ann.press("j", "x", "1")
    for question, word in (("grounded", "yes"), ("helpful", "complete")):
        page.locator(f"input[name={question}][value={word}]").focus()
        ann.press("Space")
    page.get_by_role("button", name="Save").focus()
    ann.press("Enter")
    expect(page.locator(".told")).to_contain_text("Your label: correct")
    (label,) = labels(world, "task:t1")
    assert label is not None
    assert label.needed == ("pricing#plans",)


@pytest.mark.parametrize("width", [390, 1280, 1440])
@pytest.mark.parametrize(
    "path", ["/cases/c1", "/cases/long", "/cases/rtl", "/tasks/t1", "/groups/g1"]
)
def test_no_page_is_wider_than_its_window(arrive: Arrive, path: str, width: int) -> None:
    ann = arrive(viewport={"width": width, "height": 844})
    page = ann.open(path)
    for more in page.locator("details:not([open]) > summary").all():
        if more.is_visible():
            more.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if path.startswith("/cases"):
        box = page.locator(".bar").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] == pytest.approx(844, abs=1)


def test_finding_and_evidence_are_both_in_sight_far_down_a_long_answer(arrive: Arrive) -> None:
    ann = arrive(viewport={"width": 1440, "height": 900})
    page = ann.open("/cases/long")
    ann.press("j")
    for side in (".answer .prose .lit", ".sources .lit", "#finding-1"):
        expect(page.locator(side).first).to_be_in_viewport(ratio=1)
    bar = page.locator(".bar").bounding_box()
    mark = page.locator(".answer .prose .lit").bounding_box()
    assert bar is not None
    assert mark is not None
    assert mark["y"] + mark["height"] <= bar["y"]
