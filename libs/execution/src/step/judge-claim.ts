import { buildJudgePrompt, hashRequest, readJudgeAnswer, type Prompt } from '@phaseline/context';
import {
  findJudge,
  MAX_REASON_CHARACTERS,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { ChatAnswer } from '@phaseline/contracts';
import { computeCostMicroUsd } from '@phaseline/model';
import type { ConfiguredModel } from '../ports.js';
import { reserveCall } from './call-model.js';
import { reserveInDailyBudget } from './daily-budget.js';
import type { PendingCommit } from './pending-commit.js';
import type { StepParts } from './step-parts.js';

/** Records the reservation of the model call that asks a judge, or how the call of the system ends if no judge can be asked. */
export async function reserveJudge(commit: PendingCommit, call: AdmittedCall, parts: StepParts): Promise<void> {
  const model = await findJudgeModel(commit.state, call, parts);
  if (!model) {
    const name = getJudgeProfile(commit.state, call);
    commit.record(endJudgeCall(call, 'error', `the worker has no model profile named ${name}`));
    return;
  }
  const prompt = await buildPromptOfJudge(commit, call);
  commit.prompt = prompt;
  const started = reserveCall(commit.state, prompt, model, parts.processId, parts.clock.now(), 'judge', call.callId);
  commit.record(await reserveInDailyBudget(commit, started, parts));
}

/** The model that a judge uses: its own profile, or that of the phase. `undefined` if the worker does not have it. */
export async function findJudgeModel(
  state: PhaseState,
  call: AdmittedCall,
  { model, findModel }: StepParts,
): Promise<ConfiguredModel | undefined> {
  const name = getJudgeProfile(state, call);
  return name === model.profile.name ? model : findModel(name);
}

/** Builds the request to the judge whose call is open. */
export async function buildPromptOfJudge(commit: PendingCommit, call: AdmittedCall): Promise<Prompt> {
  return buildJudgePrompt(commit.state, call, (hash, maxBytes) => commit.readTextByHash(hash, maxBytes), hashRequest);
}

/** Builds the events of a judge's answer: what it said, and the end of the call for which it was asked. */
export function buildJudgeEnded(
  state: PhaseState,
  call: AdmittedCall,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): readonly PhaseEvent[] {
  const { verdict, reason } = readJudgeAnswer(answer.content);
  const judged: PhaseEvent = {
    type: 'JudgeEnded',
    data: {
      callId: call.callId,
      name: String(call.arguments['name']),
      verdict,
      reason,
      step: state.money.spending.steps + 1,
      model: model.profile.name,
      usage: answer.usage,
      costMicroUsd: computeCostMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
  const outcomes = { 'no-objection': 'passed', objection: 'failed', unreadable: 'error' } as const;
  return [judged, endJudgeCall(call, outcomes[verdict], reason)];
}

function endJudgeCall({ callId }: AdmittedCall, outcome: 'passed' | 'failed' | 'error', reason: string): PhaseEvent {
  const result = { outcome, reason: reason.slice(0, MAX_REASON_CHARACTERS) };
  return { type: 'ToolCallCompleted', data: { callId, content: outcome, result, attempts: 1, durationMs: 0 } };
}

function getJudgeProfile(state: PhaseState, call: AdmittedCall): string {
  return findJudge(state, String(call.arguments['name']))?.model ?? state.start.terms.model;
}
