"""Finds which other episodes of its show an episode refers to, by address or by name, and what they are to it."""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from .facts import bare_title
from .slugs import slug_of
from .urls import canonical, page_key, without_tail

# A kind says what the target is to the episode that speaks: something to hear before it, after it, or beside it.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = "prerequisite", "follow-up", "see-also"
STRENGTH = (PREREQUISITE, FOLLOW_UP, SEE_ALSO)  # the strongest first

_THIS = r"(?:this|the present|the current|today['’]s)(?: (?:one|episode|podcast|show|installment))?"
_HEAR = r"(?:listen(?:ed|ing)? (?:back )?to|hear(?:d|ing)?|watch(?:ed|ing)?|start(?:ing)? with|check(?:ing)? out)"
_TURN = r"(?:(?:mov|go)(?:e|ing)? on to|div(?:e|ing) into|tackl(?:e|ing)|continu(?:e|ing) with)"

# The words before a mention; the cue that ends nearest to it holds, among equals the one that begins first.
# "Follow-up to X" and "part 2 of X" make X what comes before: X is the prerequisite.
BEFORE = (
    (PREREQUISITE, r"(?:pre-?requisites?|prereqs?|required listening|background(?: (?:episodes?|listening))?:)"),
    (PREREQUISITE, r"recommended prior (?:episodes?|listening)"),
    (PREREQUISITE, rf"first,? (?:of all,? )?(?:go )?(?:and )?{_HEAR}|(?:start|begin) (?:here|with)(?: first)?"),
    (PREREQUISITE, rf"(?:{_HEAR} (?:these |those |them |it )?|listen )first"),
    (PREREQUISITE, rf"have (?:already )?{_HEAR}|ha(?:ve|d)(?:n['’]t| not) (?:already |yet )?{_HEAR}|already {_HEAR}"),
    (PREREQUISITE, rf"before(?: {_HEAR}| you {_HEAR}| {_TURN}| starting)? {_THIS}(?:,?[\w' ]{{0,30}} {_HEAR})?"),
    (PREREQUISITE, rf"(?<!\w)(?:after|once) (?:you(?:['’]ve| have)? )?{_HEAR}|\bthis(?: \w+){{0,3}} after"),
    (PREREQUISITE, r"(?:assumes?|presupposes?|requires?)(?: that)?(?: you(?:['’]ve| have)?)?(?: already)?(?: know| heard)?"),
    (PREREQUISITE, r"(?:knowledge of|familiar(?:ity)? with|having heard|listened to|recommends? listening to)"),
    (PREREQUISITE, r"(?:follow(?:s|ing)?[- ]?up|sequel|continuation|second (?:part|half))(?: (?:to|of|on|for|from)| episode to)"),
    (PREREQUISITE, r"part (?:[2-9]|two|three|four|ii|iii|iv) (?:of|to)|build(?:s|ing)? (?:up)?on|follow(?:s|ing)? on from"),
    (PREREQUISITE, r"continu(?:es?|ing)(?: \w+){0,3} (?:from|where)|pick(?:s|ing)? up (?:from|where)"),
    (FOLLOW_UP, rf"{_THIS}(?: first)?,? before(?: {_HEAR}| you {_HEAR}| {_TURN}| starting)?(?! {_THIS})"),
    (FOLLOW_UP, rf"(?:pre-?requisites?|background|preparation|prelude|groundwork|introduction|lead-?in) (?:for|to)(?! {_THIS})"),
    (FOLLOW_UP, r"(?:prepares? (?:you |us )?|sets? the stage |paves the way )for|sets? up"),
    (FOLLOW_UP, rf"(?:after|once) (?:you(?:['’]ve| have)? )?(?:{_HEAR} )?{_THIS}(?:,?[\w' ]{{0,30}} (?:{_HEAR}|{_TURN}))?"),
    (FOLLOW_UP, r"(?:next|later|future|upcoming|subsequent|forthcoming|coming) (?:(?:episode|podcast|week|installment)s?|time)"),
    (FOLLOW_UP, r"(?:listen(?:ing)?|hear|go)(?: to)? (?:next|afterwards?|after this)|what(?:['’]s| is) next|next up|up next"),
    (FOLLOW_UP, r"(?:stay tuned|tune in) for|(?:continued|continues|followed(?: up)?|picked up) (?:in|by|with)"),
    (FOLLOW_UP, r"follow[- ]?ups?(?: (?:episodes?|podcasts?|listening|is|are))*(?=\s*[:(,]| in| is| are|\s*$)"),
    (FOLLOW_UP, r"follow[- ]?up episode (?:on|about)"),
    (FOLLOW_UP, rf"then (?:listen to|{_TURN})"),
    (SEE_ALSO, r"(?:see|hear|compare|cf\.?)(?: also)?|check out|(?:further|more|additional) (?:reading|listening|episodes?)"),
    (SEE_ALSO, r"related(?: episodes?)?|(?:other|another|different|separate) (?:episodes?|podcasts?)"),
)  # fmt: skip

