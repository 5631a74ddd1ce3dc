import { signal } from '@preact/signals'

const STORED = 'yaa.theme'
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** How the page looks: light, dark, or as the system does. Remembered on the device. */
export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(STORED)) ?? 'system')

/** Colours of the page go by its `color-scheme`; what asks for the scheme elsewhere goes by `isDark`. */
export const isDark = (): boolean =>
  theme.value === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark'

theme.subscribe((chosen) => {
  document.documentElement.style.colorScheme = chosen === 'system' ? '' : chosen
  if (chosen === 'system') localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, chosen)
})
