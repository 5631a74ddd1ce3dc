import { PICTURE } from './samples.ts'

const TEXT = 'test://static-text'
const BINARY = 'test://static-binary'
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/

export const RESOURCES = [
  { uri: TEXT, name: 'static-text', description: 'A text of the suite.', mimeType: 'text/plain' },
  { uri: BINARY, name: 'static-binary', description: 'Bytes of the suite.', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'watched', description: 'What the suite watches.', mimeType: 'text/plain' },
]

export const FIXTURE_TEMPLATES = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    title: 'Template',
    description: 'A template of the suite.',
    mimeType: 'application/json',
  },
]

/** Null: it is no resource of the suite. */
export function readFixture(uri: string) {
  if (uri === TEXT) return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://watched-resource') return { uri, mimeType: 'text/plain', text: 'Watched.' }
  if (uri === BINARY) return { uri, mimeType: 'image/png', blob: PICTURE }
  const id = TEMPLATE.exec(uri)?.[1]
  if (id === undefined) return null
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}
