import { memberOf, parseJson } from '../lib/json.ts'
import type { ChatMessage } from './chat-message.ts'

/** The body of a custom bot of Feishu or Lark: an interactive card. What others wrote is plain text: it makes no link, mention or
 *  markup. Source: open.feishu.cn, "Custom bot usage guide" and "Card structure". */
export function feishuCard({ headline, urgent, fields, buttons }: ChatMessage): object {
  return {
    msg_type: 'interactive',
    card: {
      config: { wide_screen_mode: true },
      header: { title: plain(headline), template: urgent ? 'orange' : 'blue' },
      elements: [
        ...fields.map(({ label, text, isLong }) => ({
          tag: 'div',
          text: plain(`${label}：${isLong ? '\n' : ''}${text}`),
        })),
        ...(buttons.length > 0 ? [{ tag: 'action', actions: buttons.map(buttonOf) }] : []),
      ],
    },
  }
}

function buttonOf({ text, url, main }: ChatMessage['buttons'][number]) {
  return { tag: 'button', text: plain(text), url, type: main ? 'primary' : 'default' }
}

function plain(content: string) {
  return { tag: 'plain_text', content }
}

/** Why Feishu did not take a message that it answered with 200; null: it did. */
export function feishuRefusal(answer: string): string | null {
  const code = memberOf(parseJson(answer), 'code')
  return typeof code === 'number' && code !== 0 ? `code ${code}` : null
}
