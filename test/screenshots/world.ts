import type { Stage } from '../support/console.ts'
import { NOTHING_LEFT, plan } from '../support/planned.ts'
import { calls, says } from '../support/scripted-model.ts'
import { LONG_ANSWER, LONG_ANSWER_ZH } from './answers.ts'

/** What the pictures are of: sessions by what they show. */
export type World = Record<
  | 'answer'
  | 'answerZh'
  | 'approval'
  | 'approvalZh'
  | 'question'
  | 'form'
  | 'refused'
  | 'failed'
  | 'plan'
  | 'team'
  | 'workflow'
  | 'files',
  string
>

const ALLOWED = { tools: { web_access: { permission: 'allow' as const } } }
const finish = (reason: string) => ({ content: reason, tool_calls: [{ name: 'finish', arguments: { reason } }] })

type Input = Parameters<Stage['client']['sessions']['begin']>[0]

/** Fills a server with sessions as people have them. */
export async function makeWorld(stage: Stage): Promise<World> {
  const page = (path: string) => `${stage.site.url}/${path}`
  /** A session that has come to rest. */
  const made = async (script: Parameters<Stage['script']>[0], input: Input) => {
    await stage.script(script)
    const { session_id: id } = await stage.client.sessions.begin(input, { key: crypto.randomUUID() })
    for (;;) {
      const { status } = await stage.client.sessions.get(id)
      if (status !== 'in_progress' && status !== 'idle') return id
      await new Promise((done) => setTimeout(done, 100))
    }
  }
  const older = [
    'Translate the minutes of Monday into Chinese',
    'Draft a reply to the tender of the harbour office',
    'Which of our dependencies have new licences?',
    'Weekly digest of the release notes',
  ]
  for (const task of older) await made([finish('It is done.')], { task })
  const [first] = (await stage.client.sessions.list({})).data
  if (first) await stage.client.sessions.patch(first.id, { metadata: { pinned: true } })
  const world: World = {
    plan: await made(
      [
        says(
          plan('Find out when the shops open', 'Compare the prices of three kettles', 'Ask the neighbour for a cup'),
        ),
        { when: { last_contains: 'shops open' }, content: 'All three open at **9:00**; the second closes at noon.' },
        {
          when: { last_contains: 'three kettles' },
          content: '| Kettle | Price |\n|---|--:|\n| Steel | € 39 |\n| Glass | € 45 |\n| Enamel | € 29 |',
        },
        { when: { last_contains: 'neighbour' }, status: 400, body: { error: { message: 'nobody answers the door' } } },
        says(NOTHING_LEFT),
        says('Buy the enamel kettle (€ 29) at nine. Only the cup is still missing.'),
      ],
      { task: 'Get everything ready for tea', orchestrator: 'plan' },
    ),
    team: await made(
      [
        {
          when: { contains: 'Write a draft' },
          content: 'Tea wakes gently; coffee insists. **Choose tea for a long day.**',
        },
        { when: { contains: 'Review the draft' }, content: 'Good and short. Say for whom it is, and cite one number.' },
      ],
      {
        task: 'Two sentences for the poster: tea or coffee?',
        team: {
          roles: [
            role('Writer', 'UserRequirement', 'draft', 'Write a draft'),
            role('Critic', 'draft', 'review', 'Review the draft'),
          ],
        },
      },
    ),
    workflow: await makeWorkflow(stage, made),
    files: await made(
      [
        calls('write_file', { path: 'report/tea.md', content: '# Tea\n\nGreen tea likes water of **80 °C**.\n' }),
        calls('write_file', { path: 'report/prices.csv', content: 'kettle,price\nsteel,39\nglass,45\nenamel,29\n' }),
        finish('The report is in `report/tea.md`, the prices are beside it.'),
      ],
      { task: 'Write the report into files', config: { tools: { write_file: { permission: 'allow' } } } },
    ),
    failed: await made([{ status: 401, body: { error: { message: 'Incorrect API key provided: sk-…83d1' } } }], {
      task: 'Summarise the minutes of Monday',
    }),
    refused: await refused(stage, made, page('minutes')),
    question: await made(
      [calls('ask', { question: 'For how many people shall I plan?', options: ['Two', 'Four', 'More than four'] })],
      { task: 'Plan a dinner for Saturday' },
    ),
    form: await made(
      [
        calls('ask_form', {
          question: 'Where shall the parcel go?',
          form: {
            type: 'object',
            properties: {
              name: { type: 'string', title: 'Name' },
              city: { type: 'string', title: 'City' },
              weight: { type: 'number', title: 'Weight', description: 'in kilograms' },
              speed: { type: 'string', title: 'Speed', enum: ['standard', 'express'] },
              insured: { type: 'boolean', title: 'Insured' },
            },
            required: ['name', 'city'],
          },
        }),
      ],
      { task: 'Send the parcel', config: { tools: { ask_form: { enabled: true } } } },
    ),
    answer: await made(
      [
        {
          reasoning: 'First the altitude of each place, then the law.',
          ...calls('web_access', { url: page('altitudes') }),
        },
        finish(LONG_ANSWER),
      ],
      { task: 'Why does an egg take longer in La Paz? With a table, the formula and some code.', config: ALLOWED },
    ),
    answerZh: await made([calls('web_access', { url: page('haiba') }), finish(LONG_ANSWER_ZH)], {
      task: '为什么在拉萨煮鸡蛋更慢？请给出表格、公式和代码。',
      config: { ...ALLOWED, language: 'zh-CN' },
    }),
    approval: await made([calls('web_access', { url: page('opening-hours'), focus: 'opening hours of the harbour' })], {
      task: 'When does the harbour open?',
    }),
    approvalZh: await made([calls('web_access', { url: page('kaifang'), focus: '码头的开放时间' })], {
      task: '码头几点开门？',
      config: { language: 'zh-CN' },
    }),
  }
  return world
}

