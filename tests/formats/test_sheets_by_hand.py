"""Workbooks written by hand: what is valid and that no library writes, and what is damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

import anyread
from anyread import errors, read_sync
from anyread.results.sheet import SheetPage

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


def book(
    path: Path, sheet: str, strings: str = "", *, name: str = "One", state: str = "visible", method: int = 8
) -> Path:
    """Write a workbook with one sheet, whose part is `sheet`."""
    relation = f'<Relationship Id="{{}}" Type="{OFFICE}/{{}}" Target="{{}}"/>'
    parts = relation.format("a", "worksheet", "one.xml") + relation.format(
        "b", "sharedStrings", "strings.xml"
    )
    members = {
        "[Content_Types].xml": f'<Types><Override PartName="/book.xml" ContentType="{MAIN}"/></Types>',
        "_rels/.rels": f"<Rels>{relation.format('a', 'officeDocument', 'book.xml')}</Rels>",
        "book.xml": f'<workbook><sheet name="{name}" state="{state}" r:id="a"/></workbook>',
        "_rels/book.xml.rels": f"<Rels>{parts}</Rels>",
        "one.xml": sheet,
        "strings.xml": f"<sst>{strings}</sst>",
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    path.write_bytes(data.getvalue())
    return path


def sheet_of(*rows: str) -> str:
    return f"<worksheet><sheetData>{''.join(rows)}</sheetData></worksheet>"


def row(number: int, cell: str = "<v>1</v>", attributes: str = "") -> str:
    return f'<row r="{number}"{attributes}><c r="A{number}">{cell}</c></row>'


def page_of(path: Path, **call: Any) -> SheetPage:
    page = read_sync(path, **call)
    assert isinstance(page, SheetPage)
    return page


def lines_of_cell(path: Path, at: str) -> tuple[str, SheetPage]:
    """Follow the pages of a cell; return its text and the last page."""
    text = ""
    following: dict[str, Any] = {"at": at}
    while True:
        page = page_of(path, **following)
        shown = page.text.removesuffix(page.footer).removesuffix("\n")
        text += shown.partition("\t")[2] if shown.startswith("1\t") else shown
        if page.next is None:
            return text, page
        following = dict(page.next.arguments)


@pytest.mark.parametrize("character", ["字", "&", '"', "\x01"])
def test_longest_cell_is_shown_whole(tmp_path: Path, character: str) -> None:
    """Of a text with over 64 KiB in the file, the rest was lost without a word."""
    path, text = tmp_path / "a.xlsx", character * 32_767
    with xlsxwriter.Workbook(str(path)) as workbook:
        workbook.add_worksheet().write_string(0, 0, text)
    assert page_of(path).rows[0].cells[0].characters == 32_767
    assert lines_of_cell(path, "A1")[0] == text


def test_cell_that_is_too_long_says_what_is_left_out(tmp_path: Path) -> None:
    cell = f'<row><c t="inlineStr"><is><t>{"x" * 300_000}</t></is></c></row>'
    text, last = lines_of_cell(book(tmp_path / "a.xlsx", sheet_of(cell)), "A1")
    assert text == "x" * 65_536
    assert "234,464 more characters, which are not kept" in last.footer


def test_damaged_shared_strings_are_refused_or_not_verified(tmp_path: Path) -> None:
    """A changed text was shown as verified, because only the checksum of the sheet was compared."""
    sheet = sheet_of('<row><c t="s"><v>5</v></c></row>')
    small, large = (
        "".join(f"<si><t>text {number} {'y' * 50}</t></si>" for number in range(count))
        for count in (20_000, 100_000)
    )
    for strings in (small, large):
        path = book(tmp_path / "a.xlsx", sheet, strings, method=0)
        path.write_bytes(path.read_bytes().replace(b"text 5 ", b"fake 5 "))
        if strings == small:
            with pytest.raises(errors.DamagedFileError, match="CRC-32"):
                read_sync(path)
        else:
            page = page_of(path)
            assert (page.verified, page.notices) == (False, ())
    assert page_of(book(tmp_path / "b.xlsx", sheet, small)).verified


def test_number_of_a_row_is_found_in_any_tag(tmp_path: Path) -> None:
    """After an attribute with `>`, and in a long tag, it was not found, and the row got another one."""
    rows = (
        row(1)
        + "<row odd='>' r='7'><c><v>2</v></c></row>"
        + f"<row odd='{'y' * 5_000}' r = '9'><c><v>3</v></c></row>"
    )
    path = book(tmp_path / "a.xlsx", sheet_of(rows, "<row/><row\n><c><v>4</v></c></row>"))
    numbers = [(found.number, found.cells[0].text) for found in page_of(path).rows]
    assert numbers == [(1, "1"), (7, "2"), (9, "3"), (11, "4")]
    assert [found.number for found in page_of(path, offset=9, limit=1).rows] == [9]


def test_formula_that_is_shared_names_its_owner_on_each_page(tmp_path: Path) -> None:
    """Without a result, the formula that is shown said so only if the owner had been read before."""
    owner = row(100, '<f t="shared" ref="A100:A200" si="0">B1*2</f>')
    rows = [row(1), owner, *(row(number, '<f t="shared" si="0"/>') for number in range(101, 201))]
    path = book(tmp_path / "a.xlsx", sheet_of(*rows))
    for values in ["shown", "raw", "formulas"]:
        anyread.clear_caches()
        page = page_of(path, offset=150, limit=1, values=values)
        assert "\n150\t=(shared with A100)\n" in page.text


def test_name_with_quotes_is_written_so_that_it_can_be_read(tmp_path: Path) -> None:
    cell = f"<is><t>{'x' * 3_000}</t></is>"
    path = book(tmp_path / "a.xlsx", sheet_of(row(1, cell), row(2)), name="x&quot;y")
    page = page_of(path, at='x"y', limit=1)
    assert page.footer.endswith(r'next: at="x\"y", offset=2]')
    assert r'[1,000 more characters: at="x\"y!A1"]' in page.text
    assert page_of(path, **page.clipped[0]).text.startswith("xxx")
    with pytest.raises(errors.NoSuchSheetError, match=r'hint: pass at="x\\"y"'):
        read_sync(path, at="xy")


def test_ranges_of_an_area_are_inside_of_it(tmp_path: Path) -> None:
    """Rows before the area were shown as its own."""
    path = book(tmp_path / "a.xlsx", sheet_of(*map(row, range(1, 40))))
    assert page_of(path, at="A20:A30", ranges=[(1, 5)]).rows == ()
    rows = page_of(path, at="A20:A30", ranges=[(1, 21), (25, 25), (29, 35)]).rows
    assert [found.number for found in rows] == [20, 21, 25, 29, 30]


def test_address_that_leads_nowhere_has_a_hint_that_works(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", sheet_of(row(1)), name="Secret", state="hidden")
    for at in ["Nix", "9", "99999999999999999999999", "0"]:
        with pytest.raises(
            errors.NoSuchSheetError, match='it has `Secret`\nhint: pass at="Secret"'
        ) as caught:
            read_sync(path, at=at)
        assert caught.value.sheets == ("Secret",)
    assert page_of(path, at="Secret").rows


@pytest.mark.parametrize("part", ["", "<html/>", "<worksheet", "<chartsheet><sheetData/></chartsheet>"])
def test_part_that_is_no_sheet_is_damaged(tmp_path: Path, part: str) -> None:
    """It was an empty sheet."""
    with pytest.raises(errors.DamagedFileError):
        read_sync(book(tmp_path / "a.xlsx", part))
    assert page_of(book(tmp_path / "a.xlsx", "<worksheet/>")).rows == ()


def test_rows_with_empty_values_are_no_rows(tmp_path: Path) -> None:
    """They were counted, and `next` led to a page without any."""
    empty = ['<c r="A{}"><v></v></c>', '<c r="A{}"><v/></c>', '<c r="A{}" t="str"><v></v></c>']
    rows = [f'<row r="{number}">{empty[number % 3].format(number)}</row>' for number in range(2, 300)]
    for last, total in [("", 1), (row(300), 300)]:
        path = book(tmp_path / "a.xlsx", sheet_of(row(1), *rows, last))
        page = page_of(path)
        assert [found.number for found in page.rows] == [*{1, total}]
        assert (page.count, page.next) == (total, None)
        assert page_of(path, offset=-1).rows[0].number == total


def test_too_many_decompressed_bytes_are_not_the_size_of_the_file(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", sheet_of(*map(row, range(1, 60_000))))
    reader = anyread.Reader(limits=anyread.Limits(max_inflated_bytes=1 << 20))
    with pytest.raises(errors.TooLargeError, match=r"of 1,048,576 decompressed bytes: ") as caught:
        reader.read_sync(path)
    assert "nearer to the start" in caught.value.hint
