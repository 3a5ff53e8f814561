import { countSharedTokens } from '@phaseline/context';
import type { PhaseEvent, PhaseEventData, PhaseState } from '@phaseline/domain';
import { computeCostMicroUsd } from '@phaseline/model';
import type { RecordedPhase, Recordings } from '@phaseline/repository';
import type { ConfiguredModel, ResponseParts, ResponseSource } from '../ports.js';
import { buildConversationSummarised, rebuildSummary } from '../step/call-model.js';
import { estimateUsage } from './estimate-usage.js';
import { createRecordedSource } from './recorded-source.js';
import { createStandIn } from './stand-in-model.js';

/**
 * Repeats a recorded phase with other settings of its context: the conversation is shortened as these settings demand, within the limits of the
 * recorded model, and the usage of each answer is that of the prompt which the fork would have sent.
 */
export function createOtherContextSource(
  recorded: RecordedPhase,
  recordings: Pick<Recordings, 'loadStateAtCall' | 'findNearestCall'>,
): ResponseSource {
  const base = createRecordedSource(recorded, recordings);
  // The state at the last answered call, which is read from the log only when a run begins in the middle of a phase.
  let answered: PhaseState | undefined;
  const loadPrevious = async ({ start, money }: PhaseState): Promise<PhaseState | undefined> => {
    const { steps } = money.spending;
    if (steps === 0) return undefined;
    if (answered?.money.spending.steps === steps - 1) return answered;
    return recordings.loadStateAtCall(start.identity.jobId, start.identity.phase, steps);
  };
  return {
    ...base,

    findModel: async ({ start }, find) => describeRecordedModel(recorded, start.terms.model) ?? find(),

    prepareCall: async (commit, prompts) => {
      const next = await prompts.shortenAndBuild();
      if (next?.purpose !== 'summary' || recorded.summaries.length > 0) return next;
      const whole = await prompts.build();
      const step = commit.state.money.spending.steps + 1;
      commit.record({ type: 'SummaryNotRecorded', data: { step, promptTokens: whole.prompt.ledger.total } });
      return whole;
    },

    // The recording decided about a conversation of another length.
    decideGuards: (state, moment, ask) =>
      moment.point === 'PreCompact' ? ask() : base.decideGuards(state, moment, ask),

    respond: async (state, callModel, parts) => {
      if (state.modelCall.open?.purpose === 'summary') return repeatNearestSummary(state, recorded, parts);
      const response = await base.respond(state, callModel, parts);
      if (!('type' in response) || response.type !== 'ModelResponded') return response;
      const previous = await loadPrevious(state);
      answered = state;
      return estimateAnswer(response.data, { state, previous, recorded, parts });
    },
  };
}

/** The limits and prices of the recorded model; `undefined` for recordings that do not contain them. */
function describeRecordedModel({ modelCalls }: RecordedPhase, name: string): ConfiguredModel | undefined {
  const calls = [...modelCalls.values()].filter(({ purpose }) => purpose === undefined);
  const { request, prices } = calls.at(-1) ?? {};
  if (request?.contextTokens === undefined || !prices) return undefined;
  return createStandIn(name, request.contextTokens, {
    // A long prompt leaves less room than the model allows.
    maxOutputTokens: Math.max(...calls.map((call) => call.request?.maxOutputTokens ?? 0)),
    reasoning: { sendBack: request.reasoning },
    prices,
  });
}

interface Answering {
  readonly state: PhaseState;
  /** The state at the call before. */
  readonly previous: PhaseState | undefined;
  readonly recorded: RecordedPhase;
  readonly parts: ResponseParts;
}

/** Repeats an answer with the usage of the prompt of the fork. An answer to the recorded prompts repeats the recorded usage. */
async function estimateAnswer(
  answer: PhaseEventData<'ModelResponded'>,
  { state, previous, recorded, parts: { model, rebuildPrompt } }: Answering,
): Promise<PhaseEvent> {
  const prompt = await rebuildPrompt(state);
  const earlier = previous && (await rebuildPrompt(previous));
  const call = recorded.modelCalls.get(answer);
  const before = recorded.answers.get(answer.step - 1);
  const isRepeated =
    prompt.hash === call?.requestHash && earlier?.hash === (before && recorded.modelCalls.get(before)?.requestHash);
  if (!call || isRepeated) return { type: 'ModelResponded', data: answer };
  const usage = estimateUsage(answer.usage, call.inputTokens, {
    promptTokens: prompt.ledger.total,
    sharedTokens: earlier && isCaching(recorded) ? countSharedTokens(earlier.request, prompt.request) : 0,
  });
  return {
    type: 'ModelResponded',
    data: { ...answer, usage, costMicroUsd: computeCostMicroUsd(model.profile, usage) },
  };
}

/** Whether the server of the recorded model reused prompts. */
function isCaching({ answers }: RecordedPhase): boolean {
  return [...answers.values()].some(({ usage }) => usage.cachedInputTokens > 0);
}

/**
 * Ends a call for a summary with the recorded summary that was made nearest to this step. It was written about another part of the conversation,
 * but no model is called to write one about this part.
 */
function repeatNearestSummary(
  state: PhaseState,
  { summaries, modelCalls }: RecordedPhase,
  { model }: ResponseParts,
): PhaseEvent {
  const step = state.money.spending.steps + 1;
  const distanceOf = (summary: { readonly step: number }): number => Math.abs(summary.step - step);
  const nearest = summaries.reduce((left, right) => (distanceOf(right) < distanceOf(left) ? right : left));
  const plan = rebuildSummary(state, model);
  const call = modelCalls.get(nearest);
  const usage =
    !call || call.requestHash === plan.prompt.hash
      ? nearest.usage
      : estimateUsage(nearest.usage, call.inputTokens, { promptTokens: plan.prompt.ledger.total, sharedTokens: 0 });
  const answer = { content: nearest.summary, calls: [], end: 'stop', usage } as const;
  return buildConversationSummarised(state, plan, answer, model, nearest.durationMs);
}
