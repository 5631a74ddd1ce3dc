import { viewTexts, texts } from '../language.ts'

/** Which keys there are. */
export function KeysView() {
  return (
    <section class="keys">
      <h2>{texts().keys}</h2>
      <dl>
        {viewTexts().keys.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
