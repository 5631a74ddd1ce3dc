import * as z from 'zod'
import { auditEntry } from '../../domain/audit.ts'
import { sessionConfig } from '../../domain/config.ts'
import { eventInput, importInput } from '../../domain/event-input.ts'
import {
  continueInput,
  decisionInput,
  newMessage,
  newSession,
  sessionPatch,
  statelessInput,
} from '../../domain/session-input.ts'
import { skillDefinition, skillRun } from '../../domain/skill.ts'
import { teamMessage } from '../../domain/team.ts'
import { EXAMPLES } from './examples.ts'
import * as access from '../shapes/access.ts'
import * as answers from '../shapes/answers.ts'
import * as callbacks from '../shapes/callbacks.ts'
import * as parts from '../shapes/parts.ts'
import * as resources from '../shapes/resources.ts'
import * as triggers from '../shapes/triggers.ts'

/** Text of a message that is being written: an event that is told, not kept. */
const deltaEvent = z.object({
  type: z.enum(['message-delta', 'reasoning-delta']),
  seq: z.int(),
  message_id: z.string(),
  delta: z.string(),
  run_id: z.string(),
  time: z.iso.datetime(),
  scope: z.string().nullable(),
})

/** Schemas that have a name of their own in the document. */
const NAMED: Readonly<Record<string, z.ZodType>> = {
  SessionConfig: sessionConfig,
  NewSession: newSession,
  NewMessage: newMessage,
  Continue: continueInput,
  Decision: decisionInput,
  SessionPatch: sessionPatch,
  SessionImport: importInput,
  StatelessSession: statelessInput,
  SkillDefinition: skillDefinition,
  SkillRun: skillRun,
  Usage: parts.usage,
  UsageSum: parts.usageSum,
  Message: parts.message,
  Pending: parts.pending,
  PlanTask: parts.planTask,
  Plan: parts.plan,
  Team: parts.team,
  RunError: parts.runError,
  SkillResult: parts.skillResult,
  SessionSummary: answers.sessionSummary,
  SessionData: answers.sessionData,
  AgentResponse: answers.agentResponse,
  StreamResponse: answers.streamChunk,
  RunAccepted: answers.runAccepted,
  SessionExport: resources.exportDocument,
  Event: eventInput,
  DeltaEvent: deltaEvent,
  TeamMessage: teamMessage,
  PlacedTeamMessage: resources.placedTeamMessage,
  Tool: resources.tool,
  Model: resources.model,
  ListedSkill: resources.listedSkill,
  Skill: resources.skill,
  ShippedTeam: resources.shippedTeam,
  Preference: resources.preference,
  Round: resources.round,
  RememberedTask: resources.rememberedTask,
  File: resources.file,
  ListedMcpServer: resources.listedMcpServer,
  McpServer: resources.mcpServer,
  AuditEntry: auditEntry,
  AuditVerification: resources.auditVerification,
  Health: resources.health,
  Callback: callbacks.callback,
  Delivery: callbacks.delivery,
  WholeDelivery: callbacks.wholeDelivery,
  Key: access.apiKey,
  MadeKey: access.madeKey,
  Link: access.link,
  MadeLink: access.madeLink,
  Webhook: triggers.webhook,
  WebhookDelivery: triggers.delivery,
  ListedSchedule: triggers.listedSchedule,
  Schedule: triggers.schedule,
  ScheduledRun: triggers.scheduledRun,
  Problem: resources.problemShape,
}

export type JsonSchema = Record<string, unknown>

/** The schemas of a document: those with a name once, under `components`; others where they are used. */
export class Schemas {
  readonly #registry = z.registry<{ id: string }>()

  constructor() {
    for (const [id, schema] of Object.entries(NAMED)) this.name(id, schema)
  }

  /** Give a schema its name in the document; one that has a name keeps it. Returns a reference. */
  name(id: string, schema: z.ZodType): JsonSchema {
    if (!this.#registry.has(schema)) this.#registry.add(schema, { id })
    return { $ref: refTo(this.#registry.get(schema)?.id ?? id) }
  }

  /** `components.schemas`. */
  components(): Record<string, JsonSchema> {
    const { schemas } = z.toJSONSchema(this.#registry, {
      io: 'input',
      unrepresentable: 'any',
      uri: refTo,
      metadata: this.#registry,
      override: tellInWords,
    })
    return Object.fromEntries(
      Object.entries(schemas).map(([id, schema]) => [id, { ...plain(schema), ...exampleOf(id) }]),
    )
  }
}

function exampleOf(id: string): JsonSchema {
  const example = EXAMPLES[id]
  return example === undefined ? {} : { examples: [example] }
}

export function refTo(id: string): string {
  return `#/components/schemas/${id}`
}

/** A schema of its own, such as that of a query parameter. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: tellInWords }))
}

/** A pattern with classes of Unicode is right in ECMA-262, but not in every validator's dialect: the description says it in words. */
function tellInWords({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  if (!String(jsonSchema['pattern']).includes('\\p{')) return
  delete jsonSchema['pattern']
  jsonSchema['description'] ??= z.globalRegistry.get(zodSchema)?.description
}

function plain(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as JsonSchema
  return rest
}
