import { texts } from '../language.ts'
import { MemoryView } from './memory-view.tsx'
import { PARTS } from './parts.ts'
import { Resources } from './resources.tsx'

/** What the server is set up with, a part at a time. */
export function SetupView({ part: id }: { part: string }) {
  const t = texts().setup
  const part = PARTS.find((one) => one.id === id)
  const links = [...PARTS.map((one) => ({ id: one.id, title: one.title(t) })), { id: 'memory', title: t.memory }]
  return (
    <section class="page setup">
      <h1>{t.title}</h1>
      <nav class="tabs" aria-label={t.title}>
        {links.map((link) => (
          <a key={link.id} href={`#/setup/${link.id}`} aria-current={link.id === id ? 'page' : undefined}>
            {link.title}
          </a>
        ))}
      </nav>
      {id === 'memory' ? <MemoryView /> : null}
      {links.some((link) => link.id === id) ? null : <p class="empty">{texts().notFound}</p>}
      {part ? <Resources key={part.id} part={part} /> : null}
    </section>
  )
}
