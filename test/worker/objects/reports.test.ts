import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/domain/limits.ts'
import { DirectoryObject } from '../../../src/index.ts'
import type { SessionReport } from '../../../src/run/ports.ts'
import { env } from '../session/worker-home.ts'

type Directory = InstanceType<typeof DirectoryObject>

const reportOf = (id: string, title = id): SessionReport => ({
  summary: {
    id,
    object: 'session',
    title,
    start_time: '2026-01-01T00:00:00.000Z',
    updated_time: '2026-01-01T00:00:00.000Z',
    character: 'yaa',
    status: 'completed',
    finish_reason: 'completed',
    orchestrator: 'agent',
    skill: null,
    user: null,
    metadata: {},
    error: null,
    ended_by: null,
  },
  words: '',
  spent: { session: id, user: null, skill: null, rows: [] },
  acts: [],
})

async function withDirectory(work: (directory: Directory, tenant: string) => Promise<void>): Promise<void> {
  const tenant = `t-${crypto.randomUUID()}`
  await runInDurableObject(env.DIRECTORY.getByName(tenant), async (object) => {
    if (!(object instanceof DirectoryObject)) throw new Error('the directory of a tenant was expected')
    await work(object, tenant)
  })
}

const idsIn = (directory: Directory) => directory.list({ limit: 10 }).data.map(({ id }) => id)

test('a report is in the list at once, though it is written with others a moment later', () =>
  withDirectory(async (directory, tenant) => {
    const both = ['ses_1', 'ses_2'].map((id) => directory.put(tenant, reportOf(id)))
    expect(idsIn(directory)).toEqual(['ses_2', 'ses_1'])
    await Promise.all(both)
  }))

test('as many reports as are written together wait for no others', () =>
  withDirectory(async (directory, tenant) => {
    await directory.put(tenant, reportOf('ses_0'))
    const ids = Array.from({ length: LIMITS.store.reportsPerGroup }, (_, n) => `ses_a${n}`)
    let hasWaited = false
    const timer = setTimeout(() => (hasWaited = true), 0)
    await Promise.all(ids.map((id) => directory.put(tenant, reportOf(id))))
    clearTimeout(timer)
    expect(hasWaited).toBe(false)
  }))

test('a session that is deleted while its report waits stays deleted', () =>
  withDirectory(async (directory, tenant) => {
    await directory.put(tenant, reportOf('ses_0'))
    const reported = directory.put(tenant, reportOf('ses_1'))
    directory.remove(tenant, 'ses_1', { spent: reportOf('ses_1').spent, acts: [], createdTime: 0 })
    await reported
    expect(idsIn(directory)).toEqual(['ses_0'])
  }))

test('a report that cannot be written fails alone', () =>
  withDirectory(async (directory, tenant) => {
    await directory.put(tenant, reportOf('ses_0'))
    const tooLong = reportOf('ses_2', 'x'.repeat(3_000_000))
    const [one, other, third] = ['ses_1', 'ses_3']
      .map((id) => directory.put(tenant, reportOf(id)))
      .toSpliced(1, 0, directory.put(tenant, tooLong))
    await expect(other).rejects.toThrow()
    await Promise.all([one, third])
    expect(idsIn(directory)).toEqual(['ses_3', 'ses_1', 'ses_0'])
  }))
