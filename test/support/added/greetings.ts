import * as z from 'zod'
import { ok } from '../../../src/domain/errors.ts'
import { factory } from '../../../src/http/context.ts'
import { json, route } from '../../../src/http/route.ts'

const newGreeting = z.strictObject({ name: z.string().min(1).max(100) })
let count = 0

/** A resource of no use but to be added. */
export const greetings = factory.createApp().post(
  '/',
  route(
    {
      summary: 'Greet somebody',
      scope: 'run',
      reads: json(newGreeting),
      answers: 'json',
      status: [201],
      audit: { action: 'greeting.create', fields: true },
    },
    ({ input, note }) => {
      count++
      note({ count })
      const body = { object: 'greeting', text: `Hello, ${input.name}`, count }
      return ok({ body, location: `/v1/greetings/${count}`, status: 201 })
    },
  ),
)
