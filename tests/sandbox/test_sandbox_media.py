"""Pictures and clips are real files, served at the addresses of the media hosts."""

from __future__ import annotations

import struct
from importlib.resources import files
from urllib.parse import urlsplit

import pytest

import twitter_tool.sandbox
from twitter_tool.sandbox.accounts import avatar_url, banner_url
from twitter_tool.sandbox.wire import post_form

ASSETS = files(twitter_tool.sandbox).joinpath("assets")


def addresses(world):
    """Every media address in the world with the size its post claims, and None for the rest."""
    for post in world.posts:
        for media in post_form(post)["extendedEntities"].get("media", []):
            size = media["original_info"]
            yield media["media_url_https"], (size["width"], size["height"])
            for variant in media.get("video_info", {}).get("variants", []):
                yield variant["url"], None
        for block in post.article.blocks if post.article else ():
            for key in ("url", "previewUrl"):
                if key in block:
                    yield block[key], None


def png_size(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:16] == b"IHDR"
    assert data[-8:-4] == b"IEND"
    assert b"acTL" not in data
    return struct.unpack(">II", data[16:24])


def jpeg_size(data):
    assert data[:2] == b"\xff\xd8"
    assert data[-2:] == b"\xff\xd9"
    at, frames = 2, []
    while data[at + 1] != 0xDA:
        assert data[at] == 0xFF
        kind, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if kind in (0xC0, 0xC1, 0xC2):
            frames.append(struct.unpack(">HH", data[at + 5 : at + 9])[::-1])
        at += 2 + length
    assert len(frames) == 1
    return frames[0]


@pytest.mark.parametrize("name", [path.name for path in ASSETS.iterdir() if path.name.endswith((".png", ".jpg"))])
def test_every_picture_has_a_header_that_can_be_decoded(name):
    """Each packaged PNG or JPEG has a whole frame with a width and a height."""
    data = ASSETS.joinpath(name).read_bytes()
    width, height = png_size(data) if name.endswith(".png") else jpeg_size(data)
    assert width > 0 < height


def test_the_clip_is_an_mp4_with_h264_and_aac():
    """It is an MP4 with a picture track and a sound track, and the loop has no sound."""
    data = ASSETS.joinpath("clip.mp4").read_bytes()
    assert data[4:8] == b"ftyp"
    assert b"avc1" in data
    assert b"mp4a" in data
    assert b"mp4a" not in ASSETS.joinpath("loop.mp4").read_bytes()


def test_the_notice_names_the_origin_of_every_file():
    """No packaged file is missing from the notice that says where it comes from."""
    notice = ASSETS.joinpath("NOTICE.md").read_text(encoding="utf-8")
    assert all(path.name in notice for path in ASSETS.iterdir() if path.name != "NOTICE.md")
    assert "public domain" in notice


async def test_every_media_address_in_the_world_answers_without_a_key(api):
    """Each address in a post or article gives a file of the claimed size; only playlists are missing."""
    client = api.client
    del client.headers["x-api-key"]
    kinds = set()
    for url, size in addresses(api.sandbox.world):
        parts = urlsplit(url)
        answer = await client.get(f"{parts.path}?{parts.query}", headers={"host": parts.hostname})
        if parts.path.endswith(".m3u8"):
            assert answer.status_code == 404
            continue
        assert answer.status_code == 200, url
        kind = answer.headers["content-type"]
        kinds.add(kind)
        if size is not None:
            assert size == (png_size if kind == "image/png" else jpeg_size)(answer.content)
    assert kinds == {"image/png", "image/jpeg", "video/mp4"}


async def test_head_gives_the_length_and_no_body(api):
    """A client learns type and size of a clip before it decides to load it."""
    world = api.sandbox.world
    media = post_form(world.scenes.video)["extendedEntities"]["media"][0]
    parts = urlsplit(media["video_info"]["variants"][1]["url"])
    head = await api.client.head(f"{parts.path}?{parts.query}")
    got = await api.client.get(parts.path)
    assert head.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == str(len(got.content))
    assert head.headers["content-type"] == "video/mp4"


async def test_the_other_spelling_of_a_picture_address_works(api):
    """The format may stand in the query instead of the ending of the path."""
    media = api.sandbox.world.scenes.thread.media[0]
    assert (await api.client.get(f"/media/{media.key}?format=png&name=large")).status_code == 200


async def test_profile_pictures_and_banners_are_served(api):
    """The addresses that a profile shows lead to JPEG pictures."""
    account = api.sandbox.world.account("sallowtram_sbx")
    for url in (avatar_url(account), banner_url(account)):
        assert (await api.client.get(urlsplit(url).path)).headers["content-type"] == "image/jpeg"


async def test_an_unknown_picture_is_not_found_and_other_methods_are_refused(api):
    """A wrong key is a 404, and only GET and HEAD are taken."""
    assert (await api.client.get("/media/unknown.jpg")).status_code == 404
    media = api.sandbox.world.scenes.thread.media[0]
    assert (await api.client.post(f"/media/{media.key}")).status_code == 405
