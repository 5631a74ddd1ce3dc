import { signal } from '@preact/signals'

const STORED = 'yaa.theme'
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** How the page looks: light, dark, or as the system does. Remembered on the device. */
export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(STORED)) ?? 'system')

const isSystemDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches

/** Colours of the page go by its `color-scheme`; what asks for the scheme elsewhere goes by `isDark`. */
export const isDark = (): boolean => (theme.value === 'system' ? isSystemDark() : theme.value === 'dark')

/** All come round; behind that of the system comes the one that looks different. */
export function nextTheme(): void {
  const order: readonly Theme[] = isSystemDark() ? ['system', 'light', 'dark'] : ['system', 'dark', 'light']
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length] ?? 'system'
}

theme.subscribe((chosen) => {
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen
  if (chosen === 'system') localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, chosen)
})
