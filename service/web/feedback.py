"""The JSON route of feedback."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from service.feedback import MAX_BYTES, FeedbackEvent
from service.intake import Intake
from service.web.api import Results, json_response, many, problems, receipt_body
from service.web.body import JSON, NDJSON, read_body
from service.web.options import WebOptions
from service.web.problems import problem_of

_EXAMPLE = {"event_id": "ev-1", "app": "support-assistant", "thumb": "down", "comment": "Too dear"}


def feedback_routes(feedback: Intake, options: WebOptions) -> APIRouter:
    router = APIRouter(tags=["feedback"])
    taken = 202 if feedback.asynchronous else 200
    schema = FeedbackEvent.model_json_schema()
    position: dict[str, Any] = schema.pop("$defs")["Position"]
    schema["properties"]["position"] = {"anyOf": [position, {"type": "null"}], "default": None}

    @router.post(
        "/v1/feedback",
        summary="Say what users thought of answers",
        status_code=taken,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    JSON: {
                        "schema": {"oneOf": [schema, many(schema)]},
                        "example": _EXAMPLE,
                    },
                    NDJSON: {"schema": {"description": "One a line."}},
                },
            }
        },
        responses={
            taken: {
                "model": Results,
                "description": "Acknowledged" if taken == 202 else "Joined",
                "content": {
                    JSON: {"example": {"results": [{"state": "joined", "event_id": "ev-1"}]}}
                },
            },
            **problems(400, 413, 415, 422, 429, 503),
        },
    )
    async def post_feedback(request: Request) -> Response:
        """A single object that is refused is a 4xx; of many, each refusal stands in its receipt.
        Feedback is a hint for people and a second draw for the judge, never a verdict. What is sent
        twice counts twice."""
        most = min(options.max_body_bytes, options.max_events * MAX_BYTES)
        body = await read_body(request, most, options.max_events)
        receipts = await run_in_threadpool(feedback.submit, body.events) if body.events else []
        if body.single and receipts[0].state == "rejected":
            raise problem_of(receipts[0])
        return json_response({"results": [receipt_body(receipt) for receipt in receipts]}, taken)

    return router
