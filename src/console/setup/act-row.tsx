import { useSignal } from '@preact/signals'
import { client } from '../api.ts'
import { texts } from '../language.ts'
import { go, sessionAddress } from '../route.ts'
import { ProblemLine, useAct } from '../ui/problem.tsx'
import type { Part } from './parts.ts'

type Act = NonNullable<Part['acts']>[number]

interface Props {
  act: Act
  path: string
  name: string
  onDone: () => Promise<void>
}

/** Something that can be asked of an entry, and the answer. */
export function ActRow({ act, path, name, onDone }: Props) {
  const t = texts().setup
  const input = useSignal('')
  const said = useSignal<string | null>(null)
  const { isBusy, problem, run } = useAct()
  const does = {
    probe: async () => {
      await client.value.json({ method: 'POST', path })
      await onDone()
    },
    deliveries: async () => {
      said.value = JSON.stringify((await client.value.json<{ data: unknown }>({ path })).data, null, 2)
    },
    try: async () => {
      const headers = { prefer: 'respond-async' }
      const body = { input: input.value }
      const { session_id: id } = await client.value.json<{ session_id: string }>({
        method: 'POST',
        path,
        body,
        headers,
      })
      go(sessionAddress(id))
    },
    test: async () => {
      said.value = t.works(await answerMs(name))
    },
  }
  return (
    <form
      class="acts act-row"
      onSubmit={(event) => {
        event.preventDefault()
        void run(does[act.id])
      }}
    >
      {act.id === 'try' ? (
        <input
          aria-label={t.tryInput}
          placeholder={t.tryInput}
          value={input.value}
          onInput={(event) => (input.value = event.currentTarget.value)}
        />
      ) : null}
      <button type="submit" disabled={isBusy.value}>
        {isBusy.value ? t.testing : t[act.id]}
      </button>
      <ProblemLine text={problem.value} />
      {said.value === null ? null : (
        <pre class="plain" role="status" tabIndex={0}>
          {said.value}
        </pre>
      )}
    </form>
  )
}

/** One short call of the model, of which nothing is kept. Rejects with why it did not answer. */
async function answerMs(model: string): Promise<number> {
  const began = performance.now()
  const body = {
    messages: [{ role: 'user', content: 'Say ok.' }],
    config: { model, llm: { max_tokens: 200 }, limits: { max_iterations: 1, max_iterations_total: 1 } },
  }
  const answer = await client.value.json<{
    usage: { model_calls: number }
    error: { code: string; detail: string } | null
  }>({
    method: 'POST',
    path: '/v1/agent',
    body,
  })
  if (answer.usage.model_calls === 0) throw new Error(`${answer.error?.code ?? ''}: ${answer.error?.detail ?? ''}`)
  return Math.round(performance.now() - began)
}
