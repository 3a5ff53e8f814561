import {
  buildPromptOfState,
  MAX_TEXT_BYTES,
  carryLists,
  planSummary,
  PROMPT_BUILDER,
  computePromptRoom,
  hashRequest,
  computeSummaryLimit,
  type Prompt,
  type SummaryPlan,
} from '@phaseline/context';
import {
  buildPhaseFailed,
  checkModelCallCaps,
  type ModelCallPurpose,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import { type CallId, type ChatAnswer, type ReasoningMode, type ProcessId } from '@phaseline/contracts';
import {
  computeCostMicroUsd,
  computeReadLimitTokens,
  computeWorstCaseMicroUsd,
  type ModelError,
} from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { PendingCommit } from './pending-commit.js';
import type { ConfiguredModel } from '../ports.js';

/** Minimum number of tokens for an answer; with fewer, a call is pointless. */
const MIN_OUTPUT_TOKENS = 256;

/** Builds the prompt of the next call from the commit. The same state gives the same prompt on every worker. */
export async function buildNextPrompt(
  commit: PendingCommit,
  tools: ToolRegistry,
  model: ConfiguredModel,
): Promise<Prompt> {
  const prompt = await buildPromptOfState(commit.state, {
    readText: (path) => commit.readText(path),
    readStored: (hash) => commit.readTextByHash(hash, MAX_TEXT_BYTES),
    tools: tools.forPhase(commit.state),
    maxOutputTokens: model.profile.maxOutputTokens,
    reasoning: getReasoningMode(model),
  });
  const room = Math.max(
    MIN_OUTPUT_TOKENS,
    Math.min(model.profile.maxOutputTokens, model.contextTokens - prompt.ledger.total),
  );
  return { ...prompt, request: { ...prompt.request, maxOutputTokens: room } };
}

/** Plans the call that shortens the conversation; `undefined` when `prompt` is within its limit. */
export function planSummaryIfTooLong(
  state: PhaseState,
  prompt: Prompt,
  model: ConfiguredModel,
): SummaryPlan | undefined {
  const limit = limitOf(state, model);
  return prompt.ledger.total > limit ? planSummary(state, limit, hashRequest, getReasoningMode(model)) : undefined;
}

/** Rebuilds the summary call from the state that it was decided on. Throws when that state has nothing to summarise. */
export function rebuildSummary(state: PhaseState, model: ConfiguredModel): SummaryPlan {
  const plan = planSummary(state, limitOf(state, model), hashRequest, getReasoningMode(model));
  if (!plan)
    throw new Error(
      `phase ${state.start.identity.phase} of job ${state.start.identity.jobId} has nothing to summarise`,
    );
  return plan;
}

/** Returns in which cases the model's reasoning is sent back to it. */
export function getReasoningMode({ profile }: ConfiguredModel): ReasoningMode {
  return profile.reasoning.sendBack;
}

/** Returns the maximum size of a prompt in tokens, so that an answer still fits. */
export function maxPromptTokensOf({ profile, contextTokens }: ConfiguredModel): number {
  return computePromptRoom(contextTokens, profile.maxOutputTokens);
}

function limitOf(state: PhaseState, { profile, contextTokens }: ConfiguredModel): number {
  return computeSummaryLimit(state, contextTokens, profile.maxOutputTokens);
}

/**
 * Builds the event of a summary. An empty summary is replaced by a note, so that the phase continues with its files.
 */
export function buildConversationSummarised(
  state: PhaseState,
  plan: SummaryPlan,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const written = answer.content.trim();
  const summary = written === '' ? 'The summary is empty. Read the files of the workspace.' : written;
  return {
    type: 'ConversationSummarised',
    data: {
      step: state.money.spending.steps + 1,
      model: model.profile.name,
      summary: carryLists(state.conversation.summary, summary, limitOf(state, model)),
      entries: plan.entries,
      usage: answer.usage,
      costMicroUsd: computeCostMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
}

/**
 * Builds the event that reserves the worst-case price of a call about to be made, or the failure when a budget does not
 * allow it.
 */
export function reserveCall(
  state: PhaseState,
  prompt: Prompt,
  model: ConfiguredModel,
  leaseOwner: ProcessId,
  now: Date,
  purpose?: ModelCallPurpose,
  callId?: CallId,
): PhaseEvent {
  const { total: inputTokens, ...layers } = prompt.ledger;
  const maxOutputTokens = prompt.request.maxOutputTokens ?? model.profile.maxOutputTokens;
  // The client stops reading an answer at this limit, even when the server ignores it.
  const answerTokens = computeReadLimitTokens(maxOutputTokens);
  const reservedTokens = inputTokens + answerTokens;
  const worstCaseMicroUsd = computeWorstCaseMicroUsd(model.profile, inputTokens, answerTokens);
  const { contextTokens } = model;
  const estimate = { inputTokens, maxOutputTokens, reservedTokens, worstCaseMicroUsd, contextTokens };
  const refused = checkModelCallCaps(state, estimate, now);
  if (refused) return refused;
  return {
    type: 'ModelCallStarted',
    data: {
      step: state.money.spending.steps + 1,
      model: model.profile.name,
      promptBuilder: PROMPT_BUILDER,
      requestHash: prompt.hash,
      inputTokens,
      reservedTokens,
      reservedMicroUsd: worstCaseMicroUsd,
      leaseOwner,
      epoch: state.modelCall.epoch,
      ...(purpose ? { purpose } : {}),
      ...(callId === undefined ? {} : { callId }),
      layers,
      request: {
        maxOutputTokens,
        reasoning: getReasoningMode(model),
        summariseTokens: limitOf(state, model),
        contextTokens,
      },
      prices: model.profile.prices,
    },
  };
}

/**
 * Builds the event of the model's answer. Calls get ids of the phase, so that the ids that servers choose never reach
 * the log.
 */
export function buildModelResponded(
  state: PhaseState,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const step = state.money.spending.steps + 1;
  const calls = answer.calls.map((call, index): PhaseEventData<'ModelResponded'>['calls'][number] => ({
    callId: `call_${state.start.identity.phase}_${step}_${index + 1}`,
    name: call.name,
    ...(call.arguments.kind === 'parsed'
      ? { arguments: call.arguments.value }
      : { malformed: call.arguments.text.slice(0, 4_000) }),
  }));
  return {
    type: 'ModelResponded',
    data: {
      step,
      model: model.profile.name,
      content: answer.content,
      ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
      calls,
      end: answer.end,
      usage: answer.usage,
      costMicroUsd: computeCostMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
}

/** Builds the event of a failed attempt. It releases or charges what was reserved for the attempt. */
export function buildModelCallFailed(
  state: PhaseState,
  { code, message, attempts, mayBeCharged }: ModelError,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const step = state.money.spending.steps + 1;
  return {
    type: 'ModelCallFailed',
    data: { step, model: model.profile.name, code, message, attempts, mayBeCharged, durationMs },
  };
}

/** Builds the event that ends the phase when the model cannot be called. */
export function buildModelPhaseFailed(error: Pick<ModelError, 'code' | 'message' | 'retryable'>): PhaseEvent {
  if (error.code === 'context_exceeded') return buildPhaseFailed('context_limit', error.message, true);
  return buildPhaseFailed('model_failed', error.message, error.retryable);
}
