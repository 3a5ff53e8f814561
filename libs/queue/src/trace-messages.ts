import type { Payloads, QueueName } from '@phaseline/contracts';
import { describeType, own, semantic, startWork, traceWork, type Place } from '@phaseline/telemetry';
import type { DeliveryContext, Handler, Postponement } from './handler.js';

/** The library that both backends use. */
const SYSTEM = 'bullmq';

/**
 * Sends a message in a span. `send` receives the payload with the `traceparent` of the span, to which the span of the consumer is linked;
 * while telemetry is off, it receives the payload as it is. Ids of messages do not depend on it.
 */
export function traceSend<Name extends QueueName>(
  queue: Name,
  payload: Payloads[Name],
  send: (payload: Payloads[Name]) => Promise<void>,
): Promise<void> {
  const { place } = readFields(payload);
  return traceWork({ name: `send ${queue}`, kind: 'producer', place }, async (span) => {
    if (!span.isRecording) return send(payload);
    span.set(describeMessage(queue, 'send'));
    const { traceparent } = span;
    // Submissions have no such field: their job is known only when they are handled.
    return send(queue === 'jobs' || traceparent === undefined ? payload : { ...payload, traceparent });
  });
}

/** Runs the handler of a message in a span. What an interrupted run leaves to another process is no error. */
export async function traceDelivery<Payload>(
  queue: QueueName,
  handler: Handler<Payload>,
  payload: Payload,
  delivery: DeliveryContext,
): Promise<void | Postponement> {
  const { place, traceparent: cause } = readFields(payload);
  // The work of a phase may take hours, and what such a span contained would be lost with its process. Submissions are short.
  const span = startWork({ name: `process ${queue}`, kind: 'consumer', place, cause, hasChildren: queue === 'jobs' });
  try {
    if (span.isRecording)
      span.set({ ...describeMessage(queue, 'process'), [semantic.messagingMessageId]: delivery.messageId });
    const result = await span.run(() => handler(payload, delivery));
    span.set({ [own.deliveryOutcome]: result ? 'postponed' : 'completed' });
    return result;
  } catch (error) {
    if (!delivery.signal.aborted) span.fail(describeType(error), error instanceof Error ? error.message : undefined);
    span.set({ [own.deliveryOutcome]: delivery.signal.aborted ? 'released' : 'failed' });
    throw error;
  } finally {
    span.end();
  }
}

function describeMessage(queue: QueueName, operation: 'send' | 'process') {
  return {
    [semantic.messagingSystem]: SYSTEM,
    [semantic.messagingDestination]: queue,
    [semantic.messagingOperationName]: operation,
    [semantic.messagingOperationType]: operation,
  };
}

/** Returns where the work of a message belongs, and the span that sent it. */
function readFields(payload: unknown): {
  readonly place: Place | undefined;
  readonly traceparent: string | undefined;
} {
  // Messages of all queues but one have these fields; submissions have none of them.
  const { jobId, phase, traceparent } = payload as Partial<Payloads['tools']>;
  return { place: jobId === undefined ? undefined : { jobId, phase }, traceparent };
}
