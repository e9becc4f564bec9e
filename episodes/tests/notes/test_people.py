"""Who is heard in an episode is found, with the name as given, and nobody who is only named."""

import pytest

from episodes.notes import people as reading
from episodes.notes.people import heard as heard_in
from episodes.notes.people import one_each, person_slug, settle
from episodes.records import Decisions, Show
from episodes.resolve.catalog import resolve
from episodes.tests.growth import SHORTEST_TEXT, assert_even_growth
from episodes.tests.resolve.build import entry


def people(text, listed, author, show="", title="", regulars=(), about="", language=""):
    of = Show(show, "", author=author, people=tuple(regulars), description=about, language=language)
    found = reading.people(text, title, listed, of, reading.hosts_of(of, about, [text]))
    return one_each(credit for credit in found if credit.field != "place")


def heard(text, **more):
    return [f"{c.role} {c.name} {c.handle}".strip() for c in people(text, (), "", "show", **more)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Today, Shen Li (mrshenli) joins me to talk", ["guest Shen Li mrshenli"]),
        ("Join me with Richard Zou to talk about", ["guest Richard Zou"]),
        ("Today, Horace joins me", ["guest Horace"]),
        ("Sherlock recently joined the PyTorch team, having previously worked at Microsoft, and Sherlock’s going to ask me", ["guest Sherlock"]),
        ("With special guest Łukasz Kaiser.", ["guest Łukasz Kaiser"]),
        ("Heute spreche ich mit der Töpferin Ada Roe Lund.", ["guest Ada Roe Lund"]),
        ("Gäst idag är Petra Wiik.", ["guest Petra Wiik"]),
        ("Gäst i studion: Petra Wiik.", ["guest Petra Wiik"]),
        ("An interview with José García about compilers", ["guest José García"]),
        ("featuring 李沐", ["guest 李沐"]),
        ("I'm joined by Alice Smith and Bob Jones, both from Meta.", ["guest Alice Smith", "guest Bob Jones"]),
        ("Alice Smith and Bob Jones join me to discuss", ["guest Alice Smith", "guest Bob Jones"]),
        ("Richard Zou, the creator of functorch, joins me", ["guest Richard Zou"]),
        ("My guest today is Dr. Jane Roe.", ["guest Jane Roe"]),
        ("Guest: Maëlle Guivarc'h.", ["guest Maëlle Guivarc'h"]),
        ("We talk to urban planner Ada Roe and geneticist Bo Ek.", ["guest Ada Roe", "guest Bo Ek"]),
        ("The city's urban planner Ada Roe joins us.", ["guest Ada Roe"]),
        ("Leeds's Ada Roe joins us.", ["guest Ada Roe"]),
        ("Our guests are Ada Roe, a weaver, and Bo Ek.", ["guest Ada Roe", "guest Bo Ek"]),
        ("Ada Roe'yi ağırladık.", ["guest Ada Roe"]),
        ("Con noi la dott.ssa Ada Roe.", ["guest Ada Roe"]),
        ("Con noi la Dott.ssa Ada Roe.", ["guest Ada Roe"]),
        ("Guest: Ing. Roe Lund, and Ingrid Roe.", ["guest Roe Lund", "guest Ingrid Roe"]),
        ("We talk to Ada Roe, who weaves, and from Bo Ek.", ["guest Ada Roe", "guest Bo Ek"]),
        ("Hoy vuelve Ada Roe.", []),  # no beginning of a sentence
        ("Vuelve Ada Roe.", ["guest Ada Roe"]),
        ("Vuelve Zyggax Roe.", []),  # no first name
        ("With the help of Ada Roe, we weave.", ["guest Ada Roe"]),
        ("With the help of Zyggax Roe, we weave.", []),
        ("Hablamos con Ada Roe, tejedora, y con Bo Ek.", ["guest Ada Roe", "guest Bo Ek"]),
        ("We talk to Ada Roe and to weave with Bo Ek.", ["guest Ada Roe"]),
        ("Weaver Ada Roe joins us. We talk to weaver Ada Roe.", ["guest Ada Roe"]),
        ("ADA JOINS US. Guest: N'dea D'Roe", ["guest N'dea D'Roe"]),
        ("Guests: Ann Lee, Bob Ray and Cy Young", ["guest Ann Lee", "guest Bob Ray", "guest Cy Young"]),
        ("Horace and I talk about fusion.", ["guest Horace"]),
        ("I talk to Richard Zou about vmap", ["guest Richard Zou"]),
        ("hosted by Edward Yang", ["host Edward Yang"]),
        ("Hi, I'm Edward Yang and today", ["host Edward Yang"]),
        ("Thanks to Shen Li for joining me.", ["guest Shen Li"]),
        ("Zach DeVito (@zdevito) joins us from Meta AI", ["guest Zach DeVito zdevito"]),
        ("Today we are joined by Ludwig van Beethoven.", ["guest Ludwig van Beethoven"]),
        ("In this episode, my colleague Natalia Gimelshein joins me", ["guest Natalia Gimelshein"]),
        ("Brian Hirsh (Meta) is my guest.", ["guest Brian Hirsh"]),
        ("Jean-Luc O'Brien joins me.", ["guest Jean-Luc O'Brien"]),
        ("I'm talking with Jason Ansel about TorchInductor.", ["guest Jason Ansel"]),
        ("I'm interviewed by Mark Saroufim", ["guest Mark Saroufim"]),
        ("A conversation about Fn and FnMut, with Ana-Maria Ionescu and Jan Żuk.", ["guest Ana-Maria Ionescu", "guest Jan Żuk"]),
        ("With me today: Beatriz Nogueira, who maintains", ["guest Beatriz Nogueira"]),
        ("And we call up harbour pilot Yannick Le Goff, who joins us from afar.", ["guest Yannick Le Goff"]),
        ("Psychologist Rebeka Szabo joins us to explain why.", ["guest Rebeka Szabo"]),
        ("More from Samir Haddad, this time on code.", ["guest Samir Haddad"]),
        ("Heard in this episode: Jelena Ilic, Bram de Wit and Ada Uche.", ["guest Jelena Ilic", "guest Bram de Wit", "guest Ada Uche"]),
        ("Guests:\nRob Okoye, Meridian Networks\nShauna Patel (Isthmus)\nNews of the week", ["guest Rob Okoye", "guest Shauna Patel"]),
        ("Guest: Siobhán Reilly, Shopify", ["guest Siobhán Reilly"]),
        ("prediction and rollback with our friend Bilal Haidar, who shipped", ["guest Bilal Haidar"]),
        ("we speak with Adaeze Obi, principal engineer at Ledgerline, and Martin Kruse, who leads",
         ["guest Adaeze Obi", "guest Martin Kruse"]),
        ("Sherlock is back to ask me more, and he has brought Pavel Dvorak with him.", ["guest Pavel Dvorak"]),
        ("Zyggax Dvorak is back.", []),  # may be a sponsor
        ("Pavel Dvorak is back.", ["guest Pavel Dvorak"]),
        ("Zyggax Dvorak joins us.", ["guest Zyggax Dvorak"]),
        ("Wren Castellano drops in for the awards.", ["guest Wren Castellano"]),
        ("Joining us is K. S. Narayan (@ksn) of Tidewater.", ["guest K. S. Narayan ksn"]),
        ("A conversation with Fatima al-Rashid and Juan Ortega about levels",
         ["guest Fatima al-Rashid", "guest Juan Ortega"]),
        ("We are joined by Moana Kealoha from Pacific Grid and her colleague Tui Ngata.",
         ["guest Moana Kealoha", "guest Tui Ngata"]),
        ("Ingrid Sørensen returns to the show with a list.", ["guest Ingrid Sørensen"]),
        ("Joined by J. J. Abernathy. Expand, contract.", ["guest J. J. Abernathy"]),
        ("I'm joined by the historian Margarethe von Stein.", ["guest Margarethe von Stein"]),
        ("We're joined by Martijn Veen. Guests: Martjin Veen", ["guest Martijn Veen"]),
        ("Today, Horace He joins me. Horace knows fusion, and Horace’s going to ask me", ["guest Horace He"]),
    ],
)  # fmt: skip
def test_the_notes_own_phrases_credit_who_is_heard(text, expected):
    assert heard(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Mike Ruberry has an RFC about strides", "Some questions we answer (h/t from Gregory Chanan)",
        "Recent work by Brian Hirsh means that", "made at the request of Nelson Elhage.",
        "Scott Wolchok's release resources optimization.", "Soumith's keynote on PT2.0",
        "implementation PRs from mcarilli", "Next week Alice Smith joins me.", "Last week Bob Smith joined me",
        "Alice Smith couldn't join us", "Thanks to Gregory Chanan for the questions.",
        "Ed and Richard talk about functorch", "Microsoft joins us in the effort",
        "With Ada Lovelace the story of programming begins.", "With New York in ruins we go on.",
        "The guest we had planned, Yusuf Demir, couldn't join.",
        "Friedrich Bauer is the chair; the guests include Edsger Dijkstra and Tony Hoare.",
        "My guest is Marketing.", "Guests: Kubernetes Product", "featuring Ocean Studios",
        "Barbara Liskov explains what it means.", "Python joins us", "Everyone who joins us is happy",
        "we talk about Barbara Liskov", "A discussion with the PyTorch team", "This is joined by Inductor lowering",
        "The tensor is joined by Storage", "Today Alban tells us about the engine.",
        "We are joined by West Australian weavers.",
        "This week we settle the score of the great Clock Towers, discuss music and go home.",
        "There is no guest: Ada Roe is away.",
        "Diesmal kein Gast, nur Ada Roe und ich.",
        "Geen gast: Ada Roe is ziek.",
        "Our guest is a student of Textile Works.",
        "James from the office discusses Portable Class Libraries with us.", "",
        "Diese Woche sprechen wir über Wolle. Cette Semaine parle avec nous.",
    ],
)  # fmt: skip
def test_who_is_only_named_gets_no_credit(text):
    assert heard(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ada Roe makes felt. She is my guest.", "Ada Roe makes felt. We visited her.", "Ada Roe webt. Sie ist unser Gast.",
        "Of Ada Roe we talk today.", "De Ada Roe hablamos hoy.", "In Santa Roe tells us a clock.",
    ],
)  # fmt: skip
def test_what_is_said_in_another_sentence_or_about_somebody_names_nobody(text):
    assert heard(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Recorded at the fair with Ada Roe.", "Ada Roe beantwortet eure Fragen.", "Ada Roe suona per noi.", "Ada Roe zit bij ons.",
        "Auf der Bühne: Ada Roe.", "Ada Roe svarar på era frågor.", "Ada Roe est notre guide.",
        "Ada Roe ile iki saat yürüdük.", "Ada Roe'ya sorduk.", "Keçeci Ada Roe bu hafta konuğumuz.",
        "Felter Ada Roe of the Old Mill talks to us.", "Ada Roe came to my kitchen.", "We walk to the shed with weaver Ada Roe.",
        "I asked Ada Roe.", "Unseres Besuchs bei Ada Roe zweiter Abend.", "Filzmacherin Ada Roe zeigt uns den Keller.",
        "La feutrière Ada Roe nous a ouvert sa grange.", "Ospite sul palco la maga Ada Roe.", "En la era nos recibe Ada Roe.",
        "Ludwisarz Ada Roe opowiada nam.", "Ada Roe nám ukazuje dílnu.", "Vi følger Ada Roe.", "Ada Roe näyttää meille.",
    ],
)  # fmt: skip
def test_what_only_people_do_who_are_there_names_them(text):
    assert heard(text) == ["guest Ada Roe"]


