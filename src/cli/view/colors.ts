import pc from 'picocolors'

export type Colors = ReturnType<typeof pc.createColors>

/** Colours for one stream: a terminal that did not refuse them (NO_COLOR, TERM=dumb); FORCE_COLOR says yes. */
export function colorsFor(stream: { isTTY?: boolean }, env: Record<string, string | undefined>): Colors {
  if (env['NO_COLOR']) return pc.createColors(false)
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return pc.createColors(true)
  return pc.createColors(stream.isTTY === true && env['TERM'] !== 'dumb')
}
