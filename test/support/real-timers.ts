/** Before each file of a process that files share: the timers of the platform. A file that put clocks of its own in their place has been seen to leave
 *  its `setTimeout` behind, with which nothing rings that the next file waits for. */
const NAMES = ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] as const
const HELD = Symbol.for('yaa: timers of the platform')

type Held = Partial<Record<(typeof NAMES)[number], unknown>>

const known: Held | undefined = Reflect.get(globalThis, HELD)
const held: Held = known ?? Object.fromEntries(NAMES.map((name) => [name, globalThis[name]]))
Reflect.set(globalThis, HELD, held)
for (const name of NAMES) Reflect.set(globalThis, name, held[name])

export {}
