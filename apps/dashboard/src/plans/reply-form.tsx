import { readString, type Plan, type PlanWait } from '@phaseline/client';
import { useState } from 'react';
import { useRights, useWhoAmI } from '../api/use-rights.js';
import { MissingRight } from '../ui/missing-right.js';
import { Button } from '../ui/button.js';
import { ConfirmDialog } from '../ui/confirm-dialog.js';
import { TextArea } from '../ui/field.js';
import { ErrorNotice } from '../ui/notice.js';
import { useReply, type Reply } from './use-reply.js';

/** The longest reply in characters, with what is put before it. */
const MAX_REPLY_CHARACTERS = 3_900;
/** The answer to any question that ends the plan. */
const STOP = 'stop';

type Approval = Extract<PlanWait, { readonly kind: 'approval' }>;

/** How a person replies to what a plan waits for, or why they cannot. */
export function ReplyForm({ plan, wait }: { readonly plan: Plan; readonly wait: PlanWait }) {
  const can = useRights();
  const { data: caller } = useWhoAmI();
  const reply = useReply(plan, wait);
  const { tenant, user } = plan;
  if (!can('questions:answer', tenant)) return <MissingRight right="questions:answer" tenant={tenant} />;
  if (caller?.id !== user && !can('plans:approve', tenant))
    return (
      <>
        <p className="muted wrap-anywhere">This plan is made for {user}.</p>
        <MissingRight right="plans:approve" tenant={tenant} />
      </>
    );
  return (
    <div className="stack-small">
      {reply.error ? <ErrorNotice error={reply.error} /> : null}
      {wait.kind === 'approval' ? (
        <ApprovalForm wait={wait} reply={reply} />
      ) : wait.options ? (
        <Options plan={plan} options={wait.options} reply={reply} />
      ) : (
        <AnswerForm reply={reply} />
      )}
    </div>
  );
}

function ApprovalForm({ wait, reply }: { readonly wait: Approval; readonly reply: Reply }) {
  const [text, setText] = useState('');
  const { subject = 'call', contentHash } = wait;
  return (
    <>
      <div className="row">
        <Button variant="primary" disabled={reply.isPending} onClick={() => reply.mutate('approve')}>
          Approve the {subject}
        </Button>
        {contentHash === undefined ? null : (
          <span className="muted" title={contentHash}>
            Content hash <code>{contentHash.slice(0, 12)}</code>
          </span>
        )}
      </div>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          reply.mutate(`propose changes: ${text.trim()}`);
        }}
      >
        <TextArea
          label="Or say what is to be different"
          rows={2}
          maxLength={MAX_REPLY_CHARACTERS}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <div className="row">
          <Button type="submit" disabled={text.trim() === '' || reply.isPending}>
            Propose changes
          </Button>
        </div>
      </form>
    </>
  );
}

/** The options of a question as buttons, with what the planner says about each. */
function Options({
  plan,
  options,
  reply,
}: {
  readonly plan: Plan;
  readonly options: readonly string[];
  readonly reply: Reply;
}) {
  const describe = (option: string): string | undefined => {
    const found = plan.options.find((one) => one['id'] === option);
    return found && (readString(found, 'title') ?? readString(found, 'description'));
  };
  return (
    <>
      <div className="plan-options">
        {options
          .filter((option) => option !== STOP)
          .map((option) => (
            <Button key={option} disabled={reply.isPending} onClick={() => reply.mutate(option)}>
              <span className="plan-option">
                <strong>{option}</strong>
                {describe(option) === undefined ? null : <span className="muted">{describe(option)}</span>}
              </span>
            </Button>
          ))}
      </div>
      {options.includes(STOP) ? <StopButton reply={reply} /> : null}
    </>
  );
}

function AnswerForm({ reply }: { readonly reply: Reply }) {
  const [text, setText] = useState('');
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        reply.mutate(text.trim());
      }}
    >
      <TextArea
        label="Your reply"
        rows={3}
        maxLength={MAX_REPLY_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="row">
        <Button type="submit" variant="primary" disabled={text.trim() === '' || reply.isPending}>
          Reply
        </Button>
        <StopButton reply={reply} />
      </div>
    </form>
  );
}

function StopButton({ reply }: { readonly reply: Reply }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div>
        <Button variant="danger" disabled={reply.isPending} onClick={() => setOpen(true)}>
          Stop planning…
        </Button>
      </div>
      {isOpen ? (
        <ConfirmDialog
          title="Stop planning?"
          confirmLabel="Stop planning"
          danger
          onConfirm={() => reply.mutateAsync(STOP)}
          onClose={() => setOpen(false)}
        >
          <p>The plan ends as aborted. What was made until now can still be read.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}
