import * as z from 'zod'
import { newMessage } from '../../../src/domain/session-input.ts'
import { factory } from '../../../src/http/context.ts'
import { command, json } from '../../../src/http/route.ts'
import type { StreamProjection } from '../../../src/session/queries/projection.ts'

const options = z.object({ ending: z.string() })

/** A door for those who read text alone: the words of the answer as they are written. */
export const plain = factory.createApp().post(
  '/:id',
  command(
    'message',
    {
      summary: 'Say something, and read the answer as text',
      reads: json(newMessage),
      answers: 'text',
      stream: { view: { name: 'plain', options: { ending: '\n' } }, contentType: 'text/plain; charset=utf-8' },
    },
    (input) => ({ type: 'message', input }),
  ),
)

/** The answer, once: as it is written, or whole where it was not told so. */
export const plainText: StreamProjection = (about) => {
  const { ending } = options.parse(about.options)
  let told = ''
  return {
    of: ({ event }) => {
      const text =
        event.type === 'answer-delta'
          ? event.delta
          : event.type === 'run-end'
            ? (event.result ?? '').slice(told.length)
            : ''
      told += text
      return [text]
    },
    beat: '',
    end: () => ending,
  }
}
