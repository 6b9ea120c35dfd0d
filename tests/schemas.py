"""Whether files follow a schema of check-jsonschema; apart, since that takes long to import."""

from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner


def follow(schema, *files):
    """Fail where one of the files does not follow the schema."""
    asked = ["--builtin-schema", f"vendor.{schema}", *map(str, files)]
    done = CliRunner().invoke(check_jsonschema, asked)
    assert files and done.exit_code == 0, done.output
