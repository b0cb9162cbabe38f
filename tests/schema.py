# SPDX-License-Identifier: GPL-3.0-or-later
"""The schemas in data/schema share definitions, which are in a file beside them."""
import json
import os

import jsonschema

SHARED = "common.schema.json"


def validator(path):
    """Of the schema in this file. The versions of jsonschema differ in how they find another file,
    so what is shared becomes a part of it."""
    with open(os.path.join(os.path.dirname(path), SHARED), encoding="utf-8") as file:
        shared = json.loads(file.read().replace("#/$defs/", "#/$defs/shared-"))
    with open(path, encoding="utf-8") as file:
        schema = json.loads(file.read().replace(SHARED + "#/$defs/", "#/$defs/shared-"))
    definitions = schema.setdefault("$defs", {})
    definitions.update({"shared-" + name: part for name, part in shared["$defs"].items()})
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)
