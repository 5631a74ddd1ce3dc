/** Why a tool of an MCP server is left out, or a part of it is not used, as a Chinese reader is told it. It is kept in English. */

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['left out: ', '未采用：'],
  ['not used: ', '未使用：'],
]

const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^another tool has this name$/, '另一个工具已使用该名称'],
  [/^an object was expected$/, '应为对象'],
  [/^a schema was expected$/, '应为 schema'],
  [/^object was expected$/, '应为 object'],
  [/^a list was expected$/, '应为列表'],
  [/^a list of names was expected$/, '应为名称的列表'],
  [/^a list of schemas was expected$/, '应为 schema 的列表'],
  [/^an object of schemas was expected$/, '应为由 schema 组成的对象'],
  [/^an address was expected$/, '应为地址'],
  [/^no type of JSON Schema$/, '不是 JSON Schema 的类型'],
  [/^not a text$/, '不是文本'],
  [/^not what it has to be$/, '不符合要求'],
  [/^1 to (\d+) characters were expected$/, '应为 1 至 $1 个字符'],
  [/^deeper than (\d+) (?:schemas within each other|levels)$/, '嵌套超过 $1 层'],
  [/^its JSON is longer than (\d+) characters$/, '其 JSON 超过 $1 个字符'],
  [/^x-mcp-header stands where no chain of properties leads$/, 'x-mcp-header 不在由 properties 逐层到达的位置'],
  [/^the name of a header was expected$/, '应为请求头的名称'],
  [/^only a string, an integer or a boolean can be a header$/, '只有字符串、整数和布尔值可以作为请求头'],
  [/^the same header twice$/, '同一个请求头出现了两次'],
  [
    /^(\d+) or more tools are left out: at most (\d+) tools and (\d+) characters of them are taken$/,
    '至少 $1 个工具未采用：最多采用 $2 个工具，合计 $3 个字符',
  ],
  [/^(\d+) more warnings are not told$/, '还有 $1 条提示没有列出'],
  [/^the list goes on with the page that was given before$/, '列表的下一页与上一页相同'],
  [/^the list has more than (\d+) pages; those are taken$/, '列表超过 $1 页，只采用了这些'],
]

/** The place that a sentence speaks of. */
const PLACE = /^([^\s:]{1,500}): (?=\S)/

/** What is not known stays as it is. */
export function leftOutInChinese(said: string): string {
  const [begin, beginning] = BEGINNINGS.find(([english]) => said.startsWith(english)) ?? ['', '']
  const rest = said.slice(begin.length)
  const place = PLACE.exec(rest)?.[1]
  const why = place === undefined ? rest : rest.slice(place.length + 2)
  const found = SENTENCES.find(([english]) => english.test(why))
  if (!found) return said
  return `${beginning}${place === undefined ? '' : `${place}：`}${why.replace(...found)}`
}
