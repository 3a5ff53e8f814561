import { toCanonicalJson } from '@phaseline/basics';
import { compareTokenisers, type TokeniserBand } from '@phaseline/context';
import type { BilledCalls, ContextChanges, JobBill, JobId } from '@phaseline/contracts';
import {
  contextSettingsSchema,
  decodeJobEvent,
  decodePhaseEvent,
  foldJob,
  hasJobEnded,
  jobStream,
  parseStreamName,
  type Guard,
  type JobDefinition,
} from '@phaseline/domain';
import { computeCostMicroUsd, type ModelProfile } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { ReadableLog } from '../log/recorded-job.js';
import { readCharges, type Charge } from './read-charges.js';
import { createRecordedModels } from './recorded-models.js';
import { replayWithDefinition } from './replay-with-definition.js';

/** What a bill supposes. */
export interface BillChanges {
  /** Other settings of the context, in all agents of the job. */
  readonly context?: ContextChanges;
  /** Prices of another model, at which all calls are made. */
  readonly prices?: ModelProfile['prices'];
}

export interface BillParts {
  readonly tools: ToolRegistry;
  readonly signal: AbortSignal;
}

/** A job without a bill, and why. */
export interface Unbilled {
  readonly jobId: JobId;
  readonly reason: string;
}

/** Characters of texts of a job with which tokenisers are compared. */
const MAX_COMPARED = 100_000;

/**
 * Computes what a recorded job would have cost with other settings of its context, or at the prices of another model. For the context, the job is
 * played again in memory with its recorded answers; nothing is called and nothing is appended.
 */
export async function billJob(
  log: ReadableLog,
  jobId: JobId,
  { context, prices }: BillChanges,
  parts: BillParts,
): Promise<JobBill | Unbilled> {
  const recorded = await addUp(readCharges(log, jobId));
  if (recorded.calls === 0) return { jobId, reason: 'no model was called' };
  const replayed = context ? await replay(log, jobId, context, parts) : undefined;
  if (replayed && 'reason' in replayed) return { jobId, reason: replayed.reason };
  const source = replayed ?? { log, jobId };
  const changed = await addUp(readCharges(source.log, source.jobId), prices);
  if (!prices) return { jobId, recorded, changed };
  const { low, high } = await compareTexts(log, jobId);
  return {
    jobId,
    recorded,
    changed,
    band: [Math.floor(changed.costMicroUsd * low), Math.ceil(changed.costMicroUsd * high)],
  };
}

async function replay(log: ReadableLog, jobId: JobId, context: ContextChanges, { tools, signal }: BillParts) {
  const first = await log.readAt(jobStream(jobId), 1);
  const submitted = first && decodeJobEvent(first);
  if (submitted?.type !== 'JobSubmitted') return { reason: 'a fork shares its beginning with its parent' } as const;
  const { definition } = foldJob([submitted])!;
  const replayed = await replayWithDefinition(log, submitted, changeContext(definition, context), {
    tools,
    models: await createRecordedModels(log, jobId),
    sharedGuards: await listSharedGuards(log, jobId),
    signal,
  });
  if (!replayed) return { reason: 'it cannot be played again' } as const;
  // The recording of a job that still runs ends earlier; so does one whose conversation would have needed other answers.
  const { job } = replayed;
  if (!hasJobEnded(job) || job.failure?.code === 'not_recorded')
    return { reason: 'its recording ends before the job does' } as const;
  return replayed;
}

function changeContext(definition: JobDefinition, context: ContextChanges): JobDefinition {
  const change = (agent: JobDefinition['agent']): JobDefinition['agent'] => ({
    ...agent,
    context: contextSettingsSchema.parse({ ...agent.context, ...context }),
  });
  const agents = definition.agents && {
    agents: Object.fromEntries(
      Object.entries(definition.agents).map(([name, one]) => [name, { ...one, definition: change(one.definition) }]),
    ),
  };
  return { ...definition, agent: change(definition.agent), ...agents };
}

/** The guards of the installation and of the tenant with which the first phase began. */
async function listSharedGuards(log: ReadableLog, jobId: JobId): Promise<readonly Guard[]> {
  for await (const recorded of log.iterateCorrelation(jobId, { types: ['PhaseStarted'], limit: 1 })) {
    const event = decodePhaseEvent(recorded);
    if (event.type === 'PhaseStarted') return (event.data.terms.guards ?? []).filter(({ scope }) => scope !== 'agent');
  }
  return [];
}

async function addUp(charges: AsyncIterable<Charge>, prices?: ModelProfile['prices']): Promise<BilledCalls> {
  const sum = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 };
  for await (const { usage, costMicroUsd } of charges) {
    sum.calls += 1;
    sum.inputTokens += usage.inputTokens;
    sum.cachedInputTokens += usage.cachedInputTokens;
    sum.outputTokens += usage.outputTokens;
    sum.costMicroUsd += prices ? computeCostMicroUsd({ prices }, usage) : costMicroUsd;
  }
  return sum;
}

/** Compares tokenisers on what the models of a job wrote and what its tools returned. */
async function compareTexts(log: ReadableLog, jobId: JobId): Promise<TokeniserBand> {
  const texts: string[] = [];
  let characters = 0;
  for await (const recorded of log.iterateCorrelation(jobId, { types: ['ModelResponded', 'ToolCallCompleted'] })) {
    if (parseStreamName(recorded.streamId)?.kind !== 'phase') continue;
    const event = decodePhaseEvent(recorded);
    // Calls are JSON; their type has no index signature.
    if (event.type === 'ModelResponded') texts.push(event.data.content, toCanonicalJson(event.data.calls as never));
    if (event.type === 'ToolCallCompleted') texts.push(event.data.content);
    characters += texts.at(-1)?.length ?? 0;
    if (characters > MAX_COMPARED) break;
  }
  return compareTokenisers(texts);
}
