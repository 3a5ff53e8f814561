import { findUndecidedPrompt, type Guard, type HookPoint, type PhaseEvent } from '@phaseline/domain';
import type { Commit } from '../log/commits.js';
import type { DecodedEvent } from '../log/decoded-event.js';
import type { RecordedJob } from '../log/recorded-job.js';
import { redecideCommit } from '../redecide/redecide-commit.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { isDecisionOf, type GuardDecided } from './guard-decisions.js';

/** Points at which the guard is asked by deciding the whole commit again: claims, the begin of a phase, prompts and summaries. */
export const REDECIDED_POINTS: ReadonlySet<HookPoint> = new Set<HookPoint>([
  ...(['SessionStart', 'UserPromptSubmit', 'TaskCompleted', 'Stop', 'SubagentStop', 'PreCompact'] as const),
]);

/** Events that a commit has in which a claim was made whose checks held. */
const claimTypes: ReadonlySet<string> = new Set<PhaseEvent['type']>([
  ...(['TodoCompleted', 'ClaimRaised', 'ClaimAccepted', 'ClaimRefused', 'PhaseCompleted'] as const),
]);

type Recorded = DecodedEvent['recorded'];

/** What a guard decides in a commit. The recorded commit has no event for it, so that its place is that of the event after it. */
export interface AskedCommit {
  readonly decided: ReadonlyMap<Recorded, readonly GuardDecided[]>;
  /** Events that a phase with the guard has before a recorded one: that the guard has decided about a moment. */
  readonly inserted: ReadonlyMap<Recorded, readonly PhaseEvent[]>;
}

/** Asks a guard at the points where the rest of a commit determines whether it is asked, and about which state. */
export class RedecidedMoments {
  /** Commits that could not be decided again, by reason. */
  readonly unknown: Record<string, number> = {};
  private readonly isAboutClaims: boolean;
  private readonly isAboutMoments: boolean;
  private readonly isAboutSummaries: boolean;

  constructor(
    private readonly guard: Guard,
    private readonly job: RecordedJob,
    private readonly parts: DecisionParts,
  ) {
    const { points } = guard;
    this.isAboutClaims = points.some((point) => ['TaskCompleted', 'Stop', 'SubagentStop'].includes(point));
    this.isAboutMoments = points.includes('SessionStart') || points.includes('UserPromptSubmit');
    this.isAboutSummaries = points.includes('PreCompact');
  }

  /** Returns what the guard decides in a commit; undefined if it is not asked. */
  async ask(commit: Commit): Promise<AskedCommit | undefined> {
    if (!this.mayBeAsked(commit)) return undefined;
    const redecided = await redecideCommit(this.job, commit, this.parts);
    if (redecided.kind === 'unknown') this.unknown[redecided.reason] = (this.unknown[redecided.reason] ?? 0) + 1;
    if (redecided.kind !== 'decided') return undefined;
    const decided = new Map<Recorded, GuardDecided[]>();
    const inserted = new Map<Recorded, PhaseEvent[]>();
    const known = commit.events.map(({ event }) => event).filter(({ type }) => type === 'MomentDecided');
    let added = 0;
    for (const [index, { streamId, event }] of redecided.decided.entries()) {
      const isDecision = isDecisionOf(this.guard, event);
      if (!isDecision && event.type !== 'MomentDecided') continue;
      // Guards of the phase are asked at the same moment.
      const same = known.findIndex((one) => isSameMoment(one, event));
      if (same >= 0) {
        known.splice(same, 1);
        continue;
      }
      const ofStream = commit.events.filter((one) => one.streamId === streamId);
      const { recorded } = ofStream[Math.min(index - added, ofStream.length - 1)]!;
      added += 1;
      if (!isDecision) inserted.set(recorded, [...(inserted.get(recorded) ?? []), event]);
      else if (REDECIDED_POINTS.has(event.data.point))
        decided.set(recorded, [...(decided.get(recorded) ?? []), event.data]);
    }
    return { decided, inserted };
  }

  private mayBeAsked({ events }: Commit): boolean {
    // An orchestrator, which decides jobs, asks no guards.
    if (events.some(({ kind }) => kind === 'job')) return false;
    if (this.isAboutClaims && events.some(({ recorded }) => claimTypes.has(recorded.type))) return true;
    if (this.isAboutSummaries && events.some(isAboutSummary)) return true;
    return this.isAboutMoments && events.some((one) => one.kind === 'phase' && this.isMomentOpen(one.phase));
  }

  /** Whether the phase has just begun, or has a message about which the guard has not decided. */
  private isMomentOpen(phase: number): boolean {
    const state = this.job.getPhase(phase);
    if (!state) return false;
    return state.money.spending.steps === 0 || findUndecidedPrompt(state.conversation) !== undefined;
  }
}

/** Whether a commit with this event may have decided about a summary: it was begun, or a guard of the phase was asked about it. */
function isAboutSummary(one: DecodedEvent): boolean {
  const { type } = one.recorded;
  if (type !== 'ModelCallStarted' && type !== 'GuardDecided' && type !== 'GuardsAwaited') return false;
  const { event } = one;
  if (event.type === 'ModelCallStarted') return event.data.purpose === 'summary';
  return (event.type === 'GuardDecided' || event.type === 'GuardsAwaited') && event.data.point === 'PreCompact';
}

function isSameMoment(one: DecodedEvent['event'], other: DecodedEvent['event']): boolean {
  return (
    one.type === 'MomentDecided' &&
    other.type === 'MomentDecided' &&
    one.data.point === other.data.point &&
    one.data.prompt === other.data.prompt
  );
}
