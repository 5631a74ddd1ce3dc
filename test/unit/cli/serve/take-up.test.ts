import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, test } from 'vitest'
import { openSessions, takeUpSessions } from '../../../../src/cli/serve/take-up.ts'
import { TAKE_UP } from '../../../../src/domain/take-up.ts'
import { onLoopback } from '../../../support/on-loopback.ts'

const root = mkdtempSync(join(tmpdir(), 'yaa-take-up-'))
let folder = ''
let folders = 0

beforeEach(() => {
  folder = join(root, String(folders++))
  mkdirSync(join(folder, 'yaa-Session'), { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Of a server that does not end. */
const LIVES = new AbortController().signal

const idOf = (number: number) => number.toString(16).padStart(64, '0')
const noted = () => join(folder, 'open-sessions')

/** Files of databases of sessions, changed so many seconds before the folder was. */
function keeps(files: Readonly<Record<string, number>>): void {
  const sessions = join(folder, 'yaa-Session')
  for (const [name, age] of Object.entries(files)) {
    writeFileSync(join(sessions, name), '')
    utimesSync(join(sessions, name), 1_000_000 - age, 1_000_000 - age)
  }
  utimesSync(sessions, 1_000_000, 1_000_000)
}

/** Sessions were last taken up so many seconds ago. */
function takenUpBefore(seconds: number): void {
  const file = join(folder, 'taken-up')
  writeFileSync(file, '')
  utimesSync(file, Date.now() / 1_000 - seconds, Date.now() / 1_000 - seconds)
}

/** A server that answers with this status; and what it was asked. */
async function answering(status: number) {
  const bodies: { objects: string[] }[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      bodies.push(JSON.parse(Buffer.concat(parts).toString()) as { objects: string[] })
      response.writeHead(status).end()
    })
  })
  return { ...(await onLoopback(server)), bodies }
}

describe('sessions that were open', () => {
  test('are those whose second file is there, and those that were written to just before the last change', ({
    expect,
  }) => {
    keeps({
      [`${idOf(1)}.sqlite`]: 3_600,
      [`${idOf(1)}.sqlite-wal`]: 3_600,
      [`${idOf(2)}.sqlite`]: 1,
      [`${idOf(3)}.sqlite`]: 60,
      'metadata.sqlite': 0,
      'metadata.sqlite-wal': 0,
    })
    expect(openSessions(folder).toSorted()).toEqual([idOf(1), idOf(2)])
  })

  test('stay noted until a server has taken them up', async ({ expect }) => {
    keeps({ [`${idOf(1)}.sqlite-wal`]: 0 })
    const open = openSessions(folder)
    rmSync(join(folder, 'yaa-Session', `${idOf(1)}.sqlite-wal`))
    expect(openSessions(folder)).toEqual(open)
    const failing = await answering(500)
    await expect(takeUpSessions(failing.url, 'proof', folder, open, LIVES)).rejects.toThrow('500')
    await failing.close()
    expect(readFileSync(noted(), 'utf8').trim()).toBe(idOf(1))
    takenUpBefore(61)
    const server = await answering(204)
    await takeUpSessions(server.url, 'proof', folder, open, LIVES)
    await server.close()
    expect([server.bodies, existsSync(noted())]).toEqual([[{ objects: open }], false])
  })

  test('are spared by a server that ends again within seconds, and taken up by one that lives', async ({ expect }) => {
    const server = await answering(204)
    takenUpBefore(50)
    const spared = takeUpSessions(server.url, 'proof', folder, [idOf(1)], LIVES)
    takenUpBefore(70)
    await takeUpSessions(server.url, 'proof', folder, [idOf(2)], LIVES)
    expect(server.bodies).toEqual([{ objects: [idOf(2)] }])
    await spared
    expect(server.bodies[1]).toEqual({ objects: [idOf(1)] })
    await server.close()
  })

  test('are left to the next server where this one ends before it is asked', async ({ expect }) => {
    const server = await answering(404)
    keeps({ [`${idOf(1)}.sqlite-wal`]: 0 })
    const open = openSessions(folder)
    takenUpBefore(1)
    const ended = new AbortController()
    const spared = takeUpSessions(server.url, 'proof', folder, open, ended.signal)
    ended.abort()
    await expect(spared).rejects.toThrow('aborted')
    await server.close()
    expect([server.bodies, readFileSync(noted(), 'utf8').trim()]).toEqual([[], idOf(1)])
  })

  test('are none in a new folder, and nothing but ids of what was noted', ({ expect }) => {
    expect(openSessions(join(folder, 'none'))).toEqual([])
    expect(existsSync(noted())).toBe(false)
    writeFileSync(noted(), `${idOf(7)}\n../../etc\n\n${idOf(8)}\n`)
    expect(openSessions(folder)).toEqual([idOf(7), idOf(8)])
  })

  test('are all taken up where they are more than one request may name', async ({ expect }) => {
    const open = Array.from({ length: TAKE_UP.sessionsMax + 1 }, (_, number) => idOf(number))
    const server = await answering(204)
    await takeUpSessions(server.url, 'proof', folder, open, LIVES)
    await server.close()
    expect(server.bodies.map(({ objects }) => objects.length)).toEqual([TAKE_UP.sessionsMax, 1])
  })
})
