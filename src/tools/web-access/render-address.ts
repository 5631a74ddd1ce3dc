import type { WebRenderConfig } from '../../domain/web-config.ts'

const CLOUDFLARE = 'https://api.cloudflare.com/client/v4/accounts'
export const PLACE = '{url}'

/** Where a service is asked for a page. Source: developers.cloudflare.com/browser-rendering, REST API, `/content`. */
export function serviceUrl(
  { provider, account_id: account = '', url = '' }: Pick<WebRenderConfig, 'provider' | 'account_id' | 'url'>,
  address: string,
): string {
  if (provider === 'cloudflare') return `${CLOUDFLARE}/${account}/browser-rendering/content`
  return url.replaceAll(PLACE, encodeURIComponent(address))
}
