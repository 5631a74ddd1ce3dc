"""A client that openapi-python-client made: creates, uploads, runs, lists, decides and streams."""

import json
import sys
from io import BytesIO
from typing import Any, TypeVar

from made.api.sessions import (
    create_session,
    create_session_message,
    decide_pending,
    get_session,
    list_session_events,
    list_session_files,
    list_sessions,
    put_session_file,
)
from made.client import AuthenticatedClient
from made.models import (
    AgentResponse,
    DecisionInput,
    ListSessionFilesAnswer,
    ListSessionsAnswer,
    NewMessage,
    NewSession,
    Problem,
    SessionData,
    WorkspaceFile,
)
from made.types import File, Unset

T = TypeVar("T")


def of(kind: type[T], answer: object) -> T:
    assert isinstance(answer, kind), answer
    return answer


def plain(value: object) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else value


def main(server: str, key: str) -> None:
    with AuthenticatedClient(base_url=server, token=key) as client:
        session = of(SessionData, create_session.sync(client=client, body=NewSession(title="Clean up")))

        note = File(payload=BytesIO(b"to be thrown away"), mime_type="text/plain")
        of(WorkspaceFile, put_session_file.sync(session.id, "note.txt", client=client, body=note))

        def files() -> list[dict[str, Any]]:
            found = of(ListSessionFilesAnswer, list_session_files.sync(session.id, client=client))
            return [{"path": one.path, "size": one.size} for one in found.data]

        uploaded = files()
        asked = of(
            AgentResponse,
            create_session_message.sync(
                session.id, client=client, body=NewMessage(content="Delete the note"), idempotency_key="ask-once"
            ),
        )
        item = asked.pending[0]
        assert not isinstance(item.arguments_hash, Unset)

        page = of(ListSessionsAnswer, list_sessions.sync(client=client, limit=1))
        decision = DecisionInput.from_dict({"decision": "approve", "arguments_hash": item.arguments_hash})
        ended = of(AgentResponse, decide_pending.sync(session.id, item.id, client=client, body=decision))
        missing = of(Problem, get_session.sync("ses_missing", client=client))

        print(
            json.dumps(
                {
                    "title": session.title,
                    "uploaded": uploaded,
                    "asked": {"status": asked.status, "tool": item.tool, "arguments": plain(item.arguments)},
                    "listed": any(one.id == session.id for one in page.data),
                    "ended": {"status": ended.status, "result": ended.result},
                    "files": files(),
                    "last_event": last_event(client, session.id),
                    "refused": {"status": missing.status, "code": missing.code},
                }
            )
        )


def last_event(client: AuthenticatedClient, session_id: str) -> dict[str, Any]:
    """The generator reads answers whole, so what goes on is read by the client's own HTTP client."""
    request = list_session_events._get_kwargs(session_id)
    headers = {**request.get("headers", {}), "Accept": "text/event-stream"}
    with client.get_httpx_client().stream(**{**request, "headers": headers}) as answer:
        for line in answer.iter_lines():
            event = json.loads(line[len("data:") :]) if line.startswith("data:") else {}
            if event.get("type") == "run-end":
                return {"type": event["type"], "status": event["status"]}
    raise AssertionError("the stream ended before the run")


main(*sys.argv[1:])
