"""Suggestions by readers, who need no account: the form, and the page of what was accepted."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_list_or_404, get_object_or_404
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from podcast_catalog.throttling import client_network

from ..fields import BY_NAME, NotAValue
from ..models import (
    OF_ENTRY,
    SUGGESTED,
    TRANSCRIPTS,
    Attachment,
    Episode,
    Link,
    Person,
    Podcast,
    Suggestion,
)
from ..site import site
from ..text.formatting import counted
from ..text.normalize import DIRECTION_MARKS, TURNING
from .page import paged, show_page, thing_page

# What two suggestions share that say the same: then only the first one is kept.
SAME = ("kind", "podcast", "source", "item_key", "key", "field", "wrong", "value")
FULL = "Too many suggestions wait for a curator. Please try again in a few days."
CHECKED_AS = {"replacement": "url"}  # fields of things that are typed as one of an episode's
ADDRESSES = ("url", "audio_url", "replacement")
# Curators may leave out the scheme, but "setup.exe" of a stranger is no address.
check_address = URLValidator(
    ("http", "https"), message="Enter a full address such as https://example.org/page."
)


class SuggestionForm(forms.ModelForm):  # type: ignore[type-arg]
    """A correction of the thing that `instance` names. `website` is shown to nobody, so only a
    program fills it in."""

    website = forms.CharField(label="Leave this empty", required=False)

    class Meta:
        model = Suggestion
        fields = ("field", "wrong", "value", "evidence", "name", "contact")

    def __init__(self, *args: Any, about: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.about = about
        choices = dict(SUGGESTED[self.instance.kind])
        if not getattr(about, "transcript", None):
            choices.pop("words", None)
            del self.fields["wrong"]
        self.fields["field"].choices = choices.items()  # type: ignore[attr-defined]

    def clean_value(self) -> str:
        value = one_line(self.cleaned_data["value"])
        if self.cleaned_data.get("field") in ADDRESSES:
            check_address(value)
        return value

    def clean_evidence(self) -> str:
        return one_line(self.cleaned_data["evidence"])

    def clean_name(self) -> str:
        return one_line(self.cleaned_data["name"])

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = self.cleaned_data
        if not self.instance.has_room():
            raise ValidationError(FULL)
        name, value = given.get("field", ""), given.get("value", "")
        field = BY_NAME.get(CHECKED_AS.get(name, name))
        try:
            # Typed as the curator's decision that it may become.
            if field and value:
                field.typed(value)
        except NotAValue as refusal:
            self.add_error("value", str(refusal))
        if name == "words":
            wrong = given["wrong"] = " ".join(given.get("wrong", "").split())
            # The place of the correction is found by these words, so they have to be in the text.
            if not wrong or wrong not in self.about.transcript.speech(None).text:
                self.add_error(
                    "wrong", "The transcript does not have these words. Copy them from it exactly."
                )
        else:
            given["wrong"] = now(self.about, name)
        return given

    def keep(self) -> None:
        """Store it, unless a program sent it or the same one waits or was refused."""
        one = self.instance
        one.wrong = self.cleaned_data["wrong"]
        # Whoever sends spam or repeats themselves gets the same thanks, and curators get no row.
        same = Suggestion.objects.filter(**{name: getattr(one, name) for name in SAME})
        if not (self.cleaned_data["website"] or same.exclude(state=Suggestion.ACCEPTED).exists()):
            one.save()


def one_line(text: str) -> str:
    """Return a text in one line, without characters that turn its direction."""
    # A curator would see it in another order than it is stored.
    plain = text.translate(dict.fromkeys(map(ord, f"{TURNING}{DIRECTION_MARKS}")))
    return " ".join(plain.split())


def now(thing: Any, name: str) -> str:
    """The value of a field of a thing as it is, in words."""
    if isinstance(thing, Episode) and (field := BY_NAME.get(name)):
        return field.told(field.shown(thing))[:500]
    return str(getattr(thing, "title" if name == "label" else name, ""))[:500]


def asked_about(asked: Mapping[str, str]) -> tuple[Any, Suggestion]:
    """The thing that an address names, and a suggestion about it that is still empty.

    Raises:
        Http404: there is none.
    """
    shows = Podcast.objects.shown()
    if "episode" in asked:
        episode = get_object_or_404(Episode, slug=asked["episode"], podcast__in=shows)
        entries = episode.attachments.exclude(item__document__source__reader=TRANSCRIPTS)
        entry = get_list_or_404(entries.order_by("item__document__source__rank", "pk"))[0]
        # As decisions are hung on an entry: a rebuild makes the rows of episodes anew.
        place = {"source": entry.item.document.source.slug, "item_key": entry.item.key}
        named = {"subject": episode.heading[:300], "page": episode.get_absolute_url()}
        return episode, Suggestion(kind="episode", podcast=episode.podcast, **place, **named)
    # A person or link belongs to no show, but the row has to name one.
    first = get_list_or_404(shows)[0]
    if "person" in asked:
        person = get_object_or_404(Person, slug=asked["person"])
        named = {"subject": person.name, "page": person.get_absolute_url()}
        return person, Suggestion(kind="person", podcast=first, key=person.identity, **named)
    link = get_object_or_404(Link, key=asked.get("link", ""))
    page = f"{reverse('link')}?{urlencode({'key': link.key})}"
    named = {"subject": (link.title or link.key)[:300], "page": page[:2400]}
    return link, Suggestion(kind="link", podcast=first, key=link.key, **named)


@never_cache
@csrf_exempt  # nothing here depends on who is logged in
@require_http_methods(["GET", "HEAD", "POST"])
def suggest_correction(request: HttpRequest) -> HttpResponse:
    """The form for a thing, and thanks for what was sent."""
    if not settings.SUGGESTIONS:
        raise Http404("Suggestions are off.")
    # No database takes NUL.
    asked = {name: str(value).replace("\0", "\ufffd") for name, value in request.GET.items()}
    about, suggestion = asked_about(asked)
    suggestion.network = salted_hmac("suggestion", client_network(request)).hexdigest()
    initial = {name: asked.get(name, "") for name in ("field", "wrong")}
    sent = request.POST if request.method == "POST" else None
    form = SuggestionForm(sent, instance=suggestion, initial=initial, about=about)
    if done := form.is_valid():
        form.keep()
    context = {"site": site(), "form": form, "thing": suggestion, "done": done}
    return show_page(request, "episodes/suggest.html", context, 422 if form.errors else 200)


@require_safe
def corrections(request: HttpRequest) -> HttpResponse:
    """The suggestions that curators accepted, newest first; none about what is not shown any
    more."""
    shown = (
        Q(Exists(Attachment.objects.filter(**OF_ENTRY)), kind="episode")
        | Q(Exists(Person.objects.filter(identity=OuterRef("key"))), kind="person")
        | Q(Exists(Link.objects.filter(key=OuterRef("key"))), kind="link")
    )
    accepted = Suggestion.objects.filter(shown, state=Suggestion.ACCEPTED)
    page = paged(request, accepted)
    title = counted(page.paginator.count, "correction by a reader", "corrections by readers")
    return thing_page(request, "corrections", site(), page, title=title)
