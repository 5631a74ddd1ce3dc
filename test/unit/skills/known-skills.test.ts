import { test } from 'vitest'
import { createEngine } from '../../../src/run/setup/create-engine.ts'
import type { SkillSources } from '../../../src/skills/registry.ts'

test('a skill that was put through one engine of a server is known to those of all settings', async ({ expect }) => {
  const kept = [{ name: 'first', description: '' }]
  const tenants: SkillSources['tenants'] = {
    summaries: async () => [...kept],
    workers: async () => [],
    find: async () => null,
    file: async () => null,
    files: async () => [],
  }
  const { engine, viewFor } = createEngine(
    {},
    {
      publicFetch: () => Promise.reject(new Error('nothing is fetched')),
      privateFetch: null,
      models: { secret: () => undefined, workersAi: false },
      workersAi: null,
      runtime: '',
      skills: { files: async () => ({}), tenants },
    },
  )
  const ofSettings = viewFor({ limits: { max_iterations: 3 } }, { limits: { max_iterations: 3 } }).engine
  const names = async () => {
    await ofSettings.skills.load('t')
    return ofSettings.skills.summaries('t', 'en').map(({ name }) => name)
  }
  expect(await names()).toEqual(['first'])
  kept.push({ name: 'second', description: '' })
  engine.skills.forget('t')
  expect(await names()).toEqual(['first', 'second'])
})
