import type { PhaseEvent, PhaseState } from '@phaseline/domain';

/** Builds the event of the answer that a person wrote to replace the model's; `undefined` when there is none. */
export function buildEditedResponse(
  { modelCall: { editedResponse, open }, money: { spending }, start }: PhaseState,
  model: string,
): PhaseEvent | undefined {
  if (!editedResponse || open?.purpose) return undefined;
  const { content, reasoning, calls } = editedResponse;
  const step = spending.steps + 1;
  return {
    type: 'ModelResponded',
    data: {
      step,
      model,
      content,
      ...(reasoning === undefined ? {} : { reasoning }),
      calls: calls.map((call, index) => ({ callId: `call_${start.identity.phase}_${step}_${index + 1}`, ...call })),
      end: calls.length > 0 ? 'calls' : 'stop',
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: false },
      costMicroUsd: 0,
      durationMs: 0,
    },
  };
}
