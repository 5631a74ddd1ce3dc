import { describe, test } from 'vitest'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { SessionRecord } from '../../../src/domain/session.ts'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import { configured } from '../../../src/session/commands/configure.ts'

const at = (api_url: string, model: string) => ({ api_url, model })
const { engine } = createEngine(
  {
    models: {
      large: at('https://one.example/v1', 'large'),
      small: at('https://one.example/v1', 'small'),
      other: at('https://two.example/v1', 'other'),
    },
    default_model: 'large',
  },
  {
    publicFetch: () => Promise.reject(new Error('no network')),
    privateFetch: null,
    models: { secret: () => undefined, workersAi: false },
    workersAi: null,
    runtime: 'Node.js',
  },
)

function changed(from: SessionConfig, patch: SessionConfig): SessionConfig['llm'] {
  return configOf(from, patch)?.llm
}

function configOf(from: SessionConfig, patch: Parameters<typeof configured>[2]): SessionConfig | undefined {
  const record: SessionRecord = {
    id: 'ses_1',
    tenant: 'default',
    title: '',
    character: null,
    orchestrator: 'agent',
    skill: null,
    user: null,
    metadata: {},
    config: from,
    createdTime: 0,
  }
  const made = configured(engine, record, patch)
  return made.ok ? made.value.config : undefined
}

describe('a key that a session brought for a model', () => {
  const llm = { api_key: 'for-one' }

  test('stays with another model of the same service', ({ expect }) => {
    expect(changed({ llm }, { model: 'small' })).toEqual(llm)
    expect(changed({ model: 'large', llm }, { llm: { temperature: 0 } })).toEqual({ ...llm, temperature: 0 })
  })

  test('is not for a model of another service', ({ expect }) => {
    expect(changed({ llm }, { model: 'other' })).toEqual({})
    expect(changed({ model: 'small', llm }, { model: 'other', llm: { api_key: 'for-two' } })).toEqual({
      api_key: 'for-two',
    })
  })

  test('is for no address that the session names, nor are its headers', ({ expect }) => {
    const own = { api_url: 'https://three.example/v1' }
    expect(changed({ llm }, { llm: own })).toEqual(own)
    const known = { ...own, ...llm, extra_headers: { 'x-key': 'secret' } }
    expect(changed({ llm: known }, { llm: at('https://four.example/v1', 'm') })).toEqual(
      at('https://four.example/v1', 'm'),
    )
    const back = { api_url: 'https://four.example/v1', api_key: '***', extra_headers: { 'x-key': '***' } }
    expect(changed({ llm: known }, { llm: back })).toEqual({ api_url: back.api_url, extra_headers: {} })
  })
})

describe('what was said of a tool', () => {
  const allowed: SessionConfig = { tools: { web_access: { auto_approve: true, permission: 'allow' } } }
  const tools = (from: SessionConfig, patch: Parameters<typeof configured>[2]) => configOf(from, patch)?.tools

  test('is taken back under any name of it', ({ expect }) => {
    expect(tools(allowed, { tools: { 网页访问: { permission: 'deny' } } })).toEqual({
      网页访问: { auto_approve: true, permission: 'deny' },
    })
    const inChinese = { tools: { 网页访问: { permission: 'allow' }, 'srv__*': { enabled: true } } } as const
    expect(tools(inChinese, { tools: { web_access: { auto_approve: false } } })).toEqual({
      'srv__*': { enabled: true },
      web_access: { permission: 'allow', auto_approve: false },
    })
    expect(tools(allowed, { tools: { 网页访问: null } })).toEqual({})
  })

  test('stays under its name where a change says nothing of the tool', ({ expect }) => {
    expect(tools(allowed, { tools: { http_request: { enabled: false } }, timezone: 'UTC' })).toEqual({
      ...allowed.tools,
      http_request: { enabled: false },
    })
  })
})
