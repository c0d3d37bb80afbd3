"""Makes the client's calls that arrive as lines of JSON, and prints the result of each. Only its base address changes."""

import dataclasses
import json
import sys
from operator import attrgetter

from botmaker import Client

Client.BASE_URL = sys.argv[1]

for line in sys.stdin:
    call = json.loads(line)
    client = Client(call["token"])
    try:
        result = attrgetter(call["method"])(client)(*call["args"], **call["named"])
        answer = {"result": dataclasses.asdict(result) if dataclasses.is_dataclass(result) else result}
    except Exception as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        answer = {"error": type(error).__name__, "status": status, "message": str(error)}
    print(json.dumps(answer), flush=True)
