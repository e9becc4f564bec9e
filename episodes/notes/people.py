"""Finds who is heard in an episode, hosts and guests, in what the feed declares and in the notes' own phrases."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from ..identity.slugs import short_hash, slug_of
from ..text.normalize import fold
from ..text.urls import page_key

HOST, GUEST, CO_HOST = "host", "guest", "co-host"

# Words that stand after, or before, the names of people who are heard. Being named is not being heard: work "by"
# somebody, a thanks, a "h/t", somebody's optimization make no credit.
# A cue marked FULL could stand beside a company or a thing too: it takes a first and a last name.
# <we> and <us> are "I", "me" … and the names of the show's hosts.
FULL, ANY = True, False
_OUR = r"(?:my|our|the|a|today['’]s|this week['’]s)"
_FIRST = r"(?:(?m:^)|(?<=[.!?] )|(?<=[.!?]\n))"  # the word that a sentence begins with
_WHEN = r"(?: (?:again|today|now|here|once more|this week))?"
NAMES_FOLLOW = (
    (GUEST, ANY, rf"\bjoin(?:s|ed|ing)? <us>{_WHEN}(?: (?:with|by)|,? and)"),
    (GUEST, ANY, rf"\b(?:i['’]?m|i am|we['’]?re|we are|today|again|also|<we> (?:is|are)) joined{_WHEN} by"),
    (GUEST, FULL, rf"(?:\b(?:am|are|is|was|were) |{_FIRST})joined{_WHEN} by"),
    (GUEST, ANY, r"\bjoining <us>(?: [a-z]+){0,3}? (?:is|are)|\bwith <us>(?: today| this week)?(?: (?:is|are)|:)"),
    (GUEST, FULL, rf"{_FIRST}more (?:from|with)"),
    (GUEST, FULL, r"\b(?:heard|featured|speaking|appearing) (?:in|on) this (?:episode|show)(?: are)?:?"),
    (GUEST, ANY, rf"\b(?:special |first |recurring |{_OUR} ){{0,4}}guest(?:s|[- ]hosts?)?{_WHEN}(?: (?:is|are)|:|,| -| –)?"),
    (GUEST, ANY, r"\bwith (?:our|my) (?:(?:good|old) )?(?:friend|colleague|co-?worker|teammate)s?,?"),
    (GUEST, FULL, r"\b(?:interview(?:s|ed|ing)?(?: with)?|(?:conversation|chat|discussion|talk|q&a)s? with)"),
    (GUEST, FULL, rf"{_FIRST}(?:an?|the|my|our) (?:\w+ )?(?:conversation|chat|discussion|interview|talk)\b"
                  r"[^.;:\n]{1,80}?,? with"),
    (GUEST, FULL, r"\b<we> (?:talk(?:s|ed)?|speaks?|spoke|chat(?:s|ted)?|s[ia]ts? down|caught up|catch(?:es)? up)"
                  r"(?: today)? (?:with|to)"),
    (GUEST, FULL, r"\b(?:i['’]m|i am|we['’]re|we are) (?:talking|speaking|chatting|sitting down)(?: today)? (?:with|to)"),
    (GUEST, FULL, r"\b<we> (?:welcomes?|asks?|interviews?|hosts?)|\b(?:i['’]m|i am|am|get|being) interviewed by"),
    (GUEST, FULL, r"\b(?:featuring|feat\.|ft\.|starring)|\b(?:has|have|he['’]s|she['’]s|they['’]ve) brought(?: along)?"),
    (GUEST, ANY, r"\bthank(?:s| you)(?: so much| very much| a lot)?,?(?: to)?"
                 rf"(?=[^.!?\n]{{3,60}} for (?:joining|coming on|being on|being {_OUR} guest))"),
    (CO_HOST, ANY, r"\bco-?host(?:ed|s)?(?: (?:is|are|with|by))?:?"),
    (HOST, ANY, r"(?<!-)\b(?:hosted by|(?:your|my|our) hosts?,?(?: (?:is|are|as always))?:?|hosts?:)"),
    (HOST, ANY, r"\b(?:my name is|hi,? i['’]m|hello,? i['’]m|hi,? i am|hello,? i am)"),
)  # fmt: skip
NAMES_PRECEDE = (
    (GUEST, ANY, r"(?:(?:will be |will |is |are |has |have |was |were )?(?:now |also |again |finally |kindly |once more )?"
                 r"join(?:s|ed|ing)? <us>\b(?! (?:with|by|at (?!the end)|in (?:19|20)\d\d)))"),
    (GUEST, FULL, r"(?:comes?|came|is|are) (?:back )?on(?:to)? the (?:show|podcast)"),
    (GUEST, FULL, r"(?:is|are) (?:still |back )?here\b|(?:is|are) back(?= (?:to|with|on|today|for)\b|[.,!])"),
    (GUEST, FULL, r"(?:(?:is|are) )?(?:here )?with <us>\b(?! (?:is|are))"),
    (GUEST, FULL, r"(?:returns?|comes? back)"
                  r"(?= to (?:the|our) (?:show|podcast)|\s*[.!]|,? (?:this (?:time|week)|with|to (?:talk|tell|explain)))"),
    (CO_HOST, FULL, r"(?:is |are )?co-?host(?:s|ing|ed)?\b(?! (?:by|with|of))"),
    (GUEST, FULL, r"(?:stop|drop)(?:s|ped)? (?:by|in)\b"),
    (GUEST, ANY, rf"(?:is|are|was|were|as)(?: {_OUR})?(?: (?:very )?(?:special|first))? guests?\b"),
    (GUEST, ANY, r"(?:(?:is|are) |['’]s |['’]re )?(?:(?:going to|gonna|here to) |will |to )?"
                 r"(?:ask|interview)(?:s|ed|ing)? <us>\b"),
    (GUEST, FULL, r"(?:talk|speak|chat|sit down|sat down|talked|spoke|chatted)s? (?:to|with) <us>\b"),
    (GUEST, FULL, r"(?:tell|told|walk|walked|guide|teach|taught|show|explain|explained)(?:s|es)? (?:<us>|to <us>)\b"
                  r"(?= (?:all |a bit |more |some |what |why |how |about |through |the story))"),
    (GUEST, ANY, rf"(?:will )?answers? (?:my|our|some of (?:my|our)|all {_OUR}) questions"),
    (GUEST, ANY, r"and (?:i|me|myself)(?: will| are going to)? (?:talk|discuss|chat|cover|go over|dig|dive|speak|sit|sat|explore"
                 r"|debate|explain|look)\w*\b"),
)  # fmt: skip
# What somebody does of whom a sentence tells that says it is about this episode.
THIS_EPISODE = re.compile(
    r"(?:in|on) (?:this|today['’]s) (?:half|part|one|week['’]s|episode|show|interview|conversation|instal?lment)\b"
    r"|(?:today|this week|this time)\b",
    re.IGNORECASE,
)
DOES_HERE = (
    (GUEST, FULL, r"(?:explains?|tells?|talks?|discuss(?:es)?|describes?|shares?|shows?|walks?)\b"
                  r"(?! (?:in (?:19|20)|at (?:the|a)))"),
)  # fmt: skip

# A word of which every cue has one: most sentences have none.
_CUE = re.compile(
    r"join|guest|host|interview|conver|chat|discuss|talk|speak|spoke|s[ia]t\b|sits\b|caught|catch|welcom|ask|feat|ft\.|starring"
    r"|brought|thank|with\b|q&a|name is|\bi['’]?m\b|\bi am\b|\bshow|podcast|here\b|back\b|return|stop|drop|tell|told|walk|guid"
    r"|\bmore (?:from|with)|heard|appear|\bs?he\b|\bthey\b|teach|taught|explain|answer|describ|share|\band (?:i|me|myself)\b",
    re.IGNORECASE,
)

# Parts of the names of teams and companies; a name with one of them is no person's.
ORGANISATIONS = frozenset(
    "team teams inc llc ltd gmbh corp corporation company co foundation podcast podcasts network networks studio studios"
    " production productions media radio labs lab research group university college institute school press publishing fm tv"
    " news magazine show community project association society club daily weekly digital entertainment technologies"
    " technology software engineering ventures capital partners collective agency pytorch tensorflow python google meta"
    " facebook microsoft nvidia amazon apple openai deepmind intel ibm github gitlab quansight huggingface spotify"
    " simplecast audio ai contributors authors developers maintainers staff editors various unknown anonymous host hosts"
    " guest guests the and".split()
)
# Capitalised words that are no names.
NO_NAMES = ORGANISATIONS | frozenset(
    "a an i he she they we you it this that these those there here who what why how when where which everyone someone"
    " somebody anyone nobody people others today tonight yesterday tomorrow now then also so but or if in on at for from"
    " with by of to as my our your their his her its me us one two three some many all both each other another next last"
    " first previously recently finally join joins listen episode episodes part chapter season monday tuesday wednesday"
    " thursday friday saturday sunday january february march july september october november december"
    " cuda cpu gpu xla jax numpy linux windows docker java javascript rust tensor tensors autograd compiler compilers"
    " dynamo inductor triton torch torchscript graph graphs dispatcher kernel kernels onnx runtime api apis ci code data"
    " model models machine deep learning science programming web cloud open source new old special great more most no"
    " not yes please thanks thank welcome hi hello hey further reading links resources questions question answers"
    " compiled compile functional dynamic static memory shared random number generators operators higher order half"
    " precision mixed automatic inference mode distributed training parallel quantum computing security design talk"
    " talks interview interviews conversation conversations discussion chat highlights music stories live bonus".split()
)
SURNAMES = frozenset("he so to an my no me long new".split())  # no first names, but last names
PARTICLES = frozenset("van von der den de da di del della dos du la le bin ibn al el ter ten zu af av y".split())
PREFIXES = frozenset("al el as ash ar at an ben bin ibn abu abd".split())  # "Fatima al-Rashid"
TITLES = frozenset("dr prof professor mr mrs ms mx sir dame".split())
SUFFIXES = frozenset("phd ph.d md m.d jr sr ii iii iv esq msc bsc ceo cto".split())
# What somebody is, with the capital that a sentence begins with: "Psychologist Jane Roe joins us".
TRADES = frozenset(
    "psychologist engineer developer researcher author historian journalist scientist physicist astronomer designer composer"
    " producer programmer mathematician economist philosopher maintainer founder writer artist musician architect consultant"
    " biologist chemist cryptographer statistician educator teacher lawyer doctor entrepreneur investor colleague comedian"
    " actor director photographer linguist neuroscientist geologist sociologist anthropologist hacker analyst".split()
)
MOST_WORDS = 5  # of a name
MOST_PEOPLE = 200  # that notes are believed to credit

_SENTENCE = re.compile(r"[.!?…][\"”’')\]]{0,2}\s+|\n+")
_INITIAL_BEFORE = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|dr|prof|mr|mrs|ms|jr|sr|st|feat|ft|vs|e\.g|i\.e)\.\Z", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}", re.IGNORECASE)
_AFTERWARDS = re.compile(
    r"\n[ \t]*(?:further (?:reading|listening)|links|references|resources|show ?notes|credits|sponsors?)\b"
    r"[ \t]{0,9}[.:]?[ \t]{0,9}(?=\n|\Z)",
    re.IGNORECASE,
)
_OTHER_TIME = re.compile(
    r"\b(?:next|last|previous|earlier|later|future|upcoming|another|different) (?:time|week|month|episode|podcast|show)"
    r"|\A\W*previously\b|\btomorrow\b|\bstay tuned\b|\bin the (?:future|past)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"n['’]t\b|\b(?:not|never|unable to|supposed to|if|wish|hope|hoping|would (?:like|love)|might|until|should)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:inspired by|prompted by|based on|read|reading|watch|watched|saw|see|heard|recommend|check out|link to|cites?|his|her"
    r"|their|after|following|thanks to|during|from|great|old|famous)"
    r"\s+(?:an?\s+|the\s+|some\s+|this\s+|my\s+|our\s+)?(?:\w+\s+){0,2}\Z",
    re.IGNORECASE,
)
_ANSWERABLE = re.compile(r"interview|conversation|chat|discussion|talk with|q&a|featuring|feat|guest", re.IGNORECASE)
_BETWEEN = (
    "of|by|from|for|to|with|and|or|in|on|at|who|that|which|about|over|under|after|before|as|than|via|into|is|are|was|were|how"
    "|what|why|when"
)
_INTRODUCTION = re.compile(
    r"(?:(?:today|tonight|now|here|and|so|also|finally|then|hello|hi|welcome|this (?:week|time|month)|in this (?:episode|podcast)"
    r"|on (?:today['’]s|this|the) (?:episode|show|podcast)|for this episode|once again|as always|joining me"
    r"|(?:special )?guests?|(?:my |our )?(?:(?:good )?friend|colleague|co-?worker|teammate)s?|because|where|when|while|with"
    r"|the (?:great|amazing|wonderful|one and only)|(?:[a-z-]{1,20} ){0,3}(?:engineer|researcher|scientist|developer|author"
    r"|creator|founder|manager|maintainer|professor|director)s?)[\s,:;-]{1,9}"
    rf"|(?-i:(?:[Tt]he|an?|[Oo]ur|[Mm]y|[Hh]is|[Hh]er|[Tt]heir) (?:(?!(?:{_BETWEEN})\b)[a-z][\w-]*,? ){{1,4}})(?=[^\W\d_]))",
    re.IGNORECASE,
)  # fmt: skip
_TRADE = re.compile(rf"(?:(?!(?:{_BETWEEN})\b)[a-z][\w-]* ){{1,3}}(?=[^\W\d_])")  # "Guests: composer Jane Roe"
_LISTED = re.compile(
    r"^[ \t]*(?:special )?(?P<who>guests?|hosts?|co-?hosts?|featuring)[ \t]*:?[ \t]*\n", re.IGNORECASE | re.MULTILINE
)
_LISTED_NAME = re.compile(r"[ \t]*(?:[-–—*•·][ \t]*)?(?=[^\W\d_])")
_LISTED_REST = re.compile(r"[ \t]*(?:[,(–—|:-]|\n|\Z)")
# Where somebody comes from, between two names.
_FROM = re.compile(r"\s+(?:from|of|at)\s+(?:the\s+)?[A-Z0-9][\w.&'’-]*(?:\s+[A-Z0-9][\w.&'’-]*){0,3}(?=,?\s+and\s)")
_APPOSED = re.compile(r"\s*,\s+(?-i:[a-z])[^,.;:()\n]{2,60}(?=,\s+and\s)")
# A sentence that names people and no more: "With Ada Lovelace of Analytical Engines and Charles Babbage."
_BILL = re.compile(r"(?:with|featuring|starring)\s", re.IGNORECASE)
_BILL_ENDS = re.compile(r"(?:\s+(?:from|of|at)\s+[^,;:.]{1,60})?[\s.!]*|,\s+(?:both|all|who|whose)\s.*", re.DOTALL)
_JOINT = re.compile(r"\s*(?:,\s*(?:and\s+|&\s*)?|and\s+|&\s*|\+\s*|as well as\s+)(?=\S)", re.IGNORECASE)
_BESIDE = re.compile(r"\s*(?:\((?P<in>[^()\n]{1,80})\)|(?P<at>@[A-Za-z0-9_][\w-]{1,38})(?![\w.-]))")
_HANDLE = re.compile(
    r"(?:(?:github|twitter|gh|x|mastodon|bluesky)(?:\.com)?[:/ ]\s*@?|@)(?P<sure>[A-Za-z0-9_][\w-]{1,38})(?:\s+on\s+\w+)?"
    r"|(?P<bare>[a-z][a-z0-9]*(?:[-_]?[a-zA-Z0-9]+)*)(?:\s+on\s+(?:github|twitter|x))?",
    re.IGNORECASE,
)
_NO_HANDLES = frozenset(
    "he him she her they them host guest cohost co-host author ceo cto founder engineer meta fair google nvidia formerly"
    " previously now again also me us intern remote".split()
)
# "She moved her team, and she's here to tell us": of whom the sentence tells from its beginning.
_AND_THEY = re.compile(
    r"\b(?:s?he|they)(?:['’]s|['’]re| is| are)? (?:(?:here|back) to\b|(?:my|our) guests?\b"
    r"|(?:join|tell|walk|show|teach)s? (?:me|us)\b)",
    re.IGNORECASE,
)
_BEFORE_VERB = re.compile(
    r"(?:['’]s|['’]re)?[\s,]*(?:\([^()]*\))?(?:\s*(?:from|of|at)(?:\s+[A-Z][\w.&'’-]*){1,4})?[\s,]*(?:and\s+|who\s+)?"
)
_CLAUSE = re.compile(r",\s(?:so|but)\s\Z")
_OF_OTHERS = re.compile(r"\b(?:by|of|from|for|to)\s\Z", re.IGNORECASE)  # "the team, led by Jack Cao, joins us"
_APPOSITIVE = re.compile(
    r"\s*(?:\Z|\(|,|–|—|-\s|who\b|from\b|of\b|at\b|here\b|also\b|again\b|today\b|recently\b|is\b|will\b|has\b|have\b|finally\b|kindly\b)",
    re.IGNORECASE,
)
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['’\-‐‑·][^\W\d_]+)*\.?")
_SPACE = re.compile(r"[ \t\u00a0]{1,3}|\n(?!\n)")
_MAIL = re.compile(r"\s*\S+@\S+\s*\((?P<name>[^()]+)\)\s*|(?P<plain>[^<>@]+)<[^<>]*@[^<>]*>\s*")
_PARTS = re.compile(r"\s*[,;/|&+•·]\s+|\s+(?:and|with|und|et|y)\s+|\s*[;/|]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """Somebody who is heard in an episode, and where that is said.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or "". `field` is
    person (`podcast:person`, `position` the index), author, show-author, or notes (`position` the offset in the text).
    `identity` is `@handle`, else the address that the feed gives, else `name@show`: two people of one name in two
    shows are two, and two of one name with two handles are too.
    """

    name: str
    role: str  # host | guest | co-host, or what the feed says
    credited_as: str
    handle: str
    field: str
    position: int
    identity: str


def people(
    text: str,
    feed_people: Sequence[tuple[str, str, str]],
    author: str,
    show_author: str,
    show: str = "",
) -> tuple[FoundCredit, ...]:
    """Who is heard in an episode, one credit each: as the feed lists them, then as they appear in the notes, then the
    hosts that the author's name gives (the item's, else the show's).

    `text` is the plain text of the notes, `feed_people` are (name, role, address), `show` the show's slug, which
    names without handle or address are bound to. Linear in the text; raises nothing.
    """
    declared = [_declared(index, *person, show=show) for index, person in enumerate(feed_people)]
    authors = list(_authors(author, "author", show)) or list(_authors(show_author, "show-author", show))
    named = {name for credit in authors for name in (credit.name, credit.name.split()[0])}
    noted = [
        credit
        for credit in _noted(text, show, tuple(sorted(named)))
        if credit.role != GUEST or credit.name not in named
    ]
    return _merged([*(credit for credit in declared if credit), *noted, *authors])


def settle(given: Iterable[FoundCredit]) -> dict[str, str]:
    """For each identity of one show the one that stands for it: a bare name goes to the handle or address that is known
    to bear it, if that is one only. Order-free."""
    bearers: dict[str, set[str]] = {}
    bare: dict[str, str] = {}
    for credit in given:
        if credit.identity == _identity(credit.name, "", "", credit.identity.rpartition("@")[2]):
            bare[credit.identity] = fold(credit.name)
        else:
            bearers.setdefault(fold(credit.name), set()).add(credit.identity)
    settled = {identity: identity for known in bearers.values() for identity in known}
    for identity, name in bare.items():
        known = bearers.get(name, set())
        settled[identity] = next(iter(known)) if len(known) == 1 else identity
    return {identity: settled[identity] for identity in sorted(settled)}


def slug(name: str, identity: str = "") -> str:
    """The address of a person's page: letters of every script stay; a name without any goes by eight hex digits.

    Two people may get the same: `slugs.assign` keeps them apart, with the identity as what tells them apart.
    """
    return slug_of(name) or f"person-{short_hash(identity or name)}"


# --- What the feed declares ------------------------------------------------------------------------------------------


def _declared(index: int, name: str, role: str, address: str, *, show: str) -> FoundCredit | None:
    plain = _tidy(name)
    if not plain or _is_organisation(plain):
        return None
    said = " ".join(role.casefold().split()) or HOST  # a person without a role is a host (podcast namespace)
    return FoundCredit(plain, said, plain, "", "person", index, _identity(plain, "", address, show))


def _authors(author: str, said_in: str, show: str) -> Iterator[FoundCredit]:
    mail = _MAIL.fullmatch(author[:400])
    written = (mail["name"] or mail["plain"]) if mail else author
    for index, part in enumerate(_PARTS.split(written[:400])):
        name = _tidy(re.sub(r"\([^()]*\)|^(?:by|hosted by|with)\s+", "", part, flags=re.IGNORECASE))
        words = _NAME_WORD.findall(name)
        whole = _name_at(name, 0)
        if whole and whole[1] == len(name) and (len(words) > 1 or not name.isascii()):
            yield FoundCredit(whole[0], HOST, name, "", said_in, index, _identity(whole[0], "", "", show))


def _is_organisation(name: str) -> bool:
    return any(word.casefold() in ORGANISATIONS for word in _NAME_WORD.findall(name))


def _tidy(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split())[:200]


def _identity(name: str, handle: str, address: str, show: str) -> str:
    if handle:
        return f"@{handle.casefold()}"
    return page_key(address) if address.strip() else f"{slug(name)}@{show}"


# --- What the notes say ----------------------------------------------------------------------------------------------

_Cues = tuple[tuple[str, bool, re.Pattern[str]], ...]


@lru_cache(maxsize=256)
def _cues(hosts: tuple[str, ...]) -> tuple[_Cues, _Cues, _Cues]:
    """What names follow, what they precede, and what they precede in a sentence about this episode, with the hosts' own
    names among those who ask and are asked."""
    names = "|".join(re.escape(name) for name in sorted(hosts, key=len, reverse=True))
    one = f"(?-i:{names})" if names else "i"
    we = rf"(?:i|we|{one}(?: and {one})?)" if names else "(?:i|we)"
    us = rf"(?:me|us|{one}(?: and {one})?)" if names else "(?:me|us)"

    def compiled(cues: Sequence[tuple[str, bool, str]], before: str, after: str) -> _Cues:
        said = ((role, full, cue.replace("<we>", we).replace("<us>", us)) for role, full, cue in cues)
        return tuple((role, full, re.compile(f"{before}(?:{cue}){after}", re.IGNORECASE)) for role, full, cue in said)

    return (
        compiled(NAMES_FOLLOW, "", r"\s+"),
        compiled(NAMES_PRECEDE, r"(?<!\w)", ""),
        compiled(DOES_HERE, r"(?<!\w)", ""),
    )


@dataclass(frozen=True, slots=True)
class _PeopleHits:
    name: str
    handle: str
    start: int
    end: int

    @property
    def is_full(self) -> bool:
        return " " in self.name or not self.name.isascii()


def _noted(text: str, show: str, hosts: tuple[str, ...]) -> list[FoundCredit]:
    masked = _ADDRESS.sub(lambda found: "\0" * len(found[0]), text)
    after = _AFTERWARDS.search(masked)
    said = masked[: after.start()] if after else masked
    found_here: dict[tuple[str, str], FoundCredit] = {}
    in_prose = (_heard(said, start, end, hosts) for start, end in _sentences(said))
    for heard in chain([_listed(said)], in_prose):
        for role, found in heard:
            identity = _identity(found.name, found.handle, "", show)
            credit = FoundCredit(found.name, role, found.name, found.handle, "notes", found.start, identity)
            known = found_here.setdefault((identity, role), credit)
            if credit.position < known.position:
                found_here[identity, role] = credit
        if len(found_here) >= MOST_PEOPLE:
            break
    return sorted(found_here.values(), key=lambda credit: (credit.position, credit.role != HOST, credit.name))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for found in _SENTENCE.finditer(text):
        if "\n" not in found[0] and _INITIAL_BEFORE.search(text[max(start, found.start() - 8) : found.start() + 1]):
            continue
        yield start, found.end()
        start = found.end()
    yield start, len(text)


def _heard(text: str, start: int, end: int, hosts: tuple[str, ...]) -> Iterator[tuple[str, _PeopleHits]]:
    if not _CUE.search(text, start, end):
        return
    follow, precede, does_here = _cues(hosts)
    opening = text[start : min(end, start + 40)]
    yield from ((GUEST, found) for found in _billed(text, start, end))
    if not _OTHER_TIME.search(opening) and _AND_THEY.search(text, start, end):
        yield from ((GUEST, found) for found in _names_at(text, start, end) if found.is_full)
    for role, full, cue in follow:
        for found in cue.finditer(text, start, end):
            before = text[max(start, found.start() - 100) : found.start()]
            if _is_not_now(opening, before) or (_ANSWERABLE.search(found[0]) and _ELSEWHERE.search(before)):
                continue
            for name in _names_at(text, found.end(), end):
                if name.is_full or not full:
                    yield role, name
    if THIS_EPISODE.match(opening):
        precede += does_here
    for role, full, cue in precede:
        for found in cue.finditer(text, start, end):
            low = max(start, found.start() - 240)
            if _is_not_now(opening, text[low : found.start()]):
                continue
            for name in _names_before(text, low, found.start(), low == start):
                if name.is_full or not full:
                    yield role, name


def _listed(text: str) -> Iterator[tuple[str, _PeopleHits]]:
    """Those who stand in lines of their own under "Guests:"."""
    for heading in _LISTED.finditer(text):
        who = heading["who"].casefold()
        role = CO_HOST if who.startswith("co") else HOST if who.startswith("host") else GUEST
        place = heading.end()
        while (line := _LISTED_NAME.match(text, place)) and (found := _person_at(text, line.end(), len(text))):
            if not found.is_full or not _LISTED_REST.match(text, found.end):
                break
            yield role, found
            place = text.find("\n", found.end) + 1 or len(text)


def _billed(text: str, start: int, end: int) -> Sequence[_PeopleHits]:
    """Those whom a sentence names that says nothing else."""
    bill = _BILL.match(text, start, end)
    names = list(_names_at(text, bill.end(), end)) if bill else []
    rest = text[names[-1].end : end] if names else ""
    return names if _BILL_ENDS.fullmatch(rest) and all(name.is_full for name in names) else ()


def _is_not_now(opening: str, before: str) -> bool:
    """Whether a sentence speaks of another episode, or of what does not happen."""
    clause = before.rpartition(",")[2]
    head = opening[: len(before)] if before.startswith(opening[:20]) else opening
    return bool(_OTHER_TIME.search(head) or _OTHER_TIME.search(clause) or _DENIED.search(clause[-60:]))


def _names_at(text: str, start: int, end: int) -> Iterator[_PeopleHits]:
    """The names that begin at a place and are joined by commas and "and", each perhaps with a word of who that is."""
    place = _skip(text, start, end, text[:start].rstrip()[-1:] == ":")
    first = ""
    while (found := _person_at(text, place, end)) is not None:
        if first and first != "and" and not found.is_full:
            return  # "Siobhán Reilly, Shopify"
        yield found
        after = found.end
        for aside in (_FROM, _APPOSED):
            said = aside.match(text, after, end)
            after = said.end() if said else after
        joint = _JOINT.match(text, after, end)
        if joint is None:
            return
        first = "and" if "and" in joint[0] or "&" in joint[0] else ","
        place = _skip(text, joint.end(), end, True)


def _names_before(text: str, low: int, end: int, from_start: bool) -> Iterator[_PeopleHits]:
    """The names that a clause has for its subject: those it begins with, else those that stand right before its verb."""
    words = list(_NAME_WORD.finditer(text, low, end))
    nearest: list[_PeopleHits] = []
    for word in words[-2 * MOST_WORDS :]:
        nearest = list(_names_at(text, word.start(), end))
        if nearest and _touches(text[nearest[-1].end : end]):
            if _OF_OTHERS.search(text, max(low, word.start() - 6), word.start()):
                nearest = []
            break
        nearest = []
    # "Kenji is out sick, so Sofia joins us": the subject of the last clause.
    if from_start and not (nearest and _CLAUSE.search(text, max(low, nearest[0].start - 12), nearest[0].start)):
        leading = list(_names_at(text, _skip(text, low, end), end))
        if leading and _APPOSITIVE.match(text, leading[-1].end, end):
            rest = text[leading[-1].end : end]
            # "Sherlock recently joined the team, …, and Sherlock's going to ask me": the subject is named again.
            if not _SENTENCE.search(rest.rstrip()):
                yield from leading
                return
    yield from nearest


def _touches(between: str) -> bool:
    return _BEFORE_VERB.fullmatch(between) is not None


def _skip(text: str, place: int, end: int, trade: bool = False) -> int:
    """Past what stands before a name: an introduction, and where it may, what somebody does."""
    for _ in range(8):
        while place < end and (text[place].isspace() or text[place] in "\"“‘'(*_-–—:,"):
            place += 1
        introduction = _INTRODUCTION.match(text, place, end) or (_TRADE.match(text, place, end) if trade else None)
        if introduction is None:
            return place
        place = introduction.end()
    return place


def _person_at(text: str, place: int, end: int) -> _PeopleHits | None:
    trade = _NAME_WORD.match(text, place, end)
    if trade and trade[0].casefold() in TRADES:
        place = trade.end() + 1
    named = _name_at(text, place, end)
    if named is None:
        return None
    name, stop = named
    handle = ""
    beside = _BESIDE.match(text, stop, end)
    if beside:
        inside = _HANDLE.fullmatch((beside["in"] or beside["at"]).strip())
        if inside and (inside["sure"] or _is_handle(inside["bare"])):
            handle = inside["sure"] or inside["bare"]
        stop = beside.end()
    return _PeopleHits(name, handle, place, stop)


def _is_handle(word: str) -> bool:
    return word[0].islower() and word.casefold() not in _NO_HANDLES and 2 < len(word) <= 39


def _name_at(text: str, place: int, end: int | None = None) -> tuple[str, int] | None:
    """The person's name that begins at a place, and where it ends; None where none does."""
    end = len(text) if end is None else end
    words: list[tuple[str, int]] = []  # and where each begins
    following = ""
    while len(words) < MOST_WORDS and (found := _NAME_WORD.match(text, place, end)):
        word = _without_stop(found[0])
        bare = re.sub(r"['’]s\Z", "", word)
        kind = _word_kind(bare, first=not words)
        if not kind or (kind == "title" and words) or _is_no_name(bare, first=not words):
            following = bare if kind else ""
            break
        if kind != "title":
            words.append((bare, place))
        space = _SPACE.match(text, found.end(), end)
        if space is None or bare != found[0]:
            break
        place = space.end()
    while words and words[-1][0] in PARTICLES:
        words.pop()
    # A company's name may begin like a person's: "Lex Fridman Podcast".
    if not words or following.casefold() in ORGANISATIONS:
        return None
    if len(words) == 1 and (len(words[0][0]) < 2 or words[0][0].endswith(".")):
        return None
    stop = words[-1][1] + len(words[-1][0])
    return _tidy(text[words[0][1] : stop]), stop


