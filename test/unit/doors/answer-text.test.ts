import { describe, test } from 'vitest'
import { AnswerText } from '../../../src/doors/openai/chat/answer-text.ts'

/** What a client is sent of replies in pieces, and of the answer at the end. */
function told(stops: readonly string[], replies: readonly (readonly string[])[], answer: string): string {
  const text = new AnswerText(stops)
  const sent = replies.flatMap((pieces, index) => pieces.map((piece) => text.say(`m${index}`, piece)))
  const whole = [...sent, text.end(answer)].join('')
  if (whole !== text.given) throw new Error('what was given is what was sent')
  return whole
}

describe('the text of an answer', () => {
  test('ends before a stop that comes in pieces, and holds nothing back that is none', ({ expect }) => {
    expect(told(['END'], [['One E', 'N', 'D two']], 'One END two')).toBe('One ')
    expect(told(['END'], [['One E', 'N', 'G', ' E']], 'One ENG E')).toBe('One ENG E')
  })

  test('is told though what was said before it met a stop, and the blank line between is no stop', ({ expect }) => {
    expect(told(['\n'], [['Let me look.'], ['It is', ' two\nor three']], 'It is two\nor three')).toBe(
      'Let me look.\n\nIt is two',
    )
    expect(told(['X'], [['Firs', 'X aside'], ['Two']], 'Two')).toBe('Firs\n\nTwo')
  })

  test('that differs from the newest reply stands below it, cut by itself', ({ expect }) => {
    expect(told(['.'], [['On the way. More']], 'The end. More')).toBe('On the way\n\nThe end')
  })

  test('is followed by what waits for a human, which no stop ends', ({ expect }) => {
    const text = new AnswerText(['\n', 'a'])
    expect(text.say('m', 'Go on an')).toBe('Go on ')
    expect(text.notice('Waiting for approval\nDecide at …')).toBe('\n\nWaiting for approval\nDecide at …')
    const silent = new AnswerText(['stop'])
    expect(silent.say('m', 'I will st') + silent.notice('')).toBe('I will st')
  })
})
