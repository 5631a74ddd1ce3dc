import { orchestratorInfo } from '../../domain/orchestrator.ts'
import * as z from 'zod'
import { runError } from '../../domain/run.ts'
import { auditEntry, auditVerification } from '../../domain/audit.ts'
import { sessionConfig } from '../../domain/config.ts'
import { deltaEvent, eventInput, knownEvent, loggedEvent, otherEvent, otherType } from '../../domain/event-input.ts'
import { importInput } from '../../domain/import-input.ts'
import {
  continueInput,
  newMessage,
  newSessionInput,
  pendingInput,
  sessionPatch,
  skillRun,
  statelessInput,
  workflowRun,
} from '../../domain/session-input.ts'
import { part } from '../../domain/content.ts'
import { dataPart, filePart, imagePart, partInput, textPart } from '../../domain/content-input.ts'
import { LIMITS } from '../../domain/limits.ts'
import { message } from '../../domain/message.ts'
import { listedPending, pending } from '../../domain/pending.ts'
import {
  agentResponseShape,
  cancelledSession,
  runAccepted,
  session,
  sessionExport,
  sessionSummaryShape,
  skillResult,
  streamResponse,
} from '../../domain/session.ts'
import { listedSkill, skill, skillDefinition, skillList } from '../../domain/skill.ts'
import { placedTeamMessage, listedTeam, teamMessage, teamShape } from '../../domain/team.ts'
import { money, usage, usageSum } from '../../domain/usage.ts'
import { connectionAuthorization, connectionInfo } from '../../domain/connection.ts'
import { creditGiven, userBudget } from '../../domain/budget.ts'
import { callback, callbackPayload, delivery, wholeDelivery } from '../../domain/callback.ts'
import { apiKey, budgetInfo, madeKey, me } from '../../domain/access.ts'
import { link, linkDecided, linkSecretRotated, linkView, madeLink } from '../../domain/link.ts'
import { preference, rememberedTask, round } from '../../domain/memory.ts'
import { userJob } from '../../domain/user-job.ts'
import { clientTool } from '../../domain/client-tool.ts'
import { feedback, feedbackInput } from '../../domain/feedback.ts'
import { file } from '../../domain/file.ts'
import { listedMcpServer, mcpServer } from '../../domain/mcp.ts'
import { listedOpenApiTools, openApiTools } from '../../domain/openapi-tools.ts'
import { listedModel } from '../../domain/model.ts'
import { planShape, planTask } from '../../domain/plan.ts'
import { inputIssue, problemDocument } from '../../domain/problem-document.ts'
import { listedSchedule, schedule, scheduledRun, scheduleTrial } from '../../domain/schedule.ts'
import { listedSettings, settingsInfo, settingsOfVersion, settingsPatch } from '../../domain/settings.ts'
import { health } from '../../domain/health.ts'
import { type JsonSchema, tool } from '../../domain/tool.ts'
import { webhook, webhookAnswer, webhookDelivery, webhookTrial } from '../../domain/webhook.ts'
import { listedWorkflow, stepView, workflowInfo, workflowView } from '../../domain/workflow-view.ts'
import { workflowBody } from '../../domain/workflow.ts'
import { listPage } from '../../lib/shape.ts'
import { PROVIDER_NAMES, tenantSettings } from '../../models/providers.ts'
import { EVENT_TYPES } from '../../domain/event.ts'
import { EXAMPLES } from './examples.ts'
import { inWords } from './words.ts'

/** The type of a part that a later release wrote. Such parts are kept, and told as they are. */
const otherPartType = z.string().min(1).max(LIMITS.parts.mediaTypeCharsMax)

