/** The admin key of every server that a test starts, unless the test is about keys. */
export const ADMIN_KEY = 'the-admin-key-of-tests'

export const WITH_KEY = { authorization: `Bearer ${ADMIN_KEY}` }
