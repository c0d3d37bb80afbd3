"""A send request, as a message on Parley's send queue."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SendRequest:
    """A message to one user. docs/send-request.schema.json describes every field."""

    request_id: str
    """Idempotency key: Parley sends a request once, however often it is queued."""
    platform_contact_id: str
    message_text: str | None = None
    rule_name_or_id: str | None = None
    """The template that is sent if the user has not written for 24 hours."""
    params: Mapping[str, str] | None = None
    reason: str | None = None
    not_after: datetime | None = None
    """When the message is no longer worth sending. Must have a time zone."""

    @property
    def message_group_id(self) -> str:
        """The contact, so that SQS keeps the order of a contact's requests.

        SQS accepts 1 to 128 letters, digits, and punctuation characters. For any other contact, the group is the hash
        of its ID, as in the management API.
        """
        contact = self.platform_contact_id
        if re.fullmatch(r"[\x21-\x7e]{1,128}", contact):
            return contact
        return hashlib.sha256(contact.encode()).hexdigest()

    def to_json(self) -> str:
        fields = {
            "requestId": self.request_id,
            "platformContactId": self.platform_contact_id,
            "messageText": self.message_text,
            "ruleNameOrId": self.rule_name_or_id,
            "params": self.params,
            "reason": self.reason,
            "notAfter": self.not_after.isoformat() if self.not_after else None,
        }
        return json.dumps({name: value for name, value in fields.items() if value is not None}, ensure_ascii=False)

    def to_message(self) -> dict[str, str]:
        """Returns the parameters of SQS's SendMessage."""
        return {
            "MessageBody": self.to_json(),
            "MessageGroupId": self.message_group_id,
            "MessageDeduplicationId": self.request_id,
        }
