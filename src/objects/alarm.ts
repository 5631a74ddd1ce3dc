import type { Alarm } from '../domain/ports.ts'

/** The one alarm of an object. Setting what is set already costs nothing. `known`: null when none was ever set. */
export function objectAlarm(ctx: DurableObjectState, known: number | null | undefined): Alarm {
  return {
    set: (time) => {
      if (known === time) return
      known = time
      ctx.waitUntil(ctx.storage.setAlarm(time))
    },
    clear: () => {
      if (known === null) return
      known = null
      ctx.waitUntil(ctx.storage.deleteAlarm())
    },
  }
}
