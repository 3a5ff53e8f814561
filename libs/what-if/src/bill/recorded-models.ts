import type { JobId } from '@phaseline/contracts';
import { decodePhaseEvent, parseStreamName } from '@phaseline/domain';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/execution';
import type { EventLog } from '@phaseline/event-store';
import { modelProfileSchema } from '@phaseline/model';

/** More tokens than any recorded conversation has. */
const UNLIMITED_TOKENS = 1_000_000_000;

/** The models of a job with the limits and prices that its calls show. They are never called. */
export async function createRecordedModels(
  log: Pick<EventLog, 'iterateCorrelation'>,
  jobId: JobId,
): Promise<ModelCatalogue> {
  const models = new Map<string, ConfiguredModel>();
  for await (const recorded of log.iterateCorrelation(jobId, { types: ['ModelCallStarted'] })) {
    if (parseStreamName(recorded.streamId)?.kind !== 'phase') continue;
    const event = decodePhaseEvent(recorded);
    if (event.type !== 'ModelCallStarted' || event.data.purpose) continue;
    const { model: name, request, prices } = event.data;
    const profile = modelProfileSchema.parse({
      name: 'recorded',
      model: 'recorded',
      maxOutputTokens: Math.max(request?.maxOutputTokens ?? 16, models.get(name)?.profile.maxOutputTokens ?? 16),
      ...(prices ? { prices } : {}),
    });
    models.set(name, {
      profile: { ...profile, name },
      model: { complete: () => Promise.reject(new Error('a bill calls no model')) },
      contextTokens: request?.contextTokens ?? UNLIMITED_TOKENS,
    });
  }
  return { find: (name) => models.get(name) };
}
