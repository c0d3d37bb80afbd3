"""Prints the IAM actions that CloudFormation's handlers of resource types need, from the schemas in cfn-lint.

Reads a JSON array of resource types from standard input, and prints a JSON object of their actions: those that read the
resource, which CloudFormation calls whatever properties it has, and those that create, update, or delete it.
"""

import json
import sys
from pathlib import Path

import cfnlint

HANDLERS = {"read": ("read",), "write": ("create", "update", "delete")}
REGION = "us-east-1"

schemas = Path(cfnlint.__file__).parent / "data" / "schemas"
files = json.loads((schemas / "providers" / f"{REGION}.json").read_text())


def actions_of(resource_type):
    handlers = json.loads((schemas / "resources" / f"{files[resource_type]}.json").read_text()).get("handlers", {})
    return {
        kind: sorted({action for name in names for action in handlers.get(name, {}).get("permissions", [])})
        for kind, names in HANDLERS.items()
    }


print(json.dumps({resource_type: actions_of(resource_type) for resource_type in json.load(sys.stdin)}))
