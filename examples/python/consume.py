"""Receives Parley's events from an SQS queue, and records messages and outcomes in a database.

    .venv/bin/python consume.py parley.db

Needs EVENTS_QUEUE_URL, and in an account the permissions sqs:ReceiveMessage and sqs:DeleteMessage on the queue: a
standard queue with a dead-letter queue, which the setting events.targets or a rule on the bus sends the events to. See
examples/README.md for a queue of the local run, and docs/events.md for the events. Set it up as in send.py.

Events arrive at least once and in any order. This program records an event's ID in the same transaction as its effect,
so a duplicate has no effect, and it can be stopped at any point. It deletes events that it does not know: a new version
of Parley may publish more. An event that it fails to handle stays in the queue, is received again, and in the end goes
to the dead-letter queue.
"""

import argparse
import json
import logging
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import boto3

Detail = dict[str, Any]
Handler = Callable[[sqlite3.Connection, Detail], None]

SCHEMA = """
    CREATE TABLE IF NOT EXISTS handled_events (id TEXT PRIMARY KEY, handled_at TEXT DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE IF NOT EXISTS messages (message_id TEXT PRIMARY KEY, contact TEXT, text TEXT, at TEXT);
    CREATE TABLE IF NOT EXISTS sends (request_id TEXT PRIMARY KEY, outcome TEXT, at TEXT);
"""
# An operator can redrive events for 14 days.
KEPT_IDS = "-15 days"

log = logging.getLogger("consume")


class Result(Enum):
    HANDLED = "handled"
    DUPLICATE = "a duplicate"
    UNKNOWN = "not known to this program"


@dataclass(frozen=True, slots=True)
class Event:
    name: str
    detail: Detail

    @classmethod
    def from_json(cls, body: str) -> "Event":
        event = json.loads(body)
        return cls(name=event["detail-type"], detail=event["detail"])

    @property
    def id(self) -> str:
        """Stays the same if Parley publishes the event again. The ID of EventBridge's envelope does not."""
        return str(self.detail["id"])


def record_message(database: sqlite3.Connection, detail: Detail) -> None:
    # Absent if the stage's setting events.content is false. Then, GET /v1/messages/{messageId} returns it.
    text = detail.get("content", {}).get("text")
    row = (detail["messageId"], detail.get("platformContactId"), text, detail["at"])
    database.execute("INSERT INTO messages VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", row)


def record_outcome(outcome: str) -> Handler:
    def record(database: sqlite3.Connection, detail: Detail) -> None:
        # An uncertain send can be confirmed later, and its events can arrive in any order: the latest counts.
        database.execute(
            """
            INSERT INTO sends VALUES (?, ?, ?)
            ON CONFLICT (request_id) DO UPDATE SET outcome = excluded.outcome, at = excluded.at
            WHERE excluded.at > at
            """,
            (detail["requestId"], outcome, detail["at"]),
        )

    return record


HANDLERS: dict[str, Handler] = {
    "MessageReceived": record_message,
    "SendAccepted": record_outcome("accepted"),
    "SendRefused": record_outcome("refused"),
    "SendRejected": record_outcome("rejected"),
    "SendExpired": record_outcome("expired"),
    "SendUncertain": record_outcome("uncertain"),
    "SendCancelled": record_outcome("cancelled"),
    # An accepted message can fail minutes later.
    "SendFailed": record_outcome("failed"),
}


def handle(database: sqlite3.Connection, event: Event) -> Result:
    handler = HANDLERS.get(event.name)
    if handler is None:
        return Result.UNKNOWN
    with database:  # Commits, or rolls back if the handler fails.
        inserted = database.execute("INSERT INTO handled_events (id) VALUES (?) ON CONFLICT DO NOTHING", (event.id,))
        if inserted.rowcount == 0:
            return Result.DUPLICATE
        handler(database, event.detail)
    return Result.HANDLED


def consume(sqs: Any, queue_url: str, database: sqlite3.Connection) -> None:
    """Receives up to ten messages, and deletes those that need no other attempt."""
    response = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10, WaitTimeSeconds=20)
    done: list[dict[str, str]] = []
    for message in response.get("Messages", []):
        try:
            event = Event.from_json(message["Body"])
            log.info("%s %s is %s.", event.name, event.id, handle(database, event).value)
        except Exception:
            log.exception("The message %s was not handled.", message["MessageId"])
        else:
            done.append({"Id": str(len(done)), "ReceiptHandle": message["ReceiptHandle"]})
    if done:
        # A message that was not deleted is received again, and is then a duplicate.
        sqs.delete_message_batch(QueueUrl=queue_url, Entries=done)


def main() -> None:
    parser = argparse.ArgumentParser(description="Receives Parley's events.")
    parser.add_argument("database", type=Path, help="the SQLite file")
    path: Path = parser.parse_args().database
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

    sqs = boto3.client("sqs")
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    while True:
        with database:
            database.execute("DELETE FROM handled_events WHERE handled_at < datetime('now', ?)", (KEPT_IDS,))
        consume(sqs, os.environ["EVENTS_QUEUE_URL"], database)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(0)
