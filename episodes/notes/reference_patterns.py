"""The words by which notes say what another episode is to theirs: tables and patterns, nothing that reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..identity.match_keys import WORDS

# A kind says what the target is to the episode that speaks: something to hear before it, after it, or beside it.
PREREQUISITE, FOLLOW_UP, SEE_ALSO = "prerequisite", "follow-up", "see-also"
STRENGTH = (PREREQUISITE, FOLLOW_UP, SEE_ALSO)  # the strongest first

THIS = r"(?:this|the present|the current|today['’]s)(?: (?:one|episode|podcast|show|installment))?"
HEAR = r"(?:listen(?:ed|ing)? (?:back )?to|hear(?:d|ing)?|watch(?:ed|ing)?|start(?:ing)? with|check(?:ing)? out)"
TURN = r"(?:(?:mov|go)(?:e|ing)? on to|div(?:e|ing) into|tackl(?:e|ing)|continu(?:e|ing) with)"

# "We continue this in X", "I'll go deeper in X".
GOING_ON = r"(?:(?:we|i)(?:['’]ll| will)? )?(?:continue|carry on|pick (?:this|it) up|(?:go|dig) (?:on|deeper|further)|say more)"

# The words before a mention; the cue that ends nearest to it holds, among equals the one that begins first.
# "Follow-up to X" and "part 2 of X" make X what comes before: X is the prerequisite.
BEFORE = (
    (PREREQUISITE, r"(?:pre-?requisites?|prereqs?|required listening|background(?: (?:episodes?|listening))?:)"),
    (PREREQUISITE, r"(?:recommended )?prior (?:episodes?|listening)|catch up (?:with|on)"),
    (PREREQUISITE, r"before you (?:press play|start|begin|listen)\b"),
    (PREREQUISITE, rf"first,? (?:of all,? )?(?:go )?(?:and )?{HEAR}|(?:start|begin) (?:here|with)(?: first)?"),
    (PREREQUISITE, rf"(?:{HEAR} (?:these |those |them |it )?|listen )first"),
    (PREREQUISITE, rf"have (?:already )?{HEAR}|ha(?:ve|d)(?:n['’]t| not) (?:already |yet )?{HEAR}|already {HEAR}"),
    (PREREQUISITE, rf"before(?: {HEAR}| you {HEAR}| {TURN}| starting)? {THIS}(?:,?[\w' ]{{0,30}} {HEAR})?"),
    (PREREQUISITE, rf"(?<!\w)(?:after|once) (?:you(?:['’]ve| have)? )?{HEAR}|\bthis(?: \w+){{0,3}} after"),
    (PREREQUISITE, r"(?:assumes?|presupposes?|requires?)(?: that)?(?: you(?:['’]ve| have)?)?(?: already)?(?: know| heard)?"),
    (PREREQUISITE, r"(?:knowledge of|familiar(?:ity)? with|having heard|listened to|recommends? listening to)"),
    (PREREQUISITE, r"(?:follow(?:s|ing)?[- ]?up|sequel|continuation|second (?:part|half))(?: (?:to|of|on|for|from)| episode to)"),
    (PREREQUISITE, r"(?:(?:part|episode) (?:1|one|i)|first (?:part|half))(?: (?:is|was)(?: (?:called|titled|about|at|in))?|:)"),
    (PREREQUISITE, rf"{HEAR} (?:these|those|this|that) (?:first|before)|builds? (?:\w+ )?on"),
    (PREREQUISITE, r"part (?:1|one|i) of [\w ]{1,30}:?"),
    (PREREQUISITE, r"part (?:[2-9]|two|three|four|ii|iii|iv) (?:of|to)|build(?:s|ing)? (?:up)?on|follow(?:s|ing)? on from"),
    (PREREQUISITE, r"continu(?:es?|ing)(?: \w+){0,3} (?:from|where)|pick(?:s|ing)? up (?:from|where)"),
    (FOLLOW_UP, rf"{THIS}(?: first)?,? before(?: {HEAR}| you {HEAR}| {TURN}| starting)?(?! {THIS})"),
    (FOLLOW_UP, rf"(?:pre-?requisites?|background|preparation|prelude|groundwork|introduction|lead-?in) (?:for|to)(?! {THIS})"),
    (FOLLOW_UP, r"(?:prepares? (?:you |us )?|sets? the stage |paves the way )for|sets? up"),
    (FOLLOW_UP, rf"(?:after|once) (?:you(?:['’]ve| have)? )?(?:{HEAR} )?{THIS}(?:,?[\w' ]{{0,30}} (?:{HEAR}|{TURN}))?"),
    (FOLLOW_UP, r"(?:next|later|future|upcoming|subsequent|forthcoming|coming) (?:(?:episode|podcast|week|installment)s?|time)"),
    (FOLLOW_UP, r"(?:listen(?:ing)?|hear|go)(?: to)? (?:next|afterwards?|after this)|what(?:['’]s| is) next|next up|up next"),
    (FOLLOW_UP, r"(?:stay tuned|tune in) for|(?:continued|continues|followed(?: up)?|picked up) (?:in|by|with)"),
    (FOLLOW_UP, r"(?:rest|other half|second (?:half|part))\b[^.;:]{0,40} is in"),
    (FOLLOW_UP, r"(?:part|episode) (?:[2-9]|two|three|four|ii|iii|iv) is(?: (?:called|titled|about|at|in))?"),
    (FOLLOW_UP, rf"{GOING_ON}[^.;:]{{0,80}} in"),
    (FOLLOW_UP, r"follow[- ]?ups?(?: (?:episodes?|podcasts?|listening|is|are))*(?=\s*[:(,]| in| is| are|\s*$)"),
    (FOLLOW_UP, r"follow[- ]?up episode (?:on|about)"),
    (FOLLOW_UP, rf"then (?:listen to|{TURN})"),
    (SEE_ALSO, r"(?:see|hear|compare|cf\.?)(?: also)?|check out|(?:further|more|additional) (?:reading|listening|episodes?)"),
    (SEE_ALSO, r"related(?: episodes?)?|(?:other|another|different|separate) (?:episodes?|podcasts?)"),
)  # fmt: skip

# The words after it, which overrule those before.
AFTER = (
    (PREREQUISITE, rf"[^,;:]{{0,40}}?\b(?:before|prior to) (?:{HEAR} |you {HEAR} |diving into |starting )?{THIS}"),
    (PREREQUISITE, r"\W*(?:is|are|was|were)(?: \w+)? (?:an? |the )?(?:pre-?requisites?|required|background)(?! for (?!this))"),
    (PREREQUISITE, r"[^,;:]{0,30}?\bbeforehand|\W*(?:\((?:ep\w*\.? ?|#)#?\d+\) )?first(?:,? please|[.!]|\s*$)"),
    (PREREQUISITE, rf"[^.;:]{{0,60}}?\b(?:heard|listened to|behind you) before {THIS}"),
    (PREREQUISITE, rf"[^.;:]{{0,12}}? (?:go )?(?:and )?{HEAR} (?:it|that|this)(?: one)? (?:first|before)"),
    (PREREQUISITE, rf"[^.;:]{{0,40}}?\b(?:good|best|one) (?:one )?to {HEAR} first|[^.;:]{{0,12}}? left off"),
    (PREREQUISITE, r"[^,;:]{0,30}?\bfor (?:some |more |the )?background"),
    (FOLLOW_UP, r"\W*(?:is|are|will be)(?: \w+)? (?:an? |the )?(?:follow[- ]?ups?|sequels?|continuations?)"),
    (FOLLOW_UP, rf"[^,;:]{{0,40}}?\b(?:after|following) (?:{HEAR} )?{THIS}"),
    (FOLLOW_UP, r"[^.;:]{0,40}?\bin (?:an?|the|our|my|some) (?:\w+ )?(?:next|later|future|upcoming|subsequent|forthcoming)\b"),
    (FOLLOW_UP, r"\W*(?:episode )?(?:is )?(?:next (?:time|week|episode)|coming (?:soon|up))(?!\s*:)"),
)  # fmt: skip
FIRST = re.compile(r"[^.;:!?]{0,40}?\bfirst\b(?! (?:time|place|half|part|of|is|was|introduc))", re.IGNORECASE)
TOLD_TO_HEAR = re.compile(rf"\b(?:{HEAR}|see|review|revisit|try|go (?:through|over|back to)|read)\b", re.IGNORECASE)

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

NOUN = r"(?:episodes?|eps?\.|podcasts?|instal?lments?)"
VERB = (
    r"(?:talk(?:ed|s|ing)?|speak|spoke|discuss(?:ed|es|ing)?|cover(?:ed|s|ing)?|explain(?:ed|s|ing)?|introduc(?:ed|es|ing)"
    r"|introduce|explor(?:e|ed|es|ing)|describ(?:e|ed|es|ing)|mention(?:ed|s|ing)?|look(?:ed|s|ing)? at|(?:went|go) over|did"
    r"|d[io]ve(?:d)? into|saw|learn(?:ed|t)?)"
)
OPENS = r"(?:(?:the|our|my) )?[\"“'‘«(\[]?\s*(?:#\d{1,4}[:.)]?\s*)?"
ITEMS = r"(?:[^.;:!?\n]{1,60}, (?:and )?)?"
LEAD = re.compile(
    rf"\b(?P<noun>{NOUN})(?: #?\d{{1,4}})?(?:"
    rf"(?: (?:so far|of all time|of the year|this year))? (?:is|are|were):? {ITEMS}{OPENS}"
    rf"|(?: (?-i:[a-z']+)){{1,5}}:\s*{ITEMS}{OPENS}|"
    r"\s*[,:(–—-]?\s*(?:(?:that|which) (?:is|was|are|were) )?(?:all )?(?:about|on|called|titled|entitled|named|covering"
    r"|discussing|explaining|introducing|dedicated to|regarding|concerning|describing|devoted to)(?: (?:how|what|why))?\s+"
    rf"{ITEMS}{OPENS}"
    rf"|,? (?:(?:where|in which|when) )?(?:I|we|he|she|they)(?:['’]ll| will|['’]ve| have| are going to)? (?:\w+ )?{VERB}"
    rf"(?: about| on| how)? {OPENS}"
    r"|\s*[,:–—-]?\s*[\"“‘«]\s*|\s*[:–—(]\s*)\Z",
    re.IGNORECASE,
)
TIME_LEAD = re.compile(
    rf"\b(?:last|next) (?:time|week)\b[^.;:\n]{{0,30}}\b{VERB}(?: about| on)? {OPENS}\Z", re.IGNORECASE
)
HEARD = re.compile(
    rf"\b(?:listen(?:ed|ing)? (?:back )?to|listen first:?|heard) (?:first:? )?{ITEMS}{OPENS}\Z", re.IGNORECASE
)
SEQUEL = re.compile(
    r"\b(?:(?:follow[- ]?up|sequel|continuation|second part) (?:to|of|on|from)|part (?:\d|two|three|four|ii|iii|iv) of"
    r"|(?:prerequisites?|related episodes?|other episodes|see also|listen (?:first|next))(?: (?:is|are|listening))?:?)"
    rf"\s+{ITEMS}{OPENS}\Z",
    re.IGNORECASE,
)
# Words after which an exact title, be it of one word, names its episode.
SAID_OUTRIGHT = re.compile(
    r"\b(?:(?:this is |here is )?(?:a|the|our|my) (?:follow[- ]?up|sequel|continuation|second (?:part|half)) (?:to|of)"
    rf"|{GOING_ON}[^.;:!?\n]{{0,80}} in|pick(?:s|ed|ing)? up where|last (?:time|week|month)['’]s|if you (?:missed|skipped)"
    r"|(?:(?:part|episode) (?:\d|one|two|three|four|ii?i?|iv)|(?:first|second) (?:part|half))"
    r"(?: (?:is|was)(?: (?:called|titled|in|at))?|:)"
    r"|(?:next|last) (?:time|week|month)\b[^.;!?\n]{0,60}(?: called| titled|:|, in)"
    r"|(?:rest|other half|second (?:half|part))\b[^.;:!?\n]{0,40} is in"
    r"|(?:follow[- ]?up|sequel) to (?:our|my|the) (?:conversation|chat|discussion|talk|interview) (?:about|on)"
    r"|(?:liked|enjoyed|missed|skipped|heard|remember) the (?:one|episode) (?:on|about)"
    rf"|(?:(?:my|our) (?:\w+ )?|an? (?:older|old|earlier|previous|recent|past|separate|whole) ){NOUN},?)\s+{ITEMS}{OPENS}\Z",
    re.IGNORECASE,
)
# Words after which a title of several words, written as it is, names its episode.
TOLD_TO = re.compile(
    r"\b(?:start(?:ing)? with|have a (?:look|listen) (?:at|to)|(?:go|listen) (?:back )?to|hear|revisit|see(?: also)?|try)\s+"
    rf"{OPENS}\Z",
    re.IGNORECASE,
)
SEE_ALSO_ONE = re.compile(rf"\bsee also\s+{OPENS}\Z", re.IGNORECASE)
# What is said of an episode in the sentence after it was named, and makes it one to hear before.
POINTS_BACK = re.compile(
    rf"(?:^|[,;:]|\b(?:so|please|and)) ?(?:please )?(?:go )?(?:and )?(?:listen to|hear|start with) (?:that|it|this)(?: one)?"
    rf"(?: first| before(?: {THIS})?)\b"
    r"|\b(?:this|that) is (?:its|the|a) (?:sequel|follow-?up|second (?:part|half))\b(?! (?:to|of))",
    re.IGNORECASE,
)
OTHER_SHOW = re.compile(
    r"(?P<name>(?:[A-Z][\w'’&-]*\s+){1,5})(?:[Pp]odcast|[Ss]how)\b(?:,|\s+(?:has|have|had|did|made|with|called|and|is|where))"
)
BUILDS_ON = re.compile(rf"\bbuild(?:s|ing)? (?:\w+ )?(?:up)?on\s+{OPENS}\Z", re.IGNORECASE)
THE_ONE = re.compile(rf"\bthe ones? (?:about|on|called|titled|covering)\s+{OPENS}\Z", re.IGNORECASE)
ANY_NOUN = re.compile(NOUN, re.IGNORECASE)
NEXT_TIME = re.compile(r"\bnext (?:time|week|month): \Z", re.IGNORECASE)
WE_SPEAK = re.compile(r"\s+(?:we|i)(?:['’]ll| will|['’]ve| have|['’]d)?\s+\w", re.IGNORECASE)
GOOD_TO_HEAR = re.compile(
    rf"[\"”'’»)\]]?\s+(?:is|are)\b[^.;:!?\n]{{0,40}}?\b(?:heard|listen\w*|hear)\b[^.;:!?\n]{{0,20}}\b(?:before|prior to) {THIS}",
    re.IGNORECASE,
)
PART = re.compile(
    r"(?P<of>.{3,}?)[\s,:;(–—-]+(?:part|pt\.?|vol\.?)\s+(?P<n>\d{1,2}|[ivx]+|one|two|three|four|five)\)?\Z",
    re.IGNORECASE,
)
NOUN_AFTER = re.compile(rf"[\"”'’»)\]]?\s+{NOUN}(?!\w)", re.IGNORECASE)
EPISODE_AFTER = re.compile(
    r"[\"”'’»)\]]?,?(?: which)?[^.,;:!?\n]{0,30}?\b(?:in|from|during|on) (?:an?|the|our|my|some|one of (?:our|my)|last|next) "
    r"(?:\w+ )?(?:previous|earlier|past|prior|last|old|older|later|future|upcoming|next|subsequent|separate|different|other"
    rf"|another|first|recent|week['’]s) {NOUN}(?!\w)",
    re.IGNORECASE,
)
SUBJECT = re.compile(
    rf"\b(?:about|on|at|into|{VERB}) {OPENS}\Z",
    re.IGNORECASE,
)
SELF = re.compile(
    r"\b(?:this|today['’]s|the current|the present|his|her|their|your|its)\s+"
    r"(?:(?!(?:after|before|is|was|and|to|in|on|with)\b)\w+\s+){0,2}\Z",
    re.IGNORECASE,
)
OWNED = re.compile(r"(?<![\w-])([\w-]+)['’]s\s+(?:\w+\s+)?\Z")
DAYS = frozenset("yesterday week month year time monday tuesday wednesday thursday friday saturday sunday".split())
DENIED = re.compile(
    r"(?:n['’]t|\b(?:not|never|no|without))\s+(?!(?:(?:already|yet)\s+)?(?:listened|heard))(?:\w+\s+){0,4}\Z",
    re.IGNORECASE,
)
HAVE_NOT = re.compile(r"ha(?:ve|d)(?:n['’]t| not)(?: already| yet)?\s*\Z", re.IGNORECASE)  # … heard X: then do
# "The people at Postgres FM have an episode": whose it is.
THEIRS = re.compile(
    r"(?P<who>[\w.&+'’-]+)\s+(?:has|have|had|did|made|released|recorded|published|ran)\s+(?:an?|another|this|one)\s+"
    r"(?:\w+\s+){0,2}\Z"
)
SOME_PODCAST = re.compile(r"\b(?:an?|some|any|new|many|several)\s+(?:new\s+)?\Z", re.IGNORECASE)
NAMED = re.compile(r"((?:[^\W\d_][\w.&+'’-]*\s+){1,6})\Z")
PLAIN = frozenset(
    "the a an our my this that previous next last earlier later other another old older first second see listen listening"
    " also and or check out to in on for from with of as old early recent related follow-up follow episode podcast own"
    " prior past future upcoming separate if you i we here is".split()
)
ELSEWHERE = re.compile(
    r"[\"”'’»)\]]?\s+(?:episode |podcast )?(?:of|on|from|in|by|at)\s+"
    r"(?P<name>(?:the\s+)?[A-Z][\w&.'’-]*(?:\s+[\w&.'’-]+){0,5}?\s+(?:[Pp]odcast|[Ss]how|FM|[Rr]adio|[Cc]hannel))\b"
)
_NUMBER = rf"(?:\d{{1,4}}|(?:{'|'.join(WORDS)})\b)"
# "He was also on CoRecursive, in the episode on": whose episode it is.
ON_ANOTHER = re.compile(
    r"\b(?:[Oo]n|[Ff]or|[Aa]t)\s+(?:the\s+)?(?P<name>[A-Z][\w&.'’-]*(?:\s+[A-Z][\w&.'’-]*){0,4}),?"
    r"\s+(?:in|has|had|the)\b[^.;:!?\n]{0,40}\Z"
)
NUMBERS = re.compile(
    r"\b(?:episodes?|eps?\.?|podcasts?) ?(?:#|no\.? ?|number |nr\.? ?)?"
    rf"({_NUMBER}(?:(?:, and |, | and | & | or | to | through | ?[–-] ?)#?{_NUMBER})*)"
    r"(?![\w%]|[.:,]\d| (?:minutes|hours) )",
    re.IGNORECASE,
)
RANGE = re.compile(r"(?P<low>\d{1,4})(?: to | through | ?[–-] ?)#?(?P<high>\d{1,4})", re.IGNORECASE)
LONGEST_RANGE = 20
OF_ANOTHER = re.compile(r"\s+(?:of|from|on)\s+(?:the\s+)?(?P<name>(?:[A-Z][\w&.'’-]*\s?){1,5})")
GOES_ON = frozenset(
    "and or in for where which that is was are were to if before first we i on with from as at because but by you it has"
    " have had will would can could goes covers explains discusses talks when while since then also still might may"
    " so who there here already episode episodes podcast podcasts ep though although after about this next later into"
    " does did do not of the a an our my back obsolete again too earlier previously instead last yet if left ended began aired"
    " came out together".split()
)
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*[+#]*|&")
ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<![\w.-])(?:[\w-]{1,63}\.){1,4}(?:com|org|io|net|dev|fm|edu)/\S*", re.I)
BREAK = re.compile(r"\n+|(?<=[.!?…])[\"”’')\]]{0,2}\s+|;\s+")
ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|vs|eps?|no|nr|pt|cf|dr|mr|mrs|ms|etc|approx|al)\.\Z", re.IGNORECASE)
JOINT = re.compile(
    r"[\"”'’»)\]]?\s*(?:,|&|\band\b|\bor\b|,\s*and\b|,\s*or\b|\bas well as\b|/)\s*(?:(?:to|of|on|in) )?" + OPENS,
    re.IGNORECASE,
)
GAP = re.compile(r"(?!.{0,4}[.?!;]\s)[\s\-_./:,'\"“”‘’()–—|]{0,5}")
CUT = re.compile(
    r"(https?://[^\s…]{0,300}?|www\.[^\s…]{0,300}?)(?:\.{3}|…)(?:\s{0,9}(?:show more|continue reading|read more))?\s*\Z",
    re.I,
)
LETTERS = re.compile(r"[^\W\d_]+")
CUE_WORDS = re.compile(
    rf"{NOUN}|listen|follow|sequel|continu|part|prereq|pre-req|heard|last|next|see also|deeper|further|second half|builds? on"
    r"|start|look|hear"
    r"|revisit|pick(?:s|ed|ing)? up|liked|enjoyed|missed|skipped|[\"“‘«]|\bin (?-i:[A-Z])",
    re.I,
)
HINT = re.compile(
    rf"\b(?:{NOUN}|listen\w*|see|hear|check out|earlier|previous\w*|last time|{VERB})(?!\w)", re.IGNORECASE
)
MASK = "\0"
MASKED = re.compile(f"{MASK}+")


def _any(cues: Iterable[tuple[str, str]], opening: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(rf"{opening}(?:{cue})(?!\w)", re.IGNORECASE)) for kind, cue in cues)


CUES_BEFORE = _any(BEFORE, r"(?<!\w)")
CUES_AFTER = _any(AFTER, "")
