import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { importInput } from '../../../src/domain/import-input.ts'
import { ORCHESTRATOR_NAMES } from '../../../src/domain/run.ts'
import { newState } from '../../../src/domain/state.ts'
import { NotLoaded } from '../../../src/engine/orchestrator-of.ts'
import { agent } from '../../../src/orchestrators/agent/index.ts'
import { MODULES, reduce, WHOLE } from '../../../src/orchestrators/all.ts'
import { createGrowingRegistry, LATER_EVENTS } from '../../../src/orchestrators/growing.ts'

const FOLDER = 'test/contract/replay'
const LOGS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file): [string, SessionEvent[]] => {
    const { events = [] } = importInput.parse(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')))
    return [file, events]
  })
const isLaters = (event: SessionEvent) => event.type === 'run-start' && event.orchestrator !== 'agent'
const OTHERS = LOGS.filter(([, events]) => events.some(isLaters))
const AGENTS = LOGS.filter(([, events]) => !events.some(isLaters))

const growing = (load = async () => WHOLE) => createGrowingRegistry([agent], load)

describe('a registry of which only the agent is loaded', () => {
  test.for(AGENTS)('reduces the log of an agent as the whole does: %s', ([, events], { expect }) => {
    const state = newState(0)
    expect(events.length).toBeGreaterThan(0)
    expect(growing().reduce(state, events)).toEqual(reduce(state, events))
  })

  test.for(OTHERS)('takes no event of a run of another, wherever it goes on: %s', ([, events], { expect }) => {
    const { reduce: reduceFirst } = growing()
    const begin = events.findIndex(isLaters)
    let state = reduce(newState(0), events.slice(0, begin))
    for (const event of events.slice(begin)) {
      expect(() => reduceFirst(state, [event])).toThrow(NotLoaded)
      state = reduce(state, [event])
    }
  })

  test.for([...LATER_EVENTS])('takes no %s, whatever run it says it is of', (type, { expect }) => {
    const event = LOGS.flatMap(([, events]) => events).find((one) => one.type === type)
    const run = AGENTS[0]?.[1] ?? []
    if (!event) throw new Error(`no recorded log has a ${type}`)
    expect(() => growing().reduce(reduce(newState(0), run), [event])).toThrow(NotLoaded)
  })

  test('knows which are to come', ({ expect }) => {
    const { find, isLater } = growing()
    expect(MODULES.flatMap(({ name, isBeside }) => (isBeside ? [] : [name]))).toEqual(ORCHESTRATOR_NAMES)
    expect(ORCHESTRATOR_NAMES.filter(isLater)).toEqual(ORCHESTRATOR_NAMES.filter((name) => !find(name)))
    expect(isLater('nobody')).toBe(false)
  })
})

describe('the others', () => {
  test('are loaded once, also for two who ask at the same time', async ({ expect }) => {
    let loads = 0
    const registry = growing(async () => {
      loads++
      return WHOLE
    })
    await Promise.all([registry.load(), registry.load()])
    expect(registry.load()).toBeNull()
    expect(loads).toBe(1)
    expect(registry.all).toEqual(MODULES)
    expect(ORCHESTRATOR_NAMES.filter(registry.isLater)).toEqual([])
    for (const [, events] of OTHERS) expect(registry.reduce(newState(0), events)).toEqual(reduce(newState(0), events))
  })

  test('are asked for again where they could not be had', async ({ expect }) => {
    let loads = 0
    const registry = growing(async () => {
      if (loads++ === 0) throw new Error('gone')
      return WHOLE
    })
    await expect(registry.load()).rejects.toThrow('gone')
    expect(registry.isLater('plan')).toBe(true)
    await registry.load()
    expect(registry.find('plan')?.name).toBe('plan')
  })
})
