/** A server wants to be authorised by a human, at this address. */
export class AuthorisationWanted extends Error {
  override readonly name = 'AuthorisationWanted'
  readonly url: string

  constructor(url: string) {
    super('the server wants to be authorised')
    this.url = url
  }
}

/** The authorisation server cannot be trusted, or said no. */
export class AuthorisationFailed extends Error {
  override readonly name = 'AuthorisationFailed'
}
