"""Validates recorded calls of AWS services, and their answers, with botocore's models of the services.

Reads the calls as lines of JSON from the files that are the arguments. Prints a JSON object with the findings, with the
number of calls of each operation by who sent it, and with the names of all operations of the services.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from urllib.parse import parse_qsl, unquote, urlsplit

import botocore.session
from botocore.validate import ParamValidator

SERVICES = [
    "apigateway", "apigatewayv2", "cloudformation", "cloudwatch", "dynamodb", "dynamodbstreams", "events", "kms",
    "lambda", "scheduler", "secretsmanager", "sqs", "sts",
]  # fmt: skip
SESSION = botocore.session.get_session()
MODELS = {name: SESSION.get_service_model(name) for name in SERVICES}
UNIVERSAL_TARGET = re.compile(r"arn:aws[a-z-]*:scheduler:::aws-sdk:(\w+):(\w+)")


class Unknown(Exception):
    """A call that is not an operation of a service."""


def wire_name(name, shape):
    return shape.serialization.get("name", name)


def from_json(shape, value, path, faults):
    """Returns a value with the names of the model, and adds the fields that are not in the model to the faults."""
    if shape.type_name == "structure" and isinstance(value, dict) and not shape.is_document_type:
        members = {wire_name(name, member): (name, member) for name, member in shape.members.items()}
        for key in value.keys() - members.keys():
            faults.append(f"{path}.{key}: no such field")
        return {
            members[key][0]: from_json(members[key][1], one, f"{path}.{key}", faults)
            for key, one in value.items()
            if key in members and one is not None
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [from_json(shape.member, one, f"{path}[]", faults) for one in value]
    if shape.type_name == "map" and isinstance(value, dict):
        return {key: from_json(shape.value, one, f"{path}.*", faults) for key, one in value.items()}
    return value


def from_query(shape, prefix, pairs):
    """Returns the value of a shape in the query protocol, and removes what it has read from the pairs."""
    if shape.type_name == "structure":
        members = {name: from_query(one, f"{prefix}{wire_name(name, one)}.", pairs) for name, one in shape.members.items()}
        return {name: value for name, value in members.items() if value is not None} or None
    if shape.type_name == "list":
        item = prefix if shape.serialization.get("flattened") else f"{prefix}member."
        values = []
        while (value := from_query(shape.member, f"{item}{len(values) + 1}.", pairs)) is not None:
            values.append(value)
        return values or None
    text = pairs.pop(prefix.rstrip("."), None)
    if text is None:
        return None
    if shape.type_name in ("integer", "long"):
        return int(text)
    return text == "true" if shape.type_name == "boolean" else text


def constraints(shape, value, path):
    """Yields where a value breaks a length, a range, a pattern, or an enumeration, which botocore does not check."""
    limits = shape.metadata
    size = value if isinstance(value, (int, float)) else len(value) if hasattr(value, "__len__") else None
    if size is not None and not isinstance(value, bool) and shape.type_name != "structure":
        if "min" in limits and size < limits["min"] or "max" in limits and size > limits["max"]:
            yield f"{path}: {size} is not between {limits.get('min')} and {limits.get('max')}"
    if isinstance(value, str) and "pattern" in limits and not re.search(f"^(?:{limits['pattern']})$", value):
        yield f"{path}: {value!r} does not match {limits['pattern']}"
    if isinstance(value, str) and getattr(shape, "enum", []) and value not in shape.enum:
        yield f"{path}: {value!r} is not one of {shape.enum}"
    if shape.type_name == "structure" and isinstance(value, dict):
        for name, one in value.items():
            if name in shape.members:
                yield from constraints(shape.members[name], one, f"{path}.{name}")
    elif shape.type_name == "list" and isinstance(value, list):
        for one in value:
            yield from constraints(shape.member, one, f"{path}[]")
    elif shape.type_name == "map" and isinstance(value, dict):
        for key, one in value.items():
            yield from constraints(shape.key, key, f"{path} (key)")
            yield from constraints(shape.value, one, f"{path}.*")


def faults_of(shape, value, path, faults):
    report = ParamValidator().validate(value, shape)
    if report.has_errors():
        faults.extend(f"{path}: {line}" for line in report.generate_report().splitlines())
    faults.extend(constraints(shape, value, path))


def read_rest(call):
    """Returns the operation and the parameters of a call of a REST API."""
    url = urlsplit(call["path"])
    for model in MODELS.values():
        if model.signing_name != call["service"] or "rest-json" not in model.metadata.get("protocol", ""):
            continue
        for operation in map(model.operation_model, model.operation_names):
            template = urlsplit(operation.http["requestUri"]).path
            pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
            match = re.fullmatch(pattern, url.path)
            if operation.http["method"] == call["method"] and match:
                return operation, {name: unquote(text) for name, text in match.groupdict().items()}, dict(parse_qsl(url.query))
    raise Unknown(f"{call['method']} {call['path']}")


def rest_parameters(operation, uri, query, body, faults):
    shape = operation.input_shape
    parameters = {}
    located = {"uri": uri, "querystring": query}
    for name, member in shape.members.items() if shape else ():
        values = located.get(member.serialization.get("location"), {})
        if (value := values.pop(wire_name(name, member), None)) is not None:
            parameters[name] = int(value) if member.type_name == "integer" else value
    faults.extend(f"{name}: no such parameter" for name in [*uri, *query] if name != "x-id")
    return parameters | (from_json(shape, body, "input", faults) if body else {})


def read_call(call, faults):
    """Returns the operation of a call, and its parameters."""
    if call["target"]:
        prefix, _, name = call["target"].partition(".")
        for model in MODELS.values():
            if model.metadata.get("targetPrefix") == prefix and name in model.operation_names:
                operation = model.operation_model(name)
                shape = operation.input_shape
                return operation, from_json(shape, json.loads(call["body"] or "{}"), "input", faults) if shape else {}
        raise Unknown(call["target"])
    form = call["body"] if call["method"] == "POST" else urlsplit(call["path"]).query
    pairs = dict(parse_qsl(form, keep_blank_values=True)) if "Action=" in form else {}
    if pairs:
        model = next(one for one in MODELS.values() if one.signing_name == call["service"])
        name, version = pairs.pop("Action"), pairs.pop("Version", None)
        if name not in model.operation_names or version != model.api_version:
            raise Unknown(f"{name} {version}")
        operation = model.operation_model(name)
        parameters = from_query(operation.input_shape, "", pairs) or {}
        faults.extend(f"{key}: no such parameter" for key in pairs)
        return operation, parameters
    operation, uri, query = read_rest(call)
    return operation, rest_parameters(operation, uri, query, json.loads(call["body"] or "null"), faults)


def check_universal_target(operation, parameters, faults):
    """Validates the input of a universal target, which has the names of the service's API."""
    target = parameters.get("Target", {})
    match = UNIVERSAL_TARGET.fullmatch(target.get("Arn", "")) if operation.name == "CreateSchedule" else None
    if not match:
        return []
    called = MODELS[match[1]].operation_model(match[2][0].upper() + match[2][1:])
    value = from_json(called.input_shape, json.loads(target["Input"]), "Target.Input", faults)
    faults_of(called.input_shape, value, "Target.Input", faults)
    return [f"{called.service_model.service_name}.{called.name} (schedule)"]


