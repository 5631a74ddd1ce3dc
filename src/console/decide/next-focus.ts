/** After a decision its card is gone, and the focus with it: it goes to what waits next, else to the first of `otherwise` (selectors).
 *  Who went somewhere else meanwhile stays there. */
export function focusNext(...otherwise: string[]): void {
  requestAnimationFrame(() => {
    const active = document.activeElement
    if (active !== null && active !== document.body) return
    const places = ['.pending', ...otherwise].map((selector) => document.querySelector<HTMLElement>(selector))
    places.find((place) => place !== null)?.focus()
  })
}
