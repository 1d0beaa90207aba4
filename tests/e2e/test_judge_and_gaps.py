"""How good the judge is and which questions went unserved, at a real browser: figures with their
intervals, ways to the answers, empty pages, hostile and long texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from service.judging.judgement import Judgement
from service.policy import AppPolicy, Policy, SamplingPolicy
from service.review.labels import Grounded
from tests.contract.judged import ALWAYS, GOOD, WRONG
from tests.contract.reviewing import ANN, AUDIT, task
from tests.contract.world import NOW, event
from tests.e2e.reviewing import Reviewer
from tests.e2e.serving import Stranger, serving
from tests.e2e.test_accessible import SERIOUS
from tests.unit.web.test_judge_page import Judged

NO_ANSWER = "I could not find anything about that in the documents."
MISSED, ALARM = "Does a seat cost less in May?", "Is <b>support</b> included?"
PATHS = ("/judge", "/gaps")
LONG = "w" * 240
APP = "v" * 128
"""As long as the name of an app may be."""
OPEN = "for (const part of document.querySelectorAll('details')) part.open = true"
INTERVAL = re.compile(r"\d+\.\d % \d+\.\d % to \d+\.\d %")

Visit = Callable[..., Reviewer]


class Watched(Judged):
    """All answers are judged, and those of further ``apps``. It is a minute later."""

    def __init__(self, *apps: str) -> None:
        super().__init__()
        app = AppPolicy(sampling=SamplingPolicy(audit=1.0, **ALWAYS))
        named = dict.fromkeys(("support", "sales", *apps), app)
        self.store.terms = replace(self.store.terms, policy=Policy(apps=named))
        self.now_s += 60

    def audited(self, said: Judgement, people: Grounded, *names: str, **more: Any) -> None:
        """Answers on which the judge says this and people that."""
        self.judge(said, *names, **more)
        for name in names:
            lease = self.desk.claim(task(name, more.get("app", "support")), ANN, NOW)
            self.desk.save(lease, replace(AUDIT, grounded=people), 0, NOW + 1)

    def unserved(self, name: str, query: str, **more: Any) -> None:
        self.store.take([event(name, query=query, answer=NO_ANSWER, **more)])


def filled() -> Watched:
    """Of 12 answers the judge misses one bad one and calls one good one bad; of 4 unserved
    questions three are alike."""
    world = Watched()
    world.audited(WRONG, Grounded.NO, *(f"bad-{n}" for n in range(4)))
    world.audited(GOOD, Grounded.YES, *(f"fine-{n}" for n in range(6)), app="sales")
    world.audited(GOOD, Grounded.NO, "missed", app="sales", query=MISSED)
    world.audited(WRONG, Grounded.YES, "alarm", query=ALARM)
    world.unserved("g1", "Can I pay by invoice?")
    world.unserved("g2", "can I pay by invoice", retrieved=[])
    world.unserved("g3", "Can I pay by invoice?")
    world.unserved("g4", "Where is your office?", app="sales")
    return world


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    world = filled()
    with serving(world.app) as address:
        yield address
    world.close()


@pytest.fixture(scope="module")
def long_site() -> Iterator[str]:
    """Names and questions without a place to break, and an earlier version of the judge."""
    world = Watched(APP)
    earlier = replace(GOOD, version=f"{LONG}/rubric/parameters")
    world.audited(earlier, Grounded.YES, "before", query=LONG)
    newer = replace(GOOD, version=f"{LONG}/other-rubric/parameters")
    world.audited(newer, Grounded.NO, "missed", query=LONG)
    world.judge(newer, "of-an-app", app=APP, query=LONG)
    world.unserved("g1", LONG, app=APP)
    world.unserved("g2", LONG.upper(), app=APP)
    world.unserved("g3", "short?")
    with serving(world.app) as address:
        yield address
    world.close()


@pytest.fixture
def visit(chrome: Browser) -> Iterator[Visit]:
    """Somebody who comes to look. At the end no page wrote of an error and none asked a
    stranger."""
    people: list[Reviewer] = []
    errors: list[str] = []

    def arrive(address: str, **options: Any) -> Reviewer:
        person = Reviewer(chrome, address, **options)
        person.page.on("console", lambda said: errors.append(f"{said.type}: {said.text}"))
        person.page.on("pageerror", lambda error: errors.append(str(error)))
        people.append(person)
        return person

    yield arrive
    strangers = [url for person in people for url in person.strangers()]
    for person in people:
        person.leave()
    assert (errors, strangers) == ([], [])


def text_of(place: Page | Locator) -> str:
    """Of the page's main part, or of one in it; every run of white space a single space."""
    place = place.locator("main") if isinstance(place, Page) else place
    return " ".join(place.inner_text().split())


