"""The client of fastmcp."""

from fastmcp.client import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from clients.programs.asking import Answer, Request, mcp_item, run


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    stdio = StdioTransport(command=program, args=arguments)
    answers: dict[str, Answer] = {}
    async with Client(StreamableHttpTransport(request.url) if request.url else stdio) as client:
        for kind, call in request.calls.items():
            result = await client.call_tool("read", call, raise_on_error=False)
            answers[kind] = {
                "is_error": result.is_error,
                "items": [mcp_item(each) for each in result.content],
            }
    return answers


run(ask)
