import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'
import { LIMITS } from './limits.ts'

/** What a person makes of an answer. */
export const RATINGS = ['good', 'bad'] as const
export type Rating = (typeof RATINGS)[number]

/** What of a person's word on an answer stands in the log. */
export const feedbackFields = {
  rating: z.enum(RATINGS).nullable(),
  comment: z.string().nullable(),
}

/** Body of POST …/messages/{message}/feedback. `rating` null takes back what was said. */
export const feedbackInput = z
  .strictObject({
    rating: feedbackFields.rating,
    comment: z.string().trim().max(LIMITS.text.feedbackCharsMax).nullable().optional(),
  })
  .refine(({ rating, comment }) => rating !== null || !comment, {
    path: ['comment'],
    error: 'nothing without a rating: null takes back all that was said',
  })
export type FeedbackInput = z.infer<typeof feedbackInput>

/** What a person says of an answer by now. */
export const feedback = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('feedback'),
    session_id: z.string(),
    message_id: z.string(),
    ...feedbackFields,
  }),
)
export type FeedbackData = ShapeOf<typeof feedback>
