import { describe, test } from 'vitest'
import type { ListedModel } from '../../../src/domain/model.ts'
import { call, json, type List, type Problem } from './http.ts'

interface Refusal extends Problem {
  error: { message: string; type: string; param: string | null; code: string | null }
}

/** Other tests make skills and workflows of their own at the same time. */
const SHIPPED_SKILLS = ['chat-assistant', 'code-review', 'data-chart', 'translate', 'web-research']
const SHIPPED_WORKFLOWS = [
  'extract-records',
  'issue-triage',
  'page-digest',
  'research-with-review',
  'translate-and-check',
]
const SHIPPED: Readonly<Record<string, readonly string[]>> = { skill: SHIPPED_SKILLS, workflow: SHIPPED_WORKFLOWS }

const refusal = async (answer: Promise<Response>, status: number) => json<Refusal>(answer, status)
const names = async (query = '') => (await json<List<ListedModel>>(call('GET', `/v1/models?limit=100${query}`))).data

describe('the names that clients give as a model', () => {
  test('are those of agents, models, teams and skills, in the shape of OpenAI', async ({ expect }) => {
    const all = await names()
    expect(all.map(({ id }) => id).slice(0, 3)).toEqual(['yaa', 'yaa/plan', 'yaa/route'])
    const ids = ['scripted', 'built-in', 'yaa/team/software', 'yaa/skill/translate']
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    for (const one of all)
      expect(one).toMatchObject({ object: 'model', created: expect.any(Number), owned_by: expect.any(String) })
    const kindOf = new Map(all.map(({ id, kind }) => [id, kind]))
    expect(['yaa', 'scripted', ...ids.slice(2)].map((id) => kindOf.get(id))).toEqual([
      'agent',
      'model',
      'team',
      'skill',
    ])
  })

  test('say what each is for but for models, in the language that is asked for', async ({ expect }) => {
    const saidIn = async (language: string) =>
      (await json<List<ListedModel>>(call('GET', '/v1/models?limit=100', { headers: { 'accept-language': language } })))
        .data
    const [english, chinese] = await Promise.all([saidIn('en'), saidIn('zh-CN')])
    const shipped = ({ id, kind }: ListedModel) =>
      kind !== 'model' && (SHIPPED[kind]?.includes(id.split('/').at(-1) ?? '') ?? true)
    expect(english.filter(shipped).length).toBeGreaterThan(SHIPPED_SKILLS.length)
    for (const { id, description } of english.filter(shipped))
      expect(description, id).toMatch(/^[A-Z][^\p{Script=Han}]+$/u)
    for (const { id, description } of chinese.filter(shipped)) expect(description, id).toMatch(/\p{Script=Han}/u)
  })

  test('come all at once for a client that knows no pages', async ({ expect }) => {
    for (let index = 0; index < 30; index++) {
      const skill = { name: `many-${index}`, version: '1.0.0', description: 'One of many', prompt: 'You help.' }
      await json(call('POST', '/v1/skills', { body: skill }), 201)
    }
    const all = await json<List<ListedModel>>(call('GET', '/v1/models'))
    expect(all.next_cursor).toBeNull()
    expect(all.data.filter(({ id }) => id.startsWith('yaa/skill/many-'))).toHaveLength(30)
    expect((await json<List<ListedModel>>(call('GET', '/v1/models?kind=skill'))).data).toHaveLength(20)
    for (let index = 0; index < 30; index++) await call('DELETE', `/v1/skills/many-${index}`)
  })

  test('are of one kind where a client asks for that', async ({ expect }) => {
    for (const kind of ['agent', 'model', 'team', 'skill'])
      expect(new Set((await names(`&kind=${kind}`)).map((one) => one.kind))).toEqual(new Set([kind]))
    const models = await names('&kind=model')
    expect(models.every(({ price, max_tokens: most }) => price !== undefined && most !== undefined)).toBe(true)
    await refusal(call('GET', '/v1/models?kind=robot'), 400)
  })

  test('hold the skills of the tenant', async ({ expect }) => {
    const skill = { name: 'named-here', version: '1.0.0', description: 'Has a name', prompt: 'You help.' }
    await json(call('POST', '/v1/skills', { body: skill }), 201)
    const found = await json<ListedModel>(call('GET', '/v1/models/yaa/skill/named-here'))
    expect(found).toMatchObject({ kind: 'skill', owned_by: 'tenant', description: 'Has a name' })
    expect(await json(call('GET', '/v1/models/yaa%2Fskill%2Fnamed-here'))).toEqual(found)
  })
})

describe('a refusal', () => {
  test('is a problem with what clients of OpenAI look for', async ({ expect }) => {
    const unknown = await refusal(call('GET', '/v1/models/gpt-99'), 404)
    expect(unknown).toMatchObject({
      code: 'not_found',
      status: 404,
      error: { code: 'model_not_found', param: 'model' },
    })
    expect(unknown.error.message).toMatch(/yaa\/plan.*scripted/)
    const wrong = await refusal(call('GET', '/v1/models', { headers: { authorization: 'Bearer wrong' } }), 401)
    expect(wrong).toMatchObject({ code: 'unauthorized', error: { type: 'authentication_error', code: 'unauthorized' } })
    const other = await refusal(call('DELETE', '/v1/models'), 405)
    expect(other.error.code).toBe('method_not_allowed')
  })
})
