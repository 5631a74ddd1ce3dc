import { describe } from 'vitest'
import { contentInput } from '../../../src/domain/content-input.ts'
import { NOTHING_LEFT, plan, task } from '../planned.ts'
import { responseOf, valueOf } from '../play.ts'
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
  describe('an image of a planned task', () => plannedPictureClaims(home))
}

function plannedPictureClaims(home: GetHome): void {
  claim(
    home,
    'is shown to its planner and to who answers, and a sub-task is told nothing of it',
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
      expect(shown).toEqual([true, false, true, true])
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
