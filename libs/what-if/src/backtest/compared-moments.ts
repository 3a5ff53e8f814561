import type { JsonObject } from '@phaseline/basics';
import type { StreamId } from '@phaseline/contracts';
import { EXPIRY_ACTOR, type JobState, type PhaseEvent } from '@phaseline/domain';
import type { DecodedEvent } from '../log/decoded-event.js';
import type { AddedGuard } from '../redecide/added-guard.js';
import { isOfSystem, readData } from './read-data.js';

type PhaseDecoded = Extract<DecodedEvent, { kind: 'phase' }>;

/** Ends of a job that show whether its calls were right. */
const TELLING_ENDS: ReadonlySet<JobState['status']> = new Set<JobState['status']>([
  ...(['completed', 'failed', 'blocked', 'aborted'] as const),
]);

/**
 * Counts the calls and claims of a job about which a guard is asked, and those whose outcome is known. It reads names alone, so that calls about which
 * the guard decides nothing count as well and cost nothing else.
 */
export class ComparedMoments {
  private claims = 0;
  /** Ids of the calls about which the guard is asked. */
  private readonly compared = new Set<string>();
  /** Tools of other admitted calls, which it may be asked about when they end. */
  private readonly running = new Map<string, string>();
  /** Tools of the calls of the last answer of each phase. */
  private readonly answered = new Map<StreamId, ReadonlyMap<string, string>>();
  /** Ids of the calls that a person approved or refused. */
  private readonly decidedByPeople = new Set<string>();

  constructor(private readonly added: AddedGuard) {}

  /** Calls and claims, and those whose outcome is known. A job that runs or was cancelled shows it only for calls about which a person decided. */
  count(status: JobState['status'] | undefined): { readonly calls: number; readonly labelled: number } {
    const calls = this.compared.size + this.claims;
    if (status !== undefined && TELLING_ENDS.has(status)) return { calls, labelled: calls };
    return { calls, labelled: [...this.compared].filter((callId) => this.decidedByPeople.has(callId)).length };
  }

  readCall(one: PhaseDecoded): void {
    const { type } = one.recorded;
    switch (type) {
      case 'ToolCallRequested':
      case 'ApprovalRequested':
        return this.admit(one);
      case 'ModelResponded':
        this.answered.set(one.streamId, readTools(one));
        return;
      case 'ToolCallDenied': {
        // Guards are asked about the same call, one after the other. What the engine denies is not shown to them.
        const tool = this.answered.get(one.streamId)?.get(readCallId(one));
        const isByGuard = readData(one)['code'] === 'guard_denied';
        if (isByGuard && tool !== undefined && this.added.mayDecide('PreToolUse', tool))
          this.compared.add(readCallId(one));
        return;
      }
      case 'ToolCallCompleted':
      case 'ToolCallFailed': {
        const callId = readCallId(one);
        const tool = this.running.get(callId);
        this.running.delete(callId);
        const point = type === 'ToolCallCompleted' ? 'PostToolUse' : 'PostToolUseFailure';
        if (tool !== undefined && this.added.mayDecide(point, tool)) this.compared.add(callId);
        return;
      }
      case 'ApprovalGranted':
      case 'ApprovalRefused':
        // Nobody decided about an approval that expired.
        if (readData(one)['actor'] !== EXPIRY_ACTOR) this.decidedByPeople.add(readCallId(one));
        return;
      default:
    }
  }

  /** Reads an event of a commit in which the guard was asked about claims. */
  readClaim({ event }: PhaseDecoded): void {
    if (isClaim(event, this.added.guard.points)) this.claims += 1;
  }

  /** For a permission, the guard is asked only if a person is. */
  private admit(one: PhaseDecoded): void {
    if (isOfSystem(one)) return;
    const { added } = this;
    const [callId, tool] = [readCallId(one), String(readData(one)['name'])];
    const isAsked =
      added.mayDecide('PreToolUse', tool) ||
      (one.recorded.type === 'ApprovalRequested' && added.mayDecide('PermissionRequest', tool));
    if (isAsked) this.compared.add(callId);
    else this.running.set(callId, tool);
  }
}

function readTools(answer: PhaseDecoded): ReadonlyMap<string, string> {
  const { calls } = readData(answer);
  const made = Array.isArray(calls) ? (calls as readonly JsonObject[]) : [];
  return new Map(made.map(({ callId, name }) => [String(callId), String(name)]));
}

function readCallId(one: PhaseDecoded): string {
  return String(readData(one)['callId']);
}

/** Whether an event accepts or refuses a claim about which a guard with these points is asked. */
function isClaim(event: PhaseEvent, points: AddedGuard['guard']['points']): boolean {
  switch (event.type) {
    case 'TodoCompleted':
      return points.includes('TaskCompleted');
    case 'ClaimRefused':
      return points.includes('TaskCompleted') || event.data.callId === undefined;
    case 'PhaseCompleted':
    case 'TransitionRejected':
      return points.includes('Stop') || points.includes('SubagentStop');
    default:
      return false;
  }
}
