"""Queues a send request for each row of a CSV file, ten per call.

    .venv/bin/python send_batch.py shipments.csv

The file has the columns shipment, contact, and name. It can be exported from a spreadsheet: in UTF-8 or UTF-16, with
commas, semicolons, or tabs as delimiters. Set it up as in send.py.

A batch can fail in part: the call succeeds, and its response lists the entries that failed. Entries that failed at SQS
are retried; entries that SQS refuses are reported, and the exit code is 1. It is safe to run this again, because each
request's ID is derived from its shipment.
"""

import argparse
import codecs
import csv
import io
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3

from send_request import SendRequest

MAX_ENTRIES = 10
MAX_BATCH_BYTES = 1024 * 1024
MAX_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Failure:
    request: SendRequest
    code: str
    message: str


def read_rows(file: Path) -> Iterator[dict[str, str]]:
    """Reads a CSV file, and ends the program if the file is not valid, before anything is queued."""
    data = file.read_bytes()
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        sys.exit(f'{file} is not UTF-8 (line {line}). Export it as "CSV UTF-8".')
    header = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True)
    for row in rows:
        if not any(row.values()):
            continue  # Spreadsheets write rows of only delimiters.
        if None in row or None in row.values():
            sys.exit(f"{file}, line {rows.line_num}: the row does not have the columns of the header.")
        yield row


def read_shipments(file: Path) -> Iterator[SendRequest]:
    for row in read_rows(file):
        yield SendRequest(
            request_id=f"shipped-{row['shipment']}",
            platform_contact_id=row["contact"],
            message_text=f"{row['name']}, your order {row['shipment']} is on its way.",
            rule_name_or_id="shipment_on_its_way",
            params={"name": row["name"], "shipment": row["shipment"]},
            reason="shipping-status",
        )


def batches(requests: Iterable[SendRequest]) -> Iterator[list[SendRequest]]:
    """Splits requests into batches that SQS accepts, with at most one request per contact.

    A retry queues an entry after the others of its batch, which would change the order of a contact's requests.
    """
    batch: list[SendRequest] = []
    groups: set[str] = set()
    size = 0
    for request in requests:
        length = len(request.to_json().encode())
        if len(batch) == MAX_ENTRIES or size + length > MAX_BATCH_BYTES or request.message_group_id in groups:
            yield batch
            batch, groups, size = [], set(), 0
        batch.append(request)
        groups.add(request.message_group_id)
        size += length
    if batch:
        yield batch


def send_batch(sqs: Any, queue_url: str, batch: list[SendRequest]) -> list[Failure]:
    """Queues a batch, and retries the entries that failed at SQS. Returns the requests that were not queued."""
    refused: list[Failure] = []
    pending = {str(index): request for index, request in enumerate(batch)}
    for attempt in range(1, MAX_ATTEMPTS + 1):
        entries = [{"Id": entry_id, **request.to_message()} for entry_id, request in pending.items()]
        response = sqs.send_message_batch(QueueUrl=queue_url, Entries=entries)
        failed = response.get("Failed", [])
        is_last = attempt == MAX_ATTEMPTS
        refused += [
            Failure(pending[entry["Id"]], entry["Code"], entry.get("Message", ""))
            for entry in failed
            if entry["SenderFault"] or is_last
        ]
        pending = {entry["Id"]: pending[entry["Id"]] for entry in failed if not entry["SenderFault"]}
        if not pending or is_last:
            break
        time.sleep(random.uniform(0, 0.1 * 2**attempt))
    return refused


def main() -> int:
    parser = argparse.ArgumentParser(description="Queues a send request for each row of a CSV file.")
    parser.add_argument("file", type=Path)
    file: Path = parser.parse_args().file

    sqs = boto3.client("sqs")
    queue_url = os.environ["SEND_QUEUE_URL"]
    queued = 0
    failures: list[Failure] = []
    for batch in batches(list(read_shipments(file))):
        refused = send_batch(sqs, queue_url, batch)
        queued += len(batch) - len(refused)
        failures += refused

    for failure in failures:
        print(f"{failure.request.request_id} is not queued: {failure.code}: {failure.message}", file=sys.stderr)
    print(f"{queued} of {queued + len(failures)} are queued.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
