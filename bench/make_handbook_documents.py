# /// script
# requires-python = ">=3.11"
# dependencies = ["python-docx", "reportlab"]
# ///
"""Makes the two documents of examples/handbook that are not text: `uv run bench/make_handbook_documents.py`."""

from pathlib import Path

from docx import Document
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

FOLDER = Path(__file__).parents[1] / "examples" / "handbook" / "en"

SECURITY = [
    (
        "Passwords and sign-in",
        [
            "Passwords have at least 14 characters and are kept in the password safe. They are changed only when they may have "
            "become known to others.",
            "Every sign-in needs a second factor. Text messages are not allowed as a second factor.",
        ],
    ),
    (
        "Lost devices",
        [
            "A lost or stolen device is reported to security@tidewise.example within 4 hours, at night and at weekends too. "
            "The device is then wiped from afar.",
        ],
    ),
    (
        "Customer data",
        [
            "Measurements belong to the customer. They are deleted 90 days after a plan has ended.",
            "Customer data must not be copied to private devices or pasted into public chat tools.",
        ],
    ),
    (
        "Incidents",
        [
            "Whoever suspects that data got out tells the security officer, Jonas Weber, at once. Customers are told within "
            "72 hours.",
        ],
    ),
]

PURCHASES = [
    ("Who may approve a purchase", None),
    (
        None,
        [
            ("Amount of the purchase", "Approved by"),
            ("up to 250 EUR", "nobody: staff buy it themselves"),
            ("up to 2,000 EUR", "team lead"),
            ("up to 15,000 EUR", "head of the department"),
            ("above 15,000 EUR", "managing director"),
        ],
    ),
    ("Offers", "From 2,000 EUR at least three offers are compared. The reason for the choice is kept with the order."),
    (
        "Company cards",
        "Company cards have a limit of 3,000 EUR a month. Receipts are handed in by the fifth working day of the next month.",
    ),
    ("Gifts", "Gifts to customers cost at most 35 EUR per person and year. Gifts from suppliers above 35 EUR are refused."),
]


def make_security() -> None:
    styles = getSampleStyleSheet()
    story = [Paragraph("Security", styles["Title"])]
    for number, (heading, paragraphs) in enumerate(SECURITY):
        if number == 2:
            story.append(PageBreak())
        story.append(Paragraph(heading, styles["Heading2"]))
        for text in paragraphs:
            story += [Paragraph(text, styles["BodyText"]), Spacer(1, 6)]
    path = FOLDER / "security.pdf"
    SimpleDocTemplate(str(path), pagesize=A5, title="Security", author="Tidewise", invariant=1).build(story)


def make_purchases() -> None:
    document = Document()
    document.core_properties.author = "Tidewise"
    document.add_heading("Purchases", level=1)
    for heading, content in PURCHASES:
        if heading:
            document.add_heading(heading, level=2)
        if isinstance(content, str):
            document.add_paragraph(content)
        elif content:
            table = document.add_table(rows=0, cols=2)
            for row in content:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
    document.save(str(FOLDER / "purchases.docx"))


if __name__ == "__main__":
    make_security()
    make_purchases()
