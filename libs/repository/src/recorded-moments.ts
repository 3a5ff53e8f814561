import type { CallId } from '@phaseline/contracts';
import type { HookPoint, PhaseEvent, PhaseState } from '@phaseline/domain';

/** A moment at which guards are asked: a hook point, with the call if it has one. */
export interface GuardMoment {
  readonly point: HookPoint;
  readonly callId?: CallId | undefined;
  /** Kind of the guards that had to be run, which decide later than those that are pure; absent for rules and scripts. */
  readonly by?: 'command' | 'judge';
}

/**
 * What guards decided in a recorded phase at the moments that are no admission of a call. A plain allow is no event, so the moments that
 * the phase reached are found from what followed.
 */
export class RecordedMoments {
  private readonly decided = new Map<string, PhaseEvent[]>();
  private readonly reached = new Set<string>();

  /** Notes an event. `before` is the state of the phase before it. */
  add(event: PhaseEvent, before: PhaseState | undefined): void {
    const step = before?.money.spending.steps ?? 0;
    const prompts = before?.conversation.moments?.prompts ?? 0;
    switch (event.type) {
      case 'GuardDecided': {
        const { point, callId, guard } = event.data;
        const { kind } = guard;
        const by = kind === 'command' || kind === 'judge' ? { by: kind } : {};
        const key = buildKey({ point, callId, ...by }, step, prompts);
        this.decided.set(key, [...(this.decided.get(key) ?? []), event]);
        return;
      }
      case 'ClaimRaised':
      case 'ClaimRefused': {
        const { subject, callId } = event.data;
        if (subject.kind === 'phase') this.noteEnd(step);
        else if (callId !== undefined) this.reached.add(buildKey({ point: 'TaskCompleted', callId }, step, prompts));
        return;
      }
      case 'PhaseCompleted':
        this.noteEnd(step);
        return;
      case 'MomentDecided':
        this.reached.add(buildKey(event.data, step, prompts));
        return;
    }
  }

  /** The decisions at a moment; `undefined` if the phase did not reach it. */
  find({ money, conversation }: PhaseState, moment: GuardMoment): readonly PhaseEvent[] | undefined {
    const key = buildKey(moment, money.spending.steps, conversation.moments?.prompts ?? 0);
    return this.decided.get(key) ?? (this.reached.has(key) ? [] : undefined);
  }

  private noteEnd(step: number): void {
    for (const point of ['Stop', 'SubagentStop'] as const) this.reached.add(buildKey({ point }, step, 0));
  }
}

/** Guards are asked once at each point about a call and about each prompt; the other moments are named by the last step of the model. */
function buildKey({ point, callId, by }: GuardMoment, step: number, prompts: number): string {
  const about = callId ?? (point === 'UserPromptSubmit' ? `prompt ${prompts + 1}` : `after step ${step}`);
  return `${point} ${about}${by === undefined ? '' : ` by ${by}`}`;
}