# The words after it, which overrule those before.
AFTER = (
    (PREREQUISITE, rf"[^,;:]{{0,40}}?\b(?:before|prior to) (?:{_HEAR} |you {_HEAR} |diving into |starting )?{_THIS}"),
    (PREREQUISITE, r"\W*(?:is|are|was|were)(?: \w+)? (?:an? |the )?(?:pre-?requisites?|required|background)(?! for (?!this))"),
    (PREREQUISITE, r"[^,;:]{0,30}?\bbeforehand"),
    (PREREQUISITE, r"[^,;:]{0,30}?\bfor (?:some |more |the )?background"),
    (FOLLOW_UP, r"\W*(?:is|are|will be)(?: \w+)? (?:an? |the )?(?:follow[- ]?ups?|sequels?|continuations?)"),
    (FOLLOW_UP, rf"[^,;:]{{0,40}}?\b(?:after|following) (?:{_HEAR} )?{_THIS}"),
    (FOLLOW_UP, r"[^.;:]{0,40}?\bin (?:an?|the|our|my|some) (?:\w+ )?(?:next|later|future|upcoming|subsequent|forthcoming)\b"),
    (FOLLOW_UP, r"\W*(?:episode )?(?:is )?(?:next (?:time|week|episode)|coming (?:soon|up))(?!\s*:)"),
)  # fmt: skip
_FIRST = re.compile(r"[^.;:!?]{0,40}?\bfirst\b(?! (?:time|place|half|part|of|is|was|introduc))", re.IGNORECASE)
_TOLD_TO_HEAR = re.compile(rf"\b(?:{_HEAR}|see|review|revisit|try|go (?:through|over|back to)|read)\b", re.IGNORECASE)

# A lead of its own, "Further reading." or "Links:", that ends what an earlier one governs.
HEADINGS = re.compile(
    r"(?:further|more|additional|recommended) (?:reading|info|information|resources|links)|links?|resources|references"
    r"|sources|reading|papers?|docs|show ?notes|notes|chapters|timestamps|transcript|credits|sponsors?",
    re.IGNORECASE,
)
# Initials that mean something else to most who write them: "CV" is not the episode on conjugate views.
KNOWN_INITIALS = frozenset(
    "AI API AR AWS CD CLI CPU CS CV DB DL DNS GAN GB GPU GUI HPC HR HTTP ID IDE IO IP IT JS LLM MB ML NLP OO OOM OS PC PR"
    " QA RAM RL RNN SDK SE SF SQL TB TCP TPU TV UI UK US UX VC VM VR".split()
)
MOST_MENTIONS = 64  # of one target that are looked at: its strongest kind is known long before