def rows(page: Page, table: str) -> list[str]:
    told = page.locator(f"{table} tbody tr").all_inner_texts()
    return [" ".join(row.split()) for row in told]


def test_the_judge_stands_against_people_with_intervals(visit: Visit, site: str) -> None:
    page = visit(site).open("/judge")
    assert page.get_by_role("heading", level=1).inner_text() == "The judge, checked"
    table = rows(page, "table.classes")
    assert table[1:] == ["Judge: a bad claim 4 1", "Judge: fine 1 6"]
    told = text_of(page)
    for name, value in (("Sensitivity", "80.0 %"), ("Specificity", "85.7 %"), ("Agreed", "83.3 %")):
        assert re.search(rf"{name}: {value} \d+\.\d % to \d+\.\d %", told), name
    assert re.search(r"Cohen's kappa: 0\.66 0\.\d\d to 1\.00", told)
    assert "12 labels for this version" in told
    rates = rows(page, "table.judged")
    assert rates[0].startswith("Answers with a bad claim, corrected")
    assert rates[0].endswith("12 labels")
    assert len(rates) == 7
    for rate in rates:
        assert INTERVAL.search(rate), rate


def test_the_errors_of_the_judge_lead_to_their_answers(visit: Visit, site: str) -> None:
    ann = visit(site)
    page = ann.open("/judge")
    for heading, query in (("Missed (1)", MISSED), ("False alarms (1)", ALARM)):
        errors = page.get_by_role("region", name=heading).get_by_role("listitem")
        assert errors.get_by_role("link").all_inner_texts() == [query]
        errors.get_by_role("link").click()
        page.wait_for_url(re.compile("/tasks/[0-9a-f]+$"))
        assert query in text_of(page)
        page.go_back()
        assert ann.path == "/judge"


def test_one_app_is_chosen_and_left_again(visit: Visit, site: str) -> None:
    page = visit(site).open("/judge")
    page.get_by_role("link", name="sales", exact=True).click()
    page.wait_for_url(f"{site}/judge?app=sales")
    assert rows(page, "table.classes")[1:] == ["Judge: a bad claim 0 0", "Judge: fine 1 6"]
    page.locator("a.chip.on").click()
    page.wait_for_url(f"{site}/judge")


def test_gaps_are_counted_and_alike_ones_stand_together(visit: Visit, site: str) -> None:
    page = visit(site).open("/gaps")
    assert page.get_by_role("heading", level=1).inner_text() == "Knowledge gaps"
    assert "4 questions" in text_of(page)
    first, second = page.locator("table.gaps tbody tr").all()
    # Asked, nothing retrieved, no answer, retrieved but unused, thumbs down.
    assert first.locator("td.figure").all_inner_texts() == ["3", "1", "3", "0", "0"]
    assert second.locator("td.figure").all_inner_texts() == ["1", "0", "1", "0", "0"]
    assert text_of(first.locator("th")).startswith("Can I pay by invoice? support")
    assert text_of(second.locator("th")) == "Where is your office? sales"

    other = first.get_by_text("can I pay by invoice", exact=True)
    expect(other).to_be_hidden()
    first.get_by_text("other wordings").click()
    expect(other).to_be_visible()


def test_gaps_of_one_app_and_of_a_week(visit: Visit, site: str) -> None:
    page = visit(site).open("/gaps")
    page.get_by_label("App").select_option("sales")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(f"{site}/gaps?days=30&app=sales")
    assert "1 question " in text_of(page)
    assert "invoice" not in text_of(page)
    page.get_by_role("link", name="7 days").click()
    page.wait_for_url(f"{site}/gaps?days=7&app=sales")
    assert page.get_by_role("link", name="7 days").get_attribute("aria-current") == "true"
    assert len(rows(page, "table.gaps")) == 1


def test_the_overview_leads_to_both(visit: Visit, site: str) -> None:
    page = visit(site).open("/")
    for link, path in (("How good is the judge?", "/judge"), ("Knowledge gaps", "/gaps")):
        page.get_by_role("link", name=link).click()
        page.wait_for_url(f"{site}{path}")
        page.get_by_role("link", name="groundwatch", exact=True).click()
        page.wait_for_url(f"{site}/overview")


