import { newState } from '../../../src/domain/state.ts'
import { changeProblem, type FileChange, type Files } from '../../../src/domain/file.ts'
import { LIMITS } from '../../../src/domain/limits.ts'
import { sha256Hex } from '../../../src/lib/hash.ts'
import { reduce } from '../../../src/orchestrators/all.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { changeFile, FILES_SCHEMA, sqliteFiles } from '../../../src/store/files.ts'
import { memoryFiles } from '../../../src/store/memory-files.ts'
import { sqliteLog } from '../../../src/store/session-log.ts'
import { nodeDatabase } from '../../support/node-database.ts'
import { describe, type ExpectStatic, test } from 'vitest'

interface Home {
  files: Files
  readonly change: (change: FileChange, place: { time: number; seq: number }) => void
}

const HOMES: Record<string, () => Home> = {
  memory: () => {
    const files = memoryFiles()
    return { files, change: (...args) => files.change(...args) }
  },
  sqlite: () => {
    const db = nodeDatabase()
    migrate(db, FILES_SCHEMA)
    return { files: sqliteFiles(db, () => true), change: (...args) => changeFile(db, ...args) }
  },
}

const write = async (path: string, content: string | Uint8Array, base: string | null = null): Promise<FileChange> => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { action: 'write', path, bytes, sha256: await sha256Hex(bytes), untrusted: false, base }
}

