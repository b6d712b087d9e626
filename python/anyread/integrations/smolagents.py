"""smolagents: a read tool, and a callback that shows the images.

| anyread | smolagents |
| --- | --- |
| text | the observation |
| image | `observations_images` of the step, with the callback; otherwise a line that says so |
| PDF | text and images of its pages |
| error | an observation that starts with `error: `: an exception would discard the step's other answers |

Source: the package `smolagents` 1.26.0, 2026-11-22.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.tools import Tool

from .reading import Reading
from .requirements import needs

with needs(__name__, "smolagents"):
    import smolagents
    from PIL import Image
    from smolagents.memory import ActionStep

__all__ = ["SmolagentsTool", "tool"]

ImageCallback: TypeAlias = Callable[[ActionStep], None]
"""A callback for `step_callbacks`."""


def tool(read: Tool | None = None, *, model: Model | None = None, name: str | None = None) -> SmolagentsTool:
    """Make a tool of an agent from a tool of anyread.

    Args:
        read: The tool; `None`: the contract "anyread" with its defaults.
        model: What the model accepts; `None`: `Model.any()`. Anything else becomes text.
        name: One of several tools of the contract, as in `read.definitions()`; `None`: the first.

    Returns:
        The tool, which shows text. For images, pass its `image_callback()` to the agent.

    Raises:
        ValueError: The contract has no tool with this name.

    Example:
        >>> from anyread.integrations.smolagents import tool as read_tool
        >>> read = read_tool(anyread.tool(roots=["/repo"]))
        >>> agent = ToolCallingAgent([read], model, step_callbacks=[read.image_callback()])
    """
    return SmolagentsTool(Reading(read, model or Model.any(), name))


class SmolagentsTool(smolagents.Tool):  # type: ignore[misc] # the package has no types
    """A tool of anyread as a tool of one agent, as the function `tool` makes it.

    Args:
        reading: The tool, and what the model accepts.
    """

    output_type = "string"
    # The arguments are those of the contract.
    skip_forward_signature_validation = True

    def __init__(self, reading: Reading) -> None:
        self.name = reading.name
        self.description = reading.description
        self.inputs = _inputs(reading.schema)
        self._reading = reading
        self._lock = threading.Lock()
        self._unseen: list[Image.Image] | None = None
        super().__init__()

    def forward(self, *values: Any, **arguments: Any) -> str:
        """Answer a call.

        Args:
            values: Arguments by position, as code of a `CodeAgent` may pass them.
            arguments: Arguments by name; `None` counts as omitted.
        """
        given = {**dict(zip(self.inputs, values, strict=False)), **arguments}
        given = {name: value for name, value in given.items() if value is not None}
        output = self._reading.call_sync(given)
        shown = self._reading.model_answer(output, flags_errors=False)
        # Calls of one step run in parallel threads; each image is numbered by its place among all of them.
        with self._lock:
            return "\n".join(self._shown(block) for block in shown.blocks)

    def _shown(self, block: Block) -> str:
        """Return the text for a block, and keep an image for the callback."""
        if isinstance(block, TextBlock):
            return block.text
        if self._unseen is None:
            return "[image: not shown, because the agent has no `step_callbacks=[tool.image_callback()]`]"
        self._unseen = [*self._unseen, Image.open(io.BytesIO(block.data))]
        return f"[image {len(self._unseen)} of this step]"

    def image_callback(self) -> ImageCallback:
        """Return a callback that shows the images of a step to the model.

        After this call, images are kept until a step ends, so the callback must be passed to the agent.
        Each agent needs its own tool, because the images go to the agent whose step ends first.
        """
        with self._lock:
            self._unseen = self._unseen or []

        def show(step: ActionStep) -> None:
            with self._lock:
                images, self._unseen = self._unseen, []
            if images:
                step.observations_images = [*(step.observations_images or []), *images]

        return show


def _inputs(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a JSON schema as smolagents describes arguments."""
    return {
        name: {
            "type": _types(each),
            "description": each.get("description", ""),
            **({} if name in schema["required"] else {"nullable": True}),
        }
        for name, each in schema["properties"].items()
    }


def _types(schema: Mapping[str, Any]) -> str | list[str]:
    types: str | list[str] = (
        schema["type"] if "type" in schema else [each["type"] for each in schema["anyOf"]]
    )
    return types
