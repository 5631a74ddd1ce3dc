import type { Language } from './language.ts'

/** What a validator of JSON Schema says of a value, in words for a person. It says so in English, in the terms of the schema. */

const TYPES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    string: 'text',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    null: 'null',
  },
  'zh-CN': {
    string: '文本',
    integer: '整数',
    number: '数字',
    boolean: 'true 或 false',
    array: '列表',
    object: '对象',
    null: '空值',
  },
}

const typesIn = (language: Language, names: string): string =>
  names
    .split('", "')
    .map((name) => TYPES[language][name] ?? name)
    .join(language === 'en' ? ' or ' : '或')

const NUMBER = String.raw`(-?\d[\d.e+-]{0,40}?)`
const TEXT = String.raw`"(?:[^"\\]|\\.)*"`
const VALUE = String.raw`(${TEXT}|-?[\d.]+|true|false|null)`
/** What stands in a list of values, of which one may be a list itself. */
const VALUES = String.raw`((?:${TEXT}|\[(?:${TEXT}|[^"[\]])*\]|[^"[\]])*)`

/** A sentence of the validator, and the same in words; what stands in the groups of the former is in both. */
type Saying = readonly [string, Readonly<Record<Language, (...found: string[]) => string>>]

const SAYINGS: readonly Saying[] = [
  [
    'Instance does not have required property "(.+?)"',
    { en: (name) => `${name} is missing`, 'zh-CN': (name) => `缺少 ${name}` },
  ],
  [
    'Instance type "(.+?)" is invalid. Expected "(.+?)"',
    {
      en: (is, wanted) => `it has to be ${typesIn('en', wanted ?? '')}, but is ${typesIn('en', is ?? '')}`,
      'zh-CN': (is, wanted) => `应为${typesIn('zh-CN', wanted ?? '')}，而不是${typesIn('zh-CN', is ?? '')}`,
    },
  ],
  [
    String.raw`Instance does not match any of \[${VALUES}\]`,
    {
      en: (all) => `it has to be one of ${(all ?? '').replaceAll('","', '", "')}`,
      'zh-CN': (all) => `应为其中之一：${(all ?? '').replaceAll('","', '"、"')}`,
    },
  ],
  [`Instance does not match ${VALUE}`, { en: (value) => `it has to be ${value}`, 'zh-CN': (value) => `应为 ${value}` }],
  [
    String.raw`Array has too many items \((\d+) > (\d+)\)`,
    {
      en: (is, most) => `it has ${is} items, at most ${most} are allowed`,
      'zh-CN': (is, most) => `有 ${is} 项，最多 ${most} 项`,
    },
  ],
  [
    String.raw`Array has too few items \((\d+) < (\d+)\)`,
    {
      en: (is, least) => `it has ${is} items, at least ${least} are needed`,
      'zh-CN': (is, least) => `有 ${is} 项，至少 ${least} 项`,
    },
  ],
  [
    String.raw`Duplicate items at indexes (\d+) and (\d+)`,
    {
      en: (one, other) => `items ${Number(one) + 1} and ${Number(other) + 1} are the same`,
      'zh-CN': (one, other) => `第 ${Number(one) + 1} 项与第 ${Number(other) + 1} 项重复`,
    },
  ],
  [
    String.raw`String is too long \((\d+) > (\d+)\)`,
    {
      en: (is, most) => `it is ${is} characters long, at most ${most} are allowed`,
      'zh-CN': (is, most) => `有 ${is} 个字符，最多 ${most} 个`,
    },
  ],
  [
    String.raw`String is too short \((\d+) < (\d+)\)`,
    {
      en: (is, least) => `it is ${is} characters long, at least ${least} are needed`,
      'zh-CN': (is, least) => `有 ${is} 个字符，至少 ${least} 个`,
    },
  ],
  ['String does not match pattern', { en: () => 'it is not written as it has to be', 'zh-CN': () => '写法不符合要求' }],
  [
    'String does not match format "(.+?)"',
    { en: (name) => `it has to be written as ${name}`, 'zh-CN': (name) => `应写成 ${name} 格式` },
  ],
  [
    `${NUMBER} is less than or equal to +${NUMBER}`,
    {
      en: (is, bound) => `it has to be more than ${bound}, but is ${is}`,
      'zh-CN': (is, bound) => `应大于 ${bound}，而不是 ${is}`,
    },
  ],
  [
    `${NUMBER} is greater than or equal to +${NUMBER}`,
    {
      en: (is, bound) => `it has to be less than ${bound}, but is ${is}`,
      'zh-CN': (is, bound) => `应小于 ${bound}，而不是 ${is}`,
    },
  ],
  [
    `${NUMBER} is less than +${NUMBER}`,
    {
      // Of a bound that is not included itself the validator says the same.
      en: (is, least) => `it has to be ${is === least ? 'more than' : 'at least'} ${least}, but is ${is}`,
      'zh-CN': (is, least) => `${is === least ? '应大于' : '至少应为'} ${least}，而不是 ${is}`,
    },
  ],
  [
    `${NUMBER} is greater than +${NUMBER}`,
    {
      en: (is, most) => `it has to be at most ${most}, but is ${is}`,
      'zh-CN': (is, most) => `最多应为 ${most}，而不是 ${is}`,
    },
  ],
  [
    `${NUMBER} is not a multiple of ${NUMBER}`,
    {
      en: (is, unit) => `it has to be a multiple of ${unit}, but is ${is}`,
      'zh-CN': (is, unit) => `应为 ${unit} 的倍数，而不是 ${is}`,
    },
  ],
  [
    'Property "(.+?)" does not match additional properties schema',
    { en: (name) => `${name} is not expected`, 'zh-CN': (name) => `不应有 ${name}` },
  ],
  [
    String.raw`Instance does not have at least (\d+) properties`,
    {
      // Of too many the validator says the same.
      en: (bound) => `the number of its fields does not keep to the bound of ${bound}`,
      'zh-CN': (bound) => `字段个数不符合 ${bound} 的限制`,
    },
  ],
  [
    'Instance has "(.+?)" but does not have "(.+?)"',
    {
      en: (name, other) => `with ${name}, ${other} is needed too`,
      'zh-CN': (name, other) => `有 ${name} 时也应有 ${other}`,
    },
  ],
  [
    'Array does not contain item matching schema',
    { en: () => 'none of its items is one that it has to have', 'zh-CN': () => '没有符合要求的项目' },
  ],
  [
    String.raw`Instance does not match (?:any subschemas|every subschema|exactly one subschema \(\d+ matches\))`,
    { en: () => 'it is in none of the forms that it may have', 'zh-CN': () => '不符合可用的任何一种形式' },
  ],
  ['Instance matched "not" schema', { en: () => 'it is what it may not be', 'zh-CN': () => '这个值不可用' }],
  [
    'False boolean schema|not given: the schema takes nothing here',
    { en: () => 'nothing is expected here', 'zh-CN': () => '这里不应有内容' },
  ],
]

