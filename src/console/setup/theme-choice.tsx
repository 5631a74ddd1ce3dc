import { THEMES, theme } from '../theme.ts'
import { navTexts } from './nav-texts.ts'

/** Light, dark, or as the system: it holds at once, on this device. */
export function ThemeChoice() {
  const t = navTexts()
  return (
    <div class="theme-choice">
      <h2>{t.theme}</h2>
      <div class="switch" role="group" aria-label={t.theme}>
        {THEMES.map((one) => (
          <button key={one} type="button" aria-pressed={one === theme.value} onClick={() => (theme.value = one)}>
            {t.themes[one]}
          </button>
        ))}
      </div>
    </div>
  )
}
