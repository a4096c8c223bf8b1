"""A loopback server that answers every request with a prepared page; run as ``python -m benchmarks.server PAGES``."""

from __future__ import annotations

import asyncio
import json
import sys

PER_PAGE = 20


def page(number: int, last: int) -> bytes:
    """A search page of twenty posts in the live envelope, the cursor naming the next page."""
    posts = [_post(number * PER_PAGE + row) for row in range(PER_PAGE)]
    more = number + 1 < last
    body = {"tweets": posts, "has_next_page": more, "next_cursor": f"c{number + 1}" if more else ""}
    return json.dumps(body).encode()


def _post(number: int) -> dict[str, object]:
    identity = str(2_000_000_000_000_000_000 + number)
    return {
        "type": "tweet",
        "id": identity,
        "url": f"https://x.com/bench_{number % 7}/status/{identity}",
        "twitterUrl": f"https://twitter.com/bench_{number % 7}/status/{identity}",
        "text": f"Post {number}: the tram was late again, but the new timetable café is open https://t.co/Bx{number}",
        "source": "Web",
        "retweetCount": number % 11,
        "replyCount": number % 5,
        "likeCount": number % 97,
        "quoteCount": 0,
        "bookmarkCount": 1,
        "viewCount": number,
        "createdAt": "Tue Nov 10 07:00:30 +0000 2026",
        "lang": "en",
        "isReply": False,
        "inReplyToId": None,
        "inReplyToUserId": None,
        "inReplyToUsername": None,
        "conversationId": identity,
        "displayTextRange": [0, 90],
        "author": _author(number % 7),
        "entities": {
            "hashtags": [],
            "symbols": [],
            "urls": [
                {
                    "url": f"https://t.co/Bx{number}",
                    "expanded_url": f"https://example.org/timetable/{number}",
                    "display_url": "example.org/timetable",
                    "indices": [70, 93],
                }
            ],
            "user_mentions": [],
        },
        "extendedEntities": {},
        "card": None,
        "place": {},
        "quoted_tweet": None,
        "retweeted_tweet": None,
        "isLimitedReply": False,
        "communityInfo": None,
        "article": None,
    }


def _author(number: int) -> dict[str, object]:
    return {
        "type": "user",
        "userName": f"bench_{number}",
        "url": f"https://x.com/bench_{number}",
        "twitterUrl": f"https://twitter.com/bench_{number}",
        "id": str(7_000_000 + number),
        "name": f"Bench {number}",
        "isVerified": False,
        "isBlueVerified": True,
        "verifiedType": None,
        "profilePicture": "https://pbs.twimg.com/profile_images/1/a_normal.jpg",
        "coverPicture": "https://pbs.twimg.com/profile_banners/1/2",
        "description": "",
        "location": "",
        "followers": 1200 + number,
        "following": 38,
        "status": "",
        "canDm": True,
        "canMediaTag": True,
        "createdAt": "Tue Feb 02 15:00:41 +0000 2016",
        "entities": {"description": {"urls": []}, "url": {}},
        "fastFollowersCount": 0,
        "favouritesCount": 903,
        "hasCustomTimelines": True,
        "isTranslator": False,
        "mediaCount": 1876,
        "statusesCount": 5210,
        "withheldInCountries": [],
        "affiliatesHighlightedLabel": {},
        "possiblySensitive": False,
        "pinnedTweetIds": [],
        "profile_bio": {"description": "Measures things.", "entities": {"description": {"urls": []}}},
        "isAutomated": False,
        "automatedBy": None,
    }


async def serve(last: int) -> None:
    """Serve until killed; the first line on stdout is the port."""
    bodies = [page(number, last) for number in range(last)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            query = head.split(b" ", 2)[1]
            number = int(query.rpartition(b"cursor=c")[2]) if b"cursor=c" in query else 0
            body = bodies[number]
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
            )
            await writer.drain()

    async def quietly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()  # the client has gone

    server = await asyncio.start_server(quietly, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
