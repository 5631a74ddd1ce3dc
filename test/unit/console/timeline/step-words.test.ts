import { afterAll, beforeAll, test, vi } from 'vitest'

beforeAll(() => {
  vi.stubGlobal('localStorage', { getItem: () => 'en' })
  vi.stubGlobal('document', { documentElement: {} })
})
afterAll(() => vi.unstubAllGlobals())

const loaded = async () => ({
  ...(await import('../../../../src/console/timeline/step-words.ts')),
  ...(await import('../../../../src/console/language.ts')),
})

test('arguments of our own tools are named in the language of the page, those of others by their names as words', async ({
  expect,
}) => {
  const { argumentWords, speak } = await loaded()
  await speak('en')
  expect(argumentWords('web_access', 'url')).toBe('Address')
  expect(argumentWords('files/read', 'file_path')).toBe('File path')
  expect(argumentWords('files/read', 'maxLineCount')).toBe('Max line count')
  expect(argumentWords('files/read', 'dry-run')).toBe('Dry run')
  expect(argumentWords('files/read', 'URL')).toBe('URL')
  expect(argumentWords('web_access', 'constructor')).toBe('Constructor')
  expect(argumentWords('files/read', '_')).toBe('_')
  expect(argumentWords('files/read', 'a\u202eb')).not.toContain('\u202e')
  await speak('zh-CN')
  expect(argumentWords('web_access', 'url')).toBe('网址')
  expect(argumentWords('files/read', 'url')).toBe('Url')
})
