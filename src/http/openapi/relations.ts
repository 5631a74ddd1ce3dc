import { CALLBACK_EVENTS, type DeliveryEvent, TEST_EVENT } from '../../domain/callback.ts'
import type { JsonSchema } from '../../domain/tool.ts'
import { refTo } from './schemas.ts'

/** What belongs together beyond one request: operations that go on with an answer, and what this server sends by itself. */

/** An operation as links name it. */
export interface Linkable {
  path: string
  id: string
}

const BODY_ID = '$response.body#/id'
const SAME_SESSION = { id: '$request.path.id' }

/** Operations that go on with an answer, with their parameters, where the path alone does not say so. */
const GOES_ON: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  createSession: { createSessionMessage: { id: BODY_ID }, listSessionEvents: { id: BODY_ID } },
  createSessionMessage: {
    getSession: SAME_SESSION,
    listSessionEvents: SAME_SESSION,
    cancelSession: SAME_SESSION,
    decidePending: { ...SAME_SESSION, pending_id: '$response.body#/pending/0/id' },
  },
  continueSession: {
    getSession: SAME_SESSION,
    decidePending: { ...SAME_SESSION, pending_id: '$response.body#/pending/0/id' },
  },
}

/** `links` of the good answer of an operation: what is made is read, changed and deleted under its id. */
export function answerLinks(
  { path, id }: Linkable,
  status: string,
  all: readonly Linkable[],
): Record<string, JsonSchema> {
  const onward = status === '200' || status === '201' ? GOES_ON[id] : undefined
  const byId = status === '201' ? all.filter((one) => one.path === `${path}/{id}`) : []
  const known = { ...Object.fromEntries(byId.map((one) => [one.id, { id: BODY_ID }])), ...onward }
  return Object.fromEntries(
    Object.entries(known).map(([operationId, parameters]) => [operationId, { operationId, parameters }]),
  )
}

/** What a callback is sent, by event. Source: the Standard Webhooks specification. */
export function webhooks(): Record<string, JsonSchema> {
  const events: readonly DeliveryEvent[] = [...CALLBACK_EVENTS, TEST_EVENT]
  return Object.fromEntries(events.map((event) => [event, { post: delivery(event) }]))
}

const OCCASIONS: Readonly<Record<DeliveryEvent, string>> = {
  'run.completed': 'A run ended with an answer.',
  'run.failed': 'A run failed, or ended at a limit.',
  'run.budget_exhausted': 'A run ended because its budget was spent.',
  'run.interrupted': 'A run waits for a human, or for its caller.',
  'run.cancelled': 'A run was cancelled.',
  'approval.requested': 'A call of a tool waits for approval.',
  'tool_call.requested': 'A call waits for the caller whose tool it is: make it, and post its result.',
  'callback.test': 'Somebody tries the callback.',
}

function delivery(event: DeliveryEvent): JsonSchema {
  const name = event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    operationId: `on${name}`,
    tags: ['callbacks'],
    summary: `\`${event}\`, to the address of each callback that asks for it`,
    description: `${OCCASIONS[event]} Deliveries of one session come in their order, and may come more than once.`,
    security: [],
    parameters: SIGNATURE.map(([header, description]) => ({
      name: header,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { content: { 'application/json': { schema: { $ref: refTo('CallbackPayload') } } }, required: true },
    responses: {
      '200': { description: 'Any 2xx: it is taken. Anything else comes again later.' },
      '410': { description: 'Nobody is there any more: the callback is switched off.' },
    },
  }
}

const SIGNATURE = [
  ['webhook-id', 'Id of the delivery, the same each time that it comes.'],
  ['webhook-timestamp', 'When it was sent: seconds since 1970.'],
  [
    'webhook-signature',
    '`v1,BASE64` of the HMAC-SHA256 of `id.timestamp.body` under the secret; more than one while secrets change.',
  ],
] as const
