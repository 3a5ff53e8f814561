import type { RecordedEvent } from '@phaseline/event-store';

/** Events after which the runs of an open claim no longer count: it is raised again under another name. */
const DROPS = ['FileWritten', 'FileDeleted', 'ModelResponded', 'PhaseFailed', 'PhaseCancelled'];

interface Raised {
  readonly streamId: string;
  readonly claim: string;
  /** Its last `ClaimRaised`, which names all runs. */
  last: RecordedEvent;
}

/**
 * Finds what is wrong with the claims of a job, in the order of its log: each must be decided once, after each of its runs has ended once. A claim
 * may stay undecided only where its runs no longer count, because a file changed, a message came, or the phase ended.
 */
export function findClaimLosses(events: readonly RecordedEvent[]): string[] {
  return listRaised(events).flatMap((raised) => {
    const { streamId, claim, last } = raised;
    const inPhase = events.filter((event) => event.streamId === streamId);
    const decisions = inPhase.filter(
      ({ type, data }) => (type === 'ClaimAccepted' || type === 'ClaimRefused') && data['claim'] === claim,
    );
    const name = `${claim} of ${streamId}`;
    const [decision] = decisions;
    if (!decision) return wasDropped(raised, inPhase) ? [] : [`${name} was not decided`];
    const losses = decisions.length > 1 ? [`${name} was decided ${decisions.length} times`] : [];
    for (const callId of listRuns(last)) {
      const ends = inPhase.filter(({ type, data }) => type.startsWith('ToolCall') && data['callId'] === callId);
      const count = (type: string): number => ends.filter((event) => event.type === type).length;
      if (count('ToolCallRequested') !== 1) losses.push(`${callId} was requested ${count('ToolCallRequested')} times`);
      const end = ends.filter(({ type }) => type === 'ToolCallCompleted' || type === 'ToolCallFailed');
      if (end.length !== 1) losses.push(`${callId} has ${end.length} ends`);
      else if (end[0]!.position > decision.position) losses.push(`${name} was decided before ${callId} had ended`);
      const judged = inPhase.filter(({ type, data }) => type === 'JudgeEnded' && data['callId'] === callId);
      if (judged.length > 1) losses.push(`${callId} was judged ${judged.length} times`);
    }
    return losses;
  });
}

/** The claims of all phases. A claim that needs more runs is raised again under the same name. */
function listRaised(events: readonly RecordedEvent[]): readonly Raised[] {
  const raised = new Map<string, Raised>();
  for (const event of events) {
    if (event.type !== 'ClaimRaised') continue;
    const { streamId, data } = event;
    const claim = String(data['claim']);
    const known = raised.get(`${streamId} ${claim}`);
    if (known) known.last = event;
    else raised.set(`${streamId} ${claim}`, { streamId, claim, last: event });
  }
  return [...raised.values()];
}

function wasDropped({ last }: Raised, inPhase: readonly RecordedEvent[]): boolean {
  const runs = listRuns(last);
  return inPhase.some(
    ({ type, version, data }) =>
      version > last.version && DROPS.includes(type) && !runs.includes(String(data['callId'])),
  );
}

function listRuns({ data }: RecordedEvent): readonly string[] {
  return (data['runs'] as readonly { readonly callId: string }[]).map(({ callId }) => callId);
}
