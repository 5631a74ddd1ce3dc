import { describe } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { WORDS } from '../words.ts'
import { claim, type GetHome } from './claim.ts'

const words = WORDS['zh-CN']
const xml = { llm: { protocol: 'xml' as const } }

/** A config that changes on the way: what the log tells of it, and what becomes of its secret. */
export function changeClaims(home: GetHome): void {
  describe('a change of the config is told in the log before what it changes', () => toldClaims(home))
  describe('a change', () => boundClaims(home))
  describe('the key of a session', () => secretClaims(home))
}

function toldClaims(home: GetHome): void {
  claim(
    home,
    'by a message, and not when nothing changes',
    { config: xml, script: [words.finish('一'), words.finish('二'), words.finish('三')] },
    async (play, expect) => {
      await play.create()
      await play.send('甲', { instructions: '说得短些' })
      await play.send('乙', { instructions: '说得短些' })
      await play.send('丙')
      expect(await updates(play)).toMatchObject([{ seq: 1, fields: ['config'] }])
      expect((await play.session()).config).toMatchObject({ instructions: '说得短些' })
    },
  )

  claim(
    home,
    'by continue',
    { config: { ...xml, limits: { max_iterations: 1 } }, script: [words.rethink('…'), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      const { run_id: run } = await play.send(words.task)
      expect(await play.carryOn({ limits: { max_iterations: 5 } })).toMatchObject({ status: 'completed' })
      const [update] = await updates(play)
      expect(update).toMatchObject({ fields: ['config'], run_id: run })
      expect(await play.event('run-resume')).toMatchObject({ seq: (update?.seq ?? 0) + 1 })
    },
  )

  claim(
    home,
    'by a decision that is remembered',
    { config: xml, script: (page) => [words.visit(page('article')), words.finish('好')] },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      await play.decide({ decision: 'approve', remember: 'session' })
      const [update] = await updates(play)
      expect(update).toMatchObject({ fields: ['config'] })
      expect(await play.event('pending-end')).toMatchObject({ seq: (update?.seq ?? 0) + 1 })
    },
  )

  claim(
    home,
    'by a decision that is remembered, over what the session said of the tool under another name',
    {
      config: { ...xml, tools: { 网页访问: { permission: 'ask', output: { chars_max: 5_000 } } } },
      script: (page) => [words.visit(page('article')), words.visit(page('other')), words.finish('好')],
    },
    async (play, expect) => {
      await play.create()
      await play.send(words.task)
      expect(await play.decide({ decision: 'approve', remember: 'session' })).toMatchObject({ status: 'completed' })
      expect((await play.session()).config.tools?.['web_access']).toEqual({
        auto_approve: true,
        output: { chars_max: 5_000 },
      })
    },
  )

  claim(
    home,
    'by a queued message, when its run begins',
    { config: xml, script: [{ content: words.finish('一'), hold_after: 0 }, words.finish('二')] },
    async (play, expect) => {
      await play.create()
      const first = play.send('甲')
      await play.asked(1)
      const input = { content: '乙', config: { instructions: '说得短些' } }
      const queued = play.api.addMessage(input, { form: 'wait', whenBusy: 'queue' })
      await play.event('message-queued')
      await play.model.release()
      const second = responseOf(await queued)
      const begun = (await play.events()).find(({ type, run_id: run }) => type === 'run-start' && run === second.run_id)
      const told = await updates(play)
      expect(told).toMatchObject([{ fields: ['config'] }])
      expect(begun?.seq).toBe((told[0]?.seq ?? 0) + 1)
      expect((await first).status).toBe('completed')
    },
  )

  claim(home, 'by nothing that was refused', { config: xml, script: [] }, async (play, expect) => {
    await play.create()
    const wait = { form: 'wait' } as const
    await errorOf(play.api.addMessage({ content: '甲', config: { model: 'nobody' } }, wait))
    await errorOf(play.api.continue({ config: { language: 'en' } }, wait))
    expect(await play.session()).toMatchObject({ last_seq: 0 })
    expect((await play.session()).config).not.toHaveProperty('language')
  })
}

function boundClaims(home: GetHome): void {
  claim(
    home,
    'metadata stay as few as at creation, however they came together',
    { config: xml },
    async (play, expect) => {
      const { metadataKeysMax: max } = LIMITS.text
      const keys = (from: number) =>
        Object.fromEntries(Array.from({ length: max }, (_, index) => [`k${from + index}`, 1]))
      await play.create({ metadata: keys(0) })
      expect(await errorOf(play.api.patch({ metadata: keys(1) }, null))).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: 'metadata' }],
      })
      await valueOf(play.api.patch({ metadata: { ...keys(1), k0: null } }, null))
      expect((await play.session()).metadata).toEqual(keys(1))
    },
  )
}

function secretClaims(home: GetHome): void {
  const llm = { protocol: 'xml', api_key: 'sk-very-secret' } as const

  claim(
    home,
    'does not go along to another address',
    { config: { llm: { ...llm, api_url: 'https://one.example/v1' } } },
    async (play, expect) => {
      await play.create()
      const keyAfter = async (patch: Record<string, unknown>) => {
        await valueOf(play.api.patch({ config: { llm: patch } }, null))
        return (await play.session()).config.llm?.api_key
      }
      expect(await keyAfter({ temperature: 0.1 })).toBe('***')
      expect(await keyAfter({ api_url: 'https://one.example/v2', api_key: '***' })).toBe('***')
      expect(await keyAfter({ api_url: 'https://two.example/v1' })).toBeUndefined()
      expect(await keyAfter({ api_key: 'sk-another' })).toBe('***')
      expect(await keyAfter({ api_url: 'https://three.example/v1', api_key: '***' })).toBeUndefined()
      expect(await keyAfter({ api_url: 'https://four.example/v1', api_key: 'sk-third' })).toBe('***')
      expect(await keyAfter({ api_url: null })).toBeUndefined()
    },
  )
}

async function updates(play: Play): Promise<Extract<SessionEvent, { type: 'session-update' }>[]> {
  return (await play.events()).flatMap((event) => (event.type === 'session-update' ? [event] : []))
}
