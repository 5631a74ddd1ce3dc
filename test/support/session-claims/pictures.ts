import { describe } from 'vitest'
import { contentInput } from '../../../src/domain/content-input.ts'
import { NOTHING_LEFT, plan, task } from '../planned.ts'
import { type Play, responseOf, valueOf } from '../play.ts'
import { PNG_URL, smallPdf, smallPng } from '../small-image.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS.en
const seeing = { language: 'en' as const, llm: { protocol: 'native' as const, vision: true }, ...APPROVED }
const finish = native('finish', { reason: 'Seen' })
const PICTURE = { type: 'image_url', image_url: { url: PNG_URL } }
const image = (path: string) => ({ type: 'image', path, media_type: 'image/png', size: 70 })

/** Images that tools bring. */
export function pictureClaims(home: GetHome): void {
  describe('an image that a tool reads', () => toolPictureClaims(home))
  describe('an image that the service of the model refuses', () => refusedPictureClaims(home))
  describe('an image of a planned task', () => plannedPictureClaims(home))
  describe('an image that a team is given', () => teamPictureClaims(home))
}

function refusedPictureClaims(home: GetHome): void {
  const refusing = (status: number, message: string) => ({ status, body: { error: { message } } })
  const shown = async (play: Play) =>
    (await play.asked()).map(({ body }) => JSON.stringify(body.messages).includes(PNG_URL))
  const codes = async (play: Play) =>
    (await play.events()).flatMap((event) => (event.type === 'error' ? [event.code] : []))
  const look = contentInput.parse([
    { type: 'text', text: 'Which colour?' },
    { type: 'image', image_url: PNG_URL, name: 'dot.png' },
  ])

  claim(
    home,
    'is left out of that call and of all that follow, which is said once; the next image is shown',
    {
      config: seeing,
      script: [refusing(400, 'Bad request'), native('read_file', { path: 'a.txt' }), finish, finish, finish],
    },
    async (play, expect) => {
      await play.create()
      const answer = responseOf(await play.api.addMessage({ content: look }, { form: 'wait' }))
      expect(answer).toMatchObject({ status: 'completed', result: 'Seen' })
      expect(await shown(play)).toEqual([true, false, false])
      const [, again] = await play.asked()
      const line = '[image: dot.png, image/png, 70 B; path in the workspace: attachments/dot.png]'
      expect(again?.body.messages.at(-1)).toEqual({ role: 'user', content: `Which colour?\n${line}` })
      await play.send('Sure?')
      expect(await codes(play)).toEqual(['images_refused'])
      await play.api.addMessage({ content: look }, { form: 'wait' })
      expect(await shown(play)).toEqual([true, false, false, false, true])
    },
  )

  claim(
    home,
    'ends the run where it is not what was wrong, and a server that breaks at it is not asked thrice',
    {
      config: { ...seeing, llm: { ...seeing.llm, retry: { times: 2, delay_ms: 1 } } },
      script: [
        refusing(400, 'Bad request'),
        refusing(400, 'temperature: at most 1'),
        refusing(500, 'failed to load image or audio file'),
        finish,
      ],
    },
    async (play, expect) => {
      await play.create()
      const failed = responseOf(await play.api.addMessage({ content: look }, { form: 'wait' }))
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'model_rejected' } })
      await play.api.addMessage({ content: look }, { form: 'wait' })
      expect(await shown(play)).toEqual([true, false, true, false])
      expect(await codes(play)).toEqual(['model_rejected', 'images_refused'])
    },
  )
}

function plannedPictureClaims(home: GetHome): void {
  claim(
    home,
    'is shown to its planner, its sub-tasks and who answers',
    {
      config: { language: 'en', llm: { vision: true } },
      script: [plan('Name the colour'), task('Name the colour', 'Red'), NOTHING_LEFT, 'It is red'],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      const content = contentInput.parse([
        { type: 'text', text: 'Which colour?' },
        { type: 'image', image_url: PNG_URL },
      ])
      expect(responseOf(await play.api.addMessage({ content }, { form: 'wait' }))).toMatchObject({
        result: 'It is red',
      })
      const shown = (await play.asked()).map(({ body }) => JSON.stringify(body.messages).includes(PNG_URL))
      expect(shown).toEqual([true, true, true, true])
    },
  )

  claim(
    home,
    'is a line for a sub-task whose model does not see',
    {
      config: { language: 'en' },
      script: [plan('Name the colour'), task('Name the colour', 'Red'), NOTHING_LEFT, 'It is red'],
    },
    async (play, expect) => {
      await play.create({ orchestrator: 'plan' })
      const content = contentInput.parse([{ type: 'image', image_url: PNG_URL, name: 'dot.png' }])
      await valueOf(play.api.addMessage({ content }, { form: 'wait' }))
      const [, worker] = await play.asked()
      expect(worker?.body.messages.at(-1)).toEqual({
        role: 'user',
        content: 'Name the colour\n[image: dot.png, image/png, 70 B; path in the workspace: attachments/dot.png]',
      })
    },
  )
}

