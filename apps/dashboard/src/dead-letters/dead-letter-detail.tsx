import type { DeadLetterDetail } from '@phaseline/client';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Code, Json } from '../ui/code.js';
import { formatBytes, formatCount } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { CloseActions } from './close-actions.js';
import { findJobId } from './dead-letter-fields.js';
import { useDeadLetter } from './use-dead-letters.js';

/** One dead letter: its payload, why it failed, and the other failures of the same message. */
export function DeadLetterDetailPanel({
  id,
  canControl,
  onClose,
}: {
  readonly id: string;
  readonly canControl: boolean;
  readonly onClose: () => void;
}) {
  const query = useDeadLetter(id);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div className="letters-detail" ref={element} tabIndex={-1}>
      <Card
        title={`Dead letter ${id}`}
        actions={
          <Button variant="quiet" onClick={onClose}>
            Close
          </Button>
        }
      >
        <QueryView query={query}>
          {(letter) => (
            <div className="stack">
              <Facts letter={letter} />
              {canControl && isOpen(letter) ? <CloseActions ids={[id]} hint="" /> : null}
              <div className="stack-small">
                <h3>Why it failed</h3>
                <Code label="Reason" text={letter.reason} maxHeight={160} />
              </div>
              <div className="stack-small">
                <h3>Payload</h3>
                {typeof letter.payload === 'string' ? (
                  <>
                    <p className="muted">Not JSON; shown as it was received.</p>
                    <Code label="Payload" text={letter.payload} />
                  </>
                ) : (
                  <Json label="Payload" value={letter.payload} />
                )}
              </div>
              <History letter={letter} />
            </div>
          )}
        </QueryView>
      </Card>
    </div>
  );
}

type Closing = Pick<DeadLetterDetail, 'retriedAt' | 'discardedAt'>;

function isOpen({ retriedAt, discardedAt }: Closing): boolean {
  return retriedAt === undefined && discardedAt === undefined;
}

function State({ retriedAt, discardedAt }: Closing) {
  if (retriedAt !== undefined)
    return (
      <Badge tone="ok" glyph="✓">
        sent again
      </Badge>
    );
  if (discardedAt !== undefined) return <Badge glyph="–">discarded</Badge>;
  return (
    <Badge tone="warn" glyph="!">
      open
    </Badge>
  );
}

function Facts({ letter }: { readonly letter: DeadLetterDetail }) {
  const jobId = letter.jobId ?? findJobId(letter);
  const { enqueuedAt, retriedAt, discardedAt, payloadBytes } = letter;
  return (
    <KeyValues
      items={[
        ['State', <State key="state" {...letter} />],
        ['Queue', letter.queue],
        [
          'Message',
          <span key="message" className="mono">
            {letter.messageId}
          </span>,
        ],
        [
          'Job',
          jobId === undefined ? undefined : (
            <Link key="job" href={`/jobs/${jobId}`}>
              {jobId}
            </Link>
          ),
        ],
        ['Attempts', formatCount(letter.attempts)],
        ['Sent', enqueuedAt === undefined ? undefined : <DateTime key="sent" at={enqueuedAt} />],
        ['Failed', <DateTime key="failed" at={letter.failedAt} />],
        ['Sent again', retriedAt === undefined ? undefined : <DateTime key="again" at={retriedAt} />],
        ['Discarded', discardedAt === undefined ? undefined : <DateTime key="discarded" at={discardedAt} />],
        ['By', letter.discardedBy],
        ['Because', letter.discardReason],
        ['Size', payloadBytes === undefined ? undefined : formatBytes(payloadBytes)],
      ]}
    />
  );
}

function History({ letter }: { readonly letter: DeadLetterDetail }) {
  if (letter.others.length === 0) return <p className="muted">This message failed only this time.</p>;
  return (
    <div className="stack-small">
      <h3>Other failures of this message</h3>
      <ol className="stack-small">
        {letter.others.map((other) => (
          <li key={other.id} className="wrap-anywhere">
            <span className="row">
              <Link href={`/dead-letters/${other.id}`}>Dead letter {other.id}</Link>
              <State {...other} />
              <DateTime at={other.failedAt} />
            </span>
            <span className="muted">{other.reason}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
