import { LIMITS } from '../domain/limits.ts'
import { cutText } from '../lib/text.ts'
import type { ChatField, ChatMessage } from './chat-message.ts'

/** A button leads at most so far, in characters. Source: docs.slack.dev, "Button element". */
const URL_CHARS_MAX = 3_000

/** The body of an incoming webhook of Slack. What others wrote is plain text: it makes no link, mention or markup.
 *  Source: docs.slack.dev, "Block Kit". */
export function slackMessage({ headline, fields, buttons }: ChatMessage): object {
  const elements = buttons.filter(({ url }) => url.length <= URL_CHARS_MAX).map(buttonOf)
  return {
    text: escaped(headline),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(headline) },
      ...fields.map((field) => ({ type: 'section', text: plain(lineOf(field)) })),
      ...(elements.length > 0 ? [{ type: 'actions', elements }] : []),
    ],
  }
}

function buttonOf({ text, url, main }: ChatMessage['buttons'][number]) {
  return { type: 'button', text: plain(text), url, ...(main ? { style: 'primary' } : {}) }
}

function lineOf({ label, text, isLong }: ChatField): string {
  return cutText(`${label}:${isLong ? '\n' : ' '}${text}`, LIMITS.callback.chatTextCharsMax)
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false }
}

/** Source: docs.slack.dev, "Formatting text for app surfaces", "Escaping text". */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
