import type { LearningTraceRecord } from '@phaseline/client';
import { useEffect, useRef, useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import { Code } from '../ui/code.js';
import { toWords } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { MissingRight } from '../ui/missing-right.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';
import { EventLink } from './event-link.js';
import { PromoteTraceDialog, WithdrawTraceDialog } from './promotion-dialogs.js';
import { ScopeBadge, TypeBadge } from './trace-badges.js';
import { useTrace } from './use-traces.js';

/** One learning trace in full, and who may read it. */
export function TraceDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useTrace(id);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.focus(), []);
  return (
    <div className="traces-detail" ref={element} tabIndex={-1}>
      <Card
        title="Learning trace"
        actions={
          <Button variant="quiet" onClick={onClose}>
            Close
          </Button>
        }
      >
        <QueryView query={query}>{(trace) => <Content trace={trace} />}</QueryView>
      </Card>
    </div>
  );
}

function Content({ trace }: { readonly trace: LearningTraceRecord }) {
  const { type, scope, action, reason, source, tenant, project, phase, timestamp, context, event } = trace;
  return (
    <div className="stack">
      <div className="row">
        <TypeBadge type={type} />
        <ScopeBadge scope={scope} />
      </div>
      <Text title="What happened" text={event.happened} />
      <Text title="What was correct" text={event.correct} />
      <Text title="Why" text={event.why} />
      <KeyValues
        items={[
          ['Job', <EventLink key="job" jobId={trace.jobId} position={trace.position} />],
          ['When', <DateTime key="at" at={timestamp} />],
          ['Agent', context.agent],
          ['Phase', phase === undefined ? undefined : String(phase)],
          ['Feature', context.feature],
          ['Todo', context.todo === undefined ? undefined : String(context.todo)],
          ['Task', context.task],
          ['Action', toWords(action)],
          ['Reason', toWords(reason)],
          ['Recorded by', toWords(source)],
          ['Tenant', tenant],
          ['Project', project],
          ['Id', <code key="id">{trace.id}</code>],
        ]}
      />
      <Promotion trace={trace} />
    </div>
  );
}

/** Texts of models, tools and people, as they are. */
function Text({ title, text }: { readonly title: string; readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <div className="stack-small">
      <h3>{title}</h3>
      <Code label={title} text={text} maxHeight={180} />
    </div>
  );
}

function Promotion({ trace }: { readonly trace: LearningTraceRecord }) {
  const [open, setOpen] = useState<'promote' | 'withdraw'>();
  const can = useRights();
  const { scope, tenant } = trace;
  const close = (): void => setOpen(undefined);
  if (!can('learning:promote', tenant)) return <MissingRight right="learning:promote" tenant={tenant} />;
  return (
    <div className="row">
      {scope === 'universal' ? null : <Button onClick={() => setOpen('promote')}>Promote…</Button>}
      {scope === 'job' ? null : (
        <Button variant="danger" onClick={() => setOpen('withdraw')}>
          Withdraw…
        </Button>
      )}
      {open === 'promote' ? <PromoteTraceDialog trace={trace} onClose={close} /> : null}
      {open === 'withdraw' ? <WithdrawTraceDialog trace={trace} onClose={close} /> : null}
    </div>
  );
}
