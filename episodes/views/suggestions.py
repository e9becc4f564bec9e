"""Suggestions by readers, who need no account: the form, the page of each, and the page of accepted ones."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_list_or_404, get_object_or_404
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.text import Truncator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from podcast_catalog.throttling import client_network

from ..fields import FIELDS_BY_NAME, InvalidFieldValue
from ..models import (
    ENTRY_LOOKUP,
    SUGGESTABLE_FIELDS,
    TOPIC_FIELDS,
    TRANSCRIPTS_SLUG,
    Attachment,
    Episode,
    Link,
    Person,
    Podcast,
    Suggestion,
    Topic,
    topic_slugs_by_casefolded_name,
)
from ..site import load_shows_and_sections
from ..text.formatting import format_count
from ..text.normalize import DIRECTION_MARKS, DIRECTION_OVERRIDES, is_visible
from .rendering import load_page, render_list, render_page


@never_cache
@csrf_exempt  # nothing here depends on who is logged in
@require_http_methods(["GET", "HEAD", "POST"])
def suggest_correction(request: HttpRequest) -> HttpResponse:
    if not settings.SUGGESTIONS:
        raise Http404("Suggestions are off.")
    # The address names the subject, and may fill in the form: `?episode=vmap&field=words&wrong=v+map`.
    # No database takes NUL.
    parameters = {name: str(text).replace("\0", "\ufffd") for name, text in request.GET.items()}
    subject, suggestion = _subject_and_new_suggestion(parameters)
    # Suggestions are limited by network, and only a hash of it is stored.
    suggestion.network = salted_hmac("suggestion", client_network(request)).hexdigest()
    posted_values = request.POST if request.method == "POST" else None
    form = _SuggestionForm(
        posted_values,
        instance=suggestion,
        initial=_initial_form_values(parameters),
        subject=subject,
    )
    # A form without posted values is neither valid nor faulty.
    is_accepted = form.is_valid()
    if is_accepted:
        form.store_unless_spam_or_repeated()
    context = {
        "canonical": "",
        "form": form,
        "suggestion": suggestion,
        "done": is_accepted,
        "form_address": request.build_absolute_uri(reverse("suggest-correction")),
    }
    status = 422 if form.errors else 200
    return render_page(request, "episodes/suggest.html", context, status=status)


def _initial_form_values(parameters: Mapping[str, str]) -> dict[str, str]:
    wrong_words = parameters.get("wrong", "")
    return {
        "field": parameters.get("field", ""),
        "wrong": wrong_words,
        # Most misheard words are right but for a letter or two, so a reader begins with them.
        "value": parameters.get("value", wrong_words),
    }


def _subject_and_new_suggestion(parameters: Mapping[str, str]) -> tuple[Any, Suggestion]:
    """Return the episode, person, link or topic of an address, and a suggestion about it without a value.

    `parameters` has the parameters of the query string.

    Raises:
        Http404: there is no such episode, person, link or topic.
    """
    shows = Podcast.objects.listed()
    if "episode" in parameters:
        return _episode_and_new_suggestion(parameters["episode"])
    # A person, link or topic may belong to no show, but the row has to name one.
    first_show, *_ = get_list_or_404(shows)
    subject: Person | Topic | Link
    # The key finds the subject again when a curator decides.
    if "person" in parameters:
        subject = get_object_or_404(Person, slug=parameters["person"])
        kind, key, name = "person", subject.identity, subject.name
    elif "topic" in parameters:
        subject = get_object_or_404(Topic, slug=parameters["topic"])
        kind, key, name = "topic", subject.slug, subject.name
    else:
        # An address without any subject has the key "", and no link has it.
        subject = get_object_or_404(Link, key=parameters.get("link", ""))
        kind, key, name = "link", subject.key, subject.title or subject.key
    suggestion = Suggestion(
        kind=kind,
        podcast=first_show,
        key=key,
        # The columns have these lengths.
        subject=name[:300],
        page=subject.get_absolute_url()[:2400],
    )
    return subject, suggestion


def _episode_and_new_suggestion(slug: str) -> tuple[Episode, Suggestion]:
    """Return the episode with a slug, and a suggestion about it without a value.

    Raises:
        Http404: there is no such episode.
    """
    shows = Podcast.objects.listed()
    episode = get_object_or_404(Episode, slug=slug, podcast__in=shows)
    # A file of a transcript has no values for the episode.
    entries = episode.attachments.exclude(item__document__source__reader=TRANSCRIPTS_SLUG)
    # An entry names the episode, as in decisions: a rebuild makes the rows of episodes anew.
    best_source_first = entries.order_by("item__document__source__rank", "pk")
    entry = get_list_or_404(best_source_first)[0].item
    about_episode = Suggestion(
        kind="episode",
        podcast=episode.podcast,
        source=entry.document.source.slug,
        item_key=entry.key,
        subject=episode.heading[:300],
        page=episode.get_absolute_url(),
    )
    return episode, about_episode


_require_full_address = URLValidator(
    ("http", "https"), message="Enter a full address such as https://example.org/page."
)


class _SuggestionForm(forms.ModelForm):  # type: ignore[type-arg]
    """A correction of the episode, person, link or topic that `instance` names.

    Cleaning sets `wrong` to the words or the value to replace. It refuses a correction if too many wait.
    """

    # No person sees it, so only a program fills it in.
    website = forms.CharField(label="Leave this empty", required=False)

    class Meta:
        model = Suggestion
        fields = ("field", "wrong", "value", "evidence", "name", "contact")

    def __init__(self, *args: Any, subject: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.subject = subject
        self.fields["value"].widget = forms.Textarea({"rows": 2, "maxlength": 500})
        # {"host": "Host", "words": "Words in the transcript", …}
        label_by_field = dict(SUGGESTABLE_FIELDS[self.instance.kind])
        has_transcript = bool(getattr(subject, "transcript", None))
        # Only the wrong words of a transcript have to be typed. Other fields are corrected as a whole.
        if not has_transcript:
            label_by_field.pop("words", None)
            del self.fields["wrong"]
        self.fields["field"].choices = label_by_field.items()  # type: ignore[attr-defined]

    @property
    def present_values(self) -> list["_FieldText"]:
        lists = _present_lists(self.subject) if self.instance.kind == "episode" else {}
        rows = []
        for field_name, label in SUGGESTABLE_FIELDS[self.instance.kind].items():
            values = lists.get(field_name, [_current_value(self.subject, field_name)])
            text = Truncator(", ".join(values)).chars(300)
            if text:
                rows.append(_FieldText(field_name, label, text))
        return rows

    @property
    def typing_examples(self) -> list["_FieldText"]:
        """Return examples of what can be typed, for the fields that have some."""
        rows = []
        for name, label in SUGGESTABLE_FIELDS[self.instance.kind].items():
            field = FIELDS_BY_NAME.get(name)
            if field and field.expects:
                rows.append(_FieldText(name, label, field.expects))
        return rows

    def clean_value(self) -> str:
        """Return the value in one line, of a topic its name.

        Raises:
            ValidationError: the value is invisible, or the field does not take it.
        """
        value = _one_line_without_direction_characters(self.cleaned_data["value"])
        if not is_visible(value):
            raise ValidationError("Nothing of this can be seen.")
        # "" if the field itself was refused.
        field_name = self.cleaned_data.get("field", "")
        if field_name in TOPIC_FIELDS:
            return _get_topic_name_or_raise(value, self.instance.podcast_id)
        if field_name in ("url", "audio_url", "replacement"):
            # `parse_typed` completes `a.example/1` with a scheme, but "setup.exe" of a stranger is no address.
            _require_full_address(value)
        # The replacement of a link is checked like the page of an episode.
        checked_name = "url" if field_name == "replacement" else field_name
        # Other fields of people and links, such as a label, take any text.
        if checked_name in FIELDS_BY_NAME:
            try:
                FIELDS_BY_NAME[checked_name].parse_typed(value)
            except InvalidFieldValue as refusal:
                raise ValidationError(str(refusal)) from refusal
        return value

    def clean_evidence(self) -> str:
        return _one_line_without_direction_characters(self.cleaned_data["evidence"])

    def clean_name(self) -> str:
        return _one_line_without_direction_characters(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        """Check the suggestion as a whole. Set `wrong` to the words to correct, or to the present value.

        Raises:
            ValidationError: too many suggestions wait.
        """
        cleaned: dict[str, Any] = self.cleaned_data
        # A program could send any number of them.
        if not self.instance.is_below_limits():
            raise ValidationError(
                "Too many suggestions wait for a curator. Please try again in a few days."
            )
        field_name = cleaned.get("field", "")
        if field_name == "words":
            words = " ".join(cleaned.get("wrong", "").split())
            self._add_error_unless_in_transcript(words)
            cleaned["wrong"] = words
        else:
            cleaned["wrong"] = _current_value(self.subject, field_name)
        is_no_correction = cleaned["wrong"] == cleaned.get("value")
        if is_no_correction:
            self.add_error("value", "This is what it says now.")
        return cleaned

    def _add_error_unless_in_transcript(self, words: str) -> None:
        transcript_text = self.subject.transcript.speech(None).text
        if not words or words not in transcript_text:
            self.add_error(
                "wrong", "The transcript does not have these words. Copy them from it exactly."
            )

    def store_unless_spam_or_repeated(self) -> None:
        """Store the suggestion, unless a program sent it, or the same one waits or was refused.

        Its token is in the address of the page with its state. A repeated suggestion gets the token of
        the earlier one, spam gets none.
        """
        # Senders of spam or repetitions get the same thanks, and curators get no row.
        is_spam = bool(self.cleaned_data["website"])  # no person sees this input
        if is_spam:
            return
        suggestion: Suggestion = self.instance
        suggestion.wrong = self.cleaned_data["wrong"]
        # The subject, the field, and its values before and after. Names and reasons may differ.
        compared_columns = (
            "kind",
            "podcast",
            "source",
            "item_key",
            "key",
            "field",
            "wrong",
            "value",
        )
        same_values = {column: getattr(suggestion, column) for column in compared_columns}
        equal_suggestions = Suggestion.objects.filter(**same_values)
        # An accepted suggestion may be made again: the value may have changed since.
        earlier = equal_suggestions.exclude(state=Suggestion.ACCEPTED).first()
        if earlier:
            suggestion.token = earlier.token
        else:
            suggestion.token = secrets.token_urlsafe(16)
            suggestion.save()


def _one_line_without_direction_characters(text: str) -> str:
    # Invisible characters that turn the direction of letters. With them a curator would see the text in
    # another order than it is stored.
    direction_characters = f"{DIRECTION_OVERRIDES}{DIRECTION_MARKS}"
    deletions = str.maketrans("", "", direction_characters)
    return " ".join(text.translate(deletions).split())


def _get_topic_name_or_raise(name_alias_or_slug: str, show_id: int) -> str:
    """Return the name of the topic with a name, alias or slug.

    Raises:
        ValidationError: there is none, or it is a topic of another show.
    """
    slug = topic_slugs_by_casefolded_name().get(name_alias_or_slug.casefold(), "")
    topic = Topic.objects.filter(slug=slug).first()
    if topic is None:
        raise ValidationError(
            f"There is no topic “{name_alias_or_slug}”. Take a name from the list of topics, or "
            "choose “Something else” above."
        )
    if not topic.may_be_added_in_show(show_id):
        raise ValidationError(f"“{topic.name}” is a topic of another show.")
    return topic.name


class _FieldText(NamedTuple):
    """The present value of a field as pages show it, or an example of what can be typed."""

    field: str
    label: str
    text: str


def _present_lists(episode: Episode) -> dict[str, Iterable[str]]:
    topics = episode.topics.values_list("name", flat=True)
    names = episode.credits.values_list("person__name", flat=True)
    return {
        "topic": topics,
        "wrong-topic": topics,
        "host": names.filter(role="host"),
        "guest": names.filter(role="guest"),
        "links": episode.mentions.order_by("position").values_list("url", flat=True),
        "notes": [episode.description_text],
    }


def _current_value(subject: Any, field_name: str) -> str:
    max_length = 500  # of the column for it
    if isinstance(subject, Episode):
        field = FIELDS_BY_NAME.get(field_name)
        # A list of an episode, such as its links, has no single value.
        text = field.display_full(field.text_of_episode(subject)) if field else ""
        return text[:max_length]
    # The label of a link is its title.
    attribute = "title" if field_name == "label" else field_name
    return str(getattr(subject, attribute, ""))[:max_length]


_OUTCOMES = {
    Suggestion.WAITING: ("Received", "A curator has not reviewed it yet."),
    Suggestion.ACCEPTED: ("Accepted", "Thank you."),
    Suggestion.REFUSED: ("Declined", "Thank you for the suggestion."),
}


@never_cache
@require_safe
def suggestion_page(request: HttpRequest, token: str) -> HttpResponse:
    suggestion = get_object_or_404(Suggestion, token=token)
    same_if_subject_exists = _suggestions_about_existing_subjects().filter(pk=suggestion.pk)
    outcome, comment = _OUTCOMES[suggestion.state]
    context = {
        "canonical": "",
        "suggestion": suggestion,
        "outcome": outcome,
        "comment": comment,
        "has_subject": same_if_subject_exists.exists(),
    }
    return render_page(request, "episodes/suggestion.html", context)


@require_safe
def corrections_page(request: HttpRequest) -> HttpResponse:
    accepted = _suggestions_about_existing_subjects().filter(state=Suggestion.ACCEPTED)
    page = load_page(request, accepted)
    title = format_count(page.paginator.count, "reader correction", "reader corrections")
    return render_list(request, "corrections", load_shows_and_sections(), page, title=title)


def _suggestions_about_existing_subjects() -> QuerySet[Suggestion]:
    # A suggestion about an episode names an entry of it. While the entry is attached, it has an episode.
    attachments_of_entry = Attachment.objects.filter(**ENTRY_LOOKUP)
    is_about_episode = Q(Exists(attachments_of_entry), kind="episode")
    is_about_person = Q(Exists(Person.objects.filter(identity=OuterRef("key"))), kind="person")
    is_about_link = Q(Exists(Link.objects.filter(key=OuterRef("key"))), kind="link")
    is_about_topic = Q(Exists(Topic.objects.filter(slug=OuterRef("key"))), kind="topic")
    is_current = is_about_episode | is_about_person | is_about_link | is_about_topic
    return Suggestion.objects.filter(is_current)
