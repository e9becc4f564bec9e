"""Review of proposed topics: those of a show in one list, the current one with the episodes that it
would join."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Count

from ..curation import Impossible, accept_topic, join_topic, namesake, refuse_topic
from ..models import Episode, EpisodeTopic, Podcast, Topic, TopicProposal
from .action import Unavailable
from .base import ShowFilter, number_in, said_in
from .corrections import Words, touched
from .review import QueueView, ReviewedAdmin, UndoLastView, review_at
from .topics import uses_in_words

VERBS = ("accept topic", "join topic", "refuse topic")
DECIDED = "This topic has already been decided, by you or somebody else, or is no longer proposed."
AROUND = 90  # characters shown on either side of a term


@dataclass(frozen=True)
class Evidence:
    """The words in an episode that would give it the topic, and those around them."""

    episode: Episode
    field: str
    before: str
    words: str
    after: str


def evidence(proposal: TopicProposal) -> Iterator[Evidence]:
    slugs = [slug for slug, *_ in proposal.uses]
    episodes = {
        one.slug: one for one in Episode.objects.filter(podcast=proposal.podcast, slug__in=slugs)
    }
    for slug, field, position, words in proposal.uses:
        if slug in episodes:
            episode = episodes[slug]
            text = {"title": episode.title, "notes": episode.description_text}.get(field, "")
            end = position + len(words)
            before = text[max(0, position - AROUND) : position]
            after = text[end : end + AROUND]
            before = before.partition(" ")[2] if position > AROUND else before
            after = after.rpartition(" ")[0] if end + AROUND < len(text) else after
            yield Evidence(episode, field, before, words, after)


class NameForm(forms.Form):
    name = forms.CharField(max_length=100, required=False)


class UndoTopicView(UndoLastView):
    """Undoes a decision of the review, and shows the list of its show again."""

    verbs = VERBS
    decided = "This decision has already been undone."
    start = "admin:episodes_topicproposal_review"

    def get_success_url(self) -> str:
        podcast = self.change.podcast
        return (
            review_at("topicproposal", show=podcast.slug) if podcast else review_at("topicproposal")
        )


class TopicProposalView(QueueView):
    """Lists the proposed topics of a show and decides about one; the next one follows."""

    form_class = NameForm
    template_name = "admin/curation/topic_proposals.html"
    title = "Proposed topics"
    list_name = "All proposed topics"
    undo_view = UndoTopicView

    def prepare(self) -> None:
        self.button, self.after = said_in(self.request, "act"), number_in(self.request, "after")
        rows = TopicProposal.objects.select_related("podcast").order_by(
            "podcast__rank", "podcast__slug", "place"
        )
        chosen = rows.filter(pk=number_in(self.request, "proposal")).first()
        if chosen is None and self.request.method == "POST":
            raise Unavailable(review_at("topicproposal"), DECIDED)
        of_show = rows.filter(podcast__slug=said_in(self.request, "show"))
        self.proposal = (
            chosen
            or of_show.filter(place__gt=self.after).first()
            or of_show.first()
            or rows.first()
        )

    @property
    def row(self) -> TopicProposal:
        assert self.proposal is not None, "a post has one"
        return self.proposal

    @property
    def name(self) -> str:
        return self.form.cleaned_data["name"] if self.form.is_valid() else ""

    @property
    def into(self) -> Topic | None:
        """The topic that has the name already."""
        return namesake(self.row, self.name)

    def asks(self) -> bool:
        """Joining a topic that is there is shown before it is done."""
        return super().asks() or (self.button == "accept" and self.into is not None)

    def act(self) -> None:
        acts = {
            "accept": self.accept,
            "join": self.accept,
            "refuse": self.refuse,
            "later": self.postpone,
        }
        if self.button not in acts and not self.asks():
            raise Impossible("Choose one of the buttons.")
        acts.get(self.button, self.accept)()

    def accept(self) -> None:
        into = self.into
        if into:
            join_topic(self.request.user, self.row, into, reason=self.reason)
        else:
            into = accept_topic(self.request.user, self.row, self.name, reason=self.reason)
        self.topic, self.count = into, EpisodeTopic.objects.filter(topic=into).count()
        self.done = "“{view.topic}” is a topic; episodes that have it: {view.count}."

    def refuse(self) -> None:
        refuse_topic(self.request.user, self.row, reason=self.reason)
        self.done = "“{view.row}” will not be proposed again."

    def postpone(self) -> None:
        """Leave it for later."""

    def look(self) -> Words:
        return uses_in_words(self.into) if self.into else {}

    def compare(self, before: Words, after: Words) -> dict[str, Any]:
        return {"touched": touched(before, after)}

    def get_success_url(self) -> str:
        place = self.row.place
        return review_at(
            "topicproposal",
            show=self.row.podcast.slug,
            after=place if self.button == "later" else place - 1,
        )

    def context(self) -> dict[str, Any]:
        context = super().context() | {
            "proposal": self.proposal,
            "total": TopicProposal.objects.count(),
        }
        if self.proposal is not None:
            counted = Podcast.objects.annotate(proposals=Count("proposed_topics")).filter(
                proposals__gt=0
            )
            context |= {
                "shows": counted,
                "proposals": TopicProposal.objects.filter(podcast=self.proposal.podcast).order_by(
                    "place"
                ),
                "evidence": list(evidence(self.proposal)),
                "into": self.into if self.request.method == "POST" else None,
                "name": self.name or self.proposal.name,
            }
        return context


@admin.register(TopicProposal)
class TopicProposalAdmin(ReviewedAdmin):
    place: ClassVar = {"proposal": "pk"}
    screens = (("review", "review/", TopicProposalView),)
    list_display = ("name", "podcast", "count", "source")
    list_filter = (("podcast", ShowFilter), "source")
    list_select_related = ("podcast",)
    search_fields = ("name",)
    ordering = ("podcast__rank", "place")
    tools = (("review", "Review proposals by show"),)
