"""Checks IAM policies with parliament and policy_sentry.

Reads a JSON array of policies from standard input, and prints a JSON array of findings.
"""

import fnmatch
import json
import sys

from parliament import analyze_policy_string
from policy_sentry.querying.actions import get_action_data, get_actions_for_service


def as_list(value):
    return value if isinstance(value, list) else [value]


def known_actions(pattern):
    """Returns the actions that a pattern such as `sqs:*` matches."""
    service = pattern.split(":")[0]
    actions = get_actions_for_service(service.lower())
    return [action for action in actions if fnmatch.fnmatchcase(action.lower(), pattern.lower())]


def unlimited_actions(policy):
    """Yields actions that are allowed on every resource although a resource can limit them."""
    for statement in as_list(policy["Statement"]):
        if statement["Effect"] != "Allow" or as_list(statement.get("Resource", [])) != ["*"]:
            continue
        for pattern in as_list(statement["Action"]):
            for action in known_actions(pattern):
                service, name = action.split(":")
                rows = get_action_data(service, name)[service]
                if all(row["resource_arn_format"] != "*" for row in rows):
                    yield action


def check(name, kind, policy):
    for finding in analyze_policy_string(json.dumps(policy)).findings:
        # A trust policy has no resource.
        if kind == "trust" and finding.issue in ("MALFORMED", "RESOURCE_MISMATCH"):
            continue
        yield {"rule": f"parliament {finding.issue}", "message": f"{name}: {finding.detail}"}
    for statement in as_list(policy["Statement"]):
        for pattern in as_list(statement["Action"]):
            if not known_actions(pattern):
                yield {"rule": "policy_sentry unknown action", "message": f"{name}: {pattern}"}
    if kind == "identity":
        for action in unlimited_actions(policy):
            yield {"rule": "policy_sentry no resource", "message": f"{name}: {action}"}


findings = [finding for entry in json.load(sys.stdin) for finding in check(**entry)]
print(json.dumps(findings))
