"""The MCP SDK's own client, unmodified, in both of its revisions: tools, a task with progress and a form, a file, a prompt."""

import asyncio
import json
import sys
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult, TextContent, TextResourceContents

TOOLS = ("write_file", "web_access")


async def used(url: str, key: str, mode: str) -> dict[str, Any]:
    asked: list[str] = []
    told: list[str] = []

    async def approve(_context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"decision": "approve"})

    async def progress(_done: float, _total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=120) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=approve) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("run_task", {"task": "水在几度沸腾？"}, progress_callback=progress)
            run = result.structured_content or {}
            files = [one.uri for one in result.content if one.type == "resource_link"]
            contents = (await client.read_resource(files[0])).contents[0]
            listed = [one.uri for one in (await client.list_resources()).resources]
            prompts = (await client.list_prompts()).prompts
            answer = result.content[0]
            assert isinstance(answer, TextContent) and isinstance(contents, TextResourceContents)
            stands = await client.call_tool("session_status", {"session": run["session_id"]})
            return {
                "tools": [name in tools for name in ("run_task", "session_status")],
                "asked": [next(tool for tool in TOOLS if tool in message) for message in asked],
                "progress": any("web_access" in message for message in told),
                "answer": answer.text,
                "status": [run["status"], (stands.structured_content or {})["status"]],
                "file": contents.text,
                "listed": files[0] in listed,
                "prompts": len(prompts) > 0,
            }


async def main(url: str, key: str) -> None:
    print(json.dumps({mode: await used(url, key, mode) for mode in ("2026-07-28", "legacy")}))


asyncio.run(main(sys.argv[1], sys.argv[2]))
