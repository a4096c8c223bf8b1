"""Sentences about answers, models and settings."""

from __future__ import annotations

from typing import Final

from twitter_tool.output.figures import Figures
from twitter_tool.output.phrase import Phrase
from twitter_tool.settings import KEY_TABLE

_IGNORED: Final = {
    "user_only": "they may only be set at user level",
    "needs_other_setting": "they need another setting",
    "unknown_value": "their values are not known",
    "endpoint_not_authorised": "an endpoint needs https, or an address of this machine, and a key variable of its own",
    "unknown_key": "there are no such settings",
}


def _none_inline(figures: Figures) -> str:
    left_out = f"; {figures.count('leftOut')} more are left out" if figures.has("leftOut") else ""
    return f"The answer cites no fetched source itself; {figures.count('listed')} fetched sources are listed{left_out}."


def _quotes_unverified(figures: Figures) -> str:
    listed = figures.listed("passages", 3)
    return (
        f"{figures.counted('quoted passage')} of the answer not found in the text named as the source"
        f"{f': {listed}' if listed else ''}."
    )


def _adjusted(figures: Figures) -> str:
    given = f" ({figures.quoted('given')} was given)" if figures.raw.get("given") is not None else ""
    ceiling = f"; max_pages_ceiling is {figures.count('used')}" if _cut_by_the_ceiling(figures) else ""
    return f"The setting {figures.text('key')} was adjusted to {figures.quoted('used')}{given}{ceiling}."


def _cut_by_the_ceiling(figures: Figures) -> bool:
    """Whether another setting, and not its own range, made a page budget smaller."""
    given, used = figures.raw.get("given"), figures.raw.get("used")
    if figures.raw.get("key") != "max_pages" or type(given) is not int or type(used) is not int:
        return False
    return used < min(given, KEY_TABLE["max_pages"].high or 0)


def _all_switches(figures: Figures) -> bool:
    keys = figures.raw.get("keys")
    if not isinstance(keys, list | tuple) or not keys:
        return False
    return all(isinstance(key, str) and key in KEY_TABLE and KEY_TABLE[key].kind == "bool" for key in keys)


def _ignored(figures: Figures) -> str:
    if figures.raw.get("reason") == "replaced" and figures.has("detail"):
        return f"{figures.listed('keys')}: {figures.text('detail')}."
    names = figures.listed("keys", 50)
    total = f"{figures.counted('setting')} in all" if figures.has("count") else ""
    if names:
        which = f" ({names}{'; ' + total if total else ''})"
    else:
        which = f" ({total})" if total else ""
    why = figures.chosen("reason", _IGNORED, "they could not be used")
    given = f"; {figures.quoted('given')} was given" if figures.raw.get("given") is not None else ""
    accepted = f"; accepted: {figures.listed('accepted')}" if figures.has("accepted") else ""
    needs = f" ({figures.listed('needs')})" if figures.has("needs") else ""
    if figures.raw.get("reason") == "unknown_value" and _all_switches(figures):
        accepted = "; accepted: true, false"
    detail = f": {figures.text('detail')}" if figures.has("detail") else ""
    return f"Settings ignored{which}: {why}{needs}{given}{accepted}{detail}."


ANSWER: Final[dict[str, Phrase]] = {
    "citations_invented": Phrase(
        lambda f: f"{f.counted('link')} to X in the answer matched nothing that was fetched; not listed as a source.",
        "{count} invented links not listed as sources.",
    ),
    "citations_none_inline": Phrase(_none_inline, "The answer itself cites no fetched source."),
    "quotes_unverified": Phrase(_quotes_unverified, "{count} quoted passages could not be verified."),
    "model_fallback": Phrase(
        lambda f: f"The model {f.text('failed')} did not answer; {f.text('answered', 'another model')} did.",
        "A fallback model answered.",
    ),
    "images_dropped_for_fallback": Phrase(
        lambda f: "What answered got no images and no references to them: it takes none, or has no limits.",
        "What answered got no images.",
    ),
    "extractive_answer": Phrase(
        lambda f: "No model wrote this answer; it only quotes fetched sentences word for word, or says that none fits.",
        "No model wrote this answer.",
    ),
    "sandbox_data": Phrase(
        lambda f: "All of this is invented data of the local sandbox; nothing was read from X.",
        "Invented data of the local sandbox, not X.",
    ),
    "setting_adjusted": Phrase(_adjusted, "A setting was adjusted."),
    "setting_ignored": Phrase(_ignored, "Some settings were ignored."),
    "settings_unreadable": Phrase(
        lambda f: f"The settings file {f.text('path')} could not be used: {f.text('reason', 'it is unreadable')}.",
        "A settings file could not be used.",
    ),
}
