"""Messages for OpenAI's Chat Completions API, validated by the types of its SDK."""

from __future__ import annotations

from adapters.answers import PDF, PNG, Answer, texts, validate
from anyread.adapters import openai_chat
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock, ImageBlock

TOOL = "openai.types.chat", "ChatCompletionToolMessageParam"
USER = "openai.types.chat", "ChatCompletionUserMessageParam"


def test_each_medium_is_named_in_both_messages(answer: Answer) -> None:
    tool, user = openai_chat.tool_messages(answer.source, tool_call_id="call_1")
    introduced = [] if user is None else texts(user["content"])
    names = [text.removeprefix("[").removesuffix(" of tool call call_1]") for text in introduced]
    assert len(names) == len(set(names)) == len(answer.media)
    assert all(f"[{name}: in the user message below]" in tool["content"] for name in names)


def test_tool_messages_of_a_turn_are_not_separated(every_answer: dict[str, Answer]) -> None:
    """The API refuses a user message between the tool messages of one turn."""
    calls = ["png", "text", "pdf_document", "error"]
    answers = [openai_chat.tool_messages(every_answer[call].source, tool_call_id=call) for call in calls]
    messages = openai_chat.messages(iter(answers))
    assert [message.get("tool_call_id") for message in messages] == [*calls, None, None]
    assert "tool call png]" in messages[4]["content"][0]["text"]
    assert "tool call pdf_document]" in messages[5]["content"][0]["text"]


def test_documents_of_the_same_name_are_distinguished() -> None:
    document = DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3)
    tool, user = openai_chat.tool_messages([document, document], tool_call_id="call_1")
    assert tool["content"] == "[a.pdf: in the user message below]\n[2-a.pdf: in the user message below]"
    assert user is not None
    assert texts(user["content"]) == ["[a.pdf of tool call call_1]", "[2-a.pdf of tool call call_1]"]


def test_image_detail_comes_from_the_model() -> None:
    block = ImageBlock.from_bytes(PNG)
    models = [Model(image_detail="low"), Model(image_detail="original"), Model()]
    for model, sent in zip(models, ("low", "original", "auto"), strict=True):
        parts = openai_chat.content(block, model=model)
        validate(USER, {"role": "user", "content": parts})
        assert parts[0]["image_url"]["detail"] == sent


def test_history_describes_removed_media() -> None:
    history = [
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "file", "file": {"file_id": "file-1"}},
    ]
    end = "; removed from this history; read it again to see it]"
    assert [part["text"] for part in openai_chat.without_media(history)] == [
        f"[image: `https://example.org/a.png`, image/*{end}",
        f"[document: `file-1`, application/pdf{end}",
    ]
