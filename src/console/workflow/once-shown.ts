import { useLayoutEffect, useRef } from 'preact/hooks'

/** Does something once, as soon as what is changed now stands in the page. */
export function useOnceShown(): (act: () => void) => void {
  const wanted = useRef<(() => void) | null>(null)
  useLayoutEffect(() => {
    const act = wanted.current
    wanted.current = null
    act?.()
  })
  return (act) => (wanted.current = act)
}
