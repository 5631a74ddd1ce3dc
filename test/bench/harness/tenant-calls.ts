import type { Env } from '../../../src/objects/env.ts'

const TENANT_OBJECTS = ['DIRECTORY', 'MEMORY', 'TRIGGER', 'OUTBOX', 'AUDIT', 'METRICS'] as const

/** What is done around a call of an object of the tenant, named `OBJECT.method`. */
export type Around = (called: string, call: () => Promise<unknown>) => Promise<unknown>

/** The bindings of a Worker under test, with something around each call of the tenant's objects. Those of sessions stay as they are. */
export function withTenantCalls(env: Env, around: Around): Env {
  const watched = TENANT_OBJECTS.map((name) => {
    const objects = env[name]
    const getByName = (object: string) => stubWith(objects.getByName(object), name, around)
    const idFromName = (object: string) => objects.idFromName(object)
    return [name, { getByName, idFromName }]
  })
  return { ...env, ...Object.fromEntries(watched) }
}

function stubWith(stub: object, name: string, around: Around): object {
  return new Proxy(stub, {
    get:
      (_, method) =>
      (...args: unknown[]) =>
        around(`${name}.${String(method)}`, async () => Reflect.apply(Reflect.get(stub, method), stub, args)),
  })
}

/** A class of the product whose objects are made with other bindings. */
export function objectsWith<Class extends Function>(
  objects: Class,
  made: (ctx: DurableObjectState, env: Env) => Env,
): Class {
  return new Proxy(objects, {
    construct: (target, [ctx, env]: [DurableObjectState, Env], newTarget) =>
      Reflect.construct(target, [ctx, made(ctx, env)], newTarget),
  })
}
