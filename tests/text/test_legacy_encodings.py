"""Prose in the encodings of many languages: article 1 of the Universal Declaration of Human Rights."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyread import Limits, Reader, TextPage

ARTICLES = {
    "Polish": (
        (
            "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. "
            "Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa."
        ),
        ("iso-8859-2", "windows-1250"),
    ),
    "Czech": (
        (
            "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. "
            "Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství."
        ),
        ("iso-8859-2", "windows-1250"),
    ),
    "Russian": (
        (
            "Все люди рождаются свободными и равными в своем достоинстве и правах. "
            "Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства."
        ),
        ("windows-1251", "koi8-r", "iso-8859-5", "ibm866"),
    ),
    "Ukrainian": (
        (
            "Всі люди народжуються вільними і рівними у своїй гідності та правах. "
            "Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства."
        ),
        ("windows-1251", "koi8-u"),
    ),
    "Greek": (
        (
            "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. "
            "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους "
            "με πνεύμα αδελφοσύνης."
        ),
        ("iso-8859-7", "windows-1253"),
    ),
    "Hebrew": (
        (
            "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. "
            "כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה."
        ),
        ("windows-1255", "iso-8859-8"),
    ),
    "Arabic": (
        (
            "يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. "
            "وقد وهبوا عقلًا وضميرًا وعليهم أن يعامل بعضهم بعضًا بروح الإخاء."
        ),
        ("windows-1256", "iso-8859-6"),
    ),
    "Turkish": (
        (
            "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. "
            "Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler."
        ),
        ("windows-1254", "iso-8859-9"),
    ),
    "Thai": (
        (
            "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ "
            "ต่างมีเหตุผลและมโนธรรม และควรปฏิบัติต่อกันด้วยเจตนารมณ์แห่งภราดรภาพ"
        ),
        ("cp874",),
    ),
    "French": (
        (
            "Tous les êtres humains naissent libres et égaux en dignité et en droits. "
            "Ils sont doués de raison et de conscience et doivent agir les uns envers les autres "
            "dans un esprit de fraternité."
        ),
        ("iso-8859-1", "windows-1252"),
    ),
    "Japanese": (
        (
            "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。"
            "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。"
        ),
        ("shift_jis", "euc-jp", "iso-2022-jp"),
    ),
    "Chinese": (
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
        ("gb2312", "gbk", "gb18030"),
    ),
    "Traditional Chinese": (
        "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神相對待。",
        ("big5",),
    ),
    "Korean": (
        (
            "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. "
            "인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."
        ),
        ("euc-kr",),
    ),
}


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(text, encoding, id=f"{language}-{encoding}")
        for language, (text, encodings) in ARTICLES.items()
        for encoding in encodings
    ],
)
def test_prose_is_decoded(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "article.txt"
    path.write_bytes(f"{text}\n".encode(encoding) * 3)
    page = Reader().read_sync(path)
    assert isinstance(page, TextPage)
    assert page.content == f"{text}\n" * 3
    assert not page.lossy


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
def test_clipped_line_of_iso_2022_jp_does_not_affect_its_ending(tmp_path: Path, ending: str) -> None:
    """A clipped line leaves an escape sequence open, which applied to a CR and to the next line."""
    path = tmp_path / "a.txt"
    path.write_bytes(f"漢字漢字漢字{ending}かな{ending}".encode("iso2022_jp"))
    page = Reader(limits=Limits(max_line_chars=3)).read_sync(path, encoding="iso2022_jp")
    assert isinstance(page, TextPage)
    assert page.content == f"漢字漢{ending}かな{ending}"
