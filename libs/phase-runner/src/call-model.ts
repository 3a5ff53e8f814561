import {
  buildPrompt,
  planSummary,
  promptRoom,
  requestHash,
  summaryLimit,
  type Prompt,
  type SummaryPlan,
} from '@phaseline/context';
import {
  EXPERIENCES_FILE,
  failure,
  refuseCall,
  toolsInPrompt,
  type ChatAnswer,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
  type ReasoningHabit,
} from '@phaseline/domain';
import { costMicroUsd, readableTokens, worstCaseMicroUsd, type ModelError } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { Draft } from './draft.js';
import type { ConfiguredModel } from './ports.js';

/** The file that every system prompt carries. */
const MEMORY_FILE = 'workspace.md';
/** An answer gets at least this much room, or the call is not worth making. */
const MIN_OUTPUT_TOKENS = 256;

/** The prompt of the next call as the draft stands. The same state gives the same prompt, on any worker. */
export async function promptFor(draft: Draft, tools: ToolRegistry, model: ConfiguredModel): Promise<Prompt> {
  const { state } = draft;
  const workspaceMemory = await draft.readText(MEMORY_FILE);
  const experiences = await draft.readText(EXPERIENCES_FILE);
  const definitions = tools
    .of(state)
    .specsOf(toolsInPrompt(state))
    .map((spec) => spec.definition);
  const prompt = buildPrompt({
    state,
    tools: definitions,
    workspaceMemory,
    experiences,
    maxOutputTokens: model.profile.maxOutputTokens,
    reasoning: habitOf(model),
  });
  const room = Math.max(
    MIN_OUTPUT_TOKENS,
    Math.min(model.profile.maxOutputTokens, model.contextTokens - prompt.ledger.total),
  );
  return { ...prompt, request: { ...prompt.request, maxOutputTokens: room } };
}

/** The call that shortens the conversation, where `prompt` has grown over what it may have; `undefined` where it fits. */
export function summaryFor(state: PhaseState, prompt: Prompt, model: ConfiguredModel): SummaryPlan | undefined {
  const limit = limitOf(state, model);
  return prompt.ledger.total > limit ? planSummary(state, limit, requestHash, habitOf(model)) : undefined;
}

/** The summary's call again, on the state that it was decided on. Throws when that state has nothing to summarise. */
export function repeatedSummary(state: PhaseState, model: ConfiguredModel): SummaryPlan {
  const plan = planSummary(state, limitOf(state, model), requestHash, habitOf(model));
  if (!plan) throw new Error(`phase ${state.start.phase} of job ${state.start.jobId} has nothing to summarise`);
  return plan;
}

/** When the model is sent its own reasoning back. */
export function habitOf({ profile }: ConfiguredModel): ReasoningHabit {
  return profile.reasoning.sendBack;
}

/** The tokens that a prompt may have at all, so that an answer still has room behind it. */
export function roomOf({ profile, contextTokens }: ConfiguredModel): number {
  return promptRoom(contextTokens, profile.maxOutputTokens);
}

function limitOf(state: PhaseState, { profile, contextTokens }: ConfiguredModel): number {
  return summaryLimit(state, contextTokens, profile.maxOutputTokens);
}

/** The summary as a fact. One without words leaves a remark, so that the phase goes on with what is in its files. */
export function summaryFact(
  state: PhaseState,
  plan: SummaryPlan,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const words = answer.content.trim();
  return {
    type: 'ConversationSummarised',
    data: {
      step: state.spending.steps + 1,
      model: model.profile.name,
      summary: words === '' ? 'Nothing was noted. Look into the files of the workspace.' : words,
      entries: plan.entries,
      usage: answer.usage,
      costMicroUsd: costMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
}

/** Records that the call is about to be made, with the worst case of its price reserved; or the failure when a cap is in the way. */
export function reserveCall(
  state: PhaseState,
  prompt: Prompt,
  model: ConfiguredModel,
  holder: string,
  now: Date,
  purpose?: 'summary',
): PhaseEvent {
  const { total: inputTokens, ...layers } = prompt.ledger;
  const maxOutputTokens = prompt.request.maxOutputTokens ?? model.profile.maxOutputTokens;
  // An answer is read no further than this, whatever the server does with its bound.
  const answerTokens = readableTokens(maxOutputTokens);
  const worst = worstCaseMicroUsd(model.profile, inputTokens, answerTokens);
  const { contextTokens } = model;
  const refused = refuseCall(
    state,
    {
      inputTokens,
      maxOutputTokens,
      reservedTokens: inputTokens + answerTokens,
      worstCaseMicroUsd: worst,
      contextTokens,
    },
    now,
  );
  if (refused) return refused;
  return {
    type: 'ModelCallStarted',
    data: {
      step: state.spending.steps + 1,
      model: model.profile.name,
      requestHash: prompt.hash,
      inputTokens,
      reservedTokens: inputTokens + answerTokens,
      reservedMicroUsd: worst,
      holder,
      epoch: state.epoch,
      ...(purpose ? { purpose } : {}),
      layers,
    },
  };
}

/** The model's answer as a fact. Calls get ids of the phase's own, so that no server's habits reach the log. */
export function answerFact(
  state: PhaseState,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const step = state.spending.steps + 1;
  const calls = answer.calls.map((call, index): PhaseEventData<'ModelResponded'>['calls'][number] => ({
    callId: `call_${state.start.phase}_${step}_${index + 1}`,
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
      costMicroUsd: costMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
}

/** An attempt that failed, as a fact. It settles what was reserved for it. */
export function attemptFact(state: PhaseState, error: ModelError, model: ConfiguredModel): PhaseEvent {
  const { code, message, attempts, mayBeCharged } = error;
  return {
    type: 'ModelCallFailed',
    data: { step: state.spending.steps + 1, model: model.profile.name, code, message, attempts, mayBeCharged },
  };
}

/** A model that could not be called, as the end of the phase. */
export function modelFailure(error: {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
}): PhaseEvent {
  if (error.code === 'context_exceeded') return failure('context_limit', error.message, true);
  return failure('model_failed', error.message, error.retryable);
}