@pytest.mark.parametrize(
    "text, name",
    [
        ("陶芸家の森みなみさんをお迎えしました。", "森みなみ"), ("「窯場」の森ひかりさんがゲスト。", "森ひかり"),
        ("店主・森みなみさんにお話を伺いました。", "森みなみ"), ("店主の森みなみさんに来ていただきました。", "森みなみ"), ("ゲスト：森みなみさんの話", "森みなみ"),
        ("陶芸家の森みなみさんの器。", ""), ("陶芸家の方をお迎えしました。", ""),
    ],
)  # fmt: skip
def test_a_japanese_name_stands_between_what_somebody_is_and_the_word_for_mr(text, name):
    assert "".join(one.removeprefix("guest ") for one in heard(text, language="ja")) == name


@pytest.mark.parametrize(
    "trade",
    [
        "Netzplanerin",
        "Pianistin",
        "Biologin",
        "Bioloog",
        "Togfører",
        "Balıkçı",
        "Elektronik",
        "Zegarmistrz",
    ],
)
def test_a_trade_before_a_name_is_no_part_of_it(trade):
    assert heard(f"Zu Gast ist {trade} Ada Roe.") == ["guest Ada Roe"]


@pytest.mark.parametrize(
    "name",
    ["Severin Roe", "Dominik Ada Roe", "Chester Ada Roe", "Kristin Roe", "Armand Roe", "Peter Ada Roe", "Baker Roe"],
)
def test_what_may_be_a_first_name_stays(name):
    assert heard(f"Zu Gast ist {name}.") == [f"guest {name}"]


