// What `yaa/react` exports: hooks over `yaa/client`, which it is used with.
export { useSession, type SessionHook, type SessionOptions } from './use-session.ts'
export { usePending, type PendingHook } from './use-pending.ts'
export type { ClientGiven } from './client-given.ts'
