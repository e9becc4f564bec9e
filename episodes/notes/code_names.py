"""Finds the names of code in titles and notes: `torch.nn`, `__torch_function__`, AOTAutograd, `native_functions.yaml`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

# Products, companies, sites, meetings and everyday words that are written like names of code. A show adds its own.
STOP = frozenset(
    """
    PyTorch TensorFlow NumPy SciPy PyPI PyPy CPython JavaScript TypeScript CoffeeScript NodeJS AppleScript MicroPython
    GitHub GitLab BitBucket YouTube LinkedIn StackOverflow HackerNews TikTok WhatsApp WeChat WordPress FaceBook PayPal
    OpenAI DeepMind HuggingFace DeepSpeed CircleCI TravisCI TeamCity DockerHub DevOps MLOps GitOps FinTech SaaS PaaS IaaS
    OpenCL OpenGL OpenMP OpenMPI WebGL WebGPU WebAssembly ROCm cuDNN cuBLAS oneDNN oneAPI CMake LaTeX MathML LibreOffice
    MySQL PostgreSQL MongoDB NoSQL SQLite GraphQL BigQuery DynamoDB RocksDB MariaDB CouchDB InfluxDB ClickHouse DuckDB
    iPhone iPad iPod iOS iPadOS macOS MacOS tvOS watchOS iTunes iCloud MacBook AirPods AirPlay PlayStation BlackBerry
    ChromeOS FreeBSD OpenBSD NetBSD RedHat CentOS SteamOS WiFi eBay eBook ePub IntelliJ PyCharm VSCode WebStorm
    NeurIPS PyCon PyData EuroPython SciPyConf JuliaCon CppCon FOSDEM MLSys PyTorchConf DevDay
    PhD BSc MSc JSON-LD McDonald DevRel DevEx ChatGPT PowerPoint OneDrive OneNote SharePoint AdSense AdWords DropBox
    SoundCloud SimpleCast BuzzSprout PodBean SquareSpace HubSpot MailChimp BetterHelp ExpressVPN NordVPN HelloFresh
    DataStax NewSQL DirectX WordPerfect BibTeX ConTeXt AsciiDoc MultiMarkdown DoorDash AirBnB WeWork SpaceX DuckDuckGo
    CloudFlare DigitalOcean DataDog NewRelic PagerDuty SolarWinds SentinelOne CrowdStrike OpenStack OpenShift VMware VirtualBox
    BitTorrent SketchUp AutoCAD PhotoShop InDesign QuickBooks TurboTax SalesForce ServiceNow DocuSign MasterCard FedEx
    SoftBank JetBrains NetBeans TeamViewer LastPass NextCloud OwnCloud ProtonMail FastMail HashiCorp MinIO OpenSSL OpenSSH
    CockroachDB ScyllaDB TimescaleDB SurrealDB FoundationDB PlanetScale SingleStore TigerGraph OpenSearch ElasticSearch
    GitKraken GitBook HackerOne BugCrowd DeepL DeepSeek MidJourney xAI ScaleAI CoreWeave RunPod LambdaLabs FiveThirtyEight
    BlueSky ClubHouse TechCrunch VentureBeat ProductHunt AngelList LeetCode SourceForge OpenStreetMap QuickTime PageRank
    NVLink InfiniBand
    TorchVision TorchAudio TorchText ExecuTorch Node.js Next.js Vue.js React.js Nuxt.js Three.js D3.js ASP.NET VB.NET
    docs.rs crates.io e.g i.e a.k.a et.al vs.the
    """.split()
)

# Names that code begins with, after which a capital may follow: "torch.Tensor", but not "the end.Next week".
ROOTS = frozenset(
    "torch nn np numpy jax jnp tf os sys self cls ops aten prims functorch functional autograd optim cuda xla mx pd plt c10"
    " std at torchvision torchaudio keras sklearn flax scipy pandas inductor dynamo distributed dist utils typing asyncio"
    " threading collections functools itertools contextlib django flask react vue console window document math java".split()
)
FILES = (
    "pyi|pyx|py|cpp|cc|cxx|cuh|cu|c|hpp|hxx|h|inl|yaml|yml|json|jsonl|toml|ini|cfg|cmake|txt|md|rst|ipynb|sh|bash|bat|ps1"
    "|bazel|gradle|proto|rs|go|java|kt|swift|rb|js|jsx|ts|tsx|css|html|sql|lock|so|dll|dylib|bzl|mlir|ll|ptx|csv|xml"
)
HOSTS = frozenset(
    "com org net edu gov io ai dev fm app tv info co uk de fr ch jp me us es eu nl se dk fi pl cz hu ca au nz ru br kr cn".split()
)
DUNDERS = frozenset(
    "init new del call repr str enter exit iter next len getattr setattr delattr getattribute getitem setitem delitem"
    " contains eq ne lt le gt ge hash bool add sub mul matmul truediv floordiv mod pow neg pos abs invert and or xor name"
    " main file doc dict slots class module all version path import subclasshook prepare get set index int float copy"
    " deepcopy reduce getstate setstate array future global device host shared constant restrict anext aiter await".split()
)
# Words that begin a sentence: one glued to the word before it ("optimizationFurther") makes no name.
OPENERS = frozenset(
    "Further The This That What How Why When Where Who Show Also And But Or Today Join Listen See In On For We You It Is Are"
    " Other There Here These Those Links Link Read More Click Subscribe Follow Next If As At To From With My Our I".split()
)
# Names that end in "s" although they are one thing.
SINGULAR = ("Args", "Kwargs", "Ops", "Options", "Utils", "Settings", "Metrics", "Stats", "Dims", "Flags", "Traits", "Props",
            "Transforms", "Params", "Bindings", "Tools", "Properties", "Attributes", "Helpers", "Bytes", "Always")  # fmt: skip
LONGEST_SENTENCE = 240
LONGEST_NAME = 80

_HIDDEN = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://\S+|www\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}"
    r"|(?<![\w./-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|edu|gov|io|ai|dev|fm|app|tv)(?:/\S*|(?![\w.(]|\.\w))",
    re.IGNORECASE,
)
_CANDIDATE = re.compile(
    rf"(?<![\w.@#$\\-])(?:-D)?(?:(?P<file>(?<!/)(?:\.?[\w-]{{1,60}}/){{0,9}}[A-Za-z_][\w-]{{0,60}}(?:\.[A-Za-z_][\w-]{{0,30}}){{0,3}}\.(?:{FILES}))(?![\w(]|\.\w)"
    r"|(?P<dotfile>\.[a-z][a-z-]{1,30}(?:ignore|rc|attributes|config|format|tidy)\b)"
    r"|@?(?P<dotted>[A-Za-z_]\w{0,60}(?:(?:\.|::)~?[A-Za-z_]\w{0,60}){1,9})"
    r"|(?P<word>[A-Za-z_]\w{1,79}))(?!\w)(?P<call>\(\))?"
)
_TICKED = re.compile(r"`([A-Za-z_][\w.:]{1,60}?)(?:\(\))?`")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]{2}|[A-Z]{2}[a-z][A-Z]")
_LETTER_PLURAL = re.compile(r"[A-Z0-9]{2,}(?:e?s|ed|ing|er|ers)")
_LAST_WORD = re.compile(r"[A-Z][a-z]+$")
_FAMILY = re.compile(r"(?:Mc|Mac)[A-Z][a-z]+")
_MAYBE_FAMILY = re.compile(r"(?:De|Di|Da|Le|La|Van|Von|Fitz|Du)[A-Z][a-z]+")
_FIRST_NAME = re.compile(r"(?<!\w)[A-Z][a-z]{1,15}\s\Z")
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”’')\]]{0,2}\s+|\n+")
_ABBREVIATED = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|vs|etc|cf|approx|dr|mr|mrs|ms|no|ep|pt|al)\.\Z", re.IGNORECASE)
_ENDS_CUT = re.compile(r"(?:\.{3}|…)\s*(?:show more|continue reading|read more)?\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A name of code where it stands: `position` is the 0-based offset in the title or the notes, `sentence` what is
    around it there, at most some 240 characters."""

    name: str
    field: str  # "title" | "notes"
    position: int
    sentence: str


