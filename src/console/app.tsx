import { ErrorRoom, UnreachedLine } from './ui/problem.tsx'
import { forgetKey, hasKey, keyNeeded } from './api.ts'
import { Inbox } from './inbox/inbox.tsx'
import { KeyGate } from './key-gate.tsx'
import { switchLanguage, texts } from './language.ts'
import { currentRoute, type Route } from './route.ts'
import { SessionView } from './session/session-view.tsx'
import { hasRemoved } from './sessions/remove.ts'
import { SessionList } from './sessions/session-list.tsx'
import { areMoreWaiting, waiting } from './sessions/session-store.ts'
import { nextTheme, theme } from './theme.ts'
import { NewTask } from './tasks/new-task.tsx'
import { DialogRoom } from './ui/dialog.tsx'
import { Lost } from './ways-on.tsx'
import { BackLink, Icon } from './ui/marks.tsx'
import { forgetDraftFiles } from './ui/attaching.tsx'
import { forgetDrafts, hasDrafts } from './ui/growing-text.tsx'
import { Later } from './ui/loaded.tsx'
import { openSession } from './sessions/followed.ts'
import { pendingTitle, pendingQuestion } from './decide/decision.ts'

/** The page: what there is on the left, what one looks at beside it. On a phone one or the other. */
export function App() {
  if (keyNeeded.value !== 'no') return <KeyGate />
  const { page } = currentRoute.value
  return (
    <div class="app" data-page={page}>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        {texts().skip}
      </a>
      <News />
      <UnreachedLine />
      <Side />
      <DialogRoom />
      {hasRemoved.value ? (
        <Later load={async () => (await import('./sessions/removals-view.tsx')).RemovalsView} props={{}} />
      ) : null}
      <main id="main" tabIndex={-1}>
        {page === 'session' ? null : (
          <p class="back-row">
            <BackLink />
          </p>
        )}
        {/* The first page is where a task is given: on the way from one to the other nobody loses the field that they type in. */}
        <ErrorRoom key={page === 'home' ? 'new' : page}>
          <Content route={currentRoute.value} />
        </ErrorRoom>
      </main>
    </div>
  )
}

function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Side() {
  const t = texts()
  const { page } = currentRoute.value
  const current = (name: Route['page']) => (page === name ? ('page' as const) : undefined)
  return (
    <div class="side">
      <header class="brand">
        <a href="#/" class="name">
          yaa
        </a>
        <button type="button" class="quiet" title={t.theme[theme.value]} onClick={nextTheme}>
          <Icon name={theme.value} />
          <span class="unseen">{t.theme[theme.value]}</span>
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => void switchLanguage()}
          lang={t.language === '中文' ? 'zh-CN' : 'en'}
        >
          {t.language}
        </button>
      </header>
      <nav class="main-nav" aria-label="yaa">
        <a href="#/new" class="primary" aria-current={current('new')}>
          <Icon name="plus" /> {t.newTask}
        </a>
        <a href="#/inbox" aria-current={current('inbox')}>
          <Icon name="inbox" /> {t.inbox}
          {waiting.value.length === 0 ? null : (
            <span class="count">
              {waiting.value.length}
              {areMoreWaiting.value ? '+' : ''}
            </span>
          )}
        </a>
      </nav>
      <SessionList />
      <nav class="foot-nav" aria-label={t.setUp}>
        <a href="#/spend" aria-current={current('spend')}>
          <Icon name="spend" /> {t.spend}
        </a>
        <a href="#/connect" aria-current={current('connect')}>
          <Icon name="link" /> {t.connect}
        </a>
        <a href="#/setup" aria-current={current('setup')}>
          <Icon name="gear" /> {t.setUp}
        </a>
        {hasKey.value ? (
          <button type="button" class="quiet" onClick={forgetAll}>
            {t.key.forget}
          </button>
        ) : null}
      </nav>
    </div>
  )
}

function Content({ route: here }: { route: Route }) {
  switch (here.page) {
    case 'home':
    case 'new':
      return <NewTask />
    case 'inbox':
      return <Inbox />
    case 'session':
      return <SessionView id={here.id} tab={here.tab} />
    case 'spend':
      return <Later load={async () => (await import('./spend/spend-view.tsx')).SpendView} props={{}} />
    case 'connect':
      return <Later load={async () => (await import('./connect/connect-view.tsx')).ConnectView} props={{}} />
    case 'authorise':
      return (
        <Later load={async () => (await import('./setup/authorise.tsx')).Authorise} props={{ query: here.query }} />
      )
    case 'setup':
      return <Later load={async () => (await import('./setup/setup-view.tsx')).SetupView} props={{ part: here.part }} />
    case 'unknown':
      return <Lost title={texts().lost.page} why={texts().lost.pageWhy} />
  }
}

/** The key goes, and with it what was written and attached under it: the next one at this device may be somebody else. */
function forgetAll(): void {
  if (hasDrafts() && !confirm(texts().key.forgetAsk)) return
  forgetKey()
  forgetDrafts()
  void forgetDraftFiles()
}

const NAMED_MAX = 5

/** Says to who listens instead of looking what waits for a decision: here, and in other sessions. */
function News() {
  const t = texts()
  const head = openSession.value?.head.value
  const here = (head?.pending ?? []).map((pending) =>
    [pendingTitle(pending), pendingQuestion(pending)].filter(Boolean).join(' '),
  )
  const others = waiting.value.filter(({ id }) => id !== head?.id).map(({ title }) => title || t.untitled)
  const named = [...here, ...others].slice(0, NAMED_MAX)
  return (
    <p class="unseen news" role="status">
      {named.length === 0 ? '' : t.told(t.inbox, named.join(' · '))}
    </p>
  )
}
