import type { AttemptObserver, CompleteOptions } from '@phaseline/model';
import { genAi, getTracing, semantic, startWork, type WorkSpan } from '@phaseline/telemetry';

/** Writes a span for each HTTP attempt of a model call. `chat` is the span of the call, which learns what the answer says about itself. */
export function observeAttempts(
  chat: WorkSpan,
  isConfidential: boolean,
): NonNullable<CompleteOptions['observeAttempt']> {
  return ({ attempt, host }): AttemptObserver => {
    const { hostname, port } = new URL(`http://${host}`);
    const span = startWork({
      name: 'POST',
      kind: 'client',
      isConfidential,
      attributes: {
        [semantic.httpMethod]: 'POST',
        [semantic.httpResendCount]: attempt > 1 ? attempt - 1 : undefined,
        [semantic.serverAddress]: hostname,
        [semantic.serverPort]: port === '' ? undefined : Number(port),
      },
    });
    const { traceparent } = span;
    return {
      ...(getTracing()?.sendsTraceparent === true && traceparent !== undefined ? { headers: { traceparent } } : {}),
      onResponse: (status) => span.set({ [semantic.httpStatus]: status }),
      onAnswer: ({ id, model }) => chat.set({ [genAi.responseId]: id, [genAi.responseModel]: model }),
      onEnd: (error) => {
        if (error) {
          span.set(error.status === undefined ? {} : { [semantic.httpStatus]: error.status });
          span.fail(error.code, error.message);
        }
        span.end();
      },
    };
  };
}
