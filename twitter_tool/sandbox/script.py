"""What is said in the written scenes."""

from __future__ import annotations

from typing import Final

THREAD: Final = (
    "One month of the new tram line, in numbers. Twenty-six of us timed every departure at all eight stops of "
    "Line 7, from the first tram to the last. Here is what we found, the good and the bad. 1/9",
    "Punctuality: 91 percent of trams left within two minutes of the timetable in the last week, up from 71 in "
    "the first. The bus it replaced managed 58 percent in spring. 2/9",
    "Crowding: between 07:40 and 08:20 people were left behind at Lantern Square on nine of twenty-two working "
    "days. Outside that window nobody was. The line needs longer trams for forty minutes a day. 3/9",
    "Noise: the curve at Foundry Bank reaches 74 dB at the nearest window. Everywhere else the trams are quieter "
    "than the bus was. Greasing the rail brings it down to 66 dB and lasts about ten days. 4/9",
    "Shops: of 31 shops along the tram line that answered us, 17 say takings are up, 8 see no change and 6 lost "
    "trade, all six beside the closed crossing at Cinder Lane. 5/9",
    "Access: boarding is level at seven of eight tram stops. At Orchard Gate the gap is 9 cm, too wide for small "
    "front wheels. Sallow Trams say it will be fixed in December. 6/9",
    "Bicycles: eleven falls on the tracks that we know of, ten of them at the same place, the shallow crossing "
    "at Mill Quay. A sign went up after the fourth. A sign is not a fix. The table has all stops. 7/9",
    "Money: the tram line cost 4.1 percent more than planned. Running it costs less per passenger than the bus, "
    "because 11,300 people ride it on a working day and the forecast was 8,000. 8/9",
    "What we do not know: what happens in a real frost, and whether the new riders came from cars, buses or their "
    "own two feet. We will count again in January. All sheets are public. 9/9",
)  # fmt: skip

POINTS: Final = (
    ("sallowtram", "We checked your punctuality figures against our own logs: same result to the percent. The gap at Orchard Gate is booked for 8 December."),
    ("anwenpike", "The longer trams for the morning peak are in the draft budget. If you ride at 07:50, please come to the hearing and say so."),
    ("kitfarrow", "Two of those eleven falls were me. The crossing at Mill Quay needs a rubber filler, not a sign."),
    ("yusufamadi", "One of the 17: takings up by a tenth since the tram stop opened, mostly milk and umbrellas."),
    ("sunnivahay", "Flats 49 to 60 face that curve. Grease helps, ten days is right, and then it starts again at six in the morning."),
    ("idapetrel", "Please publish where riders came from once you have it. If they all came from the bus, the tram line has not taken one car off the road."),
    ("piersgale", "First hard frost is likely in the last week of November, so you will have your answer sooner than January."),
    ("lotteharrow", "Made a chart of the crowding by quarter of an hour. The problem is four trams, not forty minutes. Happy to share the sheet."),
    ("dougalmire", "And the bench at Glad Row? Nobody has counted the bench, because there is nothing to count."),
    ("pollysterne", "Works well at both ends of a night shift. A tram at 05:10 on Sundays is the one thing missing."),
)  # fmt: skip

OPINIONS: Final = (
    ("pollysterne", "I get on at Orchard Gate after nights. It is warm, it is quiet and it comes. I would pay extra for a Sunday tram at five."),
    ("yusufamadi", "I said the new tram line would ruin my shop. It brought me eleven percent more. You may print that I was wrong."),
    ("sunnivahay", "It squeals at Foundry Bank from six in the morning. We are for the tram line, we are against the curve. Grease it weekly."),
    ("kitfarrow", "Mill Quay crossing is dangerous for bicycles. I ride for a living and I now take the long way round."),
    ("dougalmire", "The tram comes every six minutes and stops nowhere near the hospital. Who drew that line?"),
    ("lorcanbay", "From the driver's seat: people wave. In eleven years on the bus nobody ever waved."),
    ("lucetorres", "Subo en Mill Quay. Limpio, puntual y con gente que se saluda. En mi ciudad sería ciencia ficción."),
    ("obitunde", "Extra trams after the match got three thousand of us away in forty minutes. Last year I walked home twice."),
    ("anwenpike", "What works: eleven thousand riders a day. What does not: four full trams each morning. Both are in my report for the council."),
    ("maevelinnet", "The grass track at Orchard Gate is full of clover and full of bees. Best decision of the whole tram line."),
    ("floramay", "I carry wedding cakes on the tram now. Not one has moved. I cannot say that of my van."),
    ("hectorpym", "I painted the sevens, so I am biased. The stops are the first thing this town has built in years that I like to look at."),
    ("harrietlow", "Library visits are up by a fifth since the tram line opened. People come one stop further for a quiet chair."),
    ("jodyrusk", "With a bad knee level boarding is everything. The bus had three steps and a sigh."),
    ("tamsinogle", "It is fine. But the old ferry bell at the lock is gone because of the works and nobody asked me."),
    ("piersgale", "Sheltered stops would help. I stood at Glad Row in sleet and the board promised a tram for twenty minutes."),
    ("eskilroe", "Eleven minutes from Northfold to the chess café, exactly one blitz game. I could not ask for more."),
    ("dariaflint", "My class of twenty-eight goes to the swimming pool by tram. No coach to book, no child left behind, so far."),
    ("ivanquist", "Too bright inside at night. One can see one's own face and it is half past ten."),
    ("samiralund", "They laid our heat pipes in the same trench as the tram line. One summer of noise instead of two. More of that, please."),
    ("gusteller", "The ticket machines are badly made. I could fix them in an afternoon if anybody let me."),
    ("celiaboone", "Keep them coming. I read every one, the rude ones twice."),
    ("terracesong", "It needs a song. We are working on it."),
    ("mizukitram", "ミル・キーから乗ります。静かで、運転士さんが親切です。"),
    ("layanhaddad", "أركب من لانترن سكوير. الخط هادئ ومنظّم، لكن المحطات تحتاج إلى مظلّات."),
    ("bexanders", "I gave up the car in October. The sums say I save ninety a month, the weather says I should buy a better coat."),
    ("quillonward", "Somebody left a first edition on the seat and it came back to me the same day. The tram line has better manners than the bus."),
    ("sallowtram", "We are reading along. Grease at Foundry Bank is now weekly, and shelters are in the December works."),
    ("lotteharrow", "Quieter than I feared, fuller than I hoped. Please let prams on at the middle door."),
    ("rafiqnoor", "I cover the away games and I miss the last tram each time. 23:12 is early for a town with a football club."),
    ("ninacorvo", "It is the first line of public transport I have used that has a working data feed. I cried a little."),
    ("idapetrel", "My students measured it: door to door the tram beats the car on five of seven routes, and loses on both that cross the hill."),
)  # fmt: skip