@dataclass(frozen=True, slots=True)
class _SymbolHits:
    name: str
    start: int
    end: int


def code_names(title: str, text: str, stop: Collection[str] = (), cut: bool = False) -> tuple[FoundSymbol, ...]:
    """The names of code in the title, then in the notes, in their order, each once a sentence.

    `stop` are names that are none for this show, beside `STOP`; case does not count. A name whose underscores a site
    took for markup (`torch_function__`) has the spelling that title or text give it elsewhere. A name that touches the
    end of a text that is `cut`, or an ellipsis there, is none: it may go on. Linear; never raises.
    """
    stopped = {name.casefold() for name in (*STOP, *stop)}
    found = {"title": list(_found(title, stopped)), "notes": list(_found(text, stopped, cut))}
    spelled = _spellings([one.name for said in found.values() for one in said])
    names: list[FoundSymbol] = []
    for field, said, words in (("title", found["title"], title), ("notes", found["notes"], text)):
        sentences = _Sentences(words)
        seen = set()
        for one in said:
            name = spelled[one.name]
            start, end = sentences.around(one.start)
            if name.casefold() not in stopped and (name, start) not in seen:
                seen.add((name, start))
                names.append(FoundSymbol(name, field, one.start, _shown(words, start, end, one)))
    return tuple(names)


