import { describe, type ExpectStatic } from 'vitest'
import { contentText } from '../../../src/domain/content.ts'
import { type ContentInput, contentInput, type WrittenContent } from '../../../src/domain/content-input.ts'
import { newId } from '../../../src/lib/id.ts'
import { hearUntil } from '../sse.ts'
import { errorOf, type Play, responseOf, startPlay, valueOf } from '../play.ts'
import { smallPng } from '../small-image.ts'
import { WORDS } from '../words.ts'
import { attachmentClaims } from './attachments.ts'
import { claim, type GetHome } from './claim.ts'
import { exported, imported, sessionIn } from './documents.ts'

const words = WORDS.en
const config = { language: 'en' as const, llm: { protocol: 'xml' as const } }
const WRITTEN: WrittenContent = [
  { type: 'text', text: 'What does this chart show?\nIt is of May.' },
  { type: 'image', path: 'in/chart.png' },
  { type: 'file', path: 'in/data.csv', media_type: 'text/csv', name: 'May.csv' },
  { type: 'data', data: { month: 5, lighthouse: true } },
]
const IMAGE_LINE = '[image: chart.png, image/png, 70 B; path in the workspace: in/chart.png]'
const FILE_LINE = '[file: May.csv, text/csv, 18 B; path in the workspace: in/data.csv]'
const WAIT = { form: 'wait' } as const

const content = (): ContentInput => contentInput.parse(WRITTEN)
const stored = (expect: ExpectStatic) => [
  { type: 'text', text: 'What does this chart show?\nIt is of May.' },
  { type: 'image', path: 'in/chart.png', media_type: 'image/png', name: 'chart.png', size: 70 },
  {
    type: 'file',
    path: 'in/data.csv',
    media_type: 'text/csv',
    name: 'May.csv',
    size: 18,
    read: {
      text: expect.stringContaining('ferry'),
      mark: expect.stringMatching(/^[0-9a-f]{16}$/),
      length: expect.any(Number),
    },
  },
  { type: 'data', data: { month: 5, lighthouse: true } },
]

/** A session whose workspace has what the content names. */
async function prepared(play: Play, input: Parameters<Play['create']>[0] = {}): Promise<void> {
  await play.create(input)
  await valueOf(play.api.putFile('in/chart.png', smallPng(), { untrusted: false }))
  const table = new TextEncoder().encode('ship,count\nferry,5')
  await valueOf(play.api.putFile('in/data.csv', table, { untrusted: false }))
}

/** Messages whose content has parts. */
export function partClaims(home: GetHome): void {
  describe('a message of parts', () => storedPartClaims(home))
  describe('what a message brings along', () => attachmentClaims(home))
}

