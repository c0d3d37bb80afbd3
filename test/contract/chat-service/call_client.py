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
        answer = {"error": type(error).__name__, "message": str(error)}
        response = getattr(error, "response", None)
        if response is not None:
            answer = {"error": type(error).__name__, "status": response.status_code, "body": response.text}
    print(json.dumps(answer), flush=True)
