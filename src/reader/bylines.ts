import { findDay } from './dates.ts'
import { collapse } from './node.ts'
import { unitAt } from './units.ts'

/** Letters of names that are shown; of those that only machines are told, which may be many. */
const SHOWN_CHARS_MAX = 120
const TOLD_CHARS_MAX = 400
/** Words of one name, and of names that are parted by commas. */
const NAME_WORDS_MAX = 6

/** Between elements of a line that no white space parts. */
export const SEAM = ' · '

/** How a line says who wrote what it stands by; the name follows. */
const SAYS_WHO = new RegExp(
  String.raw`^(?:(?:published|posted|updated|last updated)\s(?:on\s)?[^]{0,30}?\d[^]{0,20}?\s)?` +
    String.raw`(?:(?:an?\s)?(?:article|story|post|blog|text|words|guest post|column|content|report)\s+)?` +
    String.raw`(?:(?:was\s+)?(?:written|posted|published|authored|submitted|created|contributed|reported|posts?|started|asked)\s+)?` +
    String.raw`by(?=[\s:\p{Lu}\xb7]|$)[\s:\xb7]*`,
  'iu',
)
const SAYS_WHO_ELSEWHERE =
  /^(?:(?:von|par|por|door|av|af|di|przez)(?=:?\s+\p{Lu})|(?:(?:ein (?:beitrag|artikel|text|bericht|kommentar|interview|gastbeitrag) |verfasst |geschrieben |text )von|skrevet av|skriven av|kirjoittanut)(?=:?\s+\p{Lu})|(?:écrit|publié|rédigé|proposé|propos recueillis) par|بقلم(?:\s+الكاتبة?)?(?=\s*[:：/]|\s+\p{L})|(?:كتبت?|إعداد|الكاتبة?|المؤلف|نویسنده|نوشته)\s*[:：/]|מאת|(?:escrito|publicado) por|(?:scritto|pubblicato|a cura) d[ai]|(?:textes?|redaktion|autor(?:in|en|es|a|e|ka|zy)?|auteure?s?|tekst|texto|testo|authors?|thread starter|автор(?:ы|ка)?|текст|napsala?|yazan|yazar|szerző|oleh|tác giả|เขียนโดย|บทความโดย|เรื่องโดย|โดย|글)\s*[:·]|(?:เขียน|บทความ|เรื่อง)โดย|thread starter|글쓴이|기자)\s*[:：／/·]?\s*/iu

/** In Chinese and Japanese it may stand behind other things in the line. */
const SAYS_WHO_IN_EAST_ASIA =
  /(?:^|[\s|｜　【（(])(?:(?:(?:本文)?作者|撰文|撰稿人?|文字|記者|记者|著者|執筆者?|筆者|ライター|投稿者|(?:取材|構成|写真)・文|文・(?:写真|構成|取材)|レポート|文)\s*[:：／/|｜=＝]|(?:本报|本報|见习|見習)?(?:记者|記者)\s?(?=\p{sc=Han}))\s*/u
/** In Korean what somebody is stands behind the name. */
const REPORTER_BEHIND = /(?:^|[\s[(=·])(\p{sc=Hangul}{2,4})\s?(?:선임|수습|객원)?기자(?=$|[\s\])(=·])/u
const EAST_ASIAN = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々·・]{2,20}/u
/** A name, from where, and that it is reported. */
const REPORTING = /^(\p{sc=Han}{2,4}?)[・·]?\p{sc=Han}{2}[电電]?(?:综合|綜合)?(?:报道|報道|報導|电|電)$/u
/** A given name behind a space, which no such word is. */
const GIVEN_NAME =
  /^[ 　](?!阅读|閱讀|发布|發布|发表|發表|来源|來源|编辑|編輯|更新|公開|投稿|报道|報導|综合|編集|责任|責任|责编|責編|摄影|攝影|浏览|瀏覽|点击|點擊|评论|評論|分享|字号)[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,4}(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\d]|\s*[:：])/u