# --- What is a name --------------------------------------------------------------------------------------------------


def _found(text: str, stopped: Collection[str], cut: bool = False) -> Iterator[_SymbolHits]:
    masked = _HIDDEN.sub(lambda found: "\0" * len(found[0]), text)
    ellipsis = _ENDS_CUT.search(masked, max(0, len(masked) - 60))
    end = ellipsis.start() if ellipsis else len(masked.rstrip()) if cut else -1
    ticked = {found.start(1) for found in _TICKED.finditer(masked)}
    for found in _CANDIDATE.finditer(masked):
        if found.end() == end:
            continue  # cut in the middle, for all one knows
        if found["file"]:
            yield from _file(found, stopped)
        elif found["dotfile"]:
            yield _SymbolHits(found["dotfile"], *found.span("dotfile"))
        elif found["dotted"]:
            yield from _dotted(
                found["dotted"], found.start("dotted"), masked.startswith("(", found.end("dotted")), stopped
            )
        else:
            start, word = found.start("word"), found["word"]
            is_code = start in ticked or (bool(found["call"]) and len(word) > 2)
            if not is_code and masked.startswith("(", found.end("word")):
                # "_process(delta)" and "UPROPERTY(EditAnywhere)"; prose glues no bracket to such words.
                is_code = word.startswith("_") or (len(word) > 3 and word.isupper())
            if not _is_stopped(word, stopped) and (is_code or _is_word(word, masked, start)):
                yield _SymbolHits(_singular(word), start, found.end("word"))


def _is_stopped(word: str, stopped: Collection[str]) -> bool:
    """Whether a word is none, or one with its version behind it: PyTorch2."""
    plain = word.casefold()
    return plain in stopped or plain.rstrip("0123456789") in stopped


def _file(found: re.Match[str], stopped: Collection[str]) -> Iterator[_SymbolHits]:
    name = found["file"].rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    # "1.c", "Node.js" and "e.h" are no files; one letter is an ending only of what looks like code.
    is_path = "/" in found["file"]
    if name.casefold() in stopped or ((len(ending) == 1 and len(stem) < 3) and not is_path) or len(stem) < 2:
        return
    yield _SymbolHits(name, found.end("file") - len(name), found.end("file"))


def _dotted(name: str, start: int, is_call: bool, stopped: Collection[str]) -> Iterator[_SymbolHits]:
    parts = re.split(r"\.|::", name)
    if _is_dotted(name, parts, is_call) and name.casefold() not in stopped and len(name) <= LONGEST_NAME:
        yield _SymbolHits(name, start, start + len(name))
        return
    place = start
    for part in parts:  # two sentences glued together: each word for itself
        place_after = place + len(part)
        if not _is_stopped(part, stopped) and _is_word(part, "", 0):
            yield _SymbolHits(_singular(part), place, place_after)
        place = place_after + (2 if name[place_after - start : place_after - start + 2] == "::" else 1)


def _is_dotted(name: str, parts: list[str], is_call: bool) -> bool:
    if "::" in name or is_call:
        return True
    bare = [part.strip("_") for part in parts]
    if parts[0] in ROOTS and all(bare):
        return True
    if any(len(part) < 2 for part in bare[:-1]) and bare[0] not in ("F", "T", "x"):
        return False
    if parts[-1].lower() in HOSTS:
        return False
    if any("_" in part for part in bare) and not any(
        part[0].isupper() and part[1:].islower() for part in bare[1:] if part
    ):
        return True
    if any(part[:1].isupper() and not _HUMP.search(part) for part in bare[1:]):
        return False  # "end.Next"
    if len(bare[-1]) < 2:
        return False
    return len(parts) > 2 or all(part.islower() for part in bare) or bool(_HUMP.search(name))


