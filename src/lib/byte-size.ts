const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const

/** A number of bytes for a person: `512 B`, `5 MiB`, `1.4 KiB`. */
export function byteSize(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1)
  const value = Math.round((bytes / 1_024 ** power) * 10) / 10
  return `${value} ${UNITS[power]}`
}
