/** Of the client that asks authorisation servers of tests for tokens for itself. */
export const CLIENT_SECRET = 'canary-of-a-client-91'
