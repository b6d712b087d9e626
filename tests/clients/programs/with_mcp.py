"""The MCP SDK for Python."""

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from clients.programs.asking import Answer, Request, mcp_item, run


async def ask(request: Request) -> dict[str, Answer]:
    program, *arguments = request.command
    server = request.url or stdio_client(StdioServerParameters(command=program, args=arguments))
    answers: dict[str, Answer] = {}
    async with Client(server) as client:
        for kind, call in request.calls.items():
            result = await client.call_tool("read", call)
            answers[kind] = {
                "is_error": result.is_error,
                "items": [mcp_item(each) for each in result.content],
            }
    return answers


run(ask)
