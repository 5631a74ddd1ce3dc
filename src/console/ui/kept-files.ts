/** Files that are attached to what is being written, on the device: a reload loses none. What was written is in another store (growing-text.tsx), as
 *  text; a file may be too large for that one. */

const DATABASE = 'yaa'
const STORE = 'files'
/** So many drafts keep theirs; those of sessions that nobody went back to go first. */
const DRAFTS_MAX = 20

interface Kept {
  name: string
  files: readonly File[]
  time: number
}

let opening: Promise<IDBDatabase> | null = null

function database(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(STORE, { keyPath: 'name' }))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error(DATABASE)))
  })
  return opening
}

/** Does it as one transaction; rejects where there is no room, or no store, as in some private windows. */
async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const transaction = (await database()).transaction(STORE, mode)
  const request = act(transaction.objectStore(STORE))
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve(request.result))
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error(STORE)))
  })
}

/** What is kept for a draft. */
export async function filesOfDraft(name: string): Promise<readonly File[]> {
  const kept = await inStore<Kept | undefined>('readonly', (store) => store.get(name))
  return kept?.files ?? []
}

/** Keeps them for a draft in place of those before. */
export async function keepDraftFiles(name: string, files: readonly File[]): Promise<void> {
  const kept: Kept = { name, files, time: Date.now() }
  if (files.length === 0) await inStore('readwrite', (store) => store.delete(name))
  else await inStore('readwrite', (store) => store.put(kept))
  await dropOldest()
}

/** Keeps none any more. */
export async function forgetAllFiles(): Promise<void> {
  await inStore('readwrite', (store) => store.clear())
}

async function dropOldest(): Promise<void> {
  const all = await inStore<Kept[]>('readonly', (store) => store.getAll())
  const old = all.toSorted((one, other) => other.time - one.time).slice(DRAFTS_MAX)
  for (const { name } of old) await inStore('readwrite', (store) => store.delete(name))
}
