import type { Claim } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useClaims } from '../api/use-claims.js';
import { pluralise } from '../ui/format.js';
import { Json } from '../ui/code.js';
import { ErrorNotice } from '../ui/notice.js';
import type { MomentTodo } from './moment.js';
import './todos.css';

/** The todo list of the phase at the slider. A todo that is done shows the evidence with which its claim was accepted. */
export function Todos({
  jobId,
  phase,
  todos,
}: {
  readonly jobId: JobId;
  readonly phase: number | undefined;
  readonly todos: readonly MomentTodo[];
}) {
  const claims = useClaims(jobId, { enabled: todos.some(({ isDone }) => isDone) });
  if (todos.length === 0) return null;
  const find = (todo: MomentTodo): Claim | undefined =>
    claims.data?.find(
      ({ subject, outcome, phase: number }) =>
        subject.kind === 'todo' && subject.todoId === todo.id && number === phase && outcome === 'accepted',
    );
  const done = todos.filter(({ isDone }) => isDone).length;
  return (
    <section className="stack-small">
      <h3>
        Todos, {done} of {todos.length} done
      </h3>
      {claims.error ? <ErrorNotice error={claims.error} onRetry={() => void claims.refetch()} /> : null}
      <ol className="todos">
        {todos.map((todo) => (
          <TodoItem key={todo.id} todo={todo} claim={todo.isDone ? find(todo) : undefined} />
        ))}
      </ol>
    </section>
  );
}

function TodoItem({ todo, claim }: { readonly todo: MomentTodo; readonly claim: Claim | undefined }) {
  const [glyph, word] = todo.isDone ? ['✓', 'done'] : todo.blocked === undefined ? ['○', 'open'] : ['!', 'blocked'];
  return (
    <li className={`todo todo-${word}`}>
      <span aria-hidden="true" className="todo-glyph">
        {glyph}
      </span>
      <div className="wrap-anywhere">
        {todo.content} <span className="muted">({word})</span>
        {todo.note === undefined ? null : <p className="muted">{todo.note}</p>}
        {todo.blocked === undefined ? null : <p>{todo.blocked}</p>}
        {claim === undefined || claim.evidence.length === 0 ? null : <Evidence claim={claim} />}
      </div>
    </li>
  );
}

/** What the checks of an accepted claim read when they held. */
function Evidence({ claim }: { readonly claim: Claim }) {
  return (
    <details>
      <summary>{pluralise(claim.evidence.length, 'check')} held</summary>
      {claim.evidence.map(({ check, events, files }, at) => (
        <div key={at} className="stack-small">
          <Json label={`Check ${at + 1}`} value={check} maxHeight={120} />
          <ul className="muted">
            {events.map(({ streamId, version }) => (
              <li key={`${streamId}-${version}`}>
                event {version} of {streamId}
              </li>
            ))}
            {files.map(({ path, hash }) => (
              <li key={path}>
                {path} <code>{hash.slice(0, 12)}</code>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </details>
  );
}
