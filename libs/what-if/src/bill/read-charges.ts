import type { JobId } from '@phaseline/contracts';
import { decodePhaseEvent, parseStreamName, type PhaseEvent, type PhaseEventData } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';

type Usage = PhaseEventData<'ModelResponded'>['usage'];
type Prices = NonNullable<PhaseEventData<'ModelCallStarted'>['prices']>;

/** What one call of a model cost. */
export interface Charge {
  /** Profile of the model. */
  readonly model: string;
  readonly usage: Usage;
  readonly costMicroUsd: number;
  /** Prices of the model; absent in calls of old versions. */
  readonly prices?: Prices;
}

const CHARGED = ['ModelResponded', 'ConversationSummarised', 'JudgeEnded', 'ReflectionRecorded'] as const;

/** Yields what the calls of a job cost, in the order of the log. */
export async function* readCharges(
  log: Pick<EventLog, 'iterateCorrelation'>,
  jobId: JobId,
): AsyncGenerator<Charge, void, undefined> {
  const types = ['ModelCallStarted', ...CHARGED];
  let prices: Prices | undefined;
  for await (const recorded of log.iterateCorrelation(jobId, { types })) {
    if (parseStreamName(recorded.streamId)?.kind !== 'phase') continue;
    const event = decodePhaseEvent(recorded);
    if (event.type === 'ModelCallStarted') prices = event.data.prices;
    else if (isCharged(event)) {
      const { model, usage, costMicroUsd } = event.data;
      yield { model, usage, costMicroUsd, ...(prices ? { prices } : {}) };
    }
  }
}

function isCharged(event: PhaseEvent): event is Extract<PhaseEvent, { type: (typeof CHARGED)[number] }> {
  return (CHARGED as readonly string[]).includes(event.type);
}
