import { test } from 'vitest'
import { maskConfig, unmasked } from '../../../src/domain/config.ts'

test('a key in the address of a model is not shown, and stays where it comes back so', ({ expect }) => {
  const config = { llm: { api_url: 'https://a.test/v1?api_key=s3cret', api_key: 'k', model: 'm' } }
  const shown = maskConfig(config)
  expect(shown.llm).toEqual({ api_url: 'https://a.test/v1?api_key=***', api_key: '***', model: 'm' })
  expect(unmasked(shown, config)).toEqual(config)
  expect(maskConfig({ llm: { model: 'm' } })).toEqual({ llm: { model: 'm' } })
})
