import type { AddressProblem } from './address.ts'

/** Thrown by a `Fetch` for an address that may not be reached, or whose name turns out to mean one; told apart by its `name`. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  readonly detail: AddressProblem

  constructor(detail: AddressProblem) {
    super(`The address may not be reached: ${detail}`)
    this.detail = detail
  }
}
