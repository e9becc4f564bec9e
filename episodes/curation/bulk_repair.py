"""One repair of many rows: what it would change, what it leaves alone and why, and the change as one batch.

The plan of a repair only reads. It is computed for the preview, and again when the repair is made."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from ..models import Podcast
from ..text.fingerprints import fingerprint
from .history import AnyUser, Batch, EditConflict, open_change_batch

MAX_REPAIRED_ROWS = 2_000


class NothingToRepair(Exception):
    """A repair leaves a row as it is. The message is the reason."""


@dataclass(frozen=True)
class RowRepair:
    """The repair of a row: the texts before and after it, and the value to store."""

    row: Any
    before: str
    after: str
    value: Any = ""

    @property
    def key(self) -> str:
        """Return the identity of the row, which a rebuild of the catalog does not change."""
        return getattr(self.row, "slug", "") or str(self.row.key)


@dataclass
class RepairPlan:
    """The repairs of the rows that a repair changes, and all other rows by the reason why it does not."""

    repairs: list[RowRepair] = field(default_factory=list)
    untouched: dict[str, list[Any]] = field(default_factory=dict)

    @cached_property
    def token(self) -> str:
        """Return the token that tells a form whether the plan is still the one that it showed."""
        changes = [(repair.key, repair.before, repair.after) for repair in self.repairs]
        return fingerprint(changes)

    def leave(self, row: Any, reason: str) -> None:
        self.untouched.setdefault(reason, []).append(row)


class Repair:
    """A kind of repair, with the values that a curator chose for it."""

    def set_repair_attributes_from_rows(self, rows: QuerySet[Any]) -> None:
        """Set the attributes that `plan_row_repair_or_raise` reads, from all rows at once."""

    def plan_row_repair_or_raise(self, row: Any) -> RowRepair:
        """Return the repair of a row.

        Raises:
            NothingToRepair: the row stays as it is.
        """
        raise NotImplementedError

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        raise NotImplementedError

    def add_problems_without_row(self, plan: RepairPlan, rows: QuerySet[Any]) -> None:
        """Add to the plan of `rows` the problems that are about no single row."""

    def build_plan(self, rows: QuerySet[Any]) -> RepairPlan:
        self.set_repair_attributes_from_rows(rows)
        plan = RepairPlan()
        for row in rows:
            try:
                plan.repairs.append(self.plan_row_repair_or_raise(row))
            except NothingToRepair as reason:
                plan.leave(row, str(reason))
        self.add_problems_without_row(plan, rows)
        return plan


def repair_rows_and_return_batch(
    user: AnyUser,
    repair: Repair,
    rows: QuerySet[Any],
    podcasts: Iterable[Podcast],
    *,
    token: str,
    left_out_keys: Collection[str] = (),
    reason: str = "",
) -> Batch:
    """Repair rows as one batch, and return it. Rows with a key in `left_out_keys`, which the person unticked
    in the preview, stay as they are.

    The shows `podcasts` are locked meanwhile. `token` stands for the plan that the person saw.

    Raises:
        EditConflict: the plan is another one now, because somebody changed a row.
    """
    with open_change_batch(podcasts) as batch:
        plan = repair.build_plan(rows.all())  # read again, now that nobody else changes the shows
        if plan.token != token:
            raise EditConflict(
                "Somebody changed these rows since the preview. Nothing was saved. "
                "Below is the preview of the present state."
            )
        for row_repair in plan.repairs:
            if row_repair.key in left_out_keys:
                continue
            # A refused repair is noted in the batch, and the remaining repairs go on.
            with batch.attempt(str(row_repair.row)):
                repair.repair_row(user, row_repair, reason)
    return batch


@dataclass(kw_only=True)
class WordRepair(Repair):
    """A repair that puts the words `right` in the place of the whole words `wrong`."""

    wrong: str
    right: str

    def replace_words_or_raise(self, text: str) -> str:
        """Return a text with the right words in place of the wrong ones: of "Jon" in "Jon and Jones" only the
        first is replaced.

        Raises:
            NothingToRepair: the text does not have the wrong words, or only in another spelling.
        """
        wrong = re.escape(self.wrong)
        # No letter or digit may come right before or after the words. An end of the words that is no letter
        # or digit, as of "C++", needs no such condition.
        start = r"(?<!\w)" if re.match(r"\w", self.wrong) else ""
        end = r"(?!\w)" if re.search(r"\w\Z", self.wrong) else ""
        texts_between = re.split(start + wrong + end, text)
        if len(texts_between) > 1:
            return self._join_by_right_words_and_tidy_spaces(texts_between)
        # Tell the person why: "jon", or "Jones", may be there.
        similar = re.search(wrong, text, re.IGNORECASE)
        if similar is None:
            raise NothingToRepair(f"“{self.wrong}” is not in it")
        if similar[0] != self.wrong:
            raise NothingToRepair(f"the words are spelled “{similar[0]}” there")
        raise NothingToRepair(f"“{self.wrong}” is only a part of a longer word there")

    def _join_by_right_words_and_tidy_spaces(self, pieces: Sequence[str]) -> str:
        text = self.right.join(pieces)
        if self.right:
            return text
        # Without the words, two spaces would stay where they were.
        while "  " in text:
            text = text.replace("  ", " ")
        return text.strip()
