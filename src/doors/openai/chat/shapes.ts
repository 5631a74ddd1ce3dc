import * as z from 'zod'
import { count, onDemand } from '../../../lib/shape.ts'

/** What clients of chat completions are answered. Source: OpenAI's API reference, "The chat completion object" and "… chunk object". */

const FINISH = ['stop', 'length', 'tool_calls'] as const

const usage = /* @__PURE__ */ onDemand(() =>
  z.object({
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    prompt_tokens_details: z.object({ cached_tokens: count() }),
    completion_tokens_details: z.object({ reasoning_tokens: count() }),
  }),
)

const calledFunction = z.object({ name: z.string(), arguments: z.string() })

export const chatCompletion = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: count(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: count(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          tool_calls: z
            .array(z.object({ id: z.string(), type: z.literal('function'), function: calledFunction }))
            .exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(FINISH),
      }),
    ),
    usage: usage(),
  }),
)

export const chatCompletionChunk = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('chat.completion.chunk'),
    created: count(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: count(),
        delta: z.object({
          role: z.literal('assistant').exactOptional(),
          content: z.string().exactOptional(),
          reasoning_content: z.string().exactOptional(),
          tool_calls: z
            .array(
              z.object({
                index: count(),
                id: z.string().exactOptional(),
                type: z.literal('function').exactOptional(),
                function: calledFunction.partial(),
              }),
            )
            .exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(FINISH).nullable(),
      }),
    ),
    usage: usage().nullable().exactOptional(),
  }),
)
