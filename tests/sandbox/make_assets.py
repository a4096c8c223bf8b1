"""Draws the sandbox's pictures and cuts its clip; run by hand when they should change.

Needs Pillow, ffmpeg, the DejaVu fonts and the two LibriVox snippets named in the assets' NOTICE:

    python tests/sandbox/make_assets.py SNIPPET.wav SNIPPET.wav
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ASSETS = Path(__file__).parents[2] / "twitter_tool" / "sandbox" / "assets"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
BOLD = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
PAPER, INK, RED, GREY, RIVER = "#faf7f0", "#22303c", "#b8322a", "#9aa5ad", "#5f8fa8"


def text(draw, at, words, size, fill=INK, bold=False, anchor="la"):
    draw.text(at, words, fill=fill, font=ImageFont.truetype(BOLD if bold else FONT, size), anchor=anchor)


def chart():
    image = Image.new("RGB", (960, 540), PAPER)
    draw = ImageDraw.Draw(image)
    text(draw, (60, 36), "Line 7: departures on time", 34, bold=True)
    text(draw, (60, 84), "within two minutes of the timetable, percent, first five weeks", 20, GREY)
    for step in range(0, 101, 25):
        y = 470 - step * 3.4
        draw.line((100, y, 900, y), fill="#ddd8cc", width=2)
        text(draw, (88, y), str(step), 18, GREY, anchor="rm")
    for week, share in enumerate((71, 78, 84, 86, 91)):
        x = 150 + week * 150
        draw.rectangle((x, 470 - share * 3.4, x + 90, 470), fill=RED if week == 4 else RIVER)
        text(draw, (x + 45, 470 - share * 3.4 - 10), str(share), 24, bold=True, anchor="mb")
        text(draw, (x + 45, 482), f"week {week + 1}", 20, anchor="ma")
    image.quantize(32).save(ASSETS / "chart.png", optimize=True)


def timetable():
    image = Image.new("RGB", (800, 600), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, 800, 90), fill=RED)
    text(draw, (40, 45), "7", 60, "white", bold=True, anchor="lm")
    text(draw, (120, 45), "Mill Quay - Northfold", 34, "white", anchor="lm")
    stops = (
        ("Mill Quay", 0, 0),
        ("Orchard Gate", 3, 0),
        ("Lantern Square", 6, 9),
        ("Weavers' Yard", 8, 0),
        ("Foundry Bank", 11, 0),
        ("Cinder Lane", 13, 0),
        ("Glad Row", 16, 0),
        ("Northfold", 19, 0),
    )
    text(draw, (120, 108), "stop", 18, GREY)
    text(draw, (560, 108), "minutes", 18, GREY)
    text(draw, (680, 108), "left behind", 18, GREY)
    for row, (name, minutes, left) in enumerate(stops):
        y = 155 + row * 54
        draw.ellipse((60, y - 9, 78, y + 9), outline=RED, width=4)
        if row < len(stops) - 1:
            draw.line((69, y + 9, 69, y + 45), fill=RED, width=4)
        text(draw, (120, y), name, 28, anchor="lm")
        text(draw, (600, y), str(minutes), 28, anchor="mm")
        text(draw, (720, y), str(left), 28, RED if left else GREY, anchor="mm")
    image.quantize(32).save(ASSETS / "timetable.png", optimize=True)


def tram():
    image = Image.new("RGB", (960, 640), "#cfdbe0")
    draw = ImageDraw.Draw(image)
    for x, height in ((0, 300), (150, 240), (280, 330), (460, 260), (620, 350), (800, 280)):
        draw.rectangle((x, 420 - height, x + 170, 420), fill="#b3c1c8")
    draw.rectangle((0, 420, 960, 640), fill="#8d9499")
    draw.line((0, 560, 960, 560), fill="#5b6166", width=6)
    draw.line((0, 600, 960, 600), fill="#5b6166", width=6)
    draw.line((0, 120, 960, 120), fill=INK, width=3)
    draw.line((470, 120, 500, 220), fill=INK, width=5)
    draw.rounded_rectangle((150, 220, 830, 560), 40, fill=RED)
    draw.rectangle((150, 440, 830, 470), fill="#f2e9d8")
    for x in range(190, 780, 110):
        draw.rounded_rectangle((x, 270, x + 84, 410), 10, fill="#e6f0f4")
    draw.rounded_rectangle((420, 228, 560, 262), 6, fill="#1d262d")
    text(draw, (490, 245), "7 Northfold", 22, "#f7b733", bold=True, anchor="mm")
    for x in (260, 400, 580, 720):
        draw.ellipse((x - 30, 535, x + 30, 595), fill="#2b2f33")
    draw.line((880, 560, 880, 300), fill=INK, width=8)
    draw.rectangle((842, 250, 918, 306), fill=INK)
    text(draw, (880, 278), "7", 40, "white", bold=True, anchor="mm")
    image.save(ASSETS / "tram.jpg", quality=78, optimize=True)


def river(name, size):
    width, height = size
    image = Image.new("RGB", size, "#dfe6e4")
    draw = ImageDraw.Draw(image)
    for y in range(height // 2):
        shade = 200 + y * 40 // (height // 2)
        draw.line((0, y, width, y), fill=(shade, shade + 6, min(255, shade + 10)))
    draw.rectangle((0, height // 2, width, height), fill=RIVER)
    for y in range(height // 2 + 12, height, 22):
        draw.line(((y * 7) % 90, y, width - (y * 5) % 120, y), fill="#7fa9be", width=3)
    for x in range(0, width, 90):
        top = height // 2 - 60 - (x * 37) % 70
        draw.rectangle((x, top, x + 70, height // 2), fill="#6f7f87")
        draw.polygon(((x, top), (x + 35, top - 34), (x + 70, top)), fill="#5d6a71")
    draw.rectangle((width // 2 - 8, height // 2 - 90, width // 2 + 8, height - 60), fill="#4a3b2a")
    draw.rectangle((width // 2 - 120, height // 2 - 6, width // 2 + 120, height // 2 + 10), fill="#4a3b2a")
    image.save(ASSETS / name, quality=74, optimize=True)


def hive():
    image = Image.new("RGB", (960, 640), "#e9eef0")
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 460, 960, 640), fill="#a9a59a")
    for x, fill in ((120, "#d8a23a"), (390, "#c98b2c"), (660, "#e0b457")):
        for box in range(3):
            draw.rectangle((x, 200 + box * 90, x + 180, 284 + box * 90), fill=fill, outline=INK, width=4)
        draw.rectangle((x - 14, 172, x + 194, 202), fill="#f2e9d8", outline=INK, width=4)
        draw.rectangle((x + 50, 452, x + 130, 464), fill=INK)
    for bee in range(40):
        x, y = (bee * 197) % 940 + 10, (bee * 83) % 430 + 10
        draw.ellipse((x, y, x + 9, y + 6), fill="#3a2b10")
    image.save(ASSETS / "hive.jpg", quality=78, optimize=True)


def avatar():
    image = Image.new("RGB", (96, 96), "#8fa7b3")
    draw = ImageDraw.Draw(image)
    draw.ellipse((30, 18, 66, 54), fill=PAPER)
    draw.ellipse((14, 58, 82, 130), fill=PAPER)
    image.save(ASSETS / "avatar.jpg", quality=80, optimize=True)


def ffmpeg(*arguments):
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *map(str, arguments)]
    subprocess.run(command, check=True)


def clip(snippets):
    wave = (
        "color=c=#22303c:s=480x270:r=12[bg];"
        "[a]showwaves=s=440x110:mode=cline:rate=12:scale=cbrt:draw=full:colors=#e8b04a[w]"
    )
    title = f"drawtext=fontfile={BOLD}:text='Reading hour':fontsize=26:fontcolor=white:x=24:y=28"
    below = f"drawtext=fontfile={FONT}:text='Ember Quay Library':fontsize=18:fontcolor=#c9d3da:x=24:y=64"
    graph = (
        "[0:a][1:a]concat=n=2:v=0:a=1,apad=pad_dur=0.3,asplit[a][out];"
        f"{wave};[bg][w]overlay=20:120:shortest=1,{title},{below}[v]"
    )
    ffmpeg(
        "-i", snippets[0], "-i", snippets[1], "-filter_complex", graph, "-map", "[v]", "-map", "[out]",
        "-c:v", "libx264", "-profile:v", "baseline", "-pix_fmt", "yuv420p", "-crf", "30", "-preset", "veryslow",
        "-c:a", "aac", "-b:a", "64k", "-ac", "1", "-ar", "32000", "-map_metadata", "-1",
        "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact", "-movflags", "+faststart",
        ASSETS / "clip.mp4",
    )  # fmt: skip
    ffmpeg("-ss", "1.2", "-i", ASSETS / "clip.mp4", "-frames:v", "1", "-q:v", "5", ASSETS / "clip.jpg")


def loop():
    with tempfile.TemporaryDirectory() as folder:
        for frame in range(36):
            image = Image.new("RGB", (480, 270), "#e9eef0")
            draw = ImageDraw.Draw(image)
            draw.rectangle((330, 70, 440, 230), fill="#d8a23a", outline=INK, width=3)
            draw.rectangle((360, 205, 410, 215), fill=INK)
            for bee in range(14):
                step = (frame * 9 + bee * 53) % 400
                y = 60 + (bee * 37) % 150 + ((frame + bee) % 4) * 3
                draw.ellipse((step, y, step + 8, y + 5), fill="#3a2b10")
            image.save(Path(folder) / f"{frame:03d}.png")
        ffmpeg(
            "-framerate", "12", "-i", f"{folder}/%03d.png", "-c:v", "libx264", "-profile:v", "baseline",
            "-pix_fmt", "yuv420p", "-crf", "32", "-an", "-map_metadata", "-1", "-fflags", "+bitexact",
            "-flags:v", "+bitexact", "-movflags", "+faststart", ASSETS / "loop.mp4",
        )  # fmt: skip
    ffmpeg("-i", ASSETS / "loop.mp4", "-frames:v", "1", "-q:v", "5", ASSETS / "loop.jpg")


def main(snippets):
    chart()
    timetable()
    tram()
    river("river.jpg", (960, 640))
    river("skyline.jpg", (900, 300))
    hive()
    avatar()
    clip(snippets)
    loop()


if __name__ == "__main__":
    main(sys.argv[1:])
