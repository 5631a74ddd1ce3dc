import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** `look_up` only reads and says what it is told to say; `note` changes something. */
export function registerAnswers(server: McpServer, answers: { text: string; isError: boolean }): void {
  server.registerTool(
    'look_up',
    {
      description: 'Look something up.',
      inputSchema: z.object({ word: z.unknown() }),
      annotations: { readOnlyHint: true },
    },
    () => ({ content: [{ type: 'text', text: answers.text }], isError: answers.isError }),
  )
  server.registerTool(
    'note',
    { description: 'Write a note down.', inputSchema: z.object({ text: z.string() }) },
    () => ({
      content: [{ type: 'text', text: 'noted' }],
    }),
  )
}
