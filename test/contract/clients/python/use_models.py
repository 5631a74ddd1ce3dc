"""Models that datamodel-code-generator made: what the server sends is read by them, what it is sent is written by them."""

import json
import sys
from typing import Any

import httpx

from made_models import (
    AgentResponse,
    DecisionInput,
    DeltaEvent,
    Event,
    ListSessionFilesAnswer,
    ListSessionsAnswer,
    NewMessage,
    NewSession,
    Problem,
    SessionData,
    WorkspaceFile,
)


def main(server: str, key: str) -> None:
    with httpx.Client(base_url=server, headers={"Authorization": f"Bearer {key}"}) as http:

        def post(path: str, body: Any) -> str:
            answer = http.post(path, json=body.model_dump(mode="json", exclude_unset=True))
            assert answer.is_success, answer.text
            return answer.text

        session = SessionData.model_validate_json(post("/v1/sessions", NewSession(title="Clean up")))
        base = f"/v1/sessions/{session.id}"
        WorkspaceFile.model_validate_json(http.put(f"{base}/files/note.txt", content=b"to be thrown away").text)

        def files() -> list[dict[str, Any]]:
            found = ListSessionFilesAnswer.model_validate_json(http.get(f"{base}/files").text)
            return [{"path": one.path, "size": one.size} for one in found.data]

        uploaded = files()
        asked = AgentResponse.model_validate_json(post(f"{base}/messages", NewMessage(content="Delete the note")))
        item = asked.pending[0]
        page = ListSessionsAnswer.model_validate_json(http.get("/v1/sessions", params={"limit": 1}).text)
        decision = DecisionInput.model_validate({"decision": "approve", "arguments_hash": item.arguments_hash})
        ended = AgentResponse.model_validate_json(post(f"{base}/pending/{item.id}", decision))
        missing = Problem.model_validate_json(http.get("/v1/sessions/ses_missing").text)

        print(
            json.dumps(
                {
                    "title": session.title,
                    "uploaded": uploaded,
                    "asked": {"status": asked.status, "tool": item.tool, "arguments": item.arguments},
                    "listed": any(one.id == session.id for one in page.data),
                    "ended": {"status": ended.status, "result": ended.result},
                    "files": files(),
                    "last_event": last_event(http, f"{base}/events"),
                    "refused": {"status": missing.status, "code": missing.code},
                }
            )
        )


def last_event(http: httpx.Client, path: str) -> dict[str, Any]:
    """Every event is read by its model."""
    with http.stream("GET", path, headers={"Accept": "text/event-stream"}) as answer:
        for line in answer.iter_lines():
            if not line.startswith("data:"):
                continue
            data = line[len("data:") :]
            if str(json.loads(data)["type"]).endswith("-delta"):
                DeltaEvent.model_validate_json(data)
                continue
            event = Event.model_validate_json(data).model_dump(mode="json")
            if event["type"] == "run-end":
                return {"type": event["type"], "status": event["status"]}
    raise AssertionError("the stream ended before the run")


main(*sys.argv[1:])