/** What ends a name: a mark between parts of a line, or what else was done to the page. */
const PARTS =
  /\s*[|•∙⋅/／›»·—]\s*|\s+[-–—]\s+|\s*[（(](?=\D)|(?<=\p{Ll})(?=(?:Published|Updated|Posted|Last [Uu]pdated|Read))/u
const BEHIND =
  /\s*,?\s+[٠-٩۰-۹]|\s*,?\s+(?:updated|published|posted|on|in|at|last|reviewed|edited|medically|fact|view|read|from the|is an?|has been|and last|reading|for|min read|\d+ min|says|wrote|»)(?:[\s:,.]|$)|,?\s+\d+\s/iu
const WEEKDAY =
  /[\s,·—–-]*(?:(?:on|am|le|el|il)\s+)?(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?)?[\s,·—–-]*$/iu
const ROLE =
  /,\s*(?:senior|sr\.?\s|junior|co-?founder|founder|director|manager|editor|ceo|cto|coo|cmo|head|vp|vice|chief|staff|president|writer|reporter|analyst|attorney|trial|professor|executive|content|marketing|lead|principal|contributor|contributing|correspondent|journalist|columnist|guest)\b.*$/iu
const AT_ENDS = /^[\s—–|·•,:;›»"“-]+|[\s—–|·•,:;›»"”-]+$/gu

/** Letters of a line that says who wrote; a longer one is of the text. */
const SAYING_CHARS_MAX = 240

/** Lines of English and the like, and what parts a line or begins a day in one of them. */
const ASCII_WITHOUT_BAR = /^[\0-{}-\x7f]*$/
/** A letter may take two units. */
const MAY_BEGIN_A_DAY = /^[^]{0,22}\d/
const BEGINS_A_DAY = /^(?:\d|\p{L}{3,10}\.?\s\d)/u
/** What a line of ASCII has that one of the forms above or `BEGINS_A_DAY` begins. */
const MAY_SAY = /by|^(?:[adp][ afioru]|[ar][uvfe]|v[eo]|e[is]|ge|sc|sk|t[eh]|na|ol|ya|ki|pr|.{0,12}\d)/i

/** What a part of any line has that one of the forms for the West begins, and what the others are written in. */
const MAY_SAY_FIRST =
  /by|^(?:[adp][ afioru]|[ar][uvfeé]|v[eo]|e[is]|éc|ge|sc|sk|sz|t[ehá]|na|ol|ya|ki|pr|글|기|[\u0400-\u04ff\u05d0-\u06ff\u0e00-\u0e7f])/iu
const OF_EAST_ASIA = /[\u3040-\u9fff]/

/** What a line says of who wrote: a name, or that one follows on the next line (''). Null: nothing. */
export function nameSaid(line: string): string | null {
  if (line.length > SAYING_CHARS_MAX) return null
  const isWhole = ASCII_WITHOUT_BAR.test(line)
  if (isWhole && !MAY_SAY.test(line)) return null
  const eastern = !isWhole && OF_EAST_ASIA.test(line) ? SAYS_WHO_IN_EAST_ASIA.exec(line) : null
  const korean = !isWhole && line.includes('기자') ? REPORTER_BEHIND.exec(line)?.[1] : undefined
  if (korean !== undefined) return korean
  if (eastern !== null) return cleanName(line.slice(eastern.index + eastern[0].length))
  for (const part of isWhole || !MAY_PART.test(line) ? [line] : line.split(LINE_PARTS)) {
    const name = nameSaidFirst(part)
    if (name !== null) return name
  }
  const day = MAY_BEGIN_A_DAY.test(line) && BEGINS_A_DAY.test(line) ? findDay(line.slice(0, DAY_CHARS_MAX)) : null
  return day?.start === 0 ? nameSaidFirst(line.slice(day.end).replace(AT_ENDS, '')) : null
}

/** Letters of a day that a line begins with, and some more. */
const DAY_CHARS_MAX = 48
/** Marks between the parts of a line. */
const LINE_PARTS = /\s+[·|•⋅—–]\s+/u
const MAY_PART = /[·|•⋅—–]/

function nameSaidFirst(line: string): string | null {
  if (!MAY_SAY_FIRST.test(line)) return null
  const said = SAYS_WHO.exec(line) ?? SAYS_WHO_ELSEWHERE.exec(line)
  if (said === null) return null
  const rest = line.slice(said[0].length)
  return rest.trim() === '' ? '' : cleanName(rest)
}

/** A name that is shown, without the words before it and what stands behind it; null: it is no name. */
export function cleanName(shown: string): string | null {
  let name = withoutLabel(collapse(shown.slice(0, 4 * SHOWN_CHARS_MAX)))
  name = (name.split(PARTS, 1)[0] ?? '').replace(AT_ENDS, '')
  const eastern = EAST_ASIAN.exec(name)?.[0]
  const reporter = eastern === undefined ? null : REPORTING.exec(eastern)
  if (reporter?.[1] !== undefined) return reporter[1]
  if (eastern !== undefined) return eastern + (GIVEN_NAME.exec(name.slice(eastern.length))?.[0] ?? '')
  const day = findDay(name)
  if (day !== null && day.start > 0) name = name.slice(0, day.start).replace(WEEKDAY, '')
  const behind = BEHIND.exec(name)
  if (behind !== null && behind.index > 0) name = name.slice(0, behind.index)
  name = name.replace(ROLE, '').replace(AT_ENDS, '')
  return isName(name) ? name : null
}

/** A name that machines are told. */
export function toldName(told: string | null): string | null {
  if (told === null) return null
  const name = withoutLabel(collapse(told.slice(0, TOLD_CHARS_MAX))).replace(ROLE, '')
  return name === '' || NO_NAME.test(name) || !/\p{L}/u.test(name) ? null : name
}

/** Whether somebody signs with it rather than is called so: an account. */
export function isHandle(name: string): boolean {
  return /^[\p{L}\d._@+-]+$/u.test(name) && !/^\p{Lu}\p{Ll}+$/u.test(name) && !/^[^\p{Lu}\p{Ll}]+$/u.test(name)
}

function withoutLabel(text: string): string {
  let name = text.replace(AT_ENDS, '')
  for (const says of [SAYS_WHO, SAYS_WHO_ELSEWHERE]) name = name.replace(says, '').replace(AT_ENDS, '')
  return name
}

const NO_NAME =
  /https?:|www\.|^\S+@\S+$|^(?:by|the author|authors?|author bio|authors?:|about|contributors?|admin(?:istrator)?|staff|editor|editorial|guest|null|undefined|anonymous|share|follow|written|unknown|home|menu|search|news|posts?|comments?|default|using|clicking|subscribing|signing|role|date|fact|updated|published)\b.{0,3}$/iu
/** Words of names that are not written with a capital. */
const SMALL =
  /^(?:and|und|et|y|e|i|en|og|och|the|of|van|von|der|den|de|da|di|do|dos|del|della|la|le|bin|ibn|al|el|ter|ten|zu|zur|du|with|mit|&|\+)$/iu

function isName(text: string): boolean {
  if (text === '' || text.length > SHOWN_CHARS_MAX || NO_NAME.test(text) || !/\p{L}/u.test(text)) return false
  if (findDay(text) !== null || /[!?:;]|\.\s+\p{Lu}\p{Ll}+ \p{Ll}/u.test(text)) return false
  const words = text.split(/[\s,]+/).filter((word) => word !== '' && !SMALL.test(word))
  const parts = text.split(/,|\s(?:and|und|et|y|&)\s/u)
  if (words.length === 0 || words.length > NAME_WORDS_MAX * parts.length) return false
  return words.length === 1 || words.every((word) => !/^\p{Ll}/u.test(word))
}

/** Two to four words that begin with capitals, as a name that stands alone on its line. */
const ALONE =
  /^(?:(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+)?\p{Lu}[\p{L}'’.-]*(?:\s+(?:(?:van|von|de|der|den|la|le|da|dos|di|al|bin)\s+)*\p{Lu}[\p{L}'’.-]*){1,3}$/u
const NO_PERSON =
  /\b(?:read|min|minutes?|share|blog|news|guide|guides|tips|menu|table|contents|home|about|contact|sign|log|free|get|view|more|all|best|how|what|why|privacy|policy|services?|business|product|marketing|health|insurance|software|technology|travel|resources?|article|articles|case|studies|your|our|updated|published|last|media|social|facebook|twitter|linkedin|email|print|save|follow|disclosure|editorial|advertiser|review|reviews|top|new|copy|link|jump|changes|changelog|releases?|version|notes?|fixed|fixes|features?|improvements?|deprecated|removed|issues?)\b/iu

/** Whether a line is a name or an account and nothing else. */
export function isNameOnly(line: string): boolean {
  return isNameAlone(line) || (line.length <= 30 && !line.includes(' ') && isName(line))
}

/** Whether a short line may be nothing but the name of somebody. */
export function isNameAlone(line: string): boolean {
  return line.length <= 40 && mayBeCapital(unitAt(line, 0)) && ALONE.test(line) && !NO_PERSON.test(line)
}

/** Whether a unit may be a capital letter, or the beginning of one. */
function mayBeCapital(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || unit > 0x7f
}
