"""The topics and what there is about each."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from ..facets import in_groups, share
from ..models import Episode, EpisodeTopic, Topic
from ..wording import episodes, together


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic in its group, with the number of its episodes."""
    ordered = in_groups(Topic.objects.all())
    counts = EpisodeTopic.objects.counts()
    most = max(counts.values(), default=1)
    used = [(t, counts[t.slug], share(counts[t.slug], most)) for t in ordered if t.slug in counts]
    context = {
        "section": "topics",
        "groups": [(name, list(group)) for name, group in groupby(used, key=lambda row: row[0].group)],
        "unused": [t for t in ordered if t.slug not in counts],
        "count": len(used),
    }
    return render(request, "episodes/topics.html", context)


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order in which to hear them: oldest first."""
    found = get_object_or_404(Topic, slug=slug)
    about = Episode.objects.about_all([slug])
    extent = about.extent()
    context = {
        "section": "topics",
        "words": "",
        "topic": found,
        "episodes": about.sorted_by("oldest").for_list().defer("description_html", "provenance", "conflicts"),
        "count": episodes(extent["episodes"]),
        "together": together(extent),
        "kin": Topic.objects.filter(group=found.group, uses__isnull=False).exclude(pk=found.pk).distinct(),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return render(request, "episodes/topic.html", context)
