const SECOND = 1_000
const KIB = 1_024
const MIB = 1_024 * KIB

/** Limits of tools that are made from OpenAPI documents; they are `LIMITS.openapi`. */
export const OPENAPI_LIMITS = {
  /** APIs that a tenant may add, and those of the config file. */
  apisMax: 50,
  /** Bytes of a document that is read from an address; YAML takes some ten times as long to read as JSON. */
  documentBytesMax: 16 * MIB,
  yamlBytesMax: 2 * MIB,
  documentDepthMax: 100,
  /** References that lead to references. */
  referencesMax: 20,
  /** Operations that become tools, and the JSON of all of them. */
  operationsMax: 1_500,
  listCharsMax: 3 * MIB,
  /** JSON of the arguments of one, the values in it that are looked at, and how deep it is at most: beyond, anything is taken. */
  schemaCharsMax: 12 * KIB,
  schemaNodesMax: 4_000,
  schemaDepths: [16, 8, 6, 4, 3, 2, 1],
  schemaTextChars: 200,
  parametersMax: 60,
  keyCharsMax: 64,
  /** What is told of a tool, and of the API. */
  descriptionChars: 1_024,
  titleChars: 200,
  warningsMax: 20,
  /** Patterns of `include`, and each. */
  includeMax: 100,
  includeCharsMax: 300,
  /** A value of `auth`, and the headers and parameters in it. */
  authCharsMax: 4_096,
  authValuesMax: 16,
  /** A document has so long to come. */
  readMs: 20 * SECOND,
  /** A document of the config that could not be read is asked for again after so long. */
  retryMs: 30 * SECOND,
  /** The APIs of a tenant are taken from memory for so long; tenants, lists of operations, and operations, that are kept there. */
  keptMs: 5 * SECOND,
  tenantsMax: 1_000,
  listsMax: 50,
  operationsKeptMax: 5_000,
} as const
