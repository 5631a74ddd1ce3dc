import { describe, test } from 'vitest'
import { withHiddenShown } from '../../../src/lib/hidden-characters.ts'
import { pendingText } from '../../../src/cli/view/run-view.ts'
import type { Pending } from '../../../src/domain/pending.ts'
import { textsOf } from '../../../src/cli/texts.ts'

/** Each changes how the text around it is read, or stands where nothing is seen. */
const HIDDEN = {
  'right-to-left override': '\u202e',
  'left-to-right isolate': '\u2066',
  'Arabic letter mark': '\u061c',
  'zero width space': '\u200b',
  'zero width joiner': '\u200d',
  'word joiner': '\u2060',
  'byte order mark': '\ufeff',
  'soft hyphen': '\u00ad',
  'Hangul filler': '\u3164',
  'line separator': '\u2028',
  escape: '\u001b',
  'tag letter': '\u{e0041}',
}

describe('what a human is to judge shows', () => {
  test.for(Object.entries(HIDDEN))('%s', ([, hidden], { expect }) => {
    const shown = withHiddenShown(`a${hidden}b`)
    expect(shown).not.toContain(hidden)
    expect(shown).toMatch(/^a(?:\\u[0-9a-f]{4})+b$/)
    expect(JSON.parse(`"${shown}"`)).toBe(`a${hidden}b`)
  })

  test('all else as it is: words of any script, line breaks, pictures', ({ expect }) => {
    const plain = 'abc 中文，日本語 עברית العربية हिन्दी\n\té ❤️ 👍🏽 🇨🇳'
    expect(withHiddenShown(plain)).toBe(plain)
  })

  test('in the terminal: the call, its reason, a question and its options', ({ expect }) => {
    const times = { created_time: '', expires_time: '', scope: null }
    const texts = textsOf('en')
    const url = 'https://bank.example/\u202egpj.exe'
    const args = { url, list: ['a\u200bb'] }
    const call = {
      ...times,
      id: 'p',
      type: 'approval',
      tool: 'web_\u200baccess',
      arguments: args,
      reason: '\u2066x',
    } as const
    expect(pendingText(call, texts)).toContain('\\u202egpj.exe')
    expect(pendingText(call, texts)).toContain('web_\\u200baccess')
    expect(pendingText(call, texts)).toContain('\\u2066x')
    const question: Pending = { ...times, id: 'q', type: 'question', question: 'a\u200db?', options: ['y\u202e'] }
    expect(pendingText(question, texts)).toContain('a\\u200db?')
    expect(pendingText(question, texts)).toContain('y\\u202e')
    for (const hidden of Object.values(HIDDEN))
      expect(pendingText(call, texts) + pendingText(question, texts)).not.toContain(hidden)
  })
})
