import { describe, test } from 'vitest'
import { STATUS } from '../../../src/domain/errors.ts'
import { call, newSession, problem, stage } from './http.ts'

const UNKNOWN = '/v1/sessions/ses_01arz3ndektsv4rrffq69g5fav'

describe('errors', () => {
  test('are problems with a stable code, a request id, and no word of the inside', async ({ expect }) => {
    const answer = await problem(call('GET', UNKNOWN), 404)
    expect(answer).toMatchObject({ code: 'not_found', status: 404, request_id: expect.stringMatching(/^req_/) })
    expect(Object.keys(answer).toSorted()).toEqual(['code', 'detail', 'request_id', 'status', 'title', 'type'])
    expect(JSON.stringify(answer)).not.toMatch(/\.ts|\/work|at /)
  })

  test('have as their type an address of this server that says what to do, in both languages', async ({ expect }) => {
    const { type, title } = await problem(call('GET', UNKNOWN), 404)
    const { pathname, hash } = new URL(type, 'http://localhost/v1/sessions')
    const page = await call('GET', pathname)
    const text = await page.text()
    expect([page.status, page.headers.get('content-type'), hash]).toEqual([
      200,
      'text/html; charset=UTF-8',
      '#not_found',
    ])
    for (const [code, status] of Object.entries(STATUS)) {
      const [entry = ''] = new RegExp(`<section id="${code}">.*?</section>`, 's').exec(text) ?? []
      expect([code, entry.includes(`· ${status} ·`), /<p>\w[^]+<p lang="zh-CN">.*[\u4e00-\u9fff]/.test(entry)]).toEqual(
        [code, true, true],
      )
    }
    expect(text).toContain(title)
  })

  test('every answer has a request id of its own', async ({ expect }) => {
    const answers = await Promise.all(['/healthz', '/v1/tools', '/nowhere', UNKNOWN].map((path) => call('GET', path)))
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(ids.every((id) => id?.startsWith('req_'))).toBe(true)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.for([
    '/nowhere',
    '/v1',
    '/v1/nowhere',
    '/v1/sessions/not-an-id',
    `${UNKNOWN}/nowhere`,
    '/v1/sessions/%00',
    '/v1/sessions/',
    `${UNKNOWN}/messages/`,
    '/v1//sessions',
  ])('an unknown path is 404: %s', async (path, { expect }) => {
    expect(await problem(call('GET', path), 404)).toMatchObject({ code: 'not_found' })
  })

  test.for([
    ['GET', `${UNKNOWN}/messages`],
    ['GET', `${UNKNOWN}/events`],
    ['PATCH', UNKNOWN],
    ['DELETE', UNKNOWN],
    ['POST', `${UNKNOWN}/continue`],
    ['POST', `${UNKNOWN}/cancel`],
    ['GET', `${UNKNOWN}/results/call_x`],
  ])('an unknown session is 404: %s %s', async ([method = '', path = ''], { expect }) => {
    expect(await problem(call(method, path, method === 'GET' ? {} : { body: {} }), 404)).toMatchObject({
      code: 'not_found',
    })
  })

  test.for([
    ['PUT', '/v1/sessions', 'GET, HEAD, OPTIONS, POST'],
    ['POST', UNKNOWN, 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['GET', '/v1/agent', 'OPTIONS, POST'],
    ['DELETE', '/healthz', 'GET, HEAD, OPTIONS'],
    ['GET', `${UNKNOWN}/continue`, 'OPTIONS, POST'],
    ['POST', '/v1/tools', 'GET, HEAD, OPTIONS'],
    ['PUT', '/v1/sessions/cancel', 'OPTIONS, POST'],
    ['GET', '/v1/sessions/cancel', 'OPTIONS, POST'],
    ['GET', '/v1/sessions/import', 'OPTIONS, POST'],
    ['DELETE', '/v1/sessions/import', 'OPTIONS, POST'],
    ['PUT', '/v1/sessions/import', 'OPTIONS, POST'],
  ])('another method is 405 with Allow: %s %s', async ([method = '', path = '', allow], { expect }) => {
    const answer = await call(method, path)
    expect(answer.headers.get('allow')).toBe(allow)
    expect(await problem(answer, 405)).toMatchObject({ code: 'method_not_allowed' })
  })

  test('OPTIONS * tells the methods of the server', async ({ expect }) => {
    const answer = await call('OPTIONS', '/*')
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'])
    await problem(call('GET', '/*'), 404)
  })

  test('HEAD answers as GET without a body; OPTIONS tells the methods', async ({ expect }) => {
    const { id } = await newSession(await stage())
    for (const path of ['/healthz', '/v1/tools', `/v1/sessions/${id}`]) {
      const [head, get] = await Promise.all([call('HEAD', path), call('GET', path)])
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      await get.body?.cancel()
    }
    const options = await call('OPTIONS', '/v1/sessions')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
    expect((await call('OPTIONS', '/nowhere')).status).toBe(404)
    expect((await call('HEAD', UNKNOWN)).status).toBe(404)
  })
})
