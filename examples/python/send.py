"""Queues one send request.

    cd examples/python
    python3 -m venv .venv
    .venv/bin/pip install --require-hashes -r requirements.txt
    .venv/bin/python send.py shipment-1042 +5491150000001 "Your order is on its way."

Needs SEND_QUEUE_URL, and in an account the permission sqs:SendMessage on the queue. See examples/README.md for the
variables against the local run and in an account.

The request ID names what the message is about, so running this twice sends one message. SQS drops the second request
for five minutes, and Parley drops it after that. A request that reuses an ID with another body goes to the dead-letter
queue.
"""

import argparse
import os

import boto3
from botocore.config import Config

from send_request import SendRequest


def main() -> None:
    parser = argparse.ArgumentParser(description="Queues one send request.")
    parser.add_argument("request_id")
    parser.add_argument("contact", help="the user, such as +5491150000001")
    parser.add_argument("text")
    arguments = parser.parse_args()

    request = SendRequest(
        request_id=arguments.request_id,
        platform_contact_id=arguments.contact,
        message_text=arguments.text,
        # Sent instead if the user has not written for 24 hours. The chat service must have approved it.
        rule_name_or_id="order_shipped",
        reason="shipping-status",
    )
    # boto3 repeats a call that fails or times out. The deduplication ID makes that safe.
    sqs = boto3.client("sqs", config=Config(retries={"mode": "standard", "total_max_attempts": 5}))
    message = sqs.send_message(QueueUrl=os.environ["SEND_QUEUE_URL"], **request.to_message())
    print(f"{request.request_id} is queued as {message['MessageId']}.")


if __name__ == "__main__":
    main()
