"""What ``[models."provider/name"]`` says about a model: read, judged, and disclosed where it cannot be used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AliasGenerator, BaseModel, BeforeValidator, ConfigDict, StrictBool, StrictStr, ValidationError

from twitter_tool.credentials import KEY_VARIABLE, is_variable_name
from twitter_tool.errors import SetupError, bad_settings
from twitter_tool.loopback import address_fault
from twitter_tool.notes import Note, note
from twitter_tool.settings import camel
from twitter_tool.text import line

MAX_IMAGE_BYTES: Final = 10 * 1024 * 1024
_SHOWN: Final = 100
_EXACT: Final = 2**53 - 1
_IMAGE_CAPS: Final = {"max_width": 8_192, "max_height": 8_192, "max_images": 100, "max_bytes": MAX_IMAGE_BYTES}


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ValueError("not a whole number")
    if not 1 <= value <= _EXACT or value != int(value):
        raise ValueError("not a positive whole number")
    return int(value)


_Count = Annotated[int, BeforeValidator(_whole)]
_CONFIG: Final = ConfigDict(
    extra="forbid", frozen=True, alias_generator=AliasGenerator(validation_alias=camel), populate_by_name=True
)


class ImageBounds(BaseModel):
    """What one image costs a model, and how large and how many it may be.

    Attributes:
        max_bytes: of the encoded image, before base64.
    """

    model_config = _CONFIG

    tokens_per_image: _Count
    max_width: _Count
    max_height: _Count
    max_images: _Count
    max_bytes: _Count = MAX_IMAGE_BYTES


class Declared(BaseModel):
    """One model's entry; what it leaves out comes from LiteLLM's map."""

    model_config = _CONFIG

    context_window: _Count | None = None
    max_output_tokens: _Count | None = None
    max_request_bytes: _Count | None = None
    supports_vision: StrictBool | None = None
    api_base: StrictStr | None = None
    api_key_env: StrictStr | None = None
    images: ImageBounds | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A usable entry and what must be said about it."""

    entry: Declared
    notes: tuple[Note, ...]


def read_declared(name: str, raw: object) -> Reading:
    """Read the entry of one model.

    An unknown key, and images without usable bounds, are left out with a note; a vision flag that is neither true nor
    false is false, with a note.

    Raises:
        SetupError: ``bad_settings``, for limits that are no positive whole numbers, an address that is neither https
            nor loopback, or something in ``api_key_env`` that is no variable name or names the retrieval key.
    """
    if not isinstance(raw, Mapping):
        raise _unusable(name, None, "it is not a table")
    given = dict(raw)
    notes: list[Note] = []
    images = _take(given, "images")
    bounds, image_notes = _images(name, images)
    unknown: list[str] = []
    while True:
        try:
            entry = Declared.model_validate(given)
            break
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_input=False, include_context=False):
                field = str(fault["loc"][0])
                if fault["type"] == "extra_forbidden":
                    unknown.append(_key(name, field))
                    del given[field]
                elif field in ("supports_vision", camel("supports_vision")):
                    _take(given, "supports_vision")
                    given["supports_vision"] = False
                    notes.append(note("setting_ignored", keys=[_key(name, "supports_vision")], reason="unknown_value"))
                else:
                    raise _unusable(name, _snake(field), "it must be " + _WANTED[_snake(field)]) from None
    if unknown:
        notes.append(note("setting_ignored", keys=unknown, reason="unknown_key"))
    entry = entry.model_copy(
        update={
            "api_base": _checked_base(name, entry.api_base),
            "api_key_env": _checked_variable(name, entry.api_key_env),
            "images": bounds,
        }
    )
    return Reading(entry, (*notes, *image_notes))


WANTED_ADDRESS: Final = "use https://HOST/..., or http:// on a loopback address"
_WANTED: Final = {
    "context_window": "a positive whole number of tokens",
    "max_output_tokens": "a positive whole number of tokens",
    "max_request_bytes": "a positive whole number of bytes",
    "api_base": "an address",
    "api_key_env": "the name of an environment variable",
}


def _images(name: str, raw: object) -> tuple[ImageBounds | None, list[Note]]:
    if raw is None:
        return None, []
    unusable = [note("setting_ignored", keys=[_key(name, "images")], reason="unknown_value")]
    if not isinstance(raw, Mapping):
        return None, unusable
    known = {field: value for field, value in raw.items() if _snake(str(field)) in ImageBounds.model_fields}
    try:
        bounds = ImageBounds.model_validate(known)
    except ValidationError:
        return None, unusable
    notes: list[Note] = []
    if len(known) < len(raw):
        keys = [_key(name, f"images.{field}") for field in raw if field not in known]
        notes.append(note("setting_ignored", keys=keys, reason="unknown_key"))
    for field, cap in _IMAGE_CAPS.items():
        value = getattr(bounds, field)
        if value > cap:
            notes.append(note("setting_adjusted", key=_key(name, f"images.{field}"), given=value, used=cap))
            bounds = bounds.model_copy(update={field: cap})
    return bounds, notes


def _checked_base(name: str, base: str | None) -> str | None:
    """An address without the slash at its end, once it is https or loopback and holds no secret."""
    base = (base or "").strip()
    if not base:
        return None
    if reason := address_fault(base):
        raise _unusable(name, "api_base", reason, WANTED_ADDRESS)
    return base.rstrip("/")


def _checked_variable(name: str, variable: str | None) -> str | None:
    variable = (variable or "").strip()
    if not variable:
        return None
    if not is_variable_name(variable):
        raise _unusable(
            name,
            "api_key_env",
            "it is not the name of an environment variable",
            "put the key into a variable, for example LOCAL_KEY, and write that name here",
        )
    if variable == KEY_VARIABLE:
        reason = f"{KEY_VARIABLE} holds the key of twitterapi.io, which no other host may get"
        raise _unusable(name, "api_key_env", reason, "name a variable of the model's own")
    return variable


def _take(given: dict[str, Any], field: str) -> Any:
    """Remove a key in both spellings and give its value."""
    other = given.pop(camel(field), None) if camel(field) != field else None
    value = given.pop(field, None)
    return other if value is None else value


def _snake(field: str) -> str:
    return re.sub("[A-Z]", lambda found: "_" + found.group().lower(), field)


def _key(name: str, field: str) -> str:
    return f'models."{line(name, _SHOWN)}".{line(field, _SHOWN)}'


def _unusable(name: str, field: str | None, reason: str, wanted: str | None = None) -> SetupError:
    where = _key(name, field) if field else f'models."{line(name, _SHOWN)}"'
    return bad_settings(f"{where} cannot be used: {reason}", f"Correct {where}{f': {wanted}' if wanted else ''}.")
