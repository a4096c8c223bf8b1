"""Words of a question that say how something is asked, not what it is about; folded as :mod:`.words` folds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Tongue = Literal["en", "es", "pt", "fr", "de", "ar", "other"]

_ENGLISH: Final = """
a about after again all also am an and any anybody anyone anything anywhere are around as at be because been before
being between both but by can cannot could did do does doing done down during each either else ever every everybody
everyone everything few for from get gets getting give gives go going gone got had has have having he her here hers him
his how i if in into is it its itself just know let like likely lot make many may me might more most much must my near
no nobody nor not nothing now of off often on once one only or other others our out over own please really said same
say saying says see seem seen she should show since so some somebody someone something somewhere still such take tell
than that the their theirs them then there these they thing things think thinking thinks this those though through to
too under until up upon us use used very was we were what whats when where whether which while who whom whose why will
with within without would yes yet you your yours yourself
people person folks guys users user posts post tweet tweets tweeted twitter x opinion opinions view views feel feeling
feelings feels reaction reactions argue argued argues argument arguments discuss discussed discussing discussion mention
mentioned mentions talk talking talked explain describe summarise summarize summary gist main point points key overall
general generally thread replies reply comment comments commented write writes written wrote happen happened happening
happens answer question find found main latest news s t re ve ll d m don doesn didn isn aren wasn
"""
_SPANISH: Final = """
a al algo alguien algun alguna algunas alguno algunos alli ante antes aqui asi aun aunque bajo bien cada casi como con
contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos de del desde donde dos durante e el ella ellas ellos
en entre era eran es esa esas ese eso esos esta estan estar estas este esto estos fue fueron ha haber habia han hasta
hay hubo la las le les lo los mas me mi mis mucho mucha muchas muchos muy nada nadie ni no nos nosotros nuestra
nuestro o os otra otro otras otros para pero poco por porque pues puede pueden podria que quien quienes se sea sean
ser si sido sin sobre solo son soy su sus tal tambien tan tanto te tenia tiene tienen todo toda todos todas tu tus u
un una unas uno unos usted ustedes va van y ya yo gente persona personas usuarios dice dicen decir dijo dijeron opina
opinan opinion opiniones piensa piensan pensar cree creen creer comenta comentan comentarios habla hablan hablar
cuenta cuentan tuit tuits twitter mensajes publicaciones respuesta respuestas resumen resume resumir principales
puntos idea hilo pasa paso ocurre ocurrio hace hacen falta
"""
_PORTUGUESE: Final = """
a ao aos as com como da das de do dos e ela eles em entre era essa esse esta este eu foi ha isso ja la lhe mais mas me
mesmo muito na nao nas nem no nos o onde os ou para pela pelo por porque qual quando quanto que quem se sem ser seu sua
sao so sobre tambem te tem um uma voce pessoas dizem diz pensam acham opiniao
"""
_FRENCH: Final = """
a au aux avec ce ces cette c comme combien d dans de des du elle elles en est et etait eux il ils j je l la le les
leur lui ma mais me moi mon n ne nous on ou par pas pour pourquoi qu quand que quel quelle quels quelles qui quoi s sa
sans se ses son sont sur t ta te tu un une vous y gens disent dit pensent pense avis
"""
_GERMAN: Final = """
aber alle als am an auch auf aus bei bin bis das dass dem den der des die dies diese doch du ein eine einem einen einer
er es fur gibt hat haben ich ihr im in ist ja kann man mehr mit nach nicht noch nur oder sagen sagt sehr sein sich sie
sind so uber um und uns viel von vor wann war warum was welche welcher wenn wer werden wie wieso wir wird wo wurde
wurden zu zum zur leute menschen denken meinen meinung
"""
_ARABIC: Final = """
ما ماذا من متي اين كيف كم لماذا لم لن هل اي ايه هو هي هم هن انا نحن انت انتم هذا هذه ذلك تلك هناك هنا الذي التي الذين
في علي الي عن مع بعد قبل بين عند منذ حتي خلال حول ضد بدون ان انه انها اذا او ام ثم لكن بل قد لقد كان كانت يكون تكون
ليس ليست كل بعض غير سوي جدا ايضا فقط نعم لا لان يا و ف ب ل ك
الناس ناس شخص اشخاص يقول يقولون تقول قال قالوا قالت راي اراء يري يرون يعتقد يعتقدون يتحدث يتحدثون تعليق تعليقات تغريده
تغريدات منشور منشورات ملخص لخص اهم النقاط يوجد توجد يمكن يحدث حدث احد
"""
_CONTAINERS: Final = """
article articles account accounts profile profiles space spaces bio bios trend trends trending document documents
articulo cuenta cuentas perfil espacio tendencia tendencias
المقال الحساب حساب 記事 アカウント スレッド スペース
"""
STOPWORDS: Final[Mapping[Tongue, frozenset[str]]] = {
    "en": frozenset(_ENGLISH.split()),
    "es": frozenset(_SPANISH.split()),
    "pt": frozenset(_PORTUGUESE.split()),
    "fr": frozenset(_FRENCH.split()),
    "de": frozenset(_GERMAN.split()),
    "ar": frozenset(_ARABIC.split()),
    "other": frozenset(),
}
SMALL_WORDS: Final = frozenset(word for words in STOPWORDS.values() for word in words)
_UNSPACED: Final = """
について 人々 人びと みんな みなさん 皆さん 何 なに なん 何と 何を どう どのよう どんな どこ いつ 誰
だれ なぜ どれ どちら いくら いくつ 何人 何時 何年 何月 何日 言って 言っ 言われ 思って 思われ 感じて
話して 話題 意見 評判 感想 反応 教えて 投稿 ツイート 要約 まとめ 内容 ありますか ありました あります
いますか います ですか でしょうか できますか できます しましたか しますか ましたか ますか ました ます
こと もの これ それ あれ この その あの ここ そこ 使え 行われ 什么 怎么 怎样 如何 为什么 為什麼
什麼 怎麼 哪里 哪裡 哪些 哪个 哪 谁 誰 多少 几 人们 人們 大家 网友 看法 意见 評價 评价 关于 關於
说 說 认为 認為 觉得 覺得 有没有 是不是 是否 可以 吗 嗎 呢 的 了 对 對 是 有 在 和 与 與 这个
那个 這個 อะไร อย่างไร ยังไง ที่ไหน เมื่อไหร่ เมื่อไร ทำไม ใคร
เท่าไหร่ เท่าไร ผู้คน คน พูด เกี่ยวกับ คิด ว่า ไหม หรือ
ของ ที่ มี เป็น
"""
UNSPACED_STOPS: Final = tuple(sorted(_UNSPACED.split(), key=lambda word: (-len(word), word)))
"""Of scripts without spaces, the longest first; they divide what stands between them."""
CONTAINERS: Final = frozenset(_CONTAINERS.split())
"""Words for what was read; they say nothing about it while the question has any other term."""
COUNTING: Final = re.compile(
    r"\bhow (?:many|much|long|often|old|far)\b|\bcuant[oa]s?\b|\bcombien\b|\bwie ?viele?\b|\bquant[oa]s?\b"
    r"|いくら|いくつ|何[人時年月日円回件台冊分度]|多少|几[个個人点年]|(?:^|\s)كم(?:\s|$)|เท่าไ"
)
