import { readdirSync, readFileSync } from 'node:fs'

/** The process id of workerd itself on a data folder, which the shell that started it is not. */
export function workerdOf(dataFolder: string): number | undefined {
  const flag = `--directory-path=data=${dataFolder}`
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return ids.map(Number).find((id) => {
    const [binary = '', ...args] = argumentsOf(id)
    return binary.endsWith('/workerd') && args.includes(flag)
  })
}

/** None: it is gone. */
function argumentsOf(id: number): string[] {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}
