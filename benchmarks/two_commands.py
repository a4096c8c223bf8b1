"""The yardstick of the command line's start: a click program of two commands."""

import click


@click.group()
@click.version_option("1.0")
def main() -> None:
    """Two commands."""


@main.command()
@click.argument("name")
@click.option("--count", type=int, default=1, help="How often.")
def greet(name: str, count: int) -> None:
    """Greet somebody."""
    for _ in range(count):
        click.echo(f"Hello {name}")


@main.command()
@click.argument("name")
def leave(name: str) -> None:
    """Take leave of somebody."""
    click.echo(f"Bye {name}")


if __name__ == "__main__":
    main()
