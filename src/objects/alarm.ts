import type { Alarm } from '../domain/ports.ts'

/** The one alarm of an object. Setting what is set already costs nothing, nor does taking back what has rung. `known`: null when none was
 *  ever set. */
export function objectAlarm(ctx: DurableObjectState, known: number | null | undefined): Alarm {
  return {
    set: (time) => {
      if (known === time) return
      known = time
      ctx.waitUntil(ctx.storage.setAlarm(time))
    },
    clear: () => {
      const hasRung = known !== undefined && (known === null || known <= Date.now())
      known = null
      if (hasRung) return
      ctx.waitUntil(ctx.storage.deleteAlarm())
    },
  }
}