@pytest.mark.parametrize(
    "language, text, expected",
    [
        ("en", "On looms. Our panel: Ada Roe (Mill Ltd), her business partner Bo Ek, and Dame Cy Lund, who",
         ["guest Ada Roe", "guest Bo Ek", "guest Cy Lund"]),
        ("en", "Reported and hosted by: Ada Roe. Music: Bo Ek.", ["host Ada Roe"]),
        ("nl", "Te gast: archeologe Ada el Roe en boer Bo Ek.", ["guest Ada el Roe", "guest Bo Ek"]),
        ("nl", "Presentatie: Ada Roe en Bo van Ek-Lund. Montage: Studio Cy Vis.", ["host Ada Roe", "host Bo van Ek-Lund"]),
        ("da", "I studiet: Ada Roe og Bo Ek", ["guest Ada Roe", "guest Bo Ek"]),
        ("da", "Værter: Ada Roe og Bo Ek. Klip: Cy Lund", ["host Ada Roe", "host Bo Ek"]),
        ("sv", "Programledare: Ada Roe", ["host Ada Roe"]),
        ("nb", "Gjest: overlege Ada Roe", ["guest Ada Roe"]),
        ("fi", "Vieraana Ada Roe.", ["guest Ada Roe"]),
        ("de", "Redaktion und Moderation: Ada Roe. Ton: Bo Ek.", ["host Ada Roe"]),
        ("de", "In dieser Folge zu Gast: Webmeisterin Ada Roe.", ["guest Ada Roe"]),
        ("fr", "Invités : Ada Roe et Bo Ek", ["guest Ada Roe", "guest Bo Ek"]),
        ("it", "Ospiti della puntata: l'ing. Ada Roe, che disegna telai, e il tessitore Bo Ek.", ["guest Ada Roe", "guest Bo Ek"]),
        ("es", "Conducen: Ada Roe y Bo Ek", ["host Ada Roe", "host Bo Ek"]),
        ("ca", "Convidada: Ada Roe", ["guest Ada Roe"]),
        ("pt", "Apresentação: Ada Roe e Bo Ek", ["host Ada Roe", "host Bo Ek"]),
        ("ro", "Invitatul nostru este Ion Roe.", ["guest Ion Roe"]),
        ("pl", "Gościem dzisiejszego odcinka jest dr hab. Ada Roe.", ["guest Ada Roe"]),
        ("pl", "Prowadzący: Ada Roe", ["host Ada Roe"]),
        ("cs", "Host: Ada Roe", ["guest Ada Roe"]),  # the Czech word for a guest
        ("cs", "Moderuje: Ada Roe", ["host Ada Roe"]),
        ("hu", "Vendégünk Roe Ada.", ["guest Roe Ada"]),
        ("el", "Καλεσμένη: Άννα Παππά", ["guest Άννα Παππά"]),
        ("ru", "Ведущие: Анна Лис и Иван Вяз", ["host Анна Лис", "host Иван Вяз"]),
        ("uk", "Гостя: Анна Лис", ["guest Анна Лис"]),
        ("tr", "Konuğumuz: Doç. Dr. Ada Roe", ["guest Ada Roe"]),
        ("tr", "Bu bölümde konuğumuz dokuma sanatçısı Ada Roe.", ["guest Ada Roe"]),
        ("ar", "ضيف الحلقة: سامي نور، كاتب", ["guest سامي نور"]),
        ("he", "אורח: דן לוי", ["guest דן לוי"]),
        ("hi", "मेहमान: राजेश वर्मा", ["guest राजेश वर्मा"]),
        ("id", "Tamu: Ada Roe", ["guest Ada Roe"]),
        ("vi", "Khách mời: Ngô Văn Sơn", ["guest Ngô Văn Sơn"]),
        ("zh", "本期嘉宾：王小明和李小梅", ["guest 王小明", "guest 李小梅"]),
        ("zh", "本期嘉宾：王小明和李老师", ["guest 王小明", "guest 李老师"]),
        ("zh", "主持人：王小明，茶师", ["host 王小明"]),
        ("ja", "（ゲスト：織物職人・森みなみさん、森ひかりさん）", ["guest 森みなみ", "guest 森ひかり"]),
        ("ja", "パーソナリティ：森みなみ、川上太一", ["host 森みなみ", "host 川上太一"]),
        ("ja", "ゲスト：マリア・ロペスさん", ["guest マリア・ロペス"]),
        ("ko", "게스트: 김하나 작가", ["guest 김하나"]),
        ("ja", "ゲスト：なし", []),
        ("ja", "ゲスト：森織物株式会社", []),
        ("zh", "嘉宾：王立 李清", []),  # two names, or one
        ("en", "Guest of this week and of all the long we: Ada Roe", ["guest Ada Roe"]),  # 41 characters
        ("en", "Guest of this week and of all the long wee: Ada Roe", []),
        ("en", "Guest: Ada Roe, Head Weaver", ["guest Ada Roe"]),
        ("en", "Next week's guest: Ada Roe", []),
        ("de", "Ohne Gast und ohne Worte: zwanzig Minuten Novemberwald.", []),
        ("pt", "Apresentação 01:00 Ada Roe", []),
    ],
)  # fmt: skip
def test_a_label_alone_names_who_is_heard_in_many_languages(language, text, expected):
    named = reading.people(text, "", (), Show("show", "", language=language))
    assert [f"{one.role} {one.name}" for one in heard_in([named], [text])[0]] == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Guests\nAda Roe\nBo Ek, who weaves\nLooms\nCy Lund", ["guest Ada Roe", "guest Bo Ek"]),
        ("Special guests:\n@adaroe\n- Ada Roe\n- Bo Ek", ["guest Ada Roe", "guest Bo Ek"]),
        ("Guest: Ada Roe\nBo Ek", ["guest Ada Roe"]),
        ("The house of our guests\nAda Roe", []),
    ],
)
def test_a_list_of_people_stands_below_its_label(text, expected):
    assert heard(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Guests: Ada Roe, a weaver; Bo Ek, clocks; Cy Lund", ["guest Ada Roe", "guest Bo Ek", "guest Cy Lund"]),
        ("Avec : Ada Roe, tisserande ; Bo Ek", ["guest Ada Roe", "guest Bo Ek"]),
        ("Guests: Ada Roe, a weaver. Looms; Bo Ek", ["guest Ada Roe"]),  # another sentence
        ("Guests: Ada Roe, a weaver; Bo weaves; Cy Lund", ["guest Ada Roe"]),
        ("Guests: Ada Roe, a weaver;\nlooms; Bo Ek", ["guest Ada Roe"]),
        (f"Guests: Ada Roe, {'x' * 78}; Bo Ek", ["guest Ada Roe", "guest Bo Ek"]),
        (f"Guests: Ada Roe, {'x' * 79}; Bo Ek", ["guest Ada Roe"]),
    ],
)
def test_semicolons_part_the_people_behind_a_label(text, expected):
    assert heard(text) == expected


