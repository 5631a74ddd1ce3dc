import * as z from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import type { Tool } from '../../domain/tool.ts'
import { textOf } from '../../lib/text.ts'
import { webAddress } from '../../lib/addresses.ts'
import { defineTool } from '../define.ts'
import type { VisitPorts } from './visit-page.ts'
import { DESCRIPTION, EXPECTED, NAMES, PARAMETERS } from './texts.ts'

/** What the tool may take longer than the visit itself, for reading what came. */
const READING_MS = 5_000
const FOCUS_CHARS_MAX = 200

const input = z.strictObject({
  url: z.string(EXPECTED.url).transform((written, context) => {
    const address = webAddress(written)
    if (address !== null && address.length <= LIMITS.web.urlCharsMax) return address
    context.addIssue({ code: 'custom', message: EXPECTED.url })
    return z.NEVER
  }),
  focus: z.string(EXPECTED.focus).trim().max(FOCUS_CHARS_MAX, EXPECTED.focus).optional(),
  page: z.coerce.number(EXPECTED.page).int(EXPECTED.page).min(1, EXPECTED.page).optional(),
  refresh: z.boolean(EXPECTED.refresh).optional(),
})

/** The tool that reads a page of the web. Whatever the page does is an outcome in the session's language. */
export function webAccess(ports: VisitPorts): Tool {
  return defineTool({
    id: 'web_access',
    guarded: true,
    names: NAMES,
    description: DESCRIPTION,
    risk: 'network',
    effects: ({ url }) => ({ addresses: [webAddress(textOf(url)) ?? []].flat() }),
    idempotent: true,
    timeoutMs: ports.settings.timeoutMs + (ports.render?.timeoutMs ?? 0) + READING_MS,
    units: async () => (await import('../../relevance/units.ts')).sections,
    input,
    parameters: PARAMETERS,
    run: async (wanted, context) => (await import('./visit.ts')).visit(ports, wanted, context),
  })
}