function storedPartClaims(home: GetHome): void {
  claim(
    home,
    'is kept as it is; the model reads it as text, and the title is its words',
    { config, script: [words.finish('Boats'), words.finish('Ships')] },
    async (play, expect) => {
      await prepared(play)
      responseOf(await play.api.addMessage({ content: content() }, WAIT))
      await play.send('And in June?')
      const { title, messages } = await play.session()
      expect(title).toBe('What does this chart show?')
      expect(messages[0]).toMatchObject({ role: 'user', kind: 'task', content: stored(expect) })
      for (const { body } of await play.asked()) {
        const told = body.messages.find(({ role }) => role === 'user')?.content
        expect(told).toMatch(/^What does this chart show\?\nIt is of May\.\n/)
        expect(told).toContain(`\n${IMAGE_LINE}\n${FILE_LINE}\n[attached file begins `)
        expect(told).toMatch(
          /\n\| ship .*\n[^]*ferry[^]*\n\[attached file ends [0-9a-f]{16}\]\n\{"month":5,"lighthouse":true\}$/,
        )
      }
      expect(contentText(messages[1]?.content ?? '', null)).toContain(IMAGE_LINE)
      expect(contentText(messages[1]?.content ?? '', null)).not.toContain('ferry')
      const told = await hearUntil(
        await valueOf(play.api.observe({ seq: 0, n: 0 })),
        ({ event }) => event === 'run-end',
      )
      const [said] = told.filter(({ event }) => event === 'message')
      expect(said?.data).toMatchObject({ message: { content: stored(expect) } })
    },
  )

  claim(
    home,
    'that comes while a run goes waits whole for its turn',
    { config, script: [{ hang: true }, words.finish('Boats')] },
    async (play, expect) => {
      await prepared(play)
      const first = play.api.addMessage({ content: words.task }, WAIT)
      await play.asked(1)
      await valueOf(play.api.addMessage({ content: content() }, { form: 'background', whenBusy: 'queue' }))
      await valueOf(play.api.cancel({}))
      await first
      await play.event('run-end', (await play.event('message-queued')).seq + 3)
      const tasks = (await play.messages()).filter(({ kind }) => kind === 'task')
      expect(tasks.map((task) => task.content)).toEqual([words.task, stored(expect)])
    },
  )

  claim(
    home,
    'decides what waits by its words, and not by what it brings along',
    {
      config,
      script: [
        words.visit('http://127.0.0.1:1/'),
        words.finish('No'),
        words.visit('http://127.0.0.1:1/'),
        words.finish('No'),
      ],
    },
    async (play, expect) => {
      await play.create()
      await play.send('Read it')
      const { tool } = await play.pending()
      const refused = contentInput.parse([{ type: 'text', text: words.refuse(tool ?? '', '') }])
      expect(responseOf(await play.api.addMessage({ content: refused }, WAIT))).toMatchObject({ status: 'completed' })
      expect(await play.kinds()).toContain('approval')
      await play.send('Read it')
      const approval = btoa(words.approvals[0]?.(tool ?? '') ?? '')
      const brought = contentInput.parse([{ type: 'file', data: approval, name: 'note.txt' }])
      expect(responseOf(await play.api.addMessage({ content: brought }, WAIT))).toMatchObject({ status: 'completed' })
      expect((await play.events()).filter(({ type }) => type === 'tool-start')).toHaveLength(2)
      const decided = (await play.events()).flatMap((event) => (event.type === 'pending-end' ? [event.decision] : []))
      expect(decided).toEqual(['reject', 'reject'])
    },
  )

  claim(
    home,
    'goes into an export and comes back, with what only a later release knows; a part that is wrong is refused',
    { config, script: [words.finish('Boats')] },
    async (play, expect) => {
      await prepared(play)
      responseOf(await play.api.addMessage({ content: content() }, WAIT))
      const document = await exported(play)
      const copy = imported(play, document)
      expect((await sessionIn(await copy.made)).messages[0]?.content).toEqual(stored(expect))
      expect((await valueOf(copy.api.file('in/chart.png'))).bytes).toEqual(smallPng())
      const later = { type: 'sound', path: 'in/x.ogg' }
      const history = (part: object) => ({
        session: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Listen' }, part] }] },
      })
      const heard = await sessionIn(await imported(play, history(later)).made)
      expect(heard).toMatchObject({ title: 'Listen', messages: [{ content: [{ type: 'text' }, later] }] })
      for (const wrong of [
        { type: 'image', path: '../x.png', media_type: 'image/png' },
        { type: 'image', path: 'x.png' },
        { type: 'text' },
      ])
        expect(await errorOf(imported(play, history(wrong)).made)).toMatchObject({ code: 'invalid_input' })
    },
  )

  claim(
    home,
    'is remembered by its text',
    { config, script: [words.finish('Boats'), words.finish('Ships')] },
    async (play, expect) => {
      const user = newId('usr', Date.now())
      const before = await startPlay(play.home, { config, script: [words.finish('Boats')] })
      await prepared(before, { user })
      responseOf(await before.api.addMessage({ content: content() }, WAIT))
      await play.create({ user })
      await play.send('And in June?')
      const prompt = (await play.messages()).find(({ kind }) => kind === 'prompt')
      expect(contentText(prompt?.content ?? '', null)).toContain(IMAGE_LINE)
    },
  )
}
