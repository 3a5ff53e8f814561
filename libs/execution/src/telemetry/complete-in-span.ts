import type { AnswerEnd, ChatAnswer, ChatRequest } from '@phaseline/contracts';
import { getAdmittedCall, isEncryptedJob, phaseStream, type PhaseState } from '@phaseline/domain';
import type { CompleteOptions } from '@phaseline/model';
import { genAi, own, traceWork, type SpanAttributes, type WorkSpan, type WorkSpec } from '@phaseline/telemetry';
import type { ConfiguredModel } from '../ports.js';
import { renderInputMessages, renderOutputMessages } from './message-contents.js';
import { observeAttempts } from './observe-attempts.js';

/** The convention has no value for any server that speaks this protocol, and names this one for its first. */
const PROVIDER = 'openai';

const finishReasons: Readonly<Record<AnswerEnd, string>> = {
  stop: 'stop',
  calls: 'tool_call',
  truncated: 'length',
  filtered: 'content_filter',
};

/** Makes the open model call of a phase, in a span `chat` with a span for each HTTP attempt below it. Throws what the model throws. */
export function completeInSpan(
  state: PhaseState,
  { profile, model }: ConfiguredModel,
  request: ChatRequest,
  options: CompleteOptions,
): Promise<ChatAnswer> {
  const { jobId, phase } = state.start.identity;
  const spec: WorkSpec = {
    name: `chat ${profile.model}`,
    kind: 'client',
    place: { jobId, phase },
    hasChildren: true,
    isConfidential: isEncryptedJob(jobId),
  };
  return traceWork(spec, async (span) => {
    if (!span.isRecording) return model.complete(request, options);
    span.set({
      [genAi.operationName]: 'chat',
      [genAi.providerName]: PROVIDER,
      [genAi.requestModel]: profile.model,
      [genAi.requestMaxTokens]: request.maxOutputTokens,
      ...describeCall(state),
    });
    span.setContent(genAi.inputMessages, () => renderInputMessages(request.messages));
    const answer = await model.complete(request, observe(options, span, isEncryptedJob(jobId)));
    describeAnswer(span, answer);
    span.setContent(genAi.outputMessages, () => renderOutputMessages(answer, finishReasons[answer.end]));
    return answer;
  });
}

/** Adds the span of each attempt, and the time until the first bytes of the answer. */
function observe(options: CompleteOptions, span: WorkSpan, isConfidential: boolean): CompleteOptions {
  const startedAt = performance.now();
  let hasBytes = false;
  return {
    ...options,
    observeAttempt: observeAttempts(span, isConfidential),
    onBytes: () => {
      if (!hasBytes) span.set({ [genAi.responseTimeToFirstChunk]: (performance.now() - startedAt) / 1_000 });
      hasBytes = true;
      options.onBytes?.();
    },
  };
}

/** Describes the open call: its step, the conversation that it belongs to, and why it is made. */
function describeCall(state: PhaseState): SpanAttributes {
  const { jobId, phase, agent } = state.start.identity;
  const { open } = state.modelCall;
  const judged = open?.callId === undefined ? undefined : getAdmittedCall(state.calls, open.callId);
  return {
    [genAi.conversationId]: phaseStream(jobId, phase),
    [genAi.agentName]: agent.name,
    [own.step]: open?.step,
    [own.callPurpose]: open?.purpose ?? 'step',
    [genAi.toolCallId]: open?.callId,
    [own.checkName]: judged && String(judged.arguments['name']),
  };
}

function describeAnswer(span: WorkSpan, { end, usage }: ChatAnswer): void {
  span.set({
    [genAi.responseFinishReasons]: [finishReasons[end]],
    [genAi.inputTokens]: usage.inputTokens,
    [genAi.outputTokens]: usage.outputTokens,
    [genAi.cachedInputTokens]: usage.cachedInputTokens,
    [genAi.cacheWriteInputTokens]: usage.cacheWriteInputTokens,
  });
}