function teamPictureClaims(home: GetHome): void {
  claim(
    home,
    'is shown to the roles that hear the user, and not to those that hear the others',
    { config: { language: 'en', llm: { vision: true } }, script: ['A red dot', 'Red, then'] },
    async (play, expect) => {
      const role = (name: string, watch: string, action: string) => ({
        name,
        profile: name,
        watch: [watch],
        actions: [{ name: action, instruction: 'Say it.' }],
        react_mode: 'by_order' as const,
      })
      await play.create({
        team: { roles: [role('Ann', 'UserRequirement', 'Look'), role('Bob', 'Look', 'Judge')], n_round: 3 },
      })
      const content = contentInput.parse([
        { type: 'text', text: 'Which colour?' },
        { type: 'image', image_url: PNG_URL },
      ])
      expect(responseOf(await play.api.addMessage({ content }, { form: 'wait' }))).toMatchObject({
        result: 'Red, then',
      })
      const shown = (await play.asked()).map(({ body }) => JSON.stringify(body.messages).includes(PNG_URL))
      expect(shown).toEqual([true, false])
    },
  )
}

function toolPictureClaims(home: GetHome): void {
  claim(
    home,
    'from the workspace is shown to a model that sees, and is part of the result',
    { config: seeing, script: [native('read_file', { path: 'a.png' }), finish] },
    async (play, expect) => {
      await play.create()
      await valueOf(play.api.putFile('a.png', smallPng(), { untrusted: false }))
      await play.send('Look at it')
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'read_file')
      const text = '[read_file] content:\n\nThe image a.png (image/png, 70 B) is shown.'
      expect(result?.content).toEqual([{ type: 'text', text }, image('a.png')])
      const sent = (await play.asked())[1]?.body.messages ?? []
      expect(sent.slice(-2)).toEqual([
        {
          role: 'tool',
          tool_call_id: result?.tool_call_id,
          content: `${text}\n[image: a.png, image/png, 70 B; path in the workspace: a.png]`,
        },
        { role: 'user', content: [{ type: 'text', text: `[${result?.tool_call_id}]` }, PICTURE] },
      ])
    },
  )

  claim(
    home,
    'of a page is kept as a file and shown, in the text protocol as well, and what it says is not trusted',
    {
      config: { ...seeing, llm: { protocol: 'xml', vision: true } },
      script: (page) => [words.visit(page('picture')), words.finish('Seen')],
    },
    async (play, expect) => {
      await play.create()
      await play.send('Look at it')
      const result = (await play.messages()).find(({ tool_name: tool }) => tool === 'web_access')
      const path = `web/${result?.tool_call_id}.png`
      expect(result?.content).toMatchObject([
        { type: 'text', text: expect.stringContaining(path) },
        { ...image(path), untrusted: true },
      ])
      expect((await valueOf(play.api.file(path))).bytes).toEqual(smallPng())
      expect((await play.asked())[1]?.body.messages.at(-1)).toMatchObject({
        role: 'user',
        content: [{ type: 'text' }, PICTURE],
      })
      expect((await play.home.storedState(play.id))?.taint).toEqual(['web_access'])
    },
  )

  claim(
    home,
    'is told by type and size where the model does not see, and a document is read as text',
    {
      config: { ...seeing, llm: { protocol: 'native' } },
      script: (page) => [
        native('read_file', { path: 'a.png' }),
        native('web_access', { url: page('picture') }),
        native('read_file', { path: 'b.pdf' }),
        finish,
      ],
    },
    async (play, expect) => {
      await play.create()
      await valueOf(play.api.putFile('a.png', smallPng(), { untrusted: false }))
      await valueOf(play.api.putFile('b.pdf', smallPdf('A lighthouse in a document'), { untrusted: true }))
      await play.send('Look at them')
      const [file, page, document] = (await play.messages()).flatMap(({ role, content }) =>
        role === 'tool' ? [content] : [],
      )
      expect(file).toContain('a.png is not text (image/png, 70 B)')
      expect(page).toContain('[image/png, 70 B]')
      expect(document).toMatch(/b\.pdf: lines 1–3 of 3[^]*untrusted[^]*A lighthouse in a document/)
      expect((await valueOf(play.api.files({ limit: 10 }))).map(({ path }) => path)).toEqual(['a.png', 'b.pdf'])
    },
  )
}