_NOUN = r"(?:episodes?|eps?\.|podcasts?|instal?lments?)"
_VERB = (
    r"(?:talk(?:ed|s|ing)?|speak|spoke|discuss(?:ed|es|ing)?|cover(?:ed|s|ing)?|explain(?:ed|s|ing)?|introduc(?:ed|es|ing)"
    r"|introduce|explor(?:e|ed|es|ing)|describ(?:e|ed|es|ing)|mention(?:ed|s|ing)?|look(?:ed|s|ing)? at|(?:went|go) over|did"
    r"|d[io]ve(?:d)? into|saw|learn(?:ed|t)?)"
)
_OPENS = r"(?:(?:the|our|my) )?[\"“'‘«(\[]?\s*"
_ITEMS = r"(?:[^.;:!?\n]{1,60}, (?:and )?)?"
_LEAD = re.compile(
    rf"\b(?P<noun>{_NOUN})(?: #?\d{{1,4}})?(?:"
    r"\s*[,:(–—-]?\s*(?:(?:that|which) (?:is|was|are|were) )?(?:all )?(?:about|on|called|titled|entitled|named|covering"
    r"|discussing|explaining|introducing|dedicated to|regarding|concerning|describing|devoted to)(?: (?:how|what|why))?\s+"
    rf"{_ITEMS}{_OPENS}"
    rf"|,? (?:(?:where|in which|when) )?(?:I|we|he|she|they)(?:['’]ll| will|['’]ve| have| are going to)? (?:\w+ )?{_VERB}"
    rf"(?: about| on| how)? {_OPENS}"
    r"|\s*[,:–—-]?\s*[\"“‘«]\s*|\s*[:–—(]\s*)\Z",
    re.IGNORECASE,
)
_TIME_LEAD = re.compile(
    rf"\b(?:last|next) (?:time|week)\b[^.;:\n]{{0,30}}\b{_VERB}(?: about| on)? {_OPENS}\Z", re.IGNORECASE
)
_HEARD = re.compile(
    rf"\b(?:listen(?:ed|ing)? (?:back )?to|listen first:?|heard) (?:first:? )?{_ITEMS}{_OPENS}\Z", re.IGNORECASE
)
_SEQUEL = re.compile(
    r"\b(?:(?:follow[- ]?up|sequel|continuation|second part) (?:to|of|on|from)|part (?:\d|two|three|four|ii|iii|iv) of"
    r"|(?:prerequisites?|related episodes?|other episodes|see also|listen (?:first|next))(?: (?:is|are|listening))?:?)"
    rf"\s+{_ITEMS}{_OPENS}\Z",
    re.IGNORECASE,
)
_NOUN_AFTER = re.compile(rf"[\"”'’»)\]]?\s+{_NOUN}(?!\w)", re.IGNORECASE)
_EPISODE_AFTER = re.compile(
    r"[\"”'’»)\]]?,?(?: which)?[^.,;:!?\n]{0,30}?\b(?:in|from|during|on) (?:an?|the|our|my|some|one of (?:our|my)|last|next) "
    r"(?:\w+ )?(?:previous|earlier|past|prior|last|old|older|later|future|upcoming|next|subsequent|separate|different|other"
    rf"|another|first|recent|week['’]s) {_NOUN}(?!\w)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    rf"\b(?:about|on|at|into|{_VERB}) {_OPENS}\Z",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:this|today['’]s|the current|the present|his|her|their|your|its)\s+"
    r"(?:(?!(?:after|before|is|was|and|to|in|on|with)\b)\w+\s+){0,2}\Z",
    re.IGNORECASE,
)
_OWNED = re.compile(r"(?<![\w-])([\w-]+)['’]s\s+(?:\w+\s+)?\Z")
_DAYS = frozenset("yesterday week month year time monday tuesday wednesday thursday friday saturday sunday".split())
_DENIED = re.compile(
    r"(?:n['’]t|\b(?:not|never|no|without))\s+(?!(?:(?:already|yet)\s+)?(?:listened|heard))(?:\w+\s+){0,4}\Z",
    re.IGNORECASE,
)
_SOME_PODCAST = re.compile(r"\b(?:an?|some|any|new|many|several)\s+(?:new\s+)?\Z", re.IGNORECASE)
_NAMED = re.compile(r"((?:[^\W\d_][\w.&+'’-]*\s+){1,6})\Z")
_PLAIN = frozenset(
    "the a an our my this that previous next last earlier later other another old older first second see listen listening"
    " also and or check out to in on for from with of as old early recent related follow-up follow episode podcast own"
    " prior past future upcoming separate if you i we here is".split()
)
_ELSEWHERE = re.compile(
    r"[\"”'’»)\]]?\s+(?:episode |podcast )?(?:of|on|from|in|by|at)\s+"
    r"(?P<name>(?:the\s+)?[A-Z][\w&.'’-]*(?:\s+[\w&.'’-]+){0,5}?\s+(?:[Pp]odcast|[Ss]how|FM|[Rr]adio|[Cc]hannel))\b"
)
_NUMBERS = re.compile(
    r"\b(?:episodes?|eps?\.?|podcasts?) ?(?:#|no\.? ?|number |nr\.? ?)?(\d{1,4}(?:(?:, and |, | and | & | or )#?\d{1,4})*)"
    r"(?![\w%]|[.:,]\d| (?:minutes|hours) )",
    re.IGNORECASE,
)
_GOES_ON = frozenset(
    "and or in for where which that is was are were to if before first we i on with from as at because but by you it has"
    " have had will would can could goes covers explains discusses talks when while since then also still might may"
    " so who there here already episode episodes podcast podcasts ep though although after about this next later into"
    " does did do not of the a an our my obsolete again too earlier previously instead last yet if left ended began aired"
    " came out together".split()
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*[+#]*|&")
_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S+|(?<![\w.-])(?:[\w-]{1,63}\.){1,4}(?:com|org|io|net|dev|fm|edu)/\S*", re.I
)
_BREAK = re.compile(r"\n+|(?<=[.!?…])[\"”’')\]]{0,2}\s+|;\s+")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|vs|eps?|no|nr|pt|cf|dr|mr|mrs|ms|etc|approx|al)\.\Z", re.IGNORECASE)
_JOINT = re.compile(
    r"[\"”'’»)\]]?\s*(?:,|&|\band\b|\bor\b|,\s*and\b|,\s*or\b|\bas well as\b|/)\s*" + _OPENS, re.IGNORECASE
)
_GAP = re.compile(r"(?!.{0,4}[.?!;]\s)[\s\-_./:,'\"“”‘’()–—|]{0,5}")
_CUT = re.compile(
    r"(https?://[^\s…]{0,300}?|www\.[^\s…]{0,300}?)(?:\.{3}|…)(?:\s{0,9}(?:show more|continue reading|read more))?\s*\Z",
    re.I,
)
_LETTERS = re.compile(r"[^\W\d_]+")
_CUE_WORDS = re.compile(
    rf"{_NOUN}|listen|follow|sequel|continu|part|prereq|pre-req|heard|last|next|see also|[\"“‘«]", re.I
)
_HINT = re.compile(
    rf"\b(?:{_NOUN}|listen\w*|see|hear|check out|earlier|previous\w*|last time|{_VERB})(?!\w)", re.IGNORECASE
)
_MASK = "\0"
_K = TypeVar("_K", str, int)


def _any(cues: Iterable[tuple[str, str]]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(rf"(?<!\w)(?:{cue})(?!\w)", re.IGNORECASE)) for kind, cue in cues)


_BEFORE = _any(BEFORE)
_AFTER = tuple((kind, re.compile(rf"(?:{cue})(?!\w)", re.IGNORECASE)) for kind, cue in AFTER)


@dataclass(frozen=True, slots=True)
class Target:
    """An episode that may be referred to; `pages` are the `page_key`s of all its known page addresses."""

    slug: str
    title: str
    number: int | None = None
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """What another episode (its slug is `target`) is to the one that speaks, and the words that say so.

    `kind` is prerequisite (hear it before), follow-up (hear it after) or see-also. `field` is notes, where `position`
    is the 0-based offset in the text, or links, where it is the index among the links given.
    """

    kind: str
    target: str
    field: str
    position: int
    evidence: str


