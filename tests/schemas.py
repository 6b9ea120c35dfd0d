"""Whether files follow the schemas that check-jsonschema brings along; apart, since it takes a second to import."""

from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner


def follow(schema, *files):
    """Fail where one of the files does not follow the schema."""
    done = CliRunner().invoke(check_jsonschema, ["--builtin-schema", f"vendor.{schema}", *map(str, files)])
    assert files and done.exit_code == 0, done.output
