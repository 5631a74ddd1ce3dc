import { Secret } from '../../src/lib/secret.ts'

/** The secret of servers in tests. */
export const TEST_SECRET = new Secret('the secret of the servers in these tests')