def _without_stop(word: str) -> str:
    """The word without the stop of its sentence; initials and titles keep theirs."""
    keeps = len(word) <= 2 or word[:-1].casefold() in TITLES | SUFFIXES
    return word[:-1] if word.endswith(".") and not keeps else word


def _is_no_name(word: str, first: bool) -> bool:
    plain = word.casefold().rstrip(".")
    return plain in NO_NAMES and (first or plain not in SURNAMES)


def _word_kind(word: str, first: bool) -> str:
    """What a word may be in a name: "name", "initial", "particle", "title", or "" for what ends it."""
    plain = word.casefold().rstrip(".")
    if plain in TITLES and word[0].isupper():
        return "title"
    if plain in SUFFIXES:
        return "" if first else "name"
    if plain in PARTICLES and word.islower():
        return "" if first else "particle"
    prefix, hyphen, rest = word.partition("-")
    if not first and hyphen and prefix in PREFIXES and rest[:1].isupper():
        word = rest
    if not (word[0].isupper() or word[0].istitle() or _has_no_case(word)):
        return ""
    if len(word) <= 2 and word.rstrip(".").isupper():
        return "initial"
    if _has_no_case(word):
        return "name" if len(word) <= 12 else ""
    parts = re.split(r"['’\-‐‑·]", word)
    return "name" if all(_is_name_part(part) for part in parts) else ""


