import { describe } from 'vitest'
import { contentInput } from '../../../src/domain/content-input.ts'
import { errorOf, type Play, responseOf, valueOf } from '../play.ts'
import { PNG_BASE64, PNG_URL } from '../small-image.ts'
import { claim, type GetHome } from './claim.ts'
import { newSkill } from './skills.ts'

const WAIT = { form: 'wait' } as const
const run = (play: Play, input: Parameters<Play['api']['runSkill']>[2]['input'], name: string) => {
  const llm = { protocol: 'native' as const, vision: true, model: play.model.name }
  return play.api.runSkill(play.id, 'default', { name, input, config: { language: 'en', llm } }, WAIT)
}

/** What runs of skills bring along. */
export function skillInputClaims(home: GetHome): void {
  describe('the input of a skill', () => inputClaims(home))
}

function inputClaims(home: GetHome): void {
  claim(
    home,
    'may be parts, which are its message; their words are user_input',
    { script: ['A dot'] },
    async (play, expect) => {
      const name = await newSkill(play, { prompt: 'You describe: {{user_input}}.' })
      const input = contentInput.parse([
        { type: 'text', text: 'what is there' },
        { type: 'image', image_url: PNG_URL },
      ])
      if (typeof input === 'string') throw new Error('parts were written')
      expect(responseOf(await run(play, input, name))).toMatchObject({ result: 'A dot' })
      const messages = (await play.asked())[0]?.body.messages
      expect(messages?.[0]?.content).toContain('You describe: what is there\n[image: image.png, image/png, 70 B;')
      expect(JSON.stringify(messages?.[1])).toContain(PNG_URL)
      expect((await play.session()).title).toBe('what is there')
    },
  )

  claim(
    home,
    'may have files by name: the prompt has their paths, the message brings them; what is none is refused',
    { script: ['Two lines'] },
    async (play, expect) => {
      const name = await newSkill(play, {
        prompt: 'Compare {{chart}} with {{notes}} for {{who}}.',
        inputs: [{ name: 'chart', type: 'file', required: true }, { name: 'notes', type: 'file' }, { name: 'who' }],
      })
      const chart = { type: 'image', data: PNG_BASE64, name: 'chart.png' }
      for (const [input, path] of [
        [{ who: 'Li' }, 'input.chart'],
        [{ chart: 'chart.png' }, 'input.chart'],
        [{ chart: { type: 'image', data: '?' } }, 'input.chart.data'],
        [{ chart: { type: 'image', data: btoa('no image') } }, 'input.chart.data'],
      ] as const)
        expect(await errorOf(run(play, input, name))).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
      const notes = { type: 'file', data: btoa('One\nTwo'), name: 'notes.txt' }
      expect(responseOf(await run(play, { chart, notes, who: 'Li' }, name))).toMatchObject({ result: 'Two lines' })
      const messages = (await play.asked())[0]?.body.messages
      expect(messages?.[0]?.content).toContain('Compare attachments/chart.png with attachments/notes.txt for Li.')
      const told = JSON.stringify(messages?.[1])
      expect(told).toContain(PNG_URL)
      expect(told).toContain('One\\nTwo')
      expect((await valueOf(play.api.files({ limit: 9 }))).map(({ path }) => path)).toEqual([
        'attachments/chart.png',
        'attachments/notes.txt',
      ])
    },
  )
}
