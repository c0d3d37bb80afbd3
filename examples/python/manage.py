"""Records an opt-in, queues a request through the management API, and waits until it has ended.

    .venv/bin/python manage.py +5491150000001 welcome-1042 "Welcome!"

Needs MANAGEMENT_URL, and in an account the permission execute-api:Invoke on these routes:
docs/policies/internal-system.json is an example. Set it up as in send.py.

Running this twice sends one message. To be notified instead of asking, receive the events; see consume.py.
"""

import argparse
import os
import sys
import time
from typing import Any

from management_api import ManagementApi, ManagementApiError

PENDING_STATES = {"queued", "claimed", "waiting"}
WAIT_SECONDS = 30


def wait_for(api: ManagementApi, request_id: str) -> dict[str, Any]:
    """Waits for the send to end, for up to half a minute, and returns it."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        send: dict[str, Any] = api.get("sends", request_id)
        if send["state"] not in PENDING_STATES or time.monotonic() > deadline:
            return send
        time.sleep(0.5)


def main() -> int:
    parser = argparse.ArgumentParser(description="Records an opt-in, and sends a message.")
    parser.add_argument("contact", help="the user, such as +5491150000001")
    parser.add_argument("request_id")
    parser.add_argument("text")
    arguments = parser.parse_args()
    api = ManagementApi(os.environ["MANAGEMENT_URL"])

    try:
        consent = {"platformContactId": arguments.contact, "origin": "user", "source": "registration form"}
        api.post("opt-ins", body=consent)
        contact = api.get("contacts", arguments.contact)
        window = "open" if contact["window"]["open"] else "closed"
        print(f"{arguments.contact}: {contact['consent']['state']}, window {window}")

        request = {
            "requestId": arguments.request_id,
            "platformContactId": arguments.contact,
            "messageText": arguments.text,
            "ruleNameOrId": "order_shipped",
            "reason": "shipping-status",
        }
        api.post("sends", body=request)
        send = wait_for(api, arguments.request_id)
    except ManagementApiError as error:
        # For example 409: the ID was used for a request with another body.
        print(f"The call failed. {error}", file=sys.stderr)
        return 1
    print(f"{arguments.request_id}: {send['state']}. {send.get('decision', '')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
