"""What a client of the server gets, over each transport in each era of the protocol."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING, Any

import anyio
import media
import pytest
from conftest_mcp import LEGACY, MODERN, Served, stdio
from mcp.shared.exceptions import MCPError
from PIL import Image

from anyread import Model
from anyread._native import count_tokens
from anyread.mcp_server.calls import RESULT_KEY
from anyread.mcp_server.tools import MAX_TOKENS

if TYPE_CHECKING:
    from mcp_types import CallToolResult
