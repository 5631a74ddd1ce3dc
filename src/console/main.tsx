import { render } from 'preact'
import { createClient } from '../client/client.ts'

const root = document.getElementById('app')
const { version } = await createClient({ server: location.origin }).health()
if (root) render(<h1>yaa {version}</h1>, root)
