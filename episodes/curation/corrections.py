"""Corrections of people, links and symbols: by natural keys, so that they hold wherever and whenever the
catalog names these."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Self

from django.db.models import Max, QuerySet

from ..models import (
    CORRECTABLE_FIELDS,
    DISMISSAL_KIND,
    Change,
    CodeMention,
    CodeName,
    Credit,
    Decision,
    EpisodeLink,
    Link,
    Person,
    Podcast,
    path_of_merges,
)
from ..resolve import fold_link_key, write_corrected_link, write_corrected_people
from ..text.fingerprints import fingerprint, stable_hash
from .history import (
    AnyUser,
    InvalidChange,
    Recorder,
    check_choice_unchanged,
    check_unchanged,
    open_change_recorder,
)

NAMESAKE = "namesake"  # the field of a dismissal that keeps people of one name apart


@dataclass(frozen=True)
class CorrectionSubject:
    """A person, link or symbol by its kind and natural key, with its name."""

    kind: str
    key: str
    name: str

    @classmethod
    def from_row(cls, row: Person | Link | CodeName) -> Self:
        if isinstance(row, Person):
            return cls("person", row.identity, row.name)
        if isinstance(row, Link):
            # Notes write the name of a repository in large and small letters.
            return cls("link", fold_link_key(row.key), row.title or row.key)
        return cls("symbol", row.name, row.name)

    @property
    def history_key(self) -> str:
        return f"{self.kind}:{stable_hash(self.key, 32)}"

    @property
    def token(self) -> str:
        changes = Change.objects.filter(about=self.history_key)
        return fingerprint(self.history_key, changes.aggregate(last=Max("pk"))["last"])

    @property
    def corrections_of_kind(self) -> QuerySet[Decision]:
        return Decision.objects.in_force(f"correct-{self.kind}")

    def corrections(self) -> QuerySet[Decision]:
        return self.corrections_of_kind.filter(key=self.key)

    def keys_after_merges(self) -> list[str]:
        """Return the key, and the keys of the subjects that it was merged into."""
        merged = self.corrections_of_kind.filter(field="same").values_list("key", "value")
        return path_of_merges(self.key, dict(merged))

    def why_hidden_or_empty(self) -> str:
        """Return a sentence that says who hid the subject from all pages, or "".

        It may be hidden under the name that it was merged into.
        """
        # A correction without a show is about the pages of all shows.
        hidden_everywhere = self.corrections_of_kind.filter(field="hidden", podcast=None)
        of_subject = hidden_everywhere.filter(key__in=self.keys_after_merges())
        newest_decision = of_subject.select_related("made_by").last()
        if newest_decision is None:
            return ""
        name_when_hidden = newest_decision.detail or newest_decision.key
        maker = newest_decision.made_by or "a curator"
        return (
            f"“{name_when_hidden}” is hidden on every page, by {maker}. Undo that in History first."
        )

    def shows(self) -> QuerySet[Podcast]:
        """Return the shows with an episode that names the subject, or another one that it was merged into."""
        keys = self.keys_after_merges()
        uses = {
            "person": Credit.objects.filter(person__identity__in=keys),
            # The key has the name of a repository in small letters, and the row as the notes have it.
            "link": EpisodeLink.objects.filter(link__key__iexact=self.key),
            "symbol": CodeMention.objects.filter(name__name__in=keys),
        }
        return Podcast.objects.filter(pk__in=uses[self.kind].values("episode__podcast"))


def save_corrections(
    user: AnyUser,
    subject: CorrectionSubject,
    values_by_field: Mapping[str, str],
    *,
    verb: str = "correct",
    target_name: str = "",
    token: str = "",
    reason: str = "",
) -> None:
    """Correct fields of a person, link or symbol, for every page and later import.

    An empty value ends the correction of its field. If a value is the key of another row, `target_name`
    is the name of that row. The history shows it.

    Raises:
        EditConflict: somebody was faster.
    """
    with open_change_recorder(
        user,
        f"{verb} {subject.kind}",
        subject.name,
        subject.history_key,
        podcasts=_affected_shows_or_none_for_all(subject, values_by_field),
        is_of_all_shows=True,  # the history gives it to no show, whichever shows are resolved
        reason=reason,
        preview=_quick_preview_or_none(subject),
    ) as recorder:
        check_unchanged(subject.name, token, subject.token)
        for field, value in values_by_field.items():
            # Typed text is tidied. A key of another row is stored exactly.
            if not target_name:
                value = " ".join(value.replace("\0", "").split())
            before = _set_correction_and_return_earlier(recorder, subject, field, value, reason)
            label = CORRECTABLE_FIELDS[subject.kind].get(field, field)
            recorder.describe(label.lower(), before=before, after=target_name or value)


def _quick_preview_or_none(subject: CorrectionSubject) -> Callable[[Podcast], None] | None:
    # They write the rows of the subject alone. A preview would wait too long until all its shows are resolved.
    previews: dict[str, Callable[[Podcast], None]] = {
        "person": write_corrected_people,
        "link": partial(write_corrected_link, folded_key=subject.key),
    }
    return previews.get(subject.kind)


def _affected_shows_or_none_for_all(
    subject: CorrectionSubject, values_by_field: Mapping[str, str]
) -> set[Podcast] | None:
    shows = set(subject.shows())
    # The correction "same" merges the subject into another one, so the episodes of both change.
    if "same" in values_by_field:
        target = CorrectionSubject(subject.kind, values_by_field["same"], "")
        shows.update(target.shows())
    # No episode names a hidden subject, but episodes of any show may name it again.
    return shows or None


def _set_correction_and_return_earlier(
    recorder: Recorder, subject: CorrectionSubject, field: str, value: str, reason: str
) -> str:
    """Correct a field, or end its correction if the value is empty. Return the earlier correction, or ""."""
    # A correction without a show is of all shows, as the new one is.
    correction = subject.corrections().filter(field=field, podcast=None).first()
    before = correction.value if correction else ""
    if value == before:
        return before
    if correction:
        recorder.end_decision(correction)  # also if no new one follows
    if value:
        recorder.store_decision_and_end_earlier(
            f"correct-{subject.kind}",
            key=subject.key,
            detail=subject.name[:300],  # only for people who read the decision
            reason=reason,
            field=field,
            value=value,
        )
    return before


def hide_subject(
    user: AnyUser, subject: CorrectionSubject, *, token: str = "", reason: str = ""
) -> None:
    """Hide a link, or decide that a name is not a person or not a symbol.

    Raises:
        EditConflict: somebody was faster.
    """
    values = {"hidden": "yes"}
    save_corrections(user, subject, values, verb="hide", token=token, reason=reason)


def merge_subjects(
    user: AnyUser,
    subject: CorrectionSubject,
    into: CorrectionSubject,
    *,
    token: str = "",
    reason: str = "",
) -> None:
    """Decide that a person or a symbol is another one, which replaces it everywhere.

    `token` has the tokens of both, with a space between.

    Raises:
        InvalidChange: they are one already.
        EditConflict: somebody was faster.
    """
    subject_token, _, into_token = token.partition(" ")
    # `save_corrections` checks the subject, but not the target.
    check_choice_unchanged(into.name, into_token, into.token)
    # Two merges in a circle would leave no name to show.
    if subject.key in into.keys_after_merges():
        raise InvalidChange(f"{subject.name} and {into.name} are one already.")
    save_corrections(
        user,
        subject,
        {"same": into.key},
        verb="merge",
        target_name=into.name,
        token=subject_token,
        reason=reason,
    )


def keep_namesakes_apart(user: AnyUser, person: CorrectionSubject) -> None:
    """Decide that a person is not another person of the same name."""
    with open_change_recorder(
        user, "keep apart", person.name, person.history_key, podcasts=[]
    ) as recorder:
        recorder.store_decision_and_end_earlier(
            DISMISSAL_KIND,
            key=person.key,
            field=NAMESAKE,
            value="different",
            detail=person.name[:300],  # only for people who read the decision
        )
        recorder.describe("people of this name", "one or two?", "different people")
