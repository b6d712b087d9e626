"""Write the Office files of `anyread demo`: `python -m website.demo_files`.

They are made here, because Office opens only files with many parts, which these libraries know.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import docx
import openpyxl
import pptx

from anyread.cli.demo import OFFICE


def workbook() -> Any:
    """Return a sheet of 300 orders, one with a formula, and a hidden one."""
    book: Any = openpyxl.Workbook()
    orders = book.active
    orders.title = "Orders"
    orders.append(["id", "customer", "date", "total", "comment"])
    for n in range(1, 301):
        orders.append([n, f"Customer {n}", date(2020, 1, 1 + n % 28), n * 7.5])
        orders.cell(n + 1, 4).number_format = '#,##0.00 "EUR"'
    orders["E3"] = "first line\nsecond line"
    orders.row_dimensions[4].hidden = True
    book.create_sheet("My notes")["C7"] = "=SUM(Orders!D2:D301)"
    book.create_sheet("Prices").sheet_state = "hidden"
    return book


def document() -> Any:
    """Return a report of two sections, one with a table."""
    report: Any = docx.Document()
    report.add_heading("Report of the pump trial")
    report.add_paragraph("Flow was measured.")
    table = report.add_table(2, 2)
    for cell, text in zip(table._cells, ("month", "m³", "May", "41"), strict=True):  # noqa: SLF001 - in order
        cell.text = text
    report.add_heading("Results")
    report.add_paragraph("The pump stays.")
    return report


def slides() -> Any:
    """Return four slides, of which the third is hidden."""
    deck: Any = pptx.Presentation()
    flow = deck.slides.add_slide(deck.slide_layouts[1])
    flow.shapes.title.text = "Flow by month"
    body = flow.placeholders[1].text_frame
    body.text = "Higher in spring"
    below = body.add_paragraph()
    below.text, below.level = "because of rain", 1
    flow.notes_slide.notes_text_frame.text = "Mention the leak."
    for title in ("Costs", "Old figures", "Next steps"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
        if title == "Old figures":
            slide._element.set("show", "0")  # noqa: SLF001 - there is no other way
    return deck


def main() -> None:
    """Write the files."""
    for name, make in (("report.xlsx", workbook), ("report.docx", document), ("plan.pptx", slides)):
        make().save(str(OFFICE / name))


if __name__ == "__main__":
    main()
