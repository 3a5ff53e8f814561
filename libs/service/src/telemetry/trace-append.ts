import { parseStreamName } from '@phaseline/domain';
import type { StreamAppend } from '@phaseline/event-store';
import { describeType, getTracing, own, startWork, type Place } from '@phaseline/telemetry';

/** Appends to the log in a span with the number of events. An append that another process forestalled is refused, which is no error. */
export async function traceAppend<T>(appends: readonly StreamAppend[], append: () => Promise<T>): Promise<T> {
  const place = getTracing() && findPlace(appends);
  if (!place) return append();
  const events = appends.reduce((sum, one) => sum + one.events.length, 0);
  const span = startWork({ name: 'append', place, attributes: { [own.events]: events } });
  try {
    const result = await append();
    span.set({ [own.appendOutcome]: 'appended' });
    return result;
  } catch (error) {
    const type = describeType(error);
    const isRefused = type === 'wrong_expected_version';
    span.set({ [own.appendOutcome]: isRefused ? 'refused' : 'failed' });
    if (!isRefused) span.fail(type, error instanceof Error ? error.message : undefined);
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the job or phase of the first stream; `undefined` for a stream that belongs to no job. */
function findPlace([first]: readonly StreamAppend[]): Place | undefined {
  const name = first && parseStreamName(first.streamId);
  return name && { jobId: name.jobId, phase: name.kind === 'phase' ? name.phase : undefined };
}