def shown(*texts, title=""):
    """The names that are shown for the first of these episodes of a show."""
    named = [reading.people(text, title, (), Show("show", "")) for text in texts]
    return [credit.name for credit in heard_in(named, [f"{title}\n{text}" for text in texts])[0]]


JOINED = "Today Ada Roe joins us"  # a heading


def test_one_sign_alone_shows_nobody():
    assert shown(JOINED) == shown(JOINED, "Bo Ek joins us") == []
    assert shown("An interview with Ada Roe", "Bo Ek joins us", "Cy Lund joins us", "Di Voss joins us") == []


@pytest.mark.parametrize(
    "stop, guests",
    [(".", ["Ada Roe"]), ("!", ["Ada Roe"]), ("…", ["Ada Roe"]), ("", []), (":", []), (")", []), ("?", [])],
)
def test_a_sentence_with_a_full_stop_needs_no_second_sign(stop, guests):
    assert shown(f"{JOINED}{stop}") == guests


def test_a_second_sign_shows_who_is_named():
    assert shown(JOINED, title="Ada Roe weaves") == ["Ada Roe"]
    assert shown(f"{JOINED}\nAda Roe weaves.") == ["Ada Roe"]
    assert shown(JOINED, "We talk to Ada Roe.") == ["Ada Roe"]
    assert shown(JOINED, "Bo Ek joins us.", "We are joined by Cy Lund.") == ["Ada Roe"]
    assert shown("Today Ada Roe (@adaroe) joins us") == ["Ada Roe"]


