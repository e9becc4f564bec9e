"""The tool `get_transcript`: paragraphs of a transcript, each with its second, speaker and address."""

from django.http import HttpRequest
from django.urls import reverse

from ..models import Episode
from ..text.formatting import seconds_of_time_parameter
from ..text.spoken_time import Speech
from ..text.timecodes import MAX_SECONDS
from .mcp_arguments import BadArguments, get_episode_or_raise
from .mcp_values import JsonObject, distinct_sources_as_json, episode_as_json, transcript_as_json
from .quotes import load_speech


def answer_get_transcript(request: HttpRequest, arguments: JsonObject) -> JsonObject:
    """Answer `get_transcript`: the paragraphs between two times, and where to go on if they are long.

    Raises:
        BadArguments: there is no such episode or transcript, or no such time.
    """
    rows = Episode.objects.select_related("podcast", "transcript").defer("transcript__text")
    episode = get_episode_or_raise(request, arguments["episode"], rows)
    if not hasattr(episode, "transcript"):
        raise BadArguments("This episode has no transcript.")
    speech = load_speech(episode)  # the words of the transcript with their times
    numbers = _requested_paragraph_numbers(speech, arguments)
    numbers_in_answer = _first_paragraph_numbers_that_fit(speech, numbers)
    later_numbers = numbers[len(numbers_in_answer) :]
    notes = []
    if later_numbers:
        notes.append(f"The transcript goes on. Ask again with paragraph {later_numbers[0]}.")
    captions = reverse("transcript", args=(episode.slug,))
    return {
        **episode_as_json(request, episode),
        "transcript": transcript_as_json(episode, episode.transcript),
        "captions": request.build_absolute_uri(captions),
        "paragraph_count": len(speech.cues),
        "notes": notes,
        "paragraphs": [_paragraph_as_json(request, episode, speech, n) for n in numbers_in_answer],
        "sources": distinct_sources_as_json([episode]),
    }


def _first_paragraph_numbers_that_fit(speech: Speech, paragraph_numbers: list[int]) -> list[int]:
    max_characters = 20_000
    fitting_numbers = []
    characters = 0
    for number in paragraph_numbers:
        # Counted before this paragraph, so the last one may go beyond the limit. Each answer has at
        # least one paragraph, however long it is.
        if characters >= max_characters:
            break
        _, _, words = speech.cues[number - 1]  # paragraphs are numbered from 1
        characters += len(words)
        fitting_numbers.append(number)
    return fitting_numbers


def _requested_paragraph_numbers(speech: Speech, arguments: JsonObject) -> list[int]:
    """Return the numbers of the paragraphs between the times `from` and `to`, beginning at `paragraph`.

    Raises:
        BadArguments: the times cannot be read, or the transcript has none.
    """
    start, end = _requested_start_and_end_or_raise(speech, arguments)
    first_number = int(arguments.get("paragraph", 1))  # JSON may write 2.0
    numbers = []
    for number in range(first_number, len(speech.cues) + 1):
        first_second, last_second = _seconds_of_paragraph(speech, number)
        # A paragraph counts if a part of it is between the times. Answers have whole seconds: a
        # paragraph from 12.7 on begins at 12.
        if int(first_second) <= end and last_second >= start:
            numbers.append(number)
    return numbers


def _requested_start_and_end_or_raise(speech: Speech, arguments: JsonObject) -> tuple[int, int]:
    # Seconds. Without `from` and `to` they span every transcript.
    start = _parse_argument_as_seconds(arguments, "from", default=0)
    end = _parse_argument_as_seconds(arguments, "to", default=MAX_SECONDS)
    if start > end:
        raise BadArguments("arguments.from is later than arguments.to.")
    asks_for_times = bool(arguments.keys() & {"from", "to"})
    has_times = speech.second(0) is not None
    if asks_for_times and not has_times:
        raise BadArguments("This transcript has no times. Ask without from and to.")
    return start, end


def _seconds_of_paragraph(speech: Speech, number: int) -> tuple[float, float]:
    # Paragraphs are numbered from 1. The last of their starts is behind the last paragraph.
    start_offset = speech.paragraph_starts[number - 1]
    next_start_offset = speech.paragraph_starts[number]
    end_offset = next_start_offset - 1  # there is a line break between two paragraphs
    return speech.second_range(start_offset, end_offset)


def _parse_argument_as_seconds(arguments: JsonObject, name: str, default: int) -> int:
    """Return the seconds of an argument such as 754 or `12:34`.

    Raises:
        BadArguments: it is no time.
    """
    text = str(arguments.get(name, default)).removesuffix(".0")  # JSON may write 754.0
    second = seconds_of_time_parameter(text)
    if second is None:
        raise BadArguments(f"arguments.{name} is no time in seconds, such as 754, or as 12:34.")
    return second


def _paragraph_as_json(
    request: HttpRequest, episode: Episode, speech: Speech, number: int
) -> JsonObject:
    """Return a paragraph with the address that plays it, or that opens at it if it has no time."""
    _, speaker, words = speech.cues[number - 1]
    second = speech.second(speech.paragraph_starts[number - 1])
    query = "" if second is None else f"?t={second}"
    return {
        "number": number,
        "second": second,
        "speaker": speaker or None,
        "words": words,
        "address": request.build_absolute_uri(f"{episode.get_absolute_url()}{query}#p{number}"),
    }
