import * as z from 'zod'
import { onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { budgetLimits } from './budget.ts'
import { connectionName } from './connection.ts'
import { alias, limitsConfig, toolConfig } from './config.ts'
import { modelFields } from './model-config.ts'
import { webFields, webRenderWith, webSearchWith } from './web-config.ts'

/** What of a model only the config file says, and what to do in its place. */
const inFile = () =>
  z.never('nothing: keep the key as a connection (POST /v1/connections), and name that in `connection`').optional()

/** A model as a tenant sets it: all that the config file may say of one but its secrets. Over a model of the file it is laid field by field. */
const settingsModel = (providers: readonly string[]) =>
  z.strictObject({
    ...modelFields(providers),
    /** The connection whose secret is the key; it is for the origin of `api_url`. */
    connection: connectionName.optional(),
    api_key: inFile(),
    api_key_env: inFile(),
    api_keys: inFile(),
    api_keys_env: inFile(),
    extra_headers: inFile(),
  })

/** How a tenant reaches the web. A service takes the place of the file's as a whole. */
const webSettings = () =>
  z.strictObject({
    ...webFields,
    search: webSearchWith(inFile()).optional(),
    render: webRenderWith(inFile()).optional(),
  })

/** What a tenant sets in the place of what the config file says. Fields not given are the file's. */
export const settingsBody = (providers: readonly string[]) =>
  z.strictObject({
    models: z.record(alias, settingsModel(providers)).optional(),
    default_model: alias.optional(),
    budgets: z.strictObject({ tenant: budgetLimits.optional(), user: budgetLimits.optional() }).optional(),
    tools: z.record(z.string().min(1).max(128), toolConfig).optional(),
    web: webSettings().optional(),
    limits: limitsConfig.optional(),
  })
export type Settings = z.infer<ReturnType<typeof settingsBody>>

/** Merged member by member (RFC 7396): null takes a field away, so that the file's holds again. The result is what has to fit. */
export const settingsPatch = z.strictObject({
  models: z.record(z.string(), z.unknown()).nullish(),
  default_model: z.string().nullish(),
  budgets: z.record(z.string(), z.unknown()).nullish(),
  tools: z.record(z.string(), z.unknown()).nullish(),
  web: z.record(z.string(), z.unknown()).nullish(),
  limits: z.record(z.string(), z.unknown()).nullish(),
})

/** Which version is to hold again. */
export const settingsRollback = z.strictObject({ version: z.int().min(0).max(Number.MAX_SAFE_INTEGER) })

/** Settings as they are kept. `changed`: the fields in which they differ from those before. `restores`: the version that they were taken
 *  from again; null: they were written. */
export interface SettingsVersion {
  version: number
  /** Unix ms. */
  time: number
  /** The account that set them. */
  by: string
  changed: readonly string[]
  restores: number | null
  settings: Settings
}

/** What a tenant has set, without who did. */
export type HeldSettings = Pick<SettingsVersion, 'version' | 'settings'>

const versionFields = () => ({
  version: z.int().min(1),
  time: time(),
  by: z.string(),
  changed: z.array(z.string()),
  restores: z.int().min(0).nullable(),
})

export const listedSettings = /* @__PURE__ */ onDemand(() =>
  z.object({ object: z.literal('settings.version'), ...versionFields() }),
)
export const settingsOfVersion = /* @__PURE__ */ onDemand(() =>
  z.object({ object: z.literal('settings.version'), ...versionFields(), settings: record() }),
)
export const settingsInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('settings'),
    /** 0: nothing was ever set. */
    version: z.int().min(0),
    updated_time: time().nullable(),
    updated_by: z.string().nullable(),
    etag: z.string(),
    locked: z.array(z.string()),
    settings: record(),
    effective: record(),
  }),
)
export type ListedSettings = ShapeOf<typeof listedSettings>
export type SettingsOfVersion = ShapeOf<typeof settingsOfVersion>
export type SettingsInfo = ShapeOf<typeof settingsInfo>
