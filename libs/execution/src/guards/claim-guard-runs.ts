import {
  toGuardRef,
  type ClaimRun,
  type Guard,
  type GuardRun,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { listGuardsAt, type GuardEvent } from '@phaseline/guards';

/** What guards are asked about a claim: a todo, or the end of a phase. At SessionEnd hooks only observe the end. */
export type ClaimEvent = GuardEvent & { readonly point: 'TaskCompleted' | 'Stop' | 'SubagentStop' | 'SessionEnd' };

/** Time limit of the run of a guard that sets none, in milliseconds: that of the protocol at these points. */
const DEFAULT_GUARD_MS = 600_000;
/** Time that the run may take in addition, to wait for the working folder of the phase and to bring it up to date. */
const FOLDER_MS = 300_000;

/** The guards of one kind that a claim has to pass: those that have not been run for it, and those whose runs have ended. */
export function listClaimGuardRuns(
  { start }: PhaseState,
  guardKind: 'command' | 'judge',
  event: ClaimEvent,
  open: PhaseEventData<'ClaimRaised'> | undefined,
): { readonly needed: readonly ClaimRun[]; readonly ended: readonly GuardRun[] } {
  const needed: ClaimRun[] = [];
  const ended: GuardRun[] = [];
  for (const guard of listGuardsAt(start.terms.guards ?? [], guardKind, event.point)) {
    const run = open?.runs.find(({ kind, name }) => kind === runKindOf[guardKind] && name === guard.name);
    if (run) ended.push({ guard: toGuardRef(guard), callId: run.callId });
    else needed.push(buildRun(guard, event));
  }
  return { needed, ended };
}

const runKindOf = { command: 'guard', judge: 'judge' } as const;

function buildRun(guard: Guard, event: ClaimEvent): ClaimRun {
  if (guard.kind === 'judge') return { kind: 'judge', name: guard.name };
  return {
    kind: 'guard',
    name: guard.name,
    arguments: { point: event.point, guards: [guard.name], occasion: buildOccasion(event) },
    timeoutMs: (guard.timeoutMs ?? DEFAULT_GUARD_MS) + FOLDER_MS,
    effect: guard.idempotent ? 'idempotent' : 'once',
  };
}

function buildOccasion({ todo, isRepeated = false, lastMessage }: ClaimEvent) {
  if (todo) return { task: { id: String(todo.id), subject: todo.content } };
  return { isRepeated, ...(lastMessage === undefined ? {} : { lastMessage }) };
}
