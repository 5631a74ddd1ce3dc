import type { SessionSummary } from '../../domain/session.ts'
import { visible } from './visible.ts'

const STATUS_COLUMNS = 11

/** `ID  STATUS  LOCAL TIME  TITLE`. */
export function sessionLine({ id, status, updated_time: updated, title }: SessionSummary): string {
  return [id, status.padEnd(STATUS_COLUMNS), localTime(updated), visible(title)].join('  ').trimEnd()
}

function localTime(time: string): string {
  const date = new Date(time)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
