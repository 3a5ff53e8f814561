import type { InboxItem } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/field.js';
import { KeyValues } from '../ui/key-values.js';
import { explainConflict, listRefusals } from './decide.js';
import type { DetailProps } from './outcome.js';
import { MissingRight } from '../ui/missing-right.js';
import { useDecision } from './use-decision.js';

/** A todo that a running job cannot do. The agent continues with the others; a message tells it what has changed. */
export function BlockedTodoDetail({
  item,
  todo,
  onDecided,
}: DetailProps & { readonly todo: NonNullable<InboxItem['todo']> }) {
  const can = useRights();
  return (
    <>
      <KeyValues
        items={[
          ['Todo', todo.content],
          ['Blocked because', todo.reason],
        ]}
      />
      <p className="muted">
        The agent continues with its other todos. Change what is missing, then tell the agent: it takes the todo up
        again.
      </p>
      <div className="inbox-actions">
        {can('jobs:control', item.tenant) ? (
          <MessageForm {...{ item, todo, onDecided }} />
        ) : (
          <MissingRight right="jobs:control" tenant={item.tenant} />
        )}
      </div>
    </>
  );
}

function MessageForm({ item, todo, onDecided }: Parameters<typeof BlockedTodoDetail>[0]) {
  const [text, setText] = useState('');
  const decision = useDecision(item, onDecided);
  const isRefused = decision.error && explainConflict(decision.error) === undefined;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        const message = `About todo ${todo.id} (${todo.content}): ${text.trim()}`;
        decision.mutate({ kind: 'steer', message }, { onSuccess: () => setText('') });
      }}
    >
      <TextArea
        label="Tell the agent"
        help="The agent reads the message before its next step, with the todo that it concerns."
        rows={3}
        value={text}
        error={isRefused ? listRefusals(decision.error) : undefined}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="row">
        <Button type="submit" variant="primary" disabled={text.trim() === '' || decision.isPending}>
          Send
        </Button>
      </div>
    </form>
  );
}