def _is_word(word: str, text: str, start: int) -> bool:
    inner = word.strip("_")
    if len(word) > LONGEST_NAME or len(inner) < 2 or not re.search("[A-Za-z]", inner):
        return False
    if "_" in inner:
        return all(inner.split("_")) or "__" in inner
    if word.startswith("__") or word.endswith("__"):
        return inner in DUNDERS and (word.startswith("__") or word.endswith("__"))
    if word == f"{inner}_" and len(inner) > 2 and inner.islower():
        return True  # a member of C++, an operation in place
    if word != inner:
        return word.startswith("_") and not word.endswith("_") and (bool(_HUMP.search(inner)) or _is_camel(inner))
    return _is_camel(inner) and not _is_person(inner, text, start)


def _is_camel(word: str) -> bool:
    """Whether capitals stand inside a word: AOTAutograd, TensorImpl, ATen; not GPUs, PT2 or a glued sentence."""
    if len(word) < 4 or not word.isascii() or not _HUMP.search(word) or _LETTER_PLURAL.fullmatch(word):
        return False
    letters = re.sub(r"\d", "", word)
    if len(letters) < 4 or letters.isupper() or not re.search("[a-z]{2}", letters) or word[0].isdigit():
        return False
    last = _LAST_WORD.search(word)
    return not (last and last[0] in OPENERS and word[: last.start()].islower())


def _is_person(word: str, text: str, start: int) -> bool:
    if _FAMILY.fullmatch(word):
        return True
    return bool(_MAYBE_FAMILY.fullmatch(word) and _FIRST_NAME.search(text[max(0, start - 20) : start]))


def _singular(word: str) -> str:
    """SymInt for SymInts."""
    plural = (
        _is_camel(word)
        and word[0].isupper()
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is", "as", *SINGULAR))
    )
    return word[:-1] if plural and _is_camel(word[:-1]) else word


# --- One spelling ----------------------------------------------------------------------------------------------------


def _spellings(names: list[str]) -> dict[str, str]:
    """For each name the spelling it has with all its underscores."""
    by_core: dict[str, set[str]] = {}
    for name in names:
        by_core.setdefault(name.strip("_"), set()).add(name)
    # Sites take the first and the last pair of underscores of a passage for bold: what has lost its first is followed
    # by what has lost its last.
    lost_first = next((place for place, name in enumerate(names) if _has_only_last(name)), len(names))
    paired = {name for name in names[lost_first + 1 :] if name.startswith("__") and not name.endswith("_")}
    spelled = {}
    for name in names:
        core = name.strip("_")
        whole = {known for known in by_core[core] if known.startswith("__") and known.endswith("__")}
        is_eaten = name == core or not (name.startswith("__") and name.endswith("__"))
        if is_eaten and len(whole) == 1 and "_" in name:
            spelled[name] = next(iter(whole))
        elif _has_only_last(name) or (name in paired and lost_first < len(names)):
            spelled[name] = f"__{core}__"
        else:
            spelled[name] = name
    return spelled


def _has_only_last(name: str) -> bool:
    return name.endswith("__") and not name.startswith("_") and "." not in name and ":" not in name


# --- What is around it -----------------------------------------------------------------------------------------------


class _Sentences:
    """Where the sentences of a text begin and end."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        self.ends = []
        for found in _SENTENCE.finditer(text):
            before = text[max(0, found.start() - 12) : found.start()]
            if "\n" in found[0] or not _ABBREVIATED.search(before):
                self.ends.append(found.start())
                self.starts.append(found.end())
        self.ends.append(len(text))

    def around(self, place: int) -> tuple[int, int]:
        index = bisect_right(self.starts, place) - 1
        return self.starts[index], max(self.ends[index], place)


def _shown(text: str, start: int, end: int, one: _SymbolHits) -> str:
    """The sentence, or where it is long what stands near the name, cut between words."""
    low, high = start, end
    if end - start > LONGEST_SENTENCE:
        high = min(end, max(one.end + 80, start + LONGEST_SENTENCE))
        low = max(start, high - LONGEST_SENTENCE)
    words = text[low:high]
    if low > start:
        words = "… " + (words[: one.start - low].partition(" ")[2] + words[one.start - low :])
    if high < end:
        kept = len(words) - (high - one.end)
        words = words[:kept] + (words[kept:].rpartition(" ")[0]) + " …"
    return " ".join(words.split())


def distinct(names: Iterable[FoundSymbol]) -> tuple[str, ...]:
    """The names, each once, in the order of their letters whatever the case."""
    return tuple(sorted({one.name for one in names}, key=lambda name: (name.strip("_").casefold(), name)))