def names_in(shape, seen):
    """Returns the names of all fields in a shape."""
    if shape is None or shape.name in seen:
        return set()
    if shape.type_name == "structure":
        inner = [{wire_name(name, one)} | names_in(one, seen | {shape.name}) for name, one in shape.members.items()]
        return set().union(*inner)
    member = getattr(shape, "member", None) or getattr(shape, "value", None)
    return names_in(member, seen | {shape.name}) if member is not None else set()


def check_answer(call, operation, faults):
    """Validates the fields of an answer."""
    shape = operation.output_shape
    text = call["answer"].strip()
    if call["status"] != 200 or not text:
        return
    if text.startswith("<"):
        known = names_in(shape, frozenset()) | {f"{operation.name}Response", f"{operation.name}Result"}
        known |= {"ResponseMetadata", "RequestId", "member", "root"}
        text = re.sub(r"^<\?xml[^>]*\?>", "", text)
        tags = {re.sub(r"^\{.*\}", "", one.tag) for one in xml.fromstring(f"<root>{text}</root>").iter()}
        faults.extend(f"output: <{tag}> is not a field" for tag in tags - known)
        return
    value = json.loads(text)
    if shape is None:
        faults.extend(f"output.{key}: no such field" for key in value)
        return
    value = from_json(shape, value, "output", faults)
    report = ParamValidator().validate(value, shape)
    # Botocore's models of answers name fields as required that are only sometimes there.
    faults.extend(f"output: {line}" for line in report.generate_report().splitlines() if "Missing required" not in line)


def main():
    findings, calls, seen = Counter(), Counter(), set()
    for file in sys.argv[1:]:
        for line in open(file, encoding="utf-8"):
            call = json.loads(line)
            request = (call["target"], call["method"], call["path"], call["body"])
            faults = []
            try:
                operation, parameters = read_call(call, faults)
            except Unknown as error:
                findings["unknown operation", str(error)] += 1
                continue
            name = f"{operation.service_model.service_name}.{operation.name}"
            sender = "SDK" if call["isSdk"] else "own"
            calls[name, sender] += 1
            if request not in seen:
                seen.add(request)
                if operation.input_shape is not None:
                    faults_of(operation.input_shape, parameters, "input", faults)
                for target in check_universal_target(operation, parameters, faults):
                    calls[target, sender] += 1
            check_answer(call, operation, faults)
            for fault in faults:
                findings[f"{name} ({sender})", fault] += 1
    print(
        json.dumps(
            {
                "findings": [{"rule": rule, "message": f"{text} ({count} times)"} for (rule, text), count in findings.items()],
                "calls": [{"operation": name, "sender": sender, "count": count} for (name, sender), count in sorted(calls.items())],
                "operations": sorted({name for model in MODELS.values() for name in model.operation_names}),
            }
        )
    )


main()
