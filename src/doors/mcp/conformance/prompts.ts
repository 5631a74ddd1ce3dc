import type { ContentBlock, GetPromptResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { asks } from './questions.ts'
import { embedded, PICTURE, text } from './samples.ts'

const argument = (name: string) => ({ name, description: `The argument ${name} of the suite.`, required: true })

export const PROMPTS = [
  { name: 'test_simple_prompt', description: 'A prompt of the suite.', arguments: [] },
  {
    name: 'test_prompt_with_arguments',
    description: 'A prompt with arguments.',
    arguments: [argument('arg1'), argument('arg2')],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A prompt with a resource in it.',
    arguments: [argument('resourceUri')],
  },
  { name: 'test_prompt_with_image', description: 'A prompt with a picture in it.', arguments: [] },
  { name: 'test_input_required_result_prompt', description: 'A prompt that asks.', arguments: [] },
]

const says = (...contents: ContentBlock[]): GetPromptResult => ({
  messages: contents.map((content) => ({ role: 'user', content })),
})

/** Null: it is no prompt of the suite. */
export function filledFixture(
  name: string,
  { arg1 = '', arg2 = '', resourceUri = '' }: Readonly<Record<string, string>>,
  ctx: ServerContext,
): GetPromptResult | InputRequiredResult | null {
  switch (name) {
    case 'test_simple_prompt':
      return says(text('This is a simple prompt for testing.'))
    case 'test_prompt_with_arguments':
      return says(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))
    case 'test_prompt_with_embedded_resource':
      return says(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      )
    case 'test_prompt_with_image':
      return says({ type: 'image', data: PICTURE, mimeType: 'image/png' }, text('Please analyze the image above.'))
    case 'test_input_required_result_prompt': {
      const said = ctx.mcpReq.inputResponses?.['user_context']
      return said
        ? says(text(`Context: ${JSON.stringify(said)}`))
        : asks({ user_context: ['What context should the prompt use?', 'context'] })
    }
    default:
      return null
  }
}
