import * as z from 'zod'
import { runError } from '../../domain/run.ts'
import { auditEntry, auditVerification } from '../../domain/audit.ts'
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
import { message } from '../../domain/message.ts'
import { pending } from '../../domain/pending.ts'
import { agentResponse, sessionSummary, skillResult, streamResponse } from '../../domain/session.ts'
import { skillDefinition, skillRun } from '../../domain/skill.ts'
import { teamMessage } from '../../domain/team.ts'
import { usage, usageSum } from '../../domain/usage.ts'
import { callback, delivery, wholeDelivery } from '../../domain/callback.ts'
import { apiKey, budgetInfo, madeKey } from '../../domain/access.ts'
import { link, linkDecided, linkSecretRotated, madeLink } from '../../domain/link.ts'
import { preference, rememberedTask, round } from '../../domain/memory.ts'
import { file } from '../../domain/file.ts'
import * as answers from '../shapes/answers.ts'
import * as parts from '../shapes/parts.ts'
import * as resources from '../shapes/resources.ts'
import * as triggers from '../shapes/triggers.ts'

/** Text of a message that is being written, or of the answer in it: an event that is told, not kept. */
const deltaEvent = z.object({
  type: z.enum(['message-delta', 'reasoning-delta', 'answer-delta']),
  seq: z.int(),
  call_id: z.string().optional().describe('Of an answer-delta: the call of `finish` that is given the answer.'),
  message_id: z.string(),
  delta: z.string(),
  run_id: z.string(),
  time: z.iso.datetime(),
  scope: z.string().nullable(),
})

/** Schemas that have a name of their own in the document. Routes name those, so that none is made before the document is asked for. */
export const NAMED = {
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
  Usage: usage(),
  UsageSum: usageSum(),
  Message: message(),
  Pending: pending(),
  PlanTask: parts.planTask,
  Plan: parts.plan,
  Team: parts.team,
  RunError: runError(),
  SkillResult: skillResult(),
  SessionSummary: sessionSummary(),
  SessionData: answers.sessionData,
  AgentResponse: agentResponse(),
  StreamResponse: streamResponse(),
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
  Preference: preference(),
  Round: round(),
  RememberedTask: rememberedTask(),
  File: file(),
  ListedMcpServer: resources.listedMcpServer,
  McpServer: resources.mcpServer,
  AuditEntry: auditEntry,
  AuditVerification: auditVerification(),
  Health: resources.health,
  Callback: callback(),
  Delivery: delivery(),
  WholeDelivery: wholeDelivery(),
  Key: apiKey(),
  MadeKey: madeKey(),
  Link: link(),
  MadeLink: madeLink(),
  Webhook: triggers.webhook,
  WebhookDelivery: triggers.delivery,
  ListedSchedule: triggers.listedSchedule,
  Schedule: triggers.schedule,
  ScheduledRun: triggers.scheduledRun,
  LinkView: answers.linkView,
  LinkDecided: linkDecided(),
  LinkSecret: linkSecretRotated(),
  WebhookTrial: triggers.webhookTrial,
  Received: triggers.received,
  ScheduleTrial: triggers.scheduleTrial,
  UsageSums: answers.listOf(usageSum()).extend({ budgets: z.array(budgetInfo()).exactOptional() }),
  Problem: resources.problemShape,
} as const satisfies Record<string, z.ZodType>

export type SchemaName = keyof typeof NAMED
