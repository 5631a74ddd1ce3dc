import { expect, test } from 'vitest'
import { detailInChinese } from '../../../src/domain/detail-in-chinese.ts'
import { cancelledFailure, refusalFailure, thrownFailure, badAnswer } from '../../../src/models/failure.ts'

type Asked = Parameters<typeof refusalFailure>[1]

const asked = { request: { messages: [] }, spec: { apiKey: '', spareKeys: [], extraHeaders: {} } } as unknown as Asked
const refused = (status: number, text: string) =>
  refusalFailure({ status, text, message: null, retryAfterMs: null }, asked).detail
const broken = (code?: string) => thrownFailure(code === undefined ? new Error('x') : { cause: { code } }).detail

test('what a service said stays as it is; what we say of it is told in Chinese', () => {
  expect(detailInChinese(refused(429, 'rate limited'))).toBe('模型服务返回状态码 429：rate limited')
  expect(detailInChinese(refused(500, ''))).toBe('模型服务返回状态码 500。')
  expect(detailInChinese(badAnswer(200, 'is not JSON', 'moved', asked).detail)).toBe('模型服务的回答不是 JSON：moved')
  expect(detailInChinese(broken('ECONNREFUSED'))).toBe('无法连接模型服务（ECONNREFUSED）。')
  expect(detailInChinese(broken())).toBe('无法连接模型服务。')
  expect(detailInChinese(cancelledFailure().detail)).toBe('模型调用已取消。')
  expect(detailInChinese('The model sent nothing for 30000 ms (first_byte_timeout_ms).')).toBe(
    '模型 30 秒没有任何回应（first_byte_timeout_ms）。',
  )
})

test('so is what a run goes without, and what failed in a step, with its path', () => {
  expect(detailInChinese('There is no worker "Anna"; llm_tool does its sub-task.')).toBe(
    '没有执行者“Anna”，由模型自己完成。',
  )
  expect(detailInChinese('The team has no role "A", "B".')).toBe('团队里没有角色“A”“B”。')
  expect(detailInChinese(`each[1].say: ${refused(400, 'down')}`)).toBe('each[1].say：模型服务返回状态码 400：down')
})

test('what is not known stays as it is', () => {
  for (const detail of ['', 'Oh: No', 'nobody answers the door', '工单：服务没有应答', 'read: It broke'])
    expect(detailInChinese(detail)).toBe(detail)
})