SIDE_TALK: Final = (
    ("dougalmire", 0, "Seconded. My daughter walks home from the Sunday shift."),
    ("celiaboone", 1, "May I quote you with the number?"),
    ("gusteller", 2, "It is the flange, not the rail. Grease only treats the symptom."),
    ("sallowtram", 3, "A rubber filler is on order for the Mill Quay crossing."),
    ("idapetrel", 4, "The hospital route was in the second draft. It was cut for eleven million."),
    ("jodyrusk", 5, "I always wave!"),
    ("oonabraid", 9, "My bees found it in June. The honey has a trace of clover this year."),
    ("crustandco", 10, "Our van is quietly offended."),
    ("mossandink", 11, "Those sevens are the best numerals in town, and I own a lot of numerals."),
    ("emberquay", 12, "A fifth, and the chairs are full by ten."),
    ("anwenpike", 14, "I have asked the contractor about the bell. It is in a crate with a label."),
    ("rookhouse", 16, "We have clocks if the tram is late."),
    ("fixithall", 20, "Bring one on Saturday. Just the one."),
    ("wanderers", 22, "We have heard the second verse and cannot print it."),
    ("lorcanbay", 29, "Ask for 23:40. The depot would agree."),
)  # fmt: skip

ESSAYS: Final = (
    (
        "idapetrel",
        "2026-10-24T09:15:00",
        "tram",
        176,
        "People ask me why a tram line works where a bus with the same timetable does not, and the honest answer is that "
        "the timetable is the smallest part of it. A rail in the street is a promise that cannot be withdrawn over a "
        "weekend. Shopkeepers believe it, so they repaint. Landlords believe it, so they mend the stairs. Parents believe "
        "it, so they let a ten-year-old ride alone. None of that is speed. In our survey at four stops of the new tram "
        "line, only one rider in five named the journey time as the reason for riding. The others said it was level with "
        "the kerb, that it was the same every day, and that they could see it coming. If a council wants riders and "
        "cannot pay for rails, it should copy those three things first: the height, the rhythm and the view down the "
        "street. They are not cheap, but they are a good deal cheaper than being disbelieved.",
    ),
    (
        "theovane",
        "2026-10-12T14:40:00",
        "code",
        131,
        "What went wrong with the kelpie cache last month, in plain words. We named each cache entry after the contents of "
        "its inputs, which is right, and after the order in which we had found them, which is not. On most disks that "
        "order never changes. On two network drives it changed whenever somebody looked at the folder. The same build "
        "then had two names, the second name pointed at an older result, and for nine days a handful of people shipped "
        "yesterday's program with today's version number. Nobody was hurt, one web shop sold Christmas hats in September. "
        "We now sort before we hash, we refuse an entry whose inputs are newer than itself, and there is a test that "
        "shuffles everything on purpose. A cache may be slow and it may be empty. It may not be wrong.",
    ),
    (
        "oonabraid",
        "2026-09-30T18:05:00",
        "bees",
        118,
        "A year on the roof, for those who asked whether they should keep bees. January: you weigh the hives and do "
        "nothing, which is the hardest part. March: one warm day, everybody flies, your washing is spotted yellow. May: a "
        "swarm hangs from a tram mast and you learn how many neighbours own a ladder. July: the lime trees flower and the "
        "whole quay smells of it, you lift forty kilos on a flat roof and pretend that it is easy. September: you take less "
        "than you could and feed what you must. November: wasps, wind, a mouse guard. In between there are stings, a course "
        "of eight evenings, a county inspector with excellent jokes and about three hundred hours that you will not get "
        "paid for. If you still want to after reading this, write to me. I have a spare hive and a list.",
    ),
    (
        "samiralund",
        "2026-11-01T11:20:00",
        "heat",
        97,
        "Why your radiator is lukewarm and that is good news. The old boilers sent out water at ninety degrees because "
        "nobody had balanced the pipes: the first flat boiled so that the last one would not freeze. The heat network sends "
        "out seventy, and it can be that low because every radiator now gets its share and no more. Lukewarm all day holds a "
        "room at twenty degrees with a third less heat than hot for two hours. Three things you can do: leave the valves "
        "alone, keep the curtain off the radiator, and call us when one end is cold, because then there is air in it. What "
        "you need not do is turn it up before you go out. It will not hurry. Water has its own timetable, and unlike the "
        "old bus it keeps it.",
    ),
)  # fmt: skip
