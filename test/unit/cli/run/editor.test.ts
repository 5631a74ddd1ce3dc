import { expect, test } from 'vitest'
import { namedEditor } from '../../../../src/cli/run/editor.ts'

const NPM = { npm_config_npm_version: '11.6.0', npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js' }

test('the editor that npm names where nobody did is none; one that a person named is taken under npm, too', () => {
  expect(namedEditor({ ...NPM, EDITOR: 'vi' })).toBeUndefined()
  expect(namedEditor({ ...NPM, EDITOR: 'nano' })).toBe('nano')
  expect(namedEditor({ ...NPM, EDITOR: 'vi', VISUAL: 'vi' })).toBe('vi')
  expect(namedEditor({ ...NPM, EDITOR: 'vi', npm_config_editor: 'vi' })).toBe('vi')
  expect(namedEditor({ EDITOR: 'vi' })).toBe('vi')
  expect(namedEditor({ EDITOR: '', VISUAL: '' })).toBeUndefined()
})
