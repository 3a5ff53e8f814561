import type { EventRecord } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import { Json } from '../ui/code.js';
import { KeyValues } from '../ui/key-values.js';
import { Empty, Notice } from '../ui/notice.js';
import { QueryView } from '../ui/query-view.js';
import { DateTime } from '../ui/time.js';

/** The whole event at the slider, as the log has it. */
export function EventPanel({ jobId, position }: { readonly jobId: JobId; readonly position: number }) {
  const event = useQuery({
    queryKey: ['job', jobId, 'event', position],
    queryFn: async ({ signal }) =>
      (await client.eventPage(jobId, { after: position - 1, limit: 1 }, { signal })).items[0] ?? null,
    staleTime: Infinity,
    meta: { isFinal: true },
    gcTime: 10_000,
  });
  return (
    <QueryView query={event}>
      {(data) => (data === null ? <Empty>The log has no event here.</Empty> : <Event event={data} />)}
    </QueryView>
  );
}

function Event({ event }: { readonly event: EventRecord }) {
  const { type, schemaVersion, recordedAt, metadata, position, streamId, version, eventId, hash } = event;
  return (
    <div className="stack-small">
      <h3>{type}</h3>
      {event.unreadableReason === undefined ? null : <Notice tone="bad">{event.unreadableReason}</Notice>}
      <KeyValues
        items={[
          ['Recorded', <DateTime key="recorded" at={recordedAt} />],
          ['By', metadata.actor && describeActor(metadata.actor)],
          ['Position', position],
          ['Stream', `${streamId}, version ${version}`],
          ['Schema', `version ${schemaVersion}`],
          ['Event', <code key="event">{eventId}</code>],
          ['Hash', <code key="hash">{hash}</code>],
        ]}
      />
      <Json label={`Data of ${type}`} value={event.data} maxHeight={480} />
      <h3>Metadata</h3>
      <Json label={`Metadata of ${type}`} value={metadata} />
    </div>
  );
}

function describeActor({ id, onBehalfOf }: NonNullable<EventRecord['metadata']['actor']>): string {
  return onBehalfOf === undefined ? id : `${id} for ${onBehalfOf.id}`;
}