@dataclass(frozen=True, slots=True)
class _Name:
    """A way to write a title: the target, as written, and how safe it is."""

    slug: str
    words: tuple[str, ...]  # as written
    initials: bool = False


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    name: _Name | None = None  # None: an address
    slug: str = ""


@dataclass(slots=True)
class _Known:
    """The targets by everything that may name them; None where two share it."""

    pages: dict[str, str | None] = field(default_factory=dict)
    slugs: dict[str, str | None] = field(default_factory=dict)
    numbers: dict[int, str | None] = field(default_factory=dict)
    names: dict[tuple[str, ...], _Name | None] = field(default_factory=dict)
    beginnings: set[tuple[str, ...]] = field(default_factory=set)


def references(
    slug: str,
    text: str,
    links: Sequence[tuple[str, str, int]],
    targets: Sequence[Target],
    show: str = "",
) -> tuple[Reference, ...]:
    """At most one reference a target, of its strongest kind, by slug of the target; never the episode itself.

    `links` are (key, address, offset in `text`, or -1 for one that only another source's text has); an address counts
    if it is a page of a target or its key `episode:…` names one. A -1 is a see-also, unless the text ends in a lead
    whose list was cut off in the middle of an address that it continues. `show` is the show's title, to tell its own
    episodes from those of other podcasts. Linear in the text; never raises.
    """
    known = _known(targets)
    reader = _Reader(slug, text, known, show)
    at_hand, elsewhere = [], []
    for index, (key, address, position) in enumerate(links):
        target = _linked(key, address, known)
        if target is None or target == slug:
            continue
        if 0 <= position < len(text):
            end = position + (len(address) if text.startswith(address, position) else 0)
            at_hand.append(_Mention(position, end, None, target))
        else:
            elsewhere.append((index, target, address))
    found = list(reader.read(at_hand))
    for index, target, address in elsewhere:
        kind, lead = reader.cut_lead if reader.cut_lead and reader.is_cut_from(address) else (SEE_ALSO, "")
        found.append(Reference(kind, target, "links", index, f"{lead} {address}".strip()))
    return strongest(found)


def strongest(found: Iterable[Reference]) -> tuple[Reference, ...]:
    """One reference a target, by slug: the strongest kind, in the notes before the links, the earliest. Order-free, so
    what several sources' texts say of one episode can be put together."""
    best: dict[str, Reference] = {}
    for reference in sorted(found, key=_rank):
        best.setdefault(reference.target, reference)
    return tuple(best[target] for target in sorted(best))


def forward(found: Iterable[Reference], order: Mapping[str, int], own: str) -> tuple[Reference, ...]:
    """The prerequisites among `found` that come out after the episode `own` itself: to be shown as doubtful.

    `order` counts from the oldest; what it does not know is not judged.
    """
    if own not in order:
        return ()
    return tuple(r for r in found if r.kind == PREREQUISITE and order.get(r.target, order[own]) > order[own])


def prerequisites_of(said: Mapping[str, Iterable[Reference]]) -> dict[str, frozenset[str]]:
    """What is to be heard before each episode: its own prerequisites, and the episodes that call it their follow-up."""
    before: dict[str, set[str]] = {}
    for own, found in said.items():
        for reference in found:
            if reference.kind == PREREQUISITE:
                before.setdefault(own, set()).add(reference.target)
            elif reference.kind == FOLLOW_UP:
                before.setdefault(reference.target, set()).add(own)
    return {own: frozenset(before[own]) for own in sorted(before)}