describe.each(Object.entries(HOMES))('files in %s', (_name, make) => {
  const claim = (name: string, body: (home: Home, expect: ExpectStatic) => Promise<void>) =>
    test(name, ({ expect }) => body(make(), expect))

  claim('are empty at first', async ({ files }, expect) => {
    expect([files.list({ limit: 10 }), files.stat('a'), files.read('a'), files.total()]).toEqual([
      [],
      null,
      null,
      { files: 0, bytes: 0 },
    ])
  })

  claim('give back what was written, and tell of it', async ({ files, change }, expect) => {
    const bytes = Uint8Array.from({ length: 2_500_000 }, (_, index) => index % 251)
    change(await write('data.bin', bytes), { time: 5, seq: 3 })
    change(await write('空.md', ''), { time: 6, seq: 4 })
    expect(Buffer.from(files.read('data.bin') ?? []).equals(Buffer.from(bytes))).toBe(true)
    expect(files.read('空.md')).toEqual(new Uint8Array())
    expect(files.stat('data.bin')).toEqual({
      path: 'data.bin',
      size: 2_500_000,
      contentType: 'application/octet-stream',
      sha256: await sha256Hex(bytes),
      createdTime: 5,
      updatedTime: 5,
      createdSeq: 3,
      untrusted: false,
    })
    expect(files.stat('空.md')).toMatchObject({ size: 0, contentType: 'text/markdown; charset=utf-8' })
    expect(files.total()).toEqual({ files: 2, bytes: 2_500_000 })
  })

  claim('that are written again keep their beginning; those that are deleted leave nothing', async (home, expect) => {
    const { files, change } = home
    change(await write('a.txt', 'x'.repeat(3_000_000)), { time: 1, seq: 1 })
    change({ ...(await write('a.txt', 'short')), untrusted: true } as FileChange, { time: 2, seq: 2 })
    expect(new TextDecoder().decode(files.read('a.txt') ?? new Uint8Array())).toBe('short')
    expect(files.stat('a.txt')).toMatchObject({
      size: 5,
      createdTime: 1,
      updatedTime: 2,
      createdSeq: 1,
      untrusted: true,
    })
    change({ action: 'delete', path: 'a.txt', base: null }, { time: 3, seq: 3 })
    expect([files.stat('a.txt'), files.read('a.txt'), files.total().files]).toEqual([null, null, 0])
    change(await write('a.txt', 'new'), { time: 4, seq: 4 })
    expect(files.stat('a.txt')).toMatchObject({ createdTime: 4, createdSeq: 4 })
  })

  claim('are listed in the order of their bytes, page by page and by folder', async ({ files, change }, expect) => {
    const paths = ['b', 'a/2', 'a/1', 'a', 'a-x', 'a0', 'ab/1', '中/文', '😀', '\uffdc', 'Z']
    for (const path of paths) change(await write(path, path), { time: 0, seq: 0 })
    const sorted = paths.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    expect(files.list({ limit: 100 }).map(({ path }) => path)).toEqual(sorted)
    const paged: string[] = []
    for (
      let page = files.list({ limit: 3 });
      page.length > 0;
      page = files.list({ limit: 3, after: paged.at(-1) ?? '' })
    )
      paged.push(...page.map(({ path }) => path))
    expect(paged).toEqual(sorted)
    expect(files.list({ limit: 100, folder: 'a' }).map(({ path }) => path)).toEqual(['a/1', 'a/2'])
    expect(files.list({ limit: 100, folder: 'a', after: 'a/1' }).map(({ path }) => path)).toEqual(['a/2'])
    expect(files.list({ limit: 1, folder: '中' }).map(({ path }) => path)).toEqual(['中/文'])
    expect(files.list({ limit: 1, folder: 'a%' })).toEqual([])
  })

  claim('take no change that is stale, too large, or in the way of another', async ({ files, change }, expect) => {
    const first = await write('a/b.txt', 'x')
    change(first, { time: 0, seq: 0 })
    const { fileBytesMax } = LIMITS.files
    const problems = [
      await write('a/b.txt', 'y'),
      await write('a/b.txt', 'y', ((await write('', 'x')) as { sha256: string }).sha256),
      await write('new', 'y', 'abc'),
      { action: 'delete', path: 'none', base: null } as const,
      { action: 'delete', path: 'a/b.txt', base: null } as const,
      await write('a', 'a folder'),
      await write('a/b.txt/c', 'in a file'),
      await write('big', new Uint8Array(fileBytesMax)),
      await write('big', new Uint8Array(fileBytesMax + 1)),
    ].map((one) => changeProblem(files, one))
    expect(problems).toEqual([
      'stale',
      null,
      'stale',
      'missing',
      'stale',
      'is_folder',
      'in_file',
      null,
      'file_too_large',
    ])
  })

  claim('know of changes that are made just before', async ({ files }, expect) => {
    const before = [await write('a/b.txt', 'x')]
    const problems = [await write('a', 'x'), await write('a/b.txt/c', 'x'), await write('a/c.txt', 'x')]
    expect(problems.map((one) => changeProblem(files, one, before))).toEqual(['is_folder', 'in_file', null])
  })

  claim('are bounded in number and in bytes together', async ({ files, change }, expect) => {
    const { filesMax, sessionBytesMax, fileBytesMax } = LIMITS.files
    for (let index = 0; index < filesMax; index++) change(await write(`f${index}`, 'x'), { time: 0, seq: 0 })
    expect(files.total()).toEqual({ files: filesMax, bytes: filesMax })
    expect(changeProblem(files, await write('one-more', ''))).toBe('too_many_files')
    const known = ((await write('', 'x')) as { sha256: string }).sha256
    const full = new Uint8Array(fileBytesMax)
    for (let index = 0; (index + 1) * fileBytesMax < sessionBytesMax; index++)
      change(await write(`f${index}`, full, known), { time: 0, seq: 0 })
    expect(changeProblem(files, await write('f500', full, known))).toBe('session_full')
    expect(changeProblem(files, await write('f500', 'yy', known))).toBeNull()
    const left = await write('f499', new Uint8Array(fileBytesMax - 2), known)
    expect(changeProblem(files, await write('f500', 'yyyy', known), [left])).toBe('session_full')
  })
})

describe('a change of the workspace', () => {
  test('is made with its events or not at all', async ({ expect }) => {
    const log = sqliteLog(nodeDatabase(), reduce)
    const event = (seq: number) => ({
      type: 'error' as const,
      code: 'x',
      detail: '',
      seq,
      run_id: null,
      time: '2026-01-01T00:00:00Z',
      scope: null,
    })
    const state = (lastSeq: number) => ({ ...newState(0), lastSeq })
    expect([log.files.list({ limit: 1 }), log.files.stat('a'), log.files.total().files]).toEqual([[], null, 0])
    const record = {
      id: 'ses_1',
      tenant: 'default',
      title: '',
      character: null,
      orchestrator: 'agent',
      skill: null,
      user: null,
      metadata: {},
      config: {},
      createdTime: 0,
    } as const
    log.append({ events: [event(1)], state: state(1), record: { ...record }, files: [await write('a', 'one')] })
    expect(log.files.stat('a')).toMatchObject({ size: 3, createdSeq: 1 })
    const taken = { events: [event(1)], state: state(2), files: [await write('b', 'two'), await write('a', 'three')] }
    expect(() => log.append(taken)).toThrow()
    expect(log.files.list({ limit: 9 }).map(({ path, size }) => [path, size])).toEqual([['a', 3]])
  })
})