def _has_no_case(word: str) -> bool:
    return all(unicodedata.category(character) in ("Lo", "Lm", "Mn", "Mc") for character in word)


def _is_name_part(part: str) -> bool:
    """Capital and small letters, or as McDonald and DeVito: "CUDA" and "AOTAutograd" are no names."""
    if not part or _has_no_case(part):
        return True
    rest = re.sub(r"\A(?:Mc|Mac|De|Di|Da|Du|La|Le|Van|Von|Fitz|O)(?=[A-Z])", "", part)
    if part.islower():
        return True
    return (rest[0].isupper() or rest[0].istitle()) and (rest[1:].islower() or not rest[1:] or _has_no_case(rest[1:]))


# --- One credit each -------------------------------------------------------------------------------------------------


def _merged(given: Sequence[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode; the first that speaks of somebody gives role and words."""
    found: list[FoundCredit] = []
    for credit in sorted(given, key=lambda credit: _said_where(credit.field)):
        place = next((at for at, known in enumerate(found) if _same(known, credit)), None)
        if place is None:
            found.append(credit)
        else:
            found[place] = _fuller(found[place], credit)
    return tuple(found)


def _said_where(field: str) -> int:
    return ("person", "notes", "author", "show-author").index(field)


def _same(one: FoundCredit, other: FoundCredit) -> bool:
    if one.identity == other.identity:
        return True
    if one.handle and other.handle:
        return False
    if one.field == other.field == "person":
        return False  # two addresses of one name: two people
    names = fold(one.name).split(), fold(other.name).split()
    short, long = sorted(names, key=len)
    # A lone first name is that of the one who is named in full beside it.
    return names[0] == names[1] or (len(short) == 1 and long[:1] == short)


def _fuller(known: FoundCredit, other: FoundCredit) -> FoundCredit:
    """What is known of somebody with what else is said; a lone first name takes the full one's."""
    name = other.name if len(other.name.split()) > len(known.name.split()) else known.name
    handle = known.handle or other.handle
    declared = known.identity if known.field == "person" and "@" not in known.identity else ""
    if handle:
        identity = f"@{handle.casefold()}"
    elif declared:
        identity = declared
    else:
        identity = other.identity if name == other.name else known.identity
    is_host = other.role == HOST and other.field != "notes" and known.field == "notes" and len(known.name.split()) == 1
    return replace(known, name=name, handle=handle, identity=identity, role=HOST if is_host else known.role)