/** Schemas that have a name of their own in the document. Routes name those, so that none is made before the document is asked for. */
export const NAMED = {
  SessionConfig: sessionConfig,
  NewSession: newSessionInput,
  ClientTool: clientTool,
  NewMessage: newMessage,
  Continue: continueInput,
  DecisionInput: pendingInput,
  SessionPatch: sessionPatch,
  SessionImport: importInput,
  StatelessSession: statelessInput,
  SkillDefinition: skillDefinition,
  SkillRun: skillRun,
  WorkflowDefinition: workflowBody(),
  WorkflowRun: workflowRun,
  Money: money,
  Usage: usage(),
  UsageSum: usageSum(),
  Message: message(),
  Part: part(),
  PartInput: partInput,
  TextPartInput: textPart,
  ImagePartInput: imagePart,
  FilePartInput: filePart,
  DataPartInput: dataPart,
  OtherPart: z.looseObject({ type: otherPartType }),
  Pending: pending(),
  ListedPending: listedPending(),
  CancelledSession: cancelledSession(),
  FeedbackInput: feedbackInput,
  Feedback: feedback(),
  PlanTask: planTask(),
  Plan: planShape(),
  Team: teamShape(),
  RunError: runError(),
  SkillResult: skillResult(),
  SessionSummary: sessionSummaryShape(),
  SessionData: session(),
  AgentResponse: agentResponseShape(),
  StreamResponse: streamResponse(),
  RunAccepted: runAccepted(),
  SessionExport: sessionExport(),
  Event: eventInput,
  KnownEvent: knownEvent,
  OtherEvent: otherEvent,
  DeltaEvent: deltaEvent(),
  TeamMessage: teamMessage,
  PlacedTeamMessage: placedTeamMessage(),
  Tool: tool(),
  Orchestrator: orchestratorInfo(),
  Model: listedModel(PROVIDER_NAMES),
  ListedSkill: listedSkill(),
  ListedSkills: skillList(),
  Skill: skill(),
  ShippedTeam: listedTeam(),
  ListedWorkflow: listedWorkflow(),
  Workflow: workflowInfo(),
  WorkflowStep: stepView(),
  WorkflowState: workflowView(),
  Connection: connectionInfo(),
  ConnectionAuthorization: connectionAuthorization(),
  Credit: creditGiven(),
  UserBudget: userBudget(),
  SettingsInput: tenantSettings(),
  SettingsPatch: settingsPatch,
  TenantSettings: settingsInfo(),
  ListedSettings: listedSettings(),
  SettingsVersion: settingsOfVersion(),
  Preference: preference(),
  Round: round(),
  RememberedTask: rememberedTask(),
  UserJob: userJob(),
  WorkspaceFile: file(),
  ListedMcpServer: listedMcpServer(),
  McpServer: mcpServer(),
  ListedOpenApiTools: listedOpenApiTools(),
  OpenApiTools: openApiTools(),
  AuditEntry: auditEntry,
  AuditVerification: auditVerification(),
  Health: health(),
  Callback: callback(),
  CallbackPayload: callbackPayload(),
  Delivery: delivery(),
  WholeDelivery: wholeDelivery(),
  Key: apiKey(),
  MadeKey: madeKey(),
  Me: me(),
  Link: link(),
  MadeLink: madeLink(),
  Webhook: webhook(),
  WebhookDelivery: webhookDelivery(),
  ListedSchedule: listedSchedule(),
  Schedule: schedule(),
  ScheduledRun: scheduledRun(),
  LinkView: linkView(),
  LinkDecided: linkDecided(),
  LinkSecret: linkSecretRotated(),
  WebhookTrial: webhookTrial(),
  Received: webhookAnswer(),
  ScheduleTrial: scheduleTrial(),
  UsageSums: listPage(usageSum()).extend({ budgets: z.array(budgetInfo()).exactOptional() }),
  InputIssue: inputIssue(),
  Problem: problemDocument(),
} as const satisfies Record<string, z.ZodType>

export type SchemaName = keyof typeof NAMED

interface EventSchema {
  type: string
  /** Such as RunStartEvent. */
  name: string
  schema: z.ZodType
  /** Where the type alone does not say what it holds. */
  forms: readonly z.ZodType[]
}

/** What each type of event is called. */
const EVENTS: readonly EventSchema[] = knownEvent.options.map((schema) => {
  const forms = 'shape' in schema ? [] : schema.options
  const [first] = 'shape' in schema ? [schema] : schema.options
  const type: string = first.shape.type.value
  const name = type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { type, name: `${name}Event`, schema, forms }
})

/** What the forms of a type are called that has more than one. */
const FORMS: Readonly<Record<string, readonly string[]>> = { 'model-end': ['ModelAnsweredEvent', 'ModelFailedEvent'] }

/** What each type of part is called. */
const PARTS = part().options.map((schema) => {
  const type: string = schema.shape.type.value
  return { type, name: `${type[0]?.toUpperCase()}${type.slice(1)}Part`, schema }
})

