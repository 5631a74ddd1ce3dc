import type { Random } from '../../chaos/random.ts'
import type { Topic } from './topic.ts'
import { FILLERS_EN, TOPICS_EN } from './topics-en.ts'
import { FILLERS_ZH, TOPICS_ZH } from './topics-zh.ts'

/** A long text, a question of a user about it, and the passage that answers it, which stands in it once. */
export interface Document {
  name: string
  language: 'zh-CN' | 'en'
  text: string
  question: string
  answer: string
}

const PLACES = {
  en: ['Varnholt', 'Eskerby', 'Port Aldane', 'Tollmouth', 'Skarvik', 'Brannoch', 'Quill Haven', 'Morrow Sound'],
  'zh-CN': ['临溪', '白沙湾', '石门渡', '青浦岙', '望潮', '松口', '鹿角港', '云台'],
} as const
const SHAPES = ['headings', 'paragraphs', 'list'] as const
const FILLERS = { min: 6, max: 14 }
const SECTIONS_A_TOPIC = 2
const ASKED = {
  en: (question: string) => `Read https://example.com/town and answer: ${question}`,
  'zh-CN': (question: string) => `请访问 https://example.com/town ，根据网页内容回答：${question}`,
}

/** Word forms of an English question changed: one for many and many for one. */
export function otherForms(document: Document): Document {
  const change = (word: string) => (word.endsWith('s') ? word.slice(0, -1) : `${word}s`)
  return { ...document, question: document.question.replace(/\b[a-z]{4,}\b/g, change) }
}

/** A document a topic and shape, for each language, whose answers stand anywhere. */
export function makeDocuments(wording: 'answer' | 'reworded', random: Random): Document[] {
  return (['en', 'zh-CN'] as const).flatMap((language) => {
    const topics = language === 'en' ? TOPICS_EN : TOPICS_ZH
    return SHAPES.flatMap((shape) =>
      topics.map((topic, index) => makeDocument({ language, topic, topics, shape, index, wording }, random)),
    )
  })
}

interface Plan {
  language: Document['language']
  topic: Topic
  topics: readonly Topic[]
  shape: (typeof SHAPES)[number]
  index: number
  wording: 'answer' | 'reworded'
}

/** Sections on every topic, twice; each but the asked one may hold the answer to its own question. */
function makeDocument({ language, topic, topics, shape, index, wording }: Plan, random: Random): Document {
  const place = PLACES[language][index % PLACES[language].length] ?? ''
  const placed = (text: string) => text.replaceAll('{x}', place)
  const answer = placed(topic[wording]).replaceAll('{n}', String(random.int(11, 998)))
  const sections = shuffled(Array.from({ length: SECTIONS_A_TOPIC }, () => topics).flat(), random)
  const answered = new Set<Topic>()
  const texts = sections.map((other) => {
    const isFirst = !answered.has(other)
    answered.add(other)
    const own = other === topic ? answer : placed(other[wording]).replaceAll('{n}', String(random.int(11, 998)))
    return sectionText(
      placed(other.heading),
      sentences(other, isFirst ? own : null, language, random).map(placed),
      shape,
    )
  })
  const title = shape === 'headings' ? `# ${place}\n\n` : `${place}\n\n`
  const name = `${language} ${shape} ${topic.heading}`
  return { name, language, text: title + texts.join('\n\n'), question: ASKED[language](placed(topic.question)), answer }
}

function sentences(topic: Topic, answer: string | null, language: Document['language'], random: Random): string[] {
  const fillers = language === 'en' ? FILLERS_EN : FILLERS_ZH
  const count = random.int(FILLERS.min, FILLERS.max)
  const others = Array.from({ length: count }, () => random.pick(fillers))
  const all = shuffled([...topic.asides, ...others], random)
  if (answer !== null) all.splice(random.int(0, all.length), 0, answer)
  return all
}

function sectionText(heading: string, said: readonly string[], shape: Plan['shape']): string {
  if (shape === 'list') return said.map((sentence) => `- ${sentence}`).join('\n')
  const paragraphs = Array.from({ length: Math.ceil(said.length / 4) }, (_, at) =>
    said.slice(at * 4, at * 4 + 4).join(' '),
  )
  return (shape === 'headings' ? [`## ${heading}`, ...paragraphs] : paragraphs).join('\n\n')
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const ranked = list.map((item) => ({ item, rank: random.next() }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item)
}
