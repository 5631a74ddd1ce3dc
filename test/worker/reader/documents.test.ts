import { expect, test } from 'vitest'
import { readSource } from '../../../src/reader/read-source.ts'
import { docx, epub, pdf, pptx, xlsx } from '../../support/office-documents.ts'

test.each([
  ['pdf', pdf([['The bridge'], ['#大桥']]), '## Page 1 of 2\n\nThe bridge\n\n## Page 2 of 2\n\n大桥'],
  ['docx', docx(), '# Der Brückenbericht'],
  ['xlsx', xlsx(), '## Costs'],
  ['pptx', pptx(), '## 1. Why a bridge'],
  ['epub', epub(), '# Eins'],
] as const)('%s is read in workerd', async (kind, bytes, start) => {
  const page = await readSource({ bytes, contentType: null, url: 'https://site.example/file' })
  expect([page.kind, page.markdown.slice(0, start.length)]).toEqual([kind, start])
})
