import {
  buildPhaseFailed,
  dueWork,
  findUndecidedPrompt,
  planGuardRuns,
  type GuardRefusal,
  type GuardWait,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import { listGuardsAt, type GuardEvent } from '@phaseline/guards';
import type { PendingCommit } from '../step/pending-commit.js';
import { settle } from './command-guards.js';
import { decideWithPureGuards, decideWithRuns, type GuardParts } from './decide-moment.js';

/** File of the workspace with the task of the job. */
const TASK_FILE = 'instructions.md';

/** A moment about which guards have to decide before the model is called. */
interface Moment {
  readonly event: GuardEvent & { readonly point: 'SessionStart' | 'UserPromptSubmit' };
  readonly prompt?: 'task' | 'message';
  /** Names the moment within the phase, for the calls that it needs. */
  readonly id: CallId;
}

/** Whether nothing is outstanding, or only runs of guards were that have ended. */
export function canDecideMoments(state: PhaseState): boolean {
  const due = dueWork(state);
  if (due.kind === 'guards') return due.wait.callId === undefined;
  return due.kind === 'advance';
}

/**
 * Asks guards about the begin of the phase, the task of the job, and the messages of people, in this order, each once. Stops where the runs of
 * command guards have to end first. A refused message never reaches the model; a refused task fails the phase.
 */
export async function decideMoments(commit: PendingCommit, parts: GuardParts): Promise<void> {
  while (!commit.state.end) {
    const moment = await findMoment(commit);
    if (!moment) return;
    const wait = commit.state.guardWaits.find(({ point }) => point === moment.event.point);
    const outcome = wait ? await endWait(commit, wait, moment.event, parts) : await ask(commit, moment, parts);
    if (outcome === 'wait') return;
    recordDecided(commit, moment, outcome.refusal);
  }
}

async function findMoment(commit: PendingCommit): Promise<Moment | undefined> {
  const { state } = commit;
  const { start, conversation, money } = state;
  const { phase, attempt } = start.identity;
  const { guards = [] } = start.terms;
  const { moments } = conversation;
  const isNew = money.spending.steps === 0;
  if (isNew && !moments?.isStartDecided && guards.some(({ points }) => points.includes('SessionStart'))) {
    const source = attempt > 1 ? ('resume' as const) : ('startup' as const);
    return { event: { point: 'SessionStart', source }, id: `moment_${phase}_start` };
  }
  if (!conversation.decidesMessages) return undefined;
  const id: CallId = `moment_${phase}_prompt_${(moments?.prompts ?? 0) + 1}`;
  const isTaskNew = phase === 1 || start.previousFailure?.code === 'guard_refused';
  if (isNew && isTaskNew && !moments?.isTaskDecided) {
    const prompt = (await commit.readText(TASK_FILE)) ?? '';
    return { event: { point: 'UserPromptSubmit', prompt }, prompt: 'task', id };
  }
  const prompt = findUndecidedPrompt(conversation);
  return prompt === undefined ? undefined : { event: { point: 'UserPromptSubmit', prompt }, prompt: 'message', id };
}

type Outcome = 'wait' | { readonly refusal: GuardRefusal | undefined };

async function ask(commit: PendingCommit, { event, id }: Moment, parts: GuardParts): Promise<Outcome> {
  const refusal = await decideWithPureGuards(commit, event, parts);
  const commands = listGuardsAt(commit.state.start.terms.guards ?? [], 'command', event.point);
  if (refusal || commands.length === 0) return { refusal };
  const { point, prompt, source } = event;
  const occasion = { ...(prompt === undefined ? {} : { prompt }), ...(source === undefined ? {} : { source }) };
  const { runs, requests } = planGuardRuns(commit.state, { id, point, guards: commands, occasion });
  commit.record({ type: 'GuardsAwaited', data: { point, round: 1, runs: [...runs] } }, ...requests);
  return 'wait';
}

async function endWait(commit: PendingCommit, wait: GuardWait, event: GuardEvent, parts: GuardParts): Promise<Outcome> {
  const refusal = await decideWithRuns(commit, event, 'command', wait.runs, parts);
  commit.record(settle(wait));
  return { refusal };
}

function recordDecided(commit: PendingCommit, { event, prompt }: Moment, refusal: GuardRefusal | undefined): void {
  const decided: PhaseEvent = {
    type: 'MomentDecided',
    data: {
      point: event.point,
      ...(prompt === undefined ? {} : { prompt }),
      ...(refusal ? { refusal: { guard: refusal.guard, reason: refusal.reason } } : {}),
    },
  };
  commit.record(decided);
  if (prompt !== 'task' || !refusal) return;
  const message = `the guard ${refusal.guard} refuses the task: ${refusal.reason}`;
  commit.record(buildPhaseFailed('guard_refused', message, false));
}