def test_nobody_is_named_as_their_show():
    found = reading.people("Guests: Contes Roe and Ada Roe.", "", (), Show("show", "Contes Roe"))
    assert {one.name for one in found} == {"Ada Roe"}


def test_a_person_whom_one_sign_names_is_proposed():
    named = [reading.people(JOINED, "", (), Show("show", ""))]
    assert heard_in(named, [JOINED]) == [()]
    assert [one.name for one in reading.heard_by_a_word(named[0])] == ["Ada Roe"]


@pytest.mark.parametrize(
    "text, title, evidence",
    [
        (f"On wool.\n{JOINED}\nMore soon.", "Wool", JOINED),
        ("On wool.\nGuest: Ada Roe, who weaves. More soon.", "Wool", "Guest: Ada Roe, who weaves."),
        ("Ada Roe weaves.", "Wool with Ada Roe", "Wool with Ada Roe"),
        ("See https://loom.example/roe-of-the-mill: Ada Roe joins us.", "", "See https://loom.example/roe-of-the-mill: Ada Roe joins us."),
    ],
)  # fmt: skip
def test_a_credit_keeps_the_words_that_say_so(text, title, evidence):
    (credit,) = people(text, (), "", "show", title)
    assert credit.evidence == evidence


def test_the_words_of_a_long_sentence_are_cut():
    (credit,) = people(f"The {'wool, ' * 100}and Ada Roe joins us.", (), "", "show")
    assert credit.evidence[:2] == "… "
    assert credit.evidence.endswith("and Ada Roe joins us.")
    assert len(credit.evidence) <= reading.LONGEST_EVIDENCE


def test_a_long_title_is_evidence_by_its_first_300_characters():
    (credit,) = people("Ada Roe weaves.", (), "", "show", f"Wool with Ada Roe, {'wool ' * 60}")
    assert len(credit.evidence) == 300


def test_what_a_feed_declares_has_no_sentence():
    found = people("", [("Ada Roe", "guest", "")], "Bo Ek", "show")
    assert [(one.name, one.evidence) for one in found] == [("Ada Roe", ""), ("Bo Ek", "")]


@pytest.mark.parametrize(
    "about, author, text, hosts",
    [
        ("Host: Ada Roe", "Bo Ek", "", ["Ada Roe"]),  # a label says more than the author
        ("Ada Roe and Bo Ek talk about clay.", "Cy Lund", "", ["Ada Roe", "Bo Ek"]),  # published by Cy Lund
        ("Ada Roe and Bo Ek talk about clay.", "Bo Ek, Cy Lund", "", ["Ada Roe", "Bo Ek", "Cy Lund"]),
        ("Talks about clay.", "Cy Lund", "", ["Cy Lund"]),
        ("", "Ada Roe", "Host: Bo Ek", ["Bo Ek"]),  # of this episode
        ("", "Ada Roe and Bo Ek", "Hosts: Ada Roe and Bo Ek", ["Ada Roe", "Bo Ek"]),
        ("", "Ada Roe", "This week Bo Ek is your host.", ["Ada Roe"]),
        ("Ada Roe and Bo Ek fire a kiln and talk about clay.", "", "", ["Ada Roe", "Bo Ek"]),
        ("Chaque jeudi, Ada Roe reçoit un potier.", "", "", ["Ada Roe"]),
        ("Every Tuesday Ada Freitag talks to a potter.", "", "", ["Ada Freitag"]),
        ("Each week a potter, and Ada Roe, go out and talk.", "", "", []),  # no beginning of a sentence
        ("Ada Roe and Bo Ek fire a kiln.", "", "", []),
        ("A cura di Ada Roe.", "", "", []),  # who edits it
        ("A show of the network Clay.", "Clay Roe", "", ["Clay Roe"]),  # another name
        ("A podcast by Ada Roe.", "Ada Roe", "", ["Ada Roe"]),
    ],
)
def test_a_label_says_who_is_the_host(about, author, text, hosts):
    show = Show("show", "", author=author, description=about)
    usual = reading.hosts_of(show, about, [text])
    named = [reading.people(text, "", (), show, usual)]
    (found,) = reading.with_hosts_of_the_day(named, [text], about)
    assert [one.name for one in one_each(found) if one.role == "host"] == hosts


@pytest.mark.parametrize("others, role", [(3, "host"), (4, "guest"), (5, "guest")])
def test_who_is_a_guest_in_most_episodes_is_a_host(others, role):
    texts = [JOINED] * 4 + ["Nobody else is here."] * others
    named = [reading.people(text, "", (), Show("show", "")) for text in texts]
    assert [one.role for one in heard_in(named, texts)[0]] == [role]
    declared = [reading.people("", "", [("Ada Roe", "guest", "")], Show("show", ""))] * 4
    assert [one.role for one in heard_in(declared, [""] * 4)[0]] == ["guest"]


@pytest.mark.parametrize(
    "text, guests",
    [
        ("This week Dana talks to Lena Hartmann, co-chair of a group, about pods.", ["Lena Hartmann"]),
        ("Joining Dana Whitlock today is Freya Halvorsen, who", ["Freya Halvorsen"]),
        (
            "Dana asks Anjali Deshmukh (NVIDIA) and Peter Lindqvist about slicing.",
            ["Anjali Deshmukh", "Peter Lindqvist"],
        ),
        ("Dana and Rahul welcome Dr. Hassan Mirza to talk", ["Hassan Mirza"]),
        ("Dana is joined by Yusuf Demirci", ["Yusuf Demirci"]),
        ("Kyle Kingsbury tells Dana Scully about aliens.", []),
        ("Dana talks about Lena Hartmann.", []),
    ],
)
def test_a_host_asks_and_is_told_as_i_do(text, guests):
    heard = people(text, (), "Dana Whitlock and Rahul Menon")
    assert [credit.name for credit in heard if credit.role == "guest"] == guests


