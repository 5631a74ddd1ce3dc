export interface TextDecision {
  decision: 'approve' | 'reject'
  /** The tool as the user named it: an id or any name. */
  tool: string
  /** Empty if none was given. */
  feedback: string
}

interface Form {
  decision: TextDecision['decision']
  outer: string
  tools: readonly string[]
  feedback: string
}

const ZH = { tools: ['工具', '工具名称'], feedback: '反馈' } as const
const EN = { tools: ['tool', 'tool_name'], feedback: 'feedback' } as const
const FORMS: readonly Form[] = [
  { decision: 'approve', outer: '授权', ...ZH },
  { decision: 'approve', outer: '批准', ...ZH },
  { decision: 'reject', outer: '拒绝', ...ZH },
  { decision: 'approve', outer: 'approve', ...EN },
  { decision: 'reject', outer: 'reject', ...EN },
]

/** The decision that a user's message is, or null if it is anything else: only a message that is nothing but
 *  one decision counts. Linear in its length. */
export function parseDecision(content: string): TextDecision | null {
  const text = content.trim()
  for (const form of FORMS) {
    const inner = between(text, form.outer)
    if (inner !== null) return inDecision(inner, form)
  }
  return null
}

function inDecision(inner: string, form: Form): TextDecision | null {
  for (const name of form.tools) {
    const open = `<${name}>`
    const close = inner.indexOf(`</${name}>`)
    if (!inner.startsWith(open) || close < 0) continue
    const tool = inner.slice(open.length, close).trim()
    const rest = inner.slice(close + name.length + 3).trim()
    const feedback = rest === '' ? '' : between(rest, form.feedback)
    if (tool === '' || tool.includes('<') || feedback === null) return null
    return { decision: form.decision, tool, feedback }
  }
  return null
}

/** What is between the tags, if the text is one element from start to end and does not hold its tags again. */
function between(text: string, name: string): string | null {
  const open = `<${name}>`
  const close = `</${name}>`
  const end = text.indexOf(close)
  if (!text.startsWith(open) || end < open.length || end + close.length !== text.length) return null
  const inner = text.slice(open.length, end)
  return inner.includes(open) ? null : inner.trim()
}
