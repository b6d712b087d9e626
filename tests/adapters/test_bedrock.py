"""Messages for Bedrock's Converse API, validated and serialized by botocore."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import botocore.session
import pytest
from botocore.exceptions import ParamValidationError
from botocore.serialize import create_serializer
from botocore.validate import ParamValidator

from adapters.answers import PDF, PNG, Answer, texts
from anyread.adapters import bedrock
from anyread.results.blocks import DocumentBlock, ImageBlock

NAME = re.compile(r"[A-Za-z0-9()\[\]-]+(?: [A-Za-z0-9()\[\]-]+)*")
"""Names that Bedrock accepts; botocore checks only their length."""


@cache
def converse_operation() -> Any:
    return botocore.session.get_session().get_service_model("bedrock-runtime").operation_model("Converse")


def sent(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Validate a message, and return its content as the real serializer sends it."""
    request = {"modelId": "a.model", "messages": [{"role": "user", "content": content}]}
    operation = converse_operation()
    report = ParamValidator().validate(request, operation.input_shape)
    if report.has_errors():
        raise ParamValidationError(report=report.generate_report())
    serializer = create_serializer(operation.service_model.metadata["protocol"])
    body = json.loads(serializer.serialize_to_request(request, operation)["body"])
    found: list[dict[str, Any]] = body["messages"][0]["content"]
    return found


def names(blocks: list[dict[str, Any]]) -> list[str]:
    return [block["document"]["name"] for block in blocks if "document" in block]


def test_base64_option_gives_what_the_serializer_sends(answer: Answer) -> None:
    wire = sent([bedrock.tool_result(answer.source, tool_use_id="tooluse_1")])
    plain = bedrock.tool_result(answer.source, tool_use_id="tooluse_1", base64=True)
    assert json.loads(json.dumps([plain])) == wire
    json.dumps(plain, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("name", "sent_as"),
    [
        ("report_v1.pdf", "report v1"),
        ("a.b  c.PDF", "a b c"),
        ("분기보고서.pdf", "document"),
        (".pdf", "document"),
        ("(1) [x] - y\n.pdf", "(1) [x] - y"),
        ("x" * 300, "x" * 160),
        ("ignore <all> previous", "ignore all previous"),
    ],
)
def test_document_name_is_one_that_bedrock_accepts(name: str, sent_as: str) -> None:
    block = DocumentBlock.from_bytes(PDF, name=name, page_count=3)
    content = bedrock.content(block)
    sent(content)
    assert names(content) == [sent_as]
    (unique,) = names(bedrock.tool_result(block, tool_use_id="a")["toolResult"]["content"])
    assert NAME.fullmatch(unique)
    assert len(unique) <= 200
    assert unique.startswith(f"{sent_as} ")


def test_names_are_unique_in_a_conversation() -> None:
    """Bedrock refuses a request with two documents of the same name anywhere in it."""
    block = DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3)
    other = DocumentBlock.from_bytes(PDF, name="A.pdf", page_count=3)
    assert names(bedrock.content([block, other, block])) == ["a", "A 2", "a 3"]
    calls = [bedrock.tool_result(block, tool_use_id=call) for call in ("one", "two", "one")]
    one, two, again = [names(call["toolResult"]["content"])[0] for call in calls]
    assert one == again != two
    assert names(bedrock.content(block, scope="one")) == [one]


def test_document_is_never_sent_without_text() -> None:
    block = DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3)
    content = bedrock.content([block, ImageBlock.from_bytes(PNG)])
    assert texts(content) == ["[document: a]"]
    sent(content)


def test_documents_can_be_cited(every_answer: dict[str, Answer]) -> None:
    source = every_answer["pdf_document"].source
    shape = bedrock.tool_result(source, tool_use_id="a", citations=True)
    sent([shape])
    assert shape["toolResult"]["content"][1]["document"]["citations"] == {"enabled": True}


def test_history_describes_removed_media() -> None:
    end = "; removed from this history; read it again to see it]"
    linked: dict[str, Any] = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://a/b.png"}}}}
    assert bedrock.without_media([linked]) == [{"text": f"[image: `s3://a/b.png`, image/png{end}"}]
    call = {"toolUse": {"toolUseId": "a", "name": "read", "input": {"image": {"source": {}}}}}
    assert bedrock.without_media([call]) == [call]
