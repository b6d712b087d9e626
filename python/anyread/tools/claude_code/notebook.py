"""The cells of a notebook as Claude Code's Read returns them: source, outputs and images."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.errors import ReadError
from anyread.tools.parts.media import encoded, fit, prepared
from anyread.tools.parts.notebook_json import (
    NotebookError,
    fields_of,
    joined,
    objects_of,
    read_notebook,
    written,
)
from anyread.tools.parts.utf8 import encodable

if TYPE_CHECKING:
    from anyread.models.model import Model
    from anyread.reading.open_file import OpenFile

Json = dict[str, Any]


class Notebook(NamedTuple):
    """A notebook, and what its images must be."""

    file: OpenFile
    model: Model
    is_checked: bool
    """Whether images must decode, and are fitted to the model."""

    def cells(self) -> list[Json]:
        """Return its cells.

        Raises:
            TooLargeError: It is over the reader's limit.
            NotebookError: It is not JSON, or it has no list of cells.
        """
        notebook = read_notebook(self.file)
        cells = notebook.get("cells")
        if not isinstance(cells, list):
            must = 'must be an array of cell objects, each with a string or string-array "source"'
            raise NotebookError(f'top-level "cells" {must}')
        language = fields_of(fields_of(notebook.get("metadata")).get("language_info")).get("name")
        return encodable(
            [self._cell(f"cell-{at}", fields_of(cell), language) for at, cell in enumerate(cells)]
        )

    def _cell(self, default_id: str, cell: Json, language: Any) -> Json:
        kind, outputs = written(cell.get("cell_type")), objects_of(cell.get("outputs"))
        fields: Json = {"cellType": kind, "source": joined(cell.get("source"))}
        fields["cell_id"] = written(cell.get("id")) or default_id
        if kind == "code":
            fields |= {"language": written(language) or "python"}
            fields |= {"execution_count": cell.get("execution_count")}
        if outputs:
            fields["outputs"] = list(map(self._output, outputs))
        return fields

    def _output(self, output: Json) -> Json:
        data, traceback = fields_of(output.get("data")), output.get("traceback")
        fields: Json = {"output_type": written(output.get("output_type"))}
        texts = [joined(output.get("text")) or joined(data.get("text/plain"))]
        if fields["output_type"] == "error":
            texts = [f"{written(output.get('ename'))}: {written(output.get('evalue'))}"]
            texts += map(written, traceback if isinstance(traceback, list) else ())
        media_type = next((each for each in ("image/png", "image/jpeg") if data.get(each)), None)
        if media_type is not None:
            image = self._image(joined(data[media_type]), media_type)
            fields |= {"image": image} if isinstance(image, dict) else {}
            texts += [image] if isinstance(image, str) else []
        text = "\n".join(filter(None, texts))
        return {**fields, "text": text} if text else fields

    def _image(self, base64: str, media_type: str) -> Json | str:
        """Return an image that the model accepts, or why it is not shown."""
        why = "the model does not accept images"
        if "image" in self.model.inputs:
            try:
                data = b64decode(base64)
                if not self.is_checked:
                    return {"image_data": encoded(data, media_type), "media_type": media_type}
                block = fit(self.file, self.model, data=data, media_type=media_type).image
                return {"image_data": prepared(block), "media_type": block.media_type}
            except (ReadError, ValueError) as error:
                why = str(error)
        return f"[image not shown: {media_type}, {why}]"
