"""The A2A SDK's own client, unmodified, in both bindings: the card, a streamed task, a decision, the task again."""

import asyncio
import json
import sys
from typing import Any
from uuid import uuid4

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.client import Client
from a2a.helpers import get_artifact_text, get_data_parts, new_data_part, new_text_part
from a2a.types import (
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    StreamResponse,
    TaskState,
)


async def sent(client: Client, parts: list[Part], task_id: str = "") -> list[StreamResponse]:
    message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=parts, task_id=task_id)
    return [one async for one in client.send_message(SendMessageRequest(message=message))]


def task_in(told: list[StreamResponse]) -> str:
    return next(one.task.id for one in told if one.HasField("task"))


async def used(url: str, key: str, binding: str) -> dict[str, Any]:
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=120) as http:
        config = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding], use_client_preference=True)
        client = await ClientFactory(config).create_from_url(url)
        card = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
        first = await sent(client, [new_text_part("水在几度沸腾？")])
        task_id = task_in(first)
        task = await client.get_task(GetTaskRequest(id=task_id))
        waited: list[str] = []
        states: list[str] = []
        while task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
            item = get_data_parts(task.status.message.parts)[0]
            waited.append(item["tool"])
            decision = new_data_part({"pending_id": item["pending_id"], "decision": "approve"})
            told = await sent(client, [decision], task_id)
            states += [TaskState.Name(one.status_update.status.state) for one in told if one.HasField("status_update")]
            task = await client.get_task(GetTaskRequest(id=task_id))
        listed = await client.list_tasks(ListTasksRequest(context_id=task.context_id))
        return {
            "card": "yaa/plan" in [skill.id for skill in card.skills],
            "waited": waited,
            "ended": states[-1],
            "answer": get_artifact_text(next(one for one in task.artifacts if one.artifact_id == "answer")),
            "history": [part.text for one in task.history for part in one.parts if part.text][0],
            "listed": [one.id for one in listed.tasks] == [task_id],
        }


async def main(url: str, key: str) -> None:
    print(json.dumps({binding: await used(url, key, binding) for binding in ("JSONRPC", "HTTP+JSON")}))


asyncio.run(main(sys.argv[1], sys.argv[2]))
