import { describe } from 'vitest'
import { contentText, type Content } from '../../../src/domain/content.ts'
import { newId } from '../../../src/lib/id.ts'
import { hearUntil } from '../sse.ts'
import { errorOf, responseOf, startPlay, valueOf } from '../play.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { exported, imported, sessionIn } from './documents.ts'

const words = WORDS.en
const config = { language: 'en' as const, llm: { protocol: 'xml' as const } }
const CONTENT: Content = [
  { type: 'text', text: 'What does this chart show?\nIt is of May.' },
  { type: 'image', path: 'in/chart.png', media_type: 'image/png' },
  { type: 'file', path: 'in/data.csv', media_type: 'text/csv', name: 'May.csv' },
  { type: 'data', data: { month: 5, lighthouse: true } },
]
const TEXT =
  'What does this chart show?\nIt is of May.\n[image: in/chart.png]\n[file: in/data.csv]\n{"month":5,"lighthouse":true}'
const WAIT = { form: 'wait' } as const

/** Messages whose content has parts. */
export function partClaims(home: GetHome): void {
  describe('a message of parts', () => {
    claim(
      home,
      'is kept as it is; the model reads it as text, and the title is its words',
      { config, script: [words.finish('Boats'), words.finish('Ships')] },
      async (play, expect) => {
        await play.create()
        responseOf(await play.api.addMessage({ content: CONTENT }, WAIT))
        await play.send('And in June?')
        const { title, messages } = await play.session()
        expect(title).toBe('What does this chart show?')
        expect(messages[0]).toMatchObject({ role: 'user', kind: 'task', content: CONTENT })
        const asked = await play.asked()
        for (const { body } of asked) expect(body.messages).toContainEqual({ role: 'user', content: TEXT })
        expect(contentText(messages[1]?.content ?? '', null)).toContain('[image: in/chart.png]')
        const told = await hearUntil(
          await valueOf(play.api.observe({ seq: 0, n: 0 })),
          ({ event }) => event === 'run-end',
        )
        const [said] = told.filter(({ event }) => event === 'message')
        expect(said?.data).toMatchObject({ message: { content: CONTENT } })
      },
    )

    claim(
      home,
      'that comes while a run goes waits whole for its turn',
      { config, script: [{ hang: true }, words.finish('Boats')] },
      async (play, expect) => {
        await play.create()
        const first = play.api.addMessage({ content: words.task }, WAIT)
        await play.asked(1)
        await valueOf(play.api.addMessage({ content: CONTENT }, { form: 'background', whenBusy: 'queue' }))
        await valueOf(play.api.cancel({}))
        await first
        await play.event('run-end', (await play.event('message-queued')).seq + 3)
        const tasks = (await play.messages()).filter(({ kind }) => kind === 'task')
        expect(tasks.map(({ content }) => content)).toEqual([words.task, CONTENT])
      },
    )

    claim(
      home,
      'decides what waits by its words',
      { config, script: [words.visit('http://127.0.0.1:1/'), words.finish('No')] },
      async (play, expect) => {
        await play.create()
        await play.send('Read it')
        const { tool } = await play.pending()
        const content: Content = [{ type: 'text', text: words.refuse(tool ?? '', '') }]
        expect(responseOf(await play.api.addMessage({ content }, WAIT))).toMatchObject({ status: 'completed' })
        expect(await play.kinds()).toContain('approval')
      },
    )

    claim(
      home,
      'goes into an export and comes back, with what only a later release knows; a part that is wrong is refused',
      { config, script: [words.finish('Boats')] },
      async (play, expect) => {
        await play.create()
        responseOf(await play.api.addMessage({ content: CONTENT }, WAIT))
        const document = await exported(play)
        const copy = imported(play, document)
        expect((await sessionIn(await copy.made)).messages[0]?.content).toEqual(CONTENT)
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
        await before.create({ user })
        responseOf(await before.api.addMessage({ content: CONTENT }, WAIT))
        await play.create({ user })
        await play.send('And in June?')
        const prompt = (await play.messages()).find(({ kind }) => kind === 'prompt')
        expect(contentText(prompt?.content ?? '', null)).toContain('[image: in/chart.png]')
      },
    )
  })
}
