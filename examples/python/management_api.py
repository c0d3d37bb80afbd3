"""A client of Parley's management API, which signs each call with AWS Signature Version 4.

docs/management-api.json describes every route.
"""

import json
from typing import Any
from urllib.parse import quote, urlencode

import boto3
import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

TIMEOUT_SECONDS = 30

# Every call of these examples is safe to repeat. A repeated call carries the same signature, which is valid for five
# minutes.
RETRIES = urllib3.Retry(
    total=4,
    backoff_factor=0.2,
    backoff_jitter=0.2,
    status_forcelist=[429, 500, 502, 503, 504],
    allowed_methods=None,
    raise_on_status=False,
    redirect=False,
)


class ManagementApiError(Exception):
    """The API answered with an error: 400, 403, 404, 409, or 5xx."""

    def __init__(self, status: int, code: str | None, message: str) -> None:
        super().__init__(f"{status} {code or ''}: {message}")
        self.status = status
        self.code = code


class ManagementApi:
    """Calls the management API with the credentials and the region of a boto3 session."""

    def __init__(self, url: str, session: boto3.Session | None = None) -> None:
        self._url = url.rstrip("/")
        self._session = session or boto3.Session()
        self._http = urllib3.PoolManager(timeout=TIMEOUT_SECONDS, retries=RETRIES)

    def get(self, *path: str, **query: str) -> Any:
        return self._call("GET", path, query)

    def post(self, *path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, body=body)

    def _call(
        self,
        method: str,
        path: tuple[str, ...],
        query: dict[str, str] | None = None,
        body: dict[str, Any] | None = None,
    ) -> Any:
        # `safe` is empty because an ID can contain a slash, and `+` must become `%2B`.
        url = f"{self._url}/v1/{'/'.join(quote(segment, safe='') for segment in path)}"
        if query:
            url += f"?{urlencode(query, quote_via=quote)}"
        payload = None if body is None else json.dumps(body)
        request = AWSRequest(method=method, url=url, data=payload, headers={"content-type": "application/json"})
        # Asked for with each call, because the credentials of a role expire.
        credentials = self._session.get_credentials()
        if credentials is None:
            raise RuntimeError("No AWS credentials found.")
        SigV4Auth(credentials.get_frozen_credentials(), "execute-api", self._session.region_name).add_auth(request)

        response = self._http.request(method, url, body=payload, headers=dict(request.headers.items()))
        if response.status < 400:
            return response.json()
        raise _error_of(response.status, response.data)


def _error_of(status: int, body: bytes) -> ManagementApiError:
    try:
        answer = json.loads(body)
    except ValueError:
        return ManagementApiError(status, None, body.decode(errors="replace"))
    # API Gateway's own errors, such as 403, have no code.
    return ManagementApiError(status, answer.get("code"), answer.get("message", ""))