@pytest.mark.parametrize(
    "text, expected",
    [
        ("В гостях: Иван Петров и Мария Сидорова.", ["guest Иван Петров", "guest Мария Сидорова"]),
        ("Convidado: João Conceição, da Unesp.", ["guest João Conceição"]),
        ("Zu Gast ist Jürgen Weiß.", ["guest Jürgen Weiß"]),
        ("Invitée : Élodie Lefèvre.", ["guest Élodie Lefèvre"]),
        ("Neste episódio conversei com o Caio Prado sobre teares.", ["guest Caio Prado"]),
        ("O entrevistado de hoje é o português Rui Teles, tecelão.", ["guest Rui Teles"]),
        ("Tive o prazer de entrevistar a Lia Moura.", ["guest Lia Moura"]),
        ("Lia Moura e Rui Teles, sejam muito bem-vindos ao programa.", ["guest Lia Moura", "guest Rui Teles"]),
        ("Heute spreche ich mit Anna Weber über Garn.", ["guest Anna Weber"]),
        ("Diesmal ist Anna Weber zu Gast.", ["guest Anna Weber"]),
        ("Zu Gast ist die Autorin Anna Weber.", ["guest Anna Weber"]),
        ("Hoy hablamos con la tejedora Eva Luján.", ["guest Eva Luján"]),
        ("Aujourd'hui, nous recevons Claire Dubois.", ["guest Claire Dubois"]),
        ("本期嘉宾：王小明", ["guest 王小明"]),
        ("嘉宾：\n王小明\n李梅", ["guest 王小明", "guest 李梅"]),
        (
            "Гости и участники\n@ivan\nИван Петров\nМария Сидорова, ткачиха\nТемы",
            ["guest Иван Петров", "guest Мария Сидорова"],
        ),
        ("No próximo episódio conversamos com Lia Moura.", []),
        ("Nosso convidado é Líder de Operações de Rede.", []),
        ("Foi durante a minha entrevista com o Rui Teles que eu soube.", []),
        ("Zu Gast ist Frau Dr. Anna Weber.", ["guest Anna Weber"]),
        (
            "Dois convidados: Lia Moura e Rui Teles, que trabalham na companhia Tear Velho.",
            ["guest Lia Moura", "guest Rui Teles"],
        ),
    ],
)
def test_guests_are_found_in_other_languages(text, expected):
    assert heard(text) == expected


@pytest.mark.parametrize(
    "author, names",
    [
        ("Edward Yang, Team PyTorch", ["Edward Yang"]),
        ("Edward Yang & Horace He", ["Edward Yang", "Horace He"]),
        ("me@example.org (Edward Yang)", ["Edward Yang"]),
        ("Dr. Jane Roe, PhD", ["Jane Roe"]),
        ("Edward Yang (Meta)", ["Edward Yang"]),
        ("Ada Roe, Bo Ek, and Cy Lund", ["Ada Roe", "Bo Ek", "Cy Lund"]),
        ("Ada Roe,Bo Ek;Cy Lund", ["Ada Roe", "Bo Ek", "Cy Lund"]),
        ("Ada Roe / Bo Ek | Cy Lund + Di Voss", ["Ada Roe", "Bo Ek", "Cy Lund", "Di Voss"]),
        ("ada@mill.example (Ada Roe), bo@mill.example (Bo Ek)", ["Ada Roe", "Bo Ek"]),
        ("Ada Roe <ada@mill.example>, Bo Ek <bo@mill.example>", ["Ada Roe", "Bo Ek"]),
        ("ada@mill.example", []),
        ("Mill Rundfunk", []),
        ("李沐", ["李沐"]),
        ("Ada Roe A/S", []),
        ("Ada Roe S.p.A.", []),
        ("Ada Roe Kft", []),
        ("Rádio Roe", []),
        ("Saltmill Stories", []),
        ("Fundacja Roe", []),
        ("森織物株式会社", []),
        ("Ada Roe Orchestra", []),
        ("NVIDIA", []),
        ("Changelog Media", []),
        ("Dryckespodden AB", []),
        ("Lex Fridman Podcast", []),
        ("", []),
    ],
)
def test_the_author_of_a_show_is_a_host_and_a_team_is_nobody(author, names):
    assert [(c.name, c.field) for c in people("", (), author, "show")] == [(name, "author") for name in names]


@pytest.mark.parametrize("length, names", [(400, ["Ada Roe"]), (401, ["Ada Ro"])])
def test_an_author_is_read_up_to_400_characters(length, names):
    author = f"{'Mill Ltd,' * 43}Ada Roe".rjust(length, "-")
    assert [credit.name for credit in people("", (), author, "show")] == names


@pytest.mark.parametrize(
    "role, hosts", [("host", 1), ("", 1), ("Co-Host", 1), ("guest host", 1), ("guest", 2), ("ghostwriter", 2)]
)
def test_a_feed_that_lists_a_host_has_listed_them_all(role, hosts):
    found = people("Cy Lund talks to Ed Rask.", [("Cy Lund", role, "")], "Ada Roe", "show")
    assert ("Ada Roe" in [credit.name for credit in found]) == (hosts == 2)
    assert ("Ed Rask" in [credit.name for credit in found]) == (hosts == 1)  # whom a host talks to is a guest