/** A call that was refused, and the answer without it. */
async function refused(
  stage: Stage,
  made: (script: Parameters<Stage['script']>[0], input: Input) => Promise<string>,
  url: string,
): Promise<string> {
  const answer = finish('Then I go by what I know: the harbour closes at **six**.')
  const id = await made([calls('web_access', { url }), answer], { task: 'When does the harbour close?' })
  const [pending] = (await stage.client.sessions.get(id)).pending
  const feedback = 'Do not open it; use what you know.'
  await stage.client.sessions.decide(id, pending?.id ?? '', { decision: 'reject', feedback })
  return id
}

const role = (name: string, watch: string, action: string, instruction: string) => ({
  name,
  profile: `${name} of the poster`,
  watch: [watch],
  actions: [{ name: action, instruction }],
  react_mode: 'by_order' as const,
})

async function makeWorkflow(
  stage: Stage,
  made: (script: Parameters<Stage['script']>[0], input: Input) => Promise<string>,
): Promise<string> {
  const say = (id: string, prompt: string) => ({ id, type: 'agent', prompt })
  await stage.client.workflows.put('harbour', {
    description: 'All about harbours.',
    steps: [
      { id: 'topics', type: 'set', values: { list: ['ships', 'cranes', 'tides'] } },
      {
        id: 'both',
        type: 'parallel',
        branches: [[say('history', 'Tell the history.')], [say('today', 'Tell of today.')]],
      },
      {
        id: 'each',
        type: 'map',
        over: 'steps.topics.output.list',
        on_error: 'skip',
        steps: [say('one', 'Tell of {{ item }}.')],
      },
      say('sum', 'Sum up: {{ steps.each.output }}'),
    ],
  })
  return made(
    [
      { when: { last_contains: 'the history' }, content: 'It was dug in 1872.' },
      { when: { last_contains: 'of today' }, content: 'It is the largest of its kind.' },
      { when: { last_contains: 'Tell of ships' }, content: 'Ships float.' },
      { when: { last_contains: 'Tell of cranes' }, status: 400, body: { error: { message: 'the service is closed' } } },
      { when: { last_contains: 'Tell of tides' }, content: 'Tides turn.' },
      { when: { last_contains: 'Sum up' }, content: 'All is well in the harbour.' },
    ],
    { workflow: 'harbour', task: 'Tell me all about the harbour' },
  )
}
