import type { CallId } from '@phaseline/contracts';
import { CALL_POINTS, type GuardWait, type PhaseEvent } from '@phaseline/domain';

type Moment = 'admission' | 'end' | Pick<GuardWait, 'point' | 'round' | 'permission'>;

/** What guards decided about calls in a recording, and what followed, by call and moment. */
export class RecordedGuards {
  /** Events by call and moment. */
  private readonly events = new Map<string, PhaseEvent[]>();
  /** The moment to which the next event about a call belongs. */
  private readonly moments = new Map<CallId, Moment>();
  /** The events to which the calls of the system belong that ask guards. */
  private readonly asking = new Map<CallId, PhaseEvent[]>();

  /** Calls that were admitted and have not ended. What guards decide meanwhile is about files that the call changed. */
  private readonly running = new Set<CallId>();

  find(callId: CallId, after: Moment): readonly PhaseEvent[] | undefined {
    return this.events.get(toKey(callId, after));
  }

  add(event: PhaseEvent): void {
    switch (event.type) {
      case 'ToolCallRequested': {
        const asking = this.asking.get(event.data.callId);
        if (asking) asking.push(event);
        else this.noteAdmitted(event.data.callId, event);
        return;
      }
      case 'ApprovalRequested':
        this.noteAdmitted(event.data.callId, event);
        return;
      case 'ToolCallDenied':
        this.note(event.data.callId, event);
        return;
      case 'GuardDecided':
      case 'GuardsSettled': {
        const { callId, point } = event.data;
        if (callId !== undefined && CALL_POINTS.has(point) && !this.running.has(callId)) this.note(callId, event);
        return;
      }
      case 'GuardsAwaited': {
        const { callId, runs } = event.data;
        if (callId === undefined) return;
        const noted = this.note(callId, event);
        for (const run of runs) this.asking.set(run.callId, noted);
        this.moments.set(callId, event.data);
        return;
      }
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
        // A call that ended without anything to say about it is found too, so that no guard is asked again.
        this.running.delete(event.data.callId);
        this.moments.set(event.data.callId, 'end');
        this.events.set(toKey(event.data.callId, 'end'), []);
    }
  }

  private noteAdmitted(callId: CallId, event: PhaseEvent): void {
    this.note(callId, event);
    this.running.add(callId);
  }

  private note(callId: CallId, event: PhaseEvent): PhaseEvent[] {
    const key = toKey(callId, this.moments.get(callId) ?? 'admission');
    const events = this.events.get(key) ?? [];
    events.push(event);
    this.events.set(key, events);
    return events;
  }
}

function toKey(callId: CallId, moment: Moment): string {
  if (typeof moment === 'string') return `${callId} ${moment}`;
  const { point, round, permission } = moment;
  return `${callId} ${point} ${round}${permission ? ' permitted' : ''}`;
}