def reading_order(
    slugs: Sequence[str], prerequisites: Mapping[str, Collection[str]], date_order: Mapping[str, int]
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The episodes with prerequisites first, else by date, else by slug; and the cycles, each by date.

    A prerequisite that is not among `slugs` is left out, what it needs in turn counts. The members of a cycle stand by
    date among each other, after what they all need. Raises nothing.
    """
    wanted = set(slugs)
    needs = {slug: _needed(slug, wanted, prerequisites) for slug in wanted}
    place = {slug: (date_order.get(slug, 1 << 62), slug) for slug in wanted}
    component, cycles = _components(needs, place)
    members: dict[int, list[str]] = {}
    waits: dict[int, set[int]] = {}
    for slug in sorted(wanted, key=place.__getitem__):
        members.setdefault(component[slug], []).append(slug)
        waits.setdefault(component[slug], set()).update(component[need] for need in needs[slug])
    followers: dict[int, set[int]] = {}
    missing = {}
    for own, others in waits.items():
        others.discard(own)
        missing[own] = len(others)
        for other in others:
            followers.setdefault(other, set()).add(own)
    # A cycle's members become ready together and then stand among the others by date.
    ready = [place[slug] for own, count in missing.items() if not count for slug in members[own]]
    heapq.heapify(ready)
    left = {own: len(names) for own, names in members.items()}
    ordered: list[str] = []
    while ready:
        slug = heapq.heappop(ready)[1]
        ordered.append(slug)
        own = component[slug]
        left[own] -= 1
        for follower in followers.get(own, ()) if not left[own] else ():
            missing[follower] -= 1
            if not missing[follower]:
                for name in members[follower]:
                    heapq.heappush(ready, place[name])
    return ordered, cycles


# --- What names a target ---------------------------------------------------------------------------------------------


def _known(targets: Sequence[Target]) -> _Known:
    known = _Known()
    for target in targets:
        for page in target.pages:
            _add(known.pages, page, target.slug)
        if target.number is not None:
            _add(known.numbers, target.number, target.slug)
    own = {target.slug for target in targets}
    for target in targets:
        # An address made of a title drops signs that our slugs keep apart: "PyTorch 2.0" is pytorch-20.
        for name in {_plain(target.title), _plain(target.title.replace("&", " and ")), _plain(target.slug)} - {""}:
            _add(known.slugs, name, target.slug)
        if slug_of(target.title) not in own:
            _add(known.slugs, slug_of(target.title), target.slug)
    for slug in own:
        known.slugs[slug] = slug
    _name_all(known, targets)
    return known


def _add(names: dict[_K, str | None], name: _K, slug: str) -> None:
    names[name] = slug if names.get(name, slug) == slug else None


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", slug_of(name))


def _name_all(known: _Known, targets: Sequence[Target]) -> None:
    """The titles, then spellings that give way to any title: without article, one or many, initials."""
    titles = [(target.slug, _title_words(target.title)) for target in targets]
    ways: tuple[list[tuple[tuple[str, ...], _Name]], ...] = ([], [], [])
    for slug, words in titles:
        keys = tuple(_key(word) for word in words)
        if not keys or not any(_LETTERS.search(key) for key in keys):
            continue
        ways[0].append((keys, _Name(slug, words)))
        if keys[0] in ("the", "a", "an") and len(keys) > 2:
            ways[1].append((keys[1:], _Name(slug, words[1:])))
        if len(keys) > 1 and len(keys[-1]) > 3 and not keys[-1].endswith("ss"):
            other = keys[-1].removesuffix("s") if keys[-1].endswith("s") else keys[-1] + "s"
            ways[1].append(((*keys[:-1], other), _Name(slug, (*words[:-1], other))))
        initials = "".join(word[0] for word in words).upper()
        if 2 <= len(words) <= 5 and initials.isalpha() and initials not in KNOWN_INITIALS:
            for written in (initials, f"{initials}s"):
                ways[2].append(((written.casefold(),), _Name(slug, (written,), initials=True)))
    for way in ways:
        found: dict[tuple[str, ...], _Name | None] = {}
        for keys, name in way:
            found[keys] = name if keys not in found or _same(found[keys], name) else None
        for keys, one in found.items():
            known.names.setdefault(keys, one)
    for keys in known.names:
        known.beginnings.update(keys[:length] for length in range(1, len(keys) + 1))


def _same(one: _Name | None, other: _Name) -> bool:
    return one is not None and one.slug == other.slug


def _title_words(title: str) -> tuple[str, ...]:
    """The words of a title as written, without number prefix."""
    plain = re.sub(r"[_*`]", " ", title)  # signs between words, which folding takes out
    bare = len(_WORD.findall(bare_title(plain, "")[0]))
    words = _WORD.findall(plain)
    return tuple(words[len(words) - bare :])


def _key(word: str) -> str:
    key = re.sub(r"['’]s?\Z", "", word.casefold())
    return "and" if key == "&" else key.replace("'", "").replace("’", "")


def _linked(key: str, address: str, known: _Known) -> str | None:
    """The slug of the episode that an address leads to; None for anything else."""
    page = page_key(address)
    if page in known.pages:
        return known.pages[page]
    kind, _, name = key.partition(":")
    if kind != "episode" or not name:
        return None
    for tried in (name, without_tail(f"/{name}")[1:], name[:-9] if name[-9:-8] == "-" else ""):
        if not tried:
            continue
        for spelled in (tried, _plain(tried)):
            if spelled in known.slugs:
                return known.slugs[spelled]
    return known.numbers.get(int(name)) if re.fullmatch(r"[0-9]{1,6}", name) else None


# --- What the words say ----------------------------------------------------------------------------------------------


class _Reader:
    """Reads one text from its beginning to its end and remembers the lead that governs a list."""

    def __init__(self, own: str, text: str, known: _Known, show: str) -> None:
        self.own = own
        self.text = text
        self.masked = _ADDRESS.sub(lambda found: _MASK * len(found[0]), text)
        self.known = known
        self.show = {word.casefold() for word in _WORD.findall(show)}
        self.governing: tuple[str, str] | None = None  # kind, and the words of the lead
        self.names_episodes = False  # whether that lead says that episodes follow
        self.count: dict[str, int] = {}
        self.numbered = 0
        self.cut = _CUT.search(text, max(0, len(text) - 400))
        self.cut_lead: tuple[str, str] | None = None
        self.cut_address = ""

    def read(self, addresses: Sequence[_Mention]) -> Iterator[Reference]:
        addresses = sorted(addresses, key=lambda mention: (mention.start, mention.slug))
        next_address = 0
        for start, end in self._segments():
            inside = []
            while next_address < len(addresses) and addresses[next_address].start < end:
                inside.append(addresses[next_address])
                next_address += 1
            yield from self._segment(start, end, inside)

    def is_cut_from(self, address: str) -> bool:
        return bool(self.cut_address) and canonical(address).startswith(self.cut_address)

    def _segments(self) -> Iterator[tuple[int, int]]:
        start = 0
        for found in _BREAK.finditer(self.masked):
            if "\n" not in found[0] and _ABBREVIATED.search(
                self.masked[max(start, found.start() - 12) : found.start()]
            ):
                continue
            if found.start() > start:
                yield start, found.start()
            start = found.end()
        if start < len(self.masked):
            yield start, len(self.masked)

    def _segment(self, start: int, end: int, addresses: Sequence[_Mention]) -> Iterator[Reference]:
        in_prose = []
        for run in self._named(start, end):
            in_prose.append(run)
            kind = self._kind(start, end, run[0].start, run[-1].end)
            for mention in run:
                yield from self._reference(mention, kind, start, end)
        last = start
        for mention in addresses:
            kind = self._kind(start, end, mention.start, mention.end, last)
            yield from self._reference(mention, kind, start, end)
            last = mention.end
        self._govern(start, end, [*addresses, *(mention for run in in_prose for mention in run)])

    def _reference(self, mention: _Mention, kind: str, start: int, end: int) -> Iterator[Reference]:
        count = self.count.get(mention.slug, 0)
        if mention.slug == self.own or count >= MOST_MENTIONS:
            return
        self.count[mention.slug] = count + 1
        words = _around(self.text, start, end, mention.start, mention.end)
        if self.governing and kind == self.governing[0] and self.governing[1] not in words:
            words = f"{self.governing[1]} {words}"
        yield Reference(kind, mention.slug, "notes", mention.start, words)

    def _govern(self, start: int, end: int, mentions: Sequence[_Mention]) -> None:
        """Let a lead govern what follows it, until a heading or a sentence of prose."""
        segment = self.masked[start : min(end, start + 400)]
        first = min((m.start for m in mentions), default=min(end, _first_masked(self.masked, start, end)))
        lead = self.masked[max(start, first - 200) : first].rstrip()
        words = _LETTERS.findall(lead)
        whole = first >= end
        if lead.endswith(":") or (whole and 0 < len(words) <= 8):
            kind = self._cue(lead)
            if kind:
                said = " ".join(lead.split())[-160:]
                self.governing = (kind, said)
                self.names_episodes = bool(re.search(rf"{_NOUN}|listen", lead, re.IGNORECASE))
                self._look_at_cut(start, end, kind, said)
                return
            if HEADINGS.fullmatch(lead.strip(" :.-*#")) or (whole and lead.endswith(":")):
                self.governing = None
                return
        if len(_LETTERS.findall(segment)) > 6 and not (mentions and len(words) <= 6):
            self.governing = None
        elif self.governing:
            self._look_at_cut(start, end, *self.governing)

    def _look_at_cut(self, start: int, end: int, kind: str, lead: str) -> None:
        """Whether the text ends in the middle of an address that the lead governs."""
        if self.cut and start <= self.cut.start() < end:
            self.cut_lead, self.cut_address = (kind, lead), canonical(self.cut[1]).rstrip("/")

    def _cue(self, before: str) -> str:
        best = (0, 0, "")
        for kind, cue in _BEFORE:
            for found in cue.finditer(before):
                candidate = (found.end(), -found.start(), kind)
                if candidate[:2] > best[:2]:
                    best = candidate
        return best[2]

    def _kind(self, start: int, end: int, first: int, last: int, after_link: int = 0) -> str:
        before = " ".join(self.masked[max(start, first - 240) : first].split())
        after = " ".join(self.masked[last : min(end, last + 120)].split())
        for kind, cue in _AFTER:
            if cue.match(f" {after}") or cue.match(after):
                return kind
        if _FIRST.match(after) and _TOLD_TO_HEAR.search(before[-80:]):
            return PREREQUISITE
        kind = self._near_cue(before)
        if kind and (kind != SEE_ALSO or not self.governing):
            return kind
        return self.governing[0] if self.governing else SEE_ALSO

    def _near_cue(self, before: str) -> str:
        """The kind that the words before say, unless too much else stands between."""
        best = (0, 0, "")
        for kind, cue in _BEFORE:
            for found in cue.finditer(before):
                if (found.end(), -found.start()) > best[:2]:
                    best = (found.end(), -found.start(), kind)
        between = before[best[0] :].replace(_MASK, "")
        return best[2] if best[2] and len(between) <= 60 else ""

    # Titles in prose

    def _named(self, start: int, end: int) -> Iterator[list[_Mention]]:
        """The titles that a segment names as episodes, in runs that share their words before and after."""
        if not (self.governing or _CUE_WORDS.search(self.masked, start, end)):
            yield from self._bare(start, end)
            return
        run: list[_Mention] = []
        for mention in self._titles(start, end):
            if run and not _JOINT.fullmatch(self.masked[run[-1].end : mention.start][:60]):
                yield from self._accepted(run, start, end)
                run = []
            run.append(mention)
        yield from self._accepted(run, start, end)
        yield from self._numbered(start, end)

    def _bare(self, start: int, end: int) -> Iterator[list[_Mention]]:
        for mention in self._titles(start, end):
            if self._is_long(mention, start):
                yield [mention]

    def _titles(self, start: int, end: int) -> Iterator[_Mention]:
        words = [(_key(found[0]), found.start(), found.end()) for found in _WORD.finditer(self.masked, start, end)]
        place = 0
        while place < len(words):
            keys: tuple[str, ...] = ()
            best: tuple[int, _Name] | None = None
            for ahead in range(place, len(words)):
                if ahead > place and not _GAP.fullmatch(self.masked[words[ahead - 1][2] : words[ahead][1]][:6]):
                    break
                keys = (*keys, words[ahead][0])
                if keys not in self.known.beginnings:
                    break
                name = self.known.names.get(keys)
                if name is not None:
                    best = (ahead, name)
                elif keys in self.known.names:
                    best = None  # two episodes of that title: it names neither, nor a shorter one
            if best is None:
                place += 1
                continue
            last, name = best
            yield self._with_markup(words[place][1], words[last][2], name)
            place = last + 1

    def _with_markup(self, start: int, end: int, name: _Name) -> _Mention:
        """The mention with the signs that belong to it (`__torch_function__`), never half of another word."""
        low, high = start, end
        while low > 0 and self.masked[low - 1] in "_*`":
            low -= 1
        while high < len(self.masked) and self.masked[high] in "_*`":
            high += 1
        low = start if self.masked[low - 1 : low].isalnum() else low
        high = end if self.masked[high : high + 1].isalnum() else high
        return _Mention(low, high, name, name.slug)

    def _accepted(self, run: list[_Mention], start: int, end: int) -> Iterator[list[_Mention]]:
        if all(self.count.get(mention.slug, 0) >= MOST_MENTIONS for mention in run):
            return
        while run:
            if self._ends_there(run[-1], end):
                before = self.masked[max(start, run[0].start - 160) : run[0].start]
                after = self.masked[run[-1].end : min(end, run[-1].end + 120)]
                kept = [mention for mention in run if self._is_reference(mention, run, before, after, start, end)]
                if kept:
                    yield kept
                return
            run = run[:-1]

    def _ends_there(self, mention: _Mention, end: int) -> bool:
        """Whether the name ends where the title does: "the episode on vmap rules" is not the one on vmap."""
        after = self.masked[mention.end : min(end, mention.end + 40)]
        found = _WORD.search(after)
        if found is None or re.search(r"[^\s\w]", after[: found.start()].replace("-", "").replace("'", "")):
            return not after.startswith("-")
        return not after.startswith(("-", "_")) and _key(found[0]) in _GOES_ON

    def _is_reference(
        self, mention: _Mention, run: Sequence[_Mention], before: str, after: str, start: int, end: int
    ) -> bool:
        name = mention.name
        assert name is not None
        if mention.slug == self.own or self._is_elsewhere(after):
            return False
        if name.initials:
            own_words = self.masked[mention.start : mention.end]
            return own_words == name.words[0] and self._is_own_episode(before, after)
        if self._led(before) or self._followed(before, after):
            return True
        if self._is_listed(mention, start, end):
            return True
        several = len(name.words) > 1
        if (lead := _HEARD.search(before)) and not _DENIED.search(before[: lead.start()]):
            return several or self._is_exact(mention)
        if several and _SEQUEL.search(before) and (self._is_exact(mention) or self._is_quoted(mention)):
            return True
        if several and self._is_quoted(mention) and _HINT.search(before + " " + after):
            return not _SELF.search(before[:-1] if before else "")
        return len(run) == 1 and self._is_long(mention, start)

    def _led(self, before: str) -> bool:
        """Whether the words before say that an episode of this show is named: "our previous episode about"."""
        if _TIME_LEAD.search(before):
            return True
        lead = _LEAD.search(before)
        return lead is not None and self._is_ours(before[: lead.start()], lead["noun"])

    def _followed(self, before: str, after: str) -> bool:
        """Whether the words after do: "the vmap episode", "… in an earlier episode"."""
        noun = _NOUN_AFTER.match(after)
        if noun:
            return self._is_ours(before.rstrip("\"“'‘«(["), noun[0]) and not self._is_elsewhere(after[noun.end() :])
        return bool(_SUBJECT.search(before)) and bool(_EPISODE_AFTER.match(after)) and not _DENIED.search(before)

    def _is_own_episode(self, before: str, after: str) -> bool:
        """Whether initials are named as an episode, and as one of ours in so many words."""
        ours = r"(?:\b(?:our|my|previous|earlier|last|old|older|first)\s+(?:\w+\s+){0,2})\Z"
        lead = _LEAD.search(before)
        if lead:
            return bool(re.search(ours, before[: lead.start()], re.IGNORECASE)) and self._led(before)
        return bool(_NOUN_AFTER.match(after)) and bool(re.search(ours, before, re.I)) and self._followed(before, after)

    def _is_ours(self, before: str, noun: str) -> bool:
        """Whether an episode with these words before it is another one, and of this show."""
        owned = _OWNED.search(before)
        if _SELF.search(before) or _DENIED.search(before) or (owned and owned[1].casefold() not in _DAYS):
            return False
        if noun.strip().lower() == "podcast" and _SOME_PODCAST.search(before):
            return bool(re.search(r"\b(?:did|made|recorded|have|had|released|done)\s+\w+\s+\Z", before, re.IGNORECASE))
        if noun.strip().lower() == "podcasts" and not re.search(
            r"\b(?:our|my|the|earlier|previous|other)\s+\Z", before, re.I
        ):
            return False
        named = _NAMED.search(before)
        for word in reversed(named[1].split() if named else []):
            plain = word.casefold().strip(".,'’")
            if plain in _PLAIN or not word[0].isupper():
                return True
            if plain not in self.show:
                return len(before.split()) == 1 and plain.endswith("ly")
        return True

    def _is_elsewhere(self, after: str) -> bool:
        found = _ELSEWHERE.match(after)
        return found is not None and not {w.casefold() for w in _WORD.findall(found["name"])} - {"the"} <= self.show

    def _is_listed(self, mention: _Mention, start: int, end: int) -> bool:
        """Whether a line under a lead that names episodes is this title and nothing else but an address."""
        if not self.governing or mention.name is None:
            return False
        rest = self.masked[start : mention.start] + self.masked[mention.end : min(end, mention.end + 400)]
        if _LETTERS.search(rest.replace(_MASK, "")):
            return False
        return self.names_episodes or (len(mention.name.words) > 1 and self._is_exact(mention))

    def _is_exact(self, mention: _Mention) -> bool:
        written = tuple(_WORD.findall(self.masked, mention.start, mention.end))
        return mention.name is not None and written == mention.name.words

    def _is_quoted(self, mention: _Mention) -> bool:
        around = self.masked[max(0, mention.start - 1) : mention.start], self.masked[mention.end : mention.end + 2]
        return around[0] in ('"', "“", "‘", "'", "«", "„") and bool(re.match("[.,?!]?[\"”’'»“]", around[1]))

    def _is_long(self, mention: _Mention, start: int) -> bool:
        """Whether a title is so much of its own that it needs no other words; a sentence that begins so may not mean it."""
        assert mention.name is not None
        begins = not _LETTERS.search(self.masked, start, mention.start)
        if mention.slug == self.own or not self._is_exact(mention):
            return False
        if self._is_quoted(mention):
            return len(mention.name.words) >= 4
        return len(mention.name.words) >= 5 and not begins

    def _numbered(self, start: int, end: int) -> Iterator[list[_Mention]]:
        for found in _NUMBERS.finditer(self.masked, start, end):
            before = self.masked[max(start, found.start() - 80) : found.start()]
            after = self.masked[found.end() : min(end, found.end() + 80)]
            if self.numbered >= MOST_MENTIONS * 8:
                return
            self.numbered += 1
            if self._numbers_itself(found) or not self._is_ours(before, "episode") or self._is_elsewhere(after):
                continue
            run = []
            for number in re.finditer(r"\d+", found[1]):
                slug = self.known.numbers.get(int(number[0]))
                if slug is not None and slug != self.own:
                    place = found.start(1) + number.start()
                    run.append(_Mention(place, place + len(number[0]), None, slug))
            if run:
                yield run

    def _numbers_itself(self, found: re.Match[str]) -> bool:
        """Whether a text begins with its own number: "Episode 12. Today …"."""
        return found.start() < 40 and not self.masked[: found.start()].strip() and found[1].isdigit()


def _first_masked(masked: str, start: int, end: int) -> int:
    place = masked.find(_MASK, start, end)
    return place if place >= 0 else end


def _around(text: str, start: int, end: int, first: int, last: int) -> str:
    """The sentence of a mention, cut to what stands near it where it is long."""
    low, high = max(start, first - 160), min(end, max(last, first + 1) + 80)
    words = text[low:high]
    if low > start:
        words = words.partition(" ")[2] or words
    if high < end and not words[-1:].isspace() and not text[high : high + 1].isspace():
        words = words.rpartition(" ")[0] or words
    return " ".join(words.split())


def _rank(reference: Reference) -> tuple[str, int, bool, int, str]:
    return (
        reference.target,
        STRENGTH.index(reference.kind),
        reference.field != "notes",
        reference.position,
        reference.evidence,
    )


# --- Reading order ---------------------------------------------------------------------------------------------------


def _needed(slug: str, wanted: set[str], prerequisites: Mapping[str, Collection[str]]) -> set[str]:
    """The wanted episodes that one needs, at once or by way of unwanted ones."""
    found: set[str] = set()
    seen: set[str] = set()
    open_ = sorted(prerequisites.get(slug, ()))
    while open_:
        name = open_.pop()
        if name in wanted:
            found.add(name)
        elif name not in seen:
            seen.add(name)
            open_.extend(prerequisites.get(name, ()))
    return found


def _components(
    needs: Mapping[str, Collection[str]], place: Mapping[str, tuple[int, str]]
) -> tuple[dict[str, int], list[tuple[str, ...]]]:
    """Which episodes need each other, as a number each, and those that do, by date (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    component: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[tuple[str, ...]] = []
    for root in sorted(needs, key=place.__getitem__):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        work = [(root, iter(sorted(needs[root])))]
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    members = [stack.pop()]
                    while members[-1] != name:
                        members.append(stack.pop())
                    component.update(dict.fromkeys(members, index[name]))
                    if len(members) > 1 or name in needs[name]:
                        cycles.append(tuple(sorted(members, key=place.__getitem__)))
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                work.append((following, iter(sorted(needs[following]))))
            elif following not in component:
                low[name] = min(low[name], index[following])
    return component, sorted(cycles, key=lambda cycle: place[cycle[0]])
