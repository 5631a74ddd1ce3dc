import { DurableObject } from 'cloudflare:workers'
import type { Env } from './env.ts'

type ClassOf<Whole> = new (ctx: DurableObjectState, env: Env) => Whole

/** A class of Durable Objects whose code an isolate loads with the first object of it, so that a start does not wait for that. Nothing is
 *  delivered to an object before its code is there; from then on every call is forwarded. */
export function lateObject<Whole extends DurableObject<Env>>(load: () => Promise<ClassOf<Whole>>): ClassOf<Whole> {
  let Loaded: ClassOf<Whole> | null = null

  class LateObject extends DurableObject<Env> {
    #object: DurableObject<Env> | null = null

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env)
      if (Loaded) this.#object = new Loaded(ctx, env)
      else void ctx.blockConcurrencyWhile(() => this.#load(ctx, env))
    }

    async #load(ctx: DurableObjectState, env: Env): Promise<void> {
      const loaded = await load()
      LateObject.#answerAs(loaded)
      Loaded = loaded
      this.#object = new loaded(ctx, env)
    }

    /** RPC finds methods by their names in the prototype, when it calls them. */
    static #answerAs({ prototype }: { prototype: object }): void {
      for (let of: object = prototype; of !== DurableObject.prototype; of = Reflect.getPrototypeOf(of) ?? of)
        for (const name of Object.getOwnPropertyNames(of)) {
          if (Object.hasOwn(LateObject.prototype, name)) continue
          const value = function (this: LateObject, ...given: unknown[]): unknown {
            return this.#call(name, given)
          }
          Object.defineProperty(LateObject.prototype, name, { value })
        }
    }

    #call(name: string, given: readonly unknown[]): unknown {
      const object = this.#object
      const method: unknown = object && Reflect.get(object, name)
      if (typeof method !== 'function') throw new Error(`the object has no method ${name}, or is not loaded`)
      return Reflect.apply(method, object, given)
    }

    override fetch(request: Request) {
      return this.#loaded.fetch?.(request) ?? new Response(null, { status: 404 })
    }

    override alarm(alarm?: AlarmInvocationInfo) {
      return this.#loaded.alarm?.(alarm)
    }

    override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer) {
      return this.#loaded.webSocketMessage?.(socket, frame)
    }

    override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean) {
      return this.#loaded.webSocketClose?.(socket, code, reason, wasClean)
    }

    override webSocketError(socket: WebSocket, error: unknown) {
      return this.#loaded.webSocketError?.(socket, error)
    }

    get #loaded(): DurableObject<Env> {
      if (!this.#object) throw new Error('the code of the object is not loaded')
      return this.#object
    }
  }
  // TypeScript cannot know of methods that are added later.
  return LateObject as unknown as ClassOf<Whole>
}
