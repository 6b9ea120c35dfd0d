"""Whether files follow a schema of check-jsonschema; apart, since that takes long to import."""

from check_jsonschema import main as check_jsonschema
from click.testing import CliRunner


def follow(schema: str, *files) -> None:
    """Fail unless all `files` follow the schema that check-jsonschema names `schema`."""
    asked = ["--builtin-schema", f"vendor.{schema}", *map(str, files)]
    done = CliRunner().invoke(check_jsonschema, asked)
    assert files and done.exit_code == 0, done.output
