import type { News, ToldPending } from '../domain/callback.ts'

/** Makes a signed link by which a human decides a pending item: a path of this server; null: there can be no more of them. */
export type MintLink = (tenant: string, sessionId: string, item: ToldPending) => Promise<string | null>

/** Gives each pending item of some news its link, one an item. */
export function linkedBy(mint: MintLink, tenant: string): (news: News) => Promise<News> {
  const minted = new Map<string, Promise<string | null>>()
  const pathOf = (sessionId: string, item: ToldPending): Promise<string | null> => {
    const known = minted.get(item.id) ?? mint(tenant, sessionId, item)
    minted.set(item.id, known)
    return known
  }
  return async (news) => {
    const { pending } = news.data
    if (pending === undefined) return news
    const linked = await Promise.all(
      pending.map(async (item) => {
        const path = await pathOf(news.sessionId, item)
        return path === null ? item : { ...item, decide_path: path }
      }),
    )
    return { ...news, data: { ...news.data, pending: linked } }
  }
}