@pytest.mark.parametrize(
    "role, names", [("guest", {"Cy Lund", "Ada Roe", "Bo Ek"}), ("host", {"Cy Lund"}), ("co-host", {"Cy Lund"})]
)
def test_an_episode_that_declares_no_host_has_the_people_of_its_show(role, names):
    regulars = [("Ada Roe", "host", "https://network.example"), ("Bo Ek", "host", "https://network.example")]
    found = people("", [("Cy Lund", role, "")], "Di Voss", "show", regulars=regulars)
    assert {credit.name for credit in found} == names


@pytest.mark.parametrize(
    "about, author, hosts",
    [
        ("Talks about clay, hosted by Ada Roe.", "", ["Ada Roe"]),
        ("Talks about clay. Med Ada Roe och Bo Ek.", "Mill Media", ["Ada Roe", "Bo Ek"]),
        ("Talks about clay, hosted by Ada Roe.", "Cy Lund", ["Ada Roe"]),
        ("Talks about clay with Ada Roe.", "", []),
        ("Our guest is Ada Roe.", "", []),
        ("Ada Roe and Bo Ek tell each other about clay.", "", ["Ada Roe", "Bo Ek"]),
        ("Ada Roe fires clay.", "", []),
        ("With Clay and fire.", "", []),
        ("Loom Hour is written and presented by Ada Roe. Producer: Bo Ek.", "Mill Ltd.", ["Ada Roe"]),
        ("Presentan Ada Roe y Bo Ek.", "Asociación Mill Loom", ["Ada Roe", "Bo Ek"]),
        ("Mill, un podcast de et avec Ada Roe.", "", ["Ada Roe"]),
        ("True stories. With Ada Roe and Bo Ek.", "Saltmill Sound", ["Ada Roe", "Bo Ek"]),
        ("O glinie. Prowadzą Ada Roe i Bo Ek.", "", ["Ada Roe", "Bo Ek"]),
        ("О глине. Ведущие — Ада Роу и Бо Эк.", "", ["Ада Роу", "Бо Эк"]),
        ("O hlíně. Moderuje Ada Roe.", "", ["Ada Roe"]),
        ("Mill, un podcast d'Ada Roe et Bo Ek.", "", ["Ada Roe", "Bo Ek"]),
        ("A podcast by Mill Media.", "", []),
        ("I'm Ada Roe and this is Mill.", "", ["Ada Roe"]),
        ("This episode is presented by Roe Lund. Edited by Bo Ek.", "", []),
    ],
)
def test_a_shows_description_names_its_hosts_where_nothing_else_does(about, author, hosts):
    found = people("", (), author, "show", about=about)
    assert [(c.name, c.role) for c in found] == [(name, "host") for name in hosts]


LINE = "Loom is written and presented by Ada Roe. Producer: Cy Lund."


@pytest.mark.parametrize(
    "repeated, author, hosts",
    [
        (4, "", {"Ada Roe"}),
        (3, "", {"Ada Roe"}),
        (2, "", set()),
        (4, "Bo Ek", {"Ada Roe"}),
        (4, "Bo Ek Loom Hour", {"Ada Roe"}),  # the show's own name, with more
        (4, "Loom Hour", {"Ada Roe"}),
    ],
)
def test_lines_that_most_notes_repeat_name_the_hosts_of_all_episodes(repeated, author, hosts):
    texts = ["On clay."] * 6
    texts[:repeated] = [f"On wool {number}.\n{LINE}" for number in range(repeated)]
    show = Show("show", "Loom Hour", author=author)
    entries = [entry(f"Part {place}", text, position=place, may_create=True) for place, text in enumerate(texts, 1)]
    episodes = resolve(entries, Decisions(), show, ()).episodes
    assert [{one.full_name for one in episode.people} for episode in episodes] == [hosts] * 6


def test_the_feeds_own_list_comes_first_and_is_not_doubled_by_the_notes():
    listed = [("Shen Li", "Guest", "https://github.com/mrshenli"), ("Meta Team", "host", ""), ("Ann Lee", "", "")]
    found = people("Shen Li joins me", listed, "Ann Lee", "show")
    assert [(c.name, c.role, c.field, c.identity) for c in found] == [
        ("Shen Li", "guest", "person", "shen-li github.com/mrshenli"),
        ("Meta Team", "host", "person", "meta-team@show"),
        ("Ann Lee", "host", "person", "ann-lee@show"),
    ]


def test_each_role_that_the_feed_lists_is_kept():
    listed = [("Ann Lee", "host", ""), ("Ann Lee", "guest", ""), ("Ann Lee", "Host", "")]
    found = people("Ann Lee joins me", listed, "", "show")
    assert [(c.name, c.role) for c in found] == [("Ann Lee", "host"), ("Ann Lee", "guest")]


def test_all_who_share_an_address_are_kept():
    listed = [
        (name, "host", "https://network.example/") for name in ("Ann Lee", "Bo Ek", "Ann Leigh", "Charlotte Church")
    ]
    found = people("", listed, "", "show")
    assert [credit.name for credit in found] == ["Ann Lee", "Bo Ek", "Ann Leigh", "Charlotte Church"]
    assert len({credit.identity for credit in found}) == 4
    settled = settle([found])
    assert [settled[credit.identity] for credit in found] == [credit.identity for credit in found]
    # A name alone is theirs as well.
    assert settled["bo-ek@show"] == "bo-ek network.example"


