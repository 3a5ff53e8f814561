import type { ChatRequest } from '@phaseline/contracts';
import { readFinishReason } from './answer/answer-end.js';
import { AnswerMeter, computeReadLimitTokens } from './answer/answer-meter.js';
import type { FoldedAnswer } from './answer/fold-chunks.js';
import { toChatAnswer } from './answer/to-chat-answer.js';
import type { AttemptObserver, ChatModel, CompleteOptions } from './chat-model.js';
import { ModelError } from './model-error.js';
import type { ModelProfile } from './profile/model-profile.js';
import { classifyError } from './transport/classify-error.js';
import { openEndpoint, type Endpoint, type EndpointOptions } from './transport/endpoint.js';
import { isApiError } from './transport/openai-package.js';
import { readAnswer } from './transport/read-answer.js';
import { withRetries } from './transport/retry.js';
import { Watchdog } from './transport/watchdog.js';
import {
  countRequestTokens,
  selectMaxOutputTokens,
  boundRequestTokens,
  toWireRequest,
  type WireRequest,
} from './wire/wire-request.js';

export interface OpenAiModelOptions extends EndpointOptions {
  readonly profile: ModelProfile;
  /** Counts the tokens of a text, for answers without usage. */
  readonly countTokens: (text: string) => number;
  /** Returns a number from 0 up to 1, which spreads the pauses of concurrent callers. */
  readonly random?: () => number;
}

/**
 * Creates a client for any server that speaks Chat Completions. All calls share its keep-alive connections.
 *
 * @example
 * const model = createOpenAiModel({ baseUrl: 'http://127.0.0.1:8080/v1', apiKey: '', profile, countTokens });
 * const answer = await model.complete({ messages, tools }, { signal });
 *
 * @throws {ModelError} immediately if the base URL or the API key is invalid.
 */
export function createOpenAiModel(options: OpenAiModelOptions): ChatModel {
  const endpoint = openEndpoint(options);
  const { profile, countTokens, random } = options;
  return {
    async complete(request, complete) {
      const body = toWireRequest(request, profile, endpoint.host);
      const { signal, onRetry, previousFailure } = complete;
      let attempt = previousFailure?.attempts ?? 0;
      const callOnce = async (): Promise<FoldedAnswer> => {
        attempt += 1;
        const observer = complete.observeAttempt?.({ attempt, host: endpoint.host }) ?? {};
        return attemptCall({ endpoint, body, request, profile, countTokens, observer }, complete);
      };
      const folded = await withRetries(callOnce, {
        policy: profile.retries,
        signal,
        onRetry,
        previousFailure,
        ...(random ? { random } : {}),
      });
      return toChatAnswer(folded, {
        request,
        profile,
        countTokens,
        countInputTokens: () => complete.inputTokens ?? countRequestTokens(body, countTokens),
        boundInputTokens: () => boundRequestTokens(body),
        reservedOutputTokens: selectMaxOutputTokens(request, profile),
      });
    },
    probe: (signal) => isResponding(endpoint, signal),
  };
}

const PROBE_TIMEOUT_MS = 5_000;

/** Probes the server with a request for its model list. Any response below 500 except 429 means that it is available. */
async function isResponding(endpoint: Endpoint, signal: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]);
  try {
    const client = await endpoint.openClient();
    await client.get<unknown>('/models', { signal: timeout, timeout: PROBE_TIMEOUT_MS });
    return true;
  } catch (error) {
    const status = isApiError(error) ? error.status : undefined;
    return status !== undefined && status < 500 && status !== 429;
  }
}

interface Call {
  readonly endpoint: Endpoint;
  readonly body: WireRequest;
  readonly request: ChatRequest;
  readonly profile: ModelProfile;
  readonly countTokens: (text: string) => number;
  readonly observer: AttemptObserver;
}

/** Makes one attempt. Failures of the transport and the server are thrown as `ModelError`. */
async function attemptCall(
  { endpoint, body, request, profile, countTokens, observer }: Call,
  { signal, onDelta, onBytes }: CompleteOptions,
): Promise<FoldedAnswer> {
  const watchdog = new Watchdog(signal, profile.timeouts);
  let failure: ModelError | undefined;
  try {
    const client = await endpoint.openClient();
    const response = await client.chat.completions
      .create(body, {
        signal: watchdog.signal,
        timeout: profile.timeouts.callMs,
        ...(observer.headers ? { headers: observer.headers } : {}),
      })
      .asResponse();
    observer.onResponse?.(response.status);
    const folded = await readAnswer(
      response,
      {
        offered: new Set(request.tools.map((tool) => tool.name)),
        reasoningField: profile.reasoning.field,
        meter: new AnswerMeter(computeReadLimitTokens(selectMaxOutputTokens(request, profile)), countTokens),
      },
      {
        onBytes: () => {
          watchdog.recordBytes();
          onBytes?.();
        },
        canEnd: () => watchdog.alarm === 'after-finish',
        onFinish: () => watchdog.recordFinish(),
        onDelta: (delta) => onDelta?.(delta),
      },
    );
    if (readFinishReason(folded.finishReason) === 'failed') {
      throw new ModelError(
        'stream_broken',
        `${endpoint.host} stopped with an error in the middle of the answer (finish reason ${JSON.stringify(folded.finishReason)})`,
      );
    }
    observer.onAnswer?.(folded.origin);
    return folded;
  } catch (error) {
    const { alarm } = watchdog;
    const classified = classifyError(error, { endpoint, model: profile.model, profileName: profile.name, alarm });
    if (classified instanceof ModelError) failure = classified;
    throw classified;
  } finally {
    watchdog.stop();
    observer.onEnd?.(failure);
  }
}
