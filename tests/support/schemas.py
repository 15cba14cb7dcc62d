"""The schemas of docs/schema, for the Python module jsonschema. Without the module, rows are skipped."""
import functools
import json
import os

import rows

try:
    import jsonschema
except ImportError:
    jsonschema = None


def need_jsonschema():
    if not jsonschema:
        raise rows.Skip("the Python module jsonschema is not installed")


@functools.lru_cache(maxsize=None)
def validator_of(root, schema):
    """The validator of "pmpp-result/1", from its file in docs/schema. The schema itself is checked too."""
    path = os.path.join(root, "docs", "schema", schema.replace("/", "-") + ".schema.json")
    rows.check(os.path.exists(path), "%s has no file in docs/schema" % schema)
    with open(path, encoding="utf-8") as file:
        text = json.load(file)
    validator = jsonschema.validators.validator_for(text)
    validator.check_schema(text)
    return validator(text)


def best_error(root, document):
    """The error that explains best why the document does not fit its schema; None if it fits."""
    errors = validator_of(root, document["schema"]).iter_errors(document)
    return jsonschema.exceptions.best_match(errors)