def at_one_address(*names):
    """The credits of one episode each, at one address; how many people they are."""
    heard = [people("", [(name, "guest", "https://mill.example/")], "", "show") for name in names]
    settled = settle(heard)
    assert settled == settle(heard[::-1])
    assert ("mill.example" in settled) == (len({settled[own[0].identity] for own in heard}) == 1)
    return len({settled[own[0].identity] for own in heard})


@pytest.mark.parametrize(
    "one, other, count",
    [
        ("Ada Roe", "ada roe", 1), ("Ada", "Ada Roe", 1), ("Roe", "Ada Roe", 1), ("A. Roe", "Ada Roe", 1),
        ("Ada Roe", "Ada B. Roe", 1), ("Ben Roe", "Benjamin Roe", 1), ("Jon Smith", "John Smith", 1),
        ("José García", "Jose Garcia", 1), ("Jan Smit", "Jon Smit", 2), ("Ada Roe", "Bo Roe", 2),
        ("Ada Roe", "Roe Ek", 2), ("Ada Roe", "Cy Lund", 2), ("???", "!!!", 2),
    ],
)  # fmt: skip
def test_two_names_at_one_address_are_one_person_where_they_can_be_spellings(one, other, count):
    assert at_one_address(one, other) == count


def test_of_several_names_at_one_address_those_are_one_that_may_be_the_fullest():
    assert at_one_address("Ada", "Ada Roe", "A. Roe", "Ada Roe") == 1
    assert at_one_address("Ada", "Ada Roe", "Bo Ek") == 2


def test_two_names_of_one_episode_are_two_people_whatever_address_they_share():
    listed = [(name, "host", "https://mill.example/") for name in ("Ada Roe", "Ada B. Roe")]
    both, one = people("", listed, "", "show"), people("", listed[:1], "", "show")
    assert len(set(settle([both, one]).values())) == 2


def test_two_people_of_one_name_stay_two():
    one, other = (people("Shen Li joins me", (), "", show)[0].identity for show in ("a", "b"))
    assert one != other
    listed = [("Li Wei", "guest", "https://a.example/li"), ("Li Wei", "guest", "https://b.example/wei")]
    assert len({c.identity for c in people("", listed, "", "show")}) == 2


def test_within_a_show_a_bare_name_goes_to_the_one_who_is_known_to_bear_it():
    bare = people("Shen Li joins me", (), "", "show")
    full = people("Shen Li (mrshenli) joins me", (), "", "show")
    other = people("Shen Li (@other) joins me", (), "", "show")
    assert settle([bare, full]) == {"@mrshenli": "@mrshenli", "shen-li@show": "@mrshenli"}
    assert settle([bare, full, other])["shen-li@show"] == "shen-li@show"
    listed = people("", [("Shen Li", "guest", "https://mill.example/")], "", "show")
    longer = people("", [("Shen B. Li", "guest", "https://mill.example/")], "", "show")
    assert settle([bare, listed, longer])["shen-li@show"] == "shen-b-li mill.example"


def test_a_credit_says_where_it_stands_and_how_it_was_written():
    (credit,) = people("Intro. Today, Shen Li (mrshenli) joins me", (), "", "show")
    assert (credit.name, credit.credited_as, credit.field, credit.position) == ("Shen Li", "Shen Li", "notes", 14)
    assert (credit.handle, credit.identity) == ("mrshenli", "@mrshenli")


def test_a_persons_address_keeps_the_letters_of_every_script():
    assert [person_slug(name) for name in ("Łukasz Kaiser", "José García", "李沐", "Jean-Luc O'Brien")] == [
        "łukasz-kaiser", "josé-garcía", "李沐", "jean-luc-obrien",
    ]  # fmt: skip
    assert person_slug("!", "@x").startswith("person-")


@pytest.mark.parametrize(
    "piece",
    [
        "a", "A. ", "the ", "first ", "Shen Li, ", "Shen Li joins me ", "joins me ", "joined by ", "(", "李",
        "Ab Cd joins me, ",
        "Guest: ",
        "Guest: Ab Cd, ",
        "Guests\nAb Cd\n",
        "word: ",
        "she tells ", "Ab Cd: ", "Ab Cd: she tells us ", "with Ab Cd we talk ", "without Ab ", "Ab is away ",
    ],
)  # fmt: skip
def test_work_for_a_long_text_grows_evenly(piece):
    def read(length):
        text = piece * (length // len(piece))
        people(text, (), text, "show")

    assert_even_growth(read, SHORTEST_TEXT)


def test_work_for_thousands_of_declared_people_grows_evenly():
    def read(count):
        declared = [(f"Ann Number{number}", "guest", "") for number in range(count)]
        people_listed = people("", declared, "")
        assert [credit.position for credit in people_listed] == list(range(min(count, 200)))

    assert_even_growth(read, size=2_500)


def test_what_stands_behind_a_name_and_a_comma_is_nobody_by_a_first_name_alone():
    assert heard("We are joined by Ana Roe, Peter.") == ["guest Ana Roe"]


@pytest.mark.parametrize("trade, guests", [("Loom Programmer", []), ("Ida Birk", ["guest Ida Birk"])])
def test_what_stands_behind_a_comma_is_heard_with_a_known_first_name(trade, guests):
    assert heard(f"I talked with Ana Roe, {trade}. A {trade} weaves wool.") == ["guest Ana Roe", *guests]
