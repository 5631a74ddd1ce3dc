import { fromHex, isSignedWith, prefixed } from '../../lib/hash.ts'
import { memberOf, NO_MATCH, PLAIN, type Scheme, textMember } from './scheme.ts'
import { timeProblem } from './signed-time.ts'

/** Slack: HMAC-SHA-256 over version, time and body, in hex. Its first request asks for its challenge back.
 *  Source: docs.slack.dev, "Verifying requests from Slack" and "url_verification". */
export const SLACK: Scheme = {
  ...PLAIN,
  verify: async ({ headers, bytes, now }, secret) => {
    const { 'x-slack-request-timestamp': time, 'x-slack-signature': signed } = headers
    if (!time || !signed) return 'x-slack-request-timestamp and x-slack-signature are needed'
    const late = timeProblem(time, now)
    if (late !== null) return late
    const signature = signed.startsWith('v0=') ? fromHex(signed.slice('v0='.length)) : null
    return signature && (await isSignedWith(secret, prefixed(`v0:${time}:`, bytes), [signature])) ? null : NO_MATCH
  },
  deliveryId: (_headers, body) => textMember(body, 'event_id'),
  eventOf: (_headers, body) => textMember(memberOf(body, 'event'), 'type') ?? textMember(body, 'type'),
  answerTo: (body) => {
    const challenge = textMember(body, 'type') === 'url_verification' ? textMember(body, 'challenge') : null
    return challenge === null ? null : { challenge }
  },
}