const PART_MAPPING = Object.fromEntries(PARTS.map(({ type, name }) => [type, refTo(name)]))

const PART_INPUT_MAPPING = Object.fromEntries(PARTS.map(({ type, name }) => [type, refTo(`${name}Input`)]))

const EVENT_MAPPING = Object.fromEntries(EVENTS.map(({ type, name }) => [type, refTo(name)]))

/** The schemas of a document: those with a name once, under `components`; others where they are used. */
export class Schemas {
  readonly #registry = z.registry<{ id: string }>()
  readonly #examples: Readonly<Record<string, unknown>>

  /** `examples`: of schemas that doors bring. */
  constructor(examples: Readonly<Record<string, unknown>> = {}) {
    this.#examples = { ...EXAMPLES, ...examples }
    for (const [id, schema] of Object.entries(NAMED)) this.name(id, schema)
    for (const { name, schema } of PARTS) this.name(name, schema)
    for (const { type, name, schema, forms } of EVENTS) {
      this.name(name, schema)
      forms.forEach((form, index) => this.name(FORMS[type]?.[index] ?? `${name}${index}`, form))
    }
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
      override: retell,
    })
    const shown = Object.entries(schemas).map(([id, schema]) => [id, { ...plain(schema), ...this.#exampleOf(id) }])
    return inWords(Object.fromEntries(shown))
  }

  #exampleOf(id: string): JsonSchema {
    const example = this.#examples[id]
    return example === undefined ? {} : { examples: [example] }
  }
}

export function refTo(id: string): string {
  return `#/components/schemas/${id}`
}

/** A schema of its own, such as that of a query parameter. */
export function jsonSchemaOf(schema: z.core.$ZodType): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override: retell }))
}

interface Retold {
  zodSchema: z.core.$ZodType
  jsonSchema: JsonSchema
}

/** What a schema does not show of itself: events of a log as they are read are those that are told, each under its own type. */
function retell({ zodSchema, jsonSchema }: Retold): void {
  if (zodSchema === loggedEvent) jsonSchema['$ref'] = refTo('Event')
  if (zodSchema === otherType) jsonSchema['not'] = { enum: [...EVENT_TYPES] }
  if (zodSchema === otherPartType) jsonSchema['not'] = { enum: PARTS.map(({ type }) => type) }
  if (zodSchema === part()) jsonSchema['discriminator'] = { propertyName: 'type', mapping: PART_MAPPING }
  if (zodSchema === partInput) jsonSchema['discriminator'] = { propertyName: 'type', mapping: PART_INPUT_MAPPING }
  if (Object(jsonSchema['items']).$ref === refTo('Part'))
    jsonSchema['items'] = { anyOf: [{ $ref: refTo('Part') }, { $ref: refTo('OtherPart') }] }
  if (zodSchema === knownEvent) jsonSchema['discriminator'] = { propertyName: 'type', mapping: EVENT_MAPPING }
  // Makers of clients look for the type in what a discriminator leads to, not in the forms of that.
  const event = EVENTS.find(({ schema, forms }) => schema === zodSchema && forms.length > 0)
  if (event) Object.assign(jsonSchema, typed(event.type))
  if ('const' in jsonSchema) jsonSchema['enum'] = [jsonSchema['const']]
  // A whole number is read from the text of a query; its format says when a text is a time.
  if (jsonSchema['type'] === 'integer' || String(jsonSchema['format']).startsWith('date')) delete jsonSchema['pattern']
  describeInWords({ zodSchema, jsonSchema })
}

function typed(type: string): JsonSchema {
  const properties = { type: { type: 'string', const: type, enum: [type] } }
  return { type: 'object', required: ['type'], properties, additionalProperties: {} }
}

/** A pattern with classes of Unicode is right in ECMA-262, but not in every validator's dialect: the description says it in words. */
function describeInWords({ zodSchema, jsonSchema }: Retold): void {
  if (!String(jsonSchema['pattern']).includes('\\p{')) return
  delete jsonSchema['pattern']
  jsonSchema['description'] ??= z.globalRegistry.get(zodSchema)?.description
}

function plain(schema: object): JsonSchema {
  const { $schema: _dialect, $id: _id, id: _name, ...rest } = schema as JsonSchema
  return rest
}
