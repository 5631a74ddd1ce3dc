import { sessionConfig, type SessionConfig, unmasked } from '../../domain/config.ts'
import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent } from '../../domain/event.ts'
import { metadataInput, type SessionPatch } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { canonicalJson } from '../../lib/hash.ts'
import { mergePatch } from '../../lib/json.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { CallOptions } from '../call.ts'
import { checkConfig } from '../../run/setup/check-config.ts'
import type { Engine } from '../../engine/engine.ts'
import { modelConfigOf } from '../../engine/settings.ts'
import { findTool, namedAs } from '../../tools/registry.ts'

/** The record with a config merged over its own, or why this server does not run it. */
export function configured(
  engine: Engine,
  record: SessionRecord,
  config: SessionPatch['config'] | SessionConfig,
): Result<SessionRecord> {
  if (config === undefined) return ok(record)
  const own = underItsNames(engine, record.config, config)
  const merged = sessionConfig.safeParse(mergePatch(own, config ?? {}))
  if (!merged.success) return invalid(issuesOf(merged.error, 'config'))
  const isElsewhere =
    hasSecrets(record) && placeOf(engine, { ...record, config: merged.data }) !== placeOf(engine, record)
  const known = isElsewhere ? withoutSecrets(own) : own
  const changed = {
    ...record,
    config: unmasked(mergePatch(known, config ?? {}), known),
    ...(record.remembered ? { remembered: withoutSaid(engine, record.remembered, config) } : {}),
  }
  const refused = checkConfig(engine, modelConfigOf(changed))
  return refused ? fail(refused) : ok(changed)
}

/** What a door's request that answers what waits makes of the session's config; the same record where that says nothing else. */
export function configuredAnew(
  engine: Engine,
  record: SessionRecord,
  thread: CallOptions['thread'],
): Result<SessionRecord> {
  const config = thread?.asks?.config
  const changed = configured(engine, withoutFields(record, thread?.asks ? thread.saysAnew : []), config)
  return changed.ok && canonicalJson(changed.value.config) === canonicalJson(record.config) ? ok(record) : changed
}

/** The record without some fields of its config (see `ThreadOptions`). */
export function withoutFields(record: SessionRecord, names: readonly string[] = []): SessionRecord {
  const config = withoutAll(record.config, names)
  return config === record.config ? record : { ...record, config }
}

/** `names`: `member`, or `member.member` for one within another; what is left empty goes, too. */
function withoutAll<T extends object>(given: T, names: readonly string[]): T {
  let config = given
  for (const name of names) {
    const [key = '', ...within] = name.split('.')
    const value: unknown = Reflect.get(config, key)
    if (value === undefined) continue
    const { [key]: _, ...others } = config as Record<string, unknown>
    const left = within.length > 0 ? withoutAll(Object(value) as object, [within.join('.')]) : {}
    config = (left === value ? config : Object.keys(left).length > 0 ? { ...others, [key]: left } : others) as T
  }
  return config
}

/** The record with its title, metadata and config changed; metadata and config are merged member by member. */
export function patched(engine: Engine, record: SessionRecord, patch: SessionPatch): Result<SessionRecord> {
  const changed = configured(engine, record, patch.config)
  if (!changed.ok) return changed
  // What an earlier release kept may be longer.
  if (!patch.metadata) return ok({ ...changed.value, title: patch.title ?? record.title, metadata: record.metadata })
  const metadata = metadataInput.safeParse(mergePatch(record.metadata, patch.metadata))
  if (!metadata.success) return invalid(issuesOf(metadata.error, 'metadata'))
  return ok({ ...changed.value, title: patch.title ?? record.title, metadata: metadata.data })
}

/** What the log tells of a command that changes the config along with what it is for; nothing, if it does not. */
export function configEvents(known: SessionRecord, changed: SessionRecord): NewEvent[] {
  const isSame = changed === known || canonicalJson(changed.config) === canonicalJson(known.config)
  return isSame ? [] : [{ type: 'session-update', fields: ['config'] }]
}

/** What a config says of tools, by the names that it has for them. */
const toolsIn = (config: SessionPatch['config'] | SessionConfig) => Object(Object(config)['tools']) as object

/** A config with its tools under the names that a change has for them. */
function underItsNames(
  { tools }: Pick<Engine, 'tools'>,
  config: SessionConfig,
  change: SessionPatch['config'] | SessionConfig,
): SessionConfig {
  return config.tools ? { ...config, tools: namedAs(config.tools, toolsIn(change), tools) } : config
}

/** What a config says of a tool takes the place of what was remembered of it. */
function withoutSaid(
  { tools }: Pick<Engine, 'tools'>,
  remembered: NonNullable<SessionRecord['remembered']>,
  config: SessionPatch['config'] | SessionConfig,
): NonNullable<SessionRecord['remembered']> {
  const said = Object.keys(toolsIn(config)).map((name) => findTool(tools, name)?.id ?? name)
  return Object.fromEntries(Object.entries(remembered).filter(([id]) => !said.includes(id)))
}

function hasSecrets({ config: { llm } }: SessionRecord): boolean {
  return llm?.api_key !== undefined || llm?.extra_headers !== undefined
}

/** Where the model of a session is: the key and headers that came with one address are not for another. Null: nowhere that is known. */
function placeOf(engine: Engine, record: SessionRecord): string | null {
  const own = record.config.llm?.api_url
  if (own !== undefined) return new URL(own).origin
  const choice = engine.chooseModel(modelConfigOf(record))
  return choice.ok ? (URL.parse(choice.spec.apiUrl)?.origin ?? choice.spec.alias) : null
}

function withoutSecrets(config: SessionConfig): SessionConfig {
  const { api_key: _key, extra_headers: _headers, ...llm } = config.llm ?? {}
  return { ...config, llm }
}