def test_without_anything_both_say_what_is_missing(visit: Visit) -> None:
    world = Watched()
    with serving(world.app) as address:
        ann = visit(address, viewport={"width": 390, "height": 900})
        told = text_of(ann.open("/judge"))
        assert "No judge has ruled yet" in told
        assert "Set GROUNDWATCH_JUDGE_BASE_URL and GROUNDWATCH_JUDGE_MODEL" in told
        assert ann.page.locator("main table").count() == 0
        told = text_of(ann.open("/gaps"))
        assert "No unserved question" in told
        assert "None was kept in this period: nothing was asked, " in told
        assert "or GROUNDWATCH_MAX_QUESTIONS is 0" in told
        assert ann.page.locator("main table").count() == 0
    world.close()


def test_without_labels_the_judge_is_uncalibrated_and_the_tasks_are_near(visit: Visit) -> None:
    world = Watched()
    world.judge(WRONG, "a")
    with serving(world.app) as address:
        page = visit(address).open("/judge")
        warning = page.get_by_role("status")
        assert "Nobody has labelled an audit that this judge version ruled on" in text_of(warning)
        assert rows(page, "table.judged")[0].endswith("uncalibrated 0 labels")
        warning.get_by_role("link").click()
        page.wait_for_url(f"{address}/tasks")
        assert page.locator("main a[href^='/tasks/']").count() == 1
    world.close()


def test_hostile_questions_stand_there_as_text(visit: Visit, elsewhere: Stranger) -> None:
    owned = "document.title='owned'"
    text = (
        f"<script>{owned}</script><img src='{elsewhere.address}/image' onerror=\"{owned}\"> "
        f"<b onclick={owned}>who</b> {{{{ 7*7 }}}} &lt;pays&gt;?"
    )
    app = f"<script>{owned}</script><img src=x onerror={owned}>"
    world = Watched(app)
    world.audited(GOOD, Grounded.NO, "missed", query=text)
    world.audited(WRONG, Grounded.YES, "alarm", query=text)
    world.judge(GOOD, "of-that-app", app=app)
    world.unserved("g1", text, app=app)
    world.unserved("g2", text.upper(), app=app)
    with serving(world.app) as address:
        ann = visit(address)
        for path, title, times in (
            ("/judge", "The judge, checked", 2),
            ("/gaps", "Knowledge gaps", 1),
        ):
            page = ann.open(path)
            page.evaluate(OPEN)
            page.wait_for_load_state("networkidle")
            assert page.title() == f"{title} · groundwatch"
            questions = page.locator("main span[dir=auto]")
            assert questions.all_inner_texts() == [text] * times
            assert app in page.locator("main bdi").all_inner_texts()
            for tag in ("script", "img", "main b", "iframe", "style"):
                assert page.locator(tag).count() == 0, tag
    world.close()
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("width", "scheme", "language"), [(390, "light", "de"), (1440, "dark", "en")]
)
def test_all_can_read_both(visit: Visit, site: str, width: int, scheme: str, language: str) -> None:
    # The page's policy lets no foreign script in, the checker's neither.
    ann = visit(
        site, viewport={"width": width, "height": 900}, color_scheme=scheme, locale=language,
        bypass_csp=True,
    )  # fmt: skip
    found = []
    for path in PATHS:
        page = ann.open(path)
        page.evaluate(OPEN)
        for violation in Axe().run(page).response["violations"]:
            if violation["impact"] in SERIOUS:
                where = [node["target"] for node in violation["nodes"]]
                found.append((path, violation["id"], where[:3]))
    assert found == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_on_a_phone_nothing_is_wider_than_its_window(
    visit: Visit, site: str, long_site: str, language: str
) -> None:
    for address in (site, long_site):
        ann = visit(address, viewport={"width": 390, "height": 900}, locale=language)
        for path in PATHS:
            page = ann.open(path)
            told = page.locator("main bdi").all_inner_texts()
            assert (APP in told) == (address == long_site)
            page.evaluate(OPEN)
            assert page.evaluate("document.documentElement.scrollWidth") == 390, (address, path)


def test_a_long_question_or_name_pushes_no_figure_out_of_sight(
    visit: Visit, long_site: str
) -> None:
    ann = visit(long_site, viewport={"width": 1440, "height": 900})
    for path in PATHS:
        tables = ann.open(path).locator("main .wide")
        assert tables.count() == 1
        assert tables.evaluate("table => table.scrollWidth - table.clientWidth") == 0, path
