import type { ChatAnswer, ChatRequest, TokenUsage } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';
import type { ChatModel } from './chat-model.js';
import { ModelError } from './model-error.js';

export interface InstantAnswer {
  readonly content?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
  readonly usage?: TokenUsage;
}

const NO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, estimated: true };

/**
 * Creates a model that answers instantly in this process, for benchmarks and tests of the code around a model.
 *
 * @param answerFn Answers a request. Its errors reject the call unchanged.
 */
export function createInstantModel(
  answerFn: (request: ChatRequest) => InstantAnswer | Promise<InstantAnswer>,
): ChatModel {
  let callsMade = 0;
  return {
    async complete(request, { signal, onDelta }): Promise<ChatAnswer> {
      if (signal.aborted) throw new ModelError('aborted', 'the model call was aborted by its caller');
      const { content = '', calls = [], usage = NO_USAGE } = await answerFn(request);
      if (content !== '') onDelta?.({ content });
      return {
        content,
        calls: calls.map((call) => ({
          id: `call_${++callsMade}`,
          name: call.name,
          arguments: { kind: 'parsed', value: call.arguments },
        })),
        end: calls.length > 0 ? 'calls' : 'stop',
        usage,
      };
    },
  };
}