/** A sentence begins a text, or stands behind a sign or the place that it speaks of (`#/a/0: `, which stays `a.0: `), and ends before a sign. One
 *  of numbers, which others say as well, stands at the beginning of a line or behind a place. */
const PLACE = String.raw`(?:#((?:/[^\s:]{0,500})?): )?`
const BEGIN = String.raw`(?<=^|[:：。;；.\s])${PLACE}`
const BEGIN_OF_NUMBER = String.raw`(?<=^|\n|: |：)${PLACE}`
const END = String.raw`\.?(?=$|[;；\n]|[。.]?\s)`

const PATTERNS = SAYINGS.map(([saying, words]) => {
  const begin = saying.startsWith(NUMBER) ? BEGIN_OF_NUMBER : BEGIN
  return [new RegExp(`${begin}(?:${saying})${END}`, 'g'), words] as const
})

/** No validator says more, and what others say may take long to look through. */
const CHARS_MAX = 4_000

/** A text with what a validator said in it as a person would say it; all else stays as it is. */
export function withSchemaWords(language: Language, text: string): string {
  if (text.length > CHARS_MAX) return text
  return PATTERNS.reduce(
    (told, [pattern, words]) =>
      told.replace(pattern, (_whole, ...found: unknown[]) => {
        const [pointer, ...groups] = found.filter((one) => typeof one === 'string' || one === undefined).slice(0, -1)
        const place = typeof pointer === 'string' ? placeOf(pointer) : ''
        const said = words[language](...groups.map(String))
        return place === '' ? said : `${place}${language === 'en' ? ': ' : '：'}${said}`
      }),
    text,
  )
}

/** `/a/0` as `a.0`, with names as they are written. */
const placeOf = (pointer: string): string =>
  pointer
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

/** The validator writes a pointer as it stands in an address; others may write what is none. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
