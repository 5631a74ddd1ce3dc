import * as z from 'zod'
import { onDemand, type ShapeOf } from '../../lib/shape.ts'

/** What clients of A2A 1.0 are told, in the JSON of its Protocol Buffers. Source: a2a.proto of the A2A specification 1.0. */

export const VERSION = '1.0'
/** The content type of the HTTP+JSON binding. */
export const A2A_JSON = 'application/a2a+json'

export const TASK_STATES = [
  'TASK_STATE_UNSPECIFIED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const
export type StateName = (typeof TASK_STATES)[number]

const metadata = z.record(z.string(), z.unknown()).exactOptional()

const part = /* @__PURE__ */ onDemand(() =>
  z.object({
    text: z.string().exactOptional(),
    raw: z.string().exactOptional(),
    url: z.string().exactOptional(),
    data: z.unknown().optional(),
    mediaType: z.string().exactOptional(),
    filename: z.string().exactOptional(),
    metadata,
  }),
)
export type ToldPart = ShapeOf<typeof part>

const message = /* @__PURE__ */ onDemand(() =>
  z.object({
    messageId: z.string(),
    contextId: z.string(),
    taskId: z.string(),
    role: z.enum(['ROLE_USER', 'ROLE_AGENT']),
    parts: z.array(part()),
    metadata,
  }),
)
export type ToldMessage = ShapeOf<typeof message>

const status = /* @__PURE__ */ onDemand(() =>
  z.object({ state: z.enum(TASK_STATES), message: message().exactOptional(), timestamp: z.string() }),
)
export type ToldStatus = ShapeOf<typeof status>

const artifact = /* @__PURE__ */ onDemand(() =>
  z.object({ artifactId: z.string(), name: z.string(), parts: z.array(part()), metadata }),
)
export type Artifact = ShapeOf<typeof artifact>

export const toldTask = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    contextId: z.string(),
    status: status(),
    artifacts: z.array(artifact()).exactOptional(),
    history: z.array(message()).exactOptional(),
    metadata,
  }),
)
export type Task = ShapeOf<typeof toldTask>

export const sent = /* @__PURE__ */ onDemand(() => z.object({ task: toldTask() }))

export const taskList = /* @__PURE__ */ onDemand(() =>
  z.object({
    tasks: z.array(toldTask()),
    nextPageToken: z.string(),
    pageSize: z.int(),
    totalSize: z.int(),
  }),
)

/** Who is told of a task. Credentials are not told again. */
export const pushed = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    taskId: z.string(),
    url: z.string(),
    token: z.string().exactOptional(),
    authentication: z.object({ scheme: z.string() }).exactOptional(),
  }),
)
export type Pushed = ShapeOf<typeof pushed>

export const pushConfigs = /* @__PURE__ */ onDemand(() =>
  z.object({ configs: z.array(pushed()), nextPageToken: z.string() }),
)

/** A skill of a card. `id` is what the metadata of a message names. */
const cardSkill = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), name: z.string(), description: z.string(), tags: z.array(z.string()) }),
)
export type CardSkill = ShapeOf<typeof cardSkill>

export const card = /* @__PURE__ */ onDemand(() =>
  z.object({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    supportedInterfaces: z.array(
      z.object({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() }),
    ),
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      extendedAgentCard: z.boolean(),
    }),
    securitySchemes: z.record(z.string(), z.unknown()),
    securityRequirements: z.array(z.object({ schemes: z.record(z.string(), z.object({ list: z.array(z.string()) })) })),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(cardSkill()),
  }),
)
export type Card = ShapeOf<typeof card>

/** One frame of a stream: one of these members. */
export const streamed = /* @__PURE__ */ onDemand(() =>
  z.object({
    task: toldTask().exactOptional(),
    statusUpdate: z.object({ taskId: z.string(), contextId: z.string(), status: status(), metadata }).exactOptional(),
    artifactUpdate: z
      .object({
        taskId: z.string(),
        contextId: z.string(),
        artifact: artifact(),
        append: z.boolean(),
        lastChunk: z.boolean(),
        metadata,
      })
      .exactOptional(),
  }),
)
export type Streamed = ShapeOf<typeof streamed>
