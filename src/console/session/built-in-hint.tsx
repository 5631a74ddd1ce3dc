import type { SessionData } from '../../domain/session.ts'
import { texts } from '../language.ts'
import { Icon } from '../ui/marks.tsx'
import { defaultModel, useOffers } from '../ui/offers.ts'

/** Below what the built-in model has answered: the way to a model that can do more. What it says itself holds for who has no page, too, and
 *  a model leads nowhere in the page. */
export function BuiltInHint({ head }: { head: Pick<SessionData, 'config' | 'status'> }) {
  const models = useOffers()?.models ?? []
  const { model: chosen = defaultModel(models) } = head.config
  const isBuiltIn = models.find(({ id }) => id === chosen)?.provider === 'built-in'
  if (!isBuiltIn || head.status !== 'completed') return null
  const others = models.filter(({ provider }) => provider !== 'built-in')
  const t = texts().builtIn
  return (
    <p class="notice built-in-hint">
      {others.length > 0 ? t.choose : t.limits}{' '}
      {others.length > 0 ? null : (
        <a href="#/setup/models">
          <Icon name="link" /> {t.connect}
        </a>
      )}
    </p>
  )
}
