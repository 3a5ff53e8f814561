import type { JobId, StreamId } from '@phaseline/contracts';
import { groupCommits, type Commit } from '../log/commits.js';
import { RecordedJob, type DecodedEvent, type ReadableLog } from '../log/recorded-job.js';
import { redecideCommit } from '../redecide/redecide-commit.js';
import type { DecisionParts } from '../redecide/redecide-parts.js';
import { compareValues, type ValueDifference } from './compare-values.js';

/** A decision that the installed version makes in another way than the version that recorded it. */
export interface DecisionDifference {
  readonly jobId: JobId;
  readonly streamId: StreamId;
  /** Version in its stream of the recorded event, or of the one that would follow the last. */
  readonly version: number;
  /** Type of the recorded event; absent if the installed version records an event more. */
  readonly recorded?: string;
  /** Type of the event that the installed version records; absent if it records one less. */
  readonly decided?: string;
  /** The members that differ, of two events of the same type. */
  readonly members: readonly ValueDifference[];
}

/** What the check of one job found. */
export interface JobCheck {
  readonly jobId: JobId;
  /** Commits of the job. */
  readonly commits: number;
  /** Events that were decided again. */
  readonly decisions: number;
  readonly differences: readonly DecisionDifference[];
  /** Commits that could not be decided again, by reason. */
  readonly unknown: Readonly<Record<string, number>>;
}

/**
 * Decides every commit of a recorded job again with the installed version, each from the recorded state before it, and lists every event that
 * differs. No model is called, no tool is run but those that are pure, and nothing is appended.
 */
export async function checkJob(log: ReadableLog, jobId: JobId, parts: DecisionParts): Promise<JobCheck> {
  const before = new RecordedJob(jobId, log);
  const differences: DecisionDifference[] = [];
  const unknown: Record<string, number> = {};
  let [commits, decisions] = [0, 0];
  for await (const commit of groupCommits(log.iterateCorrelation(jobId, { texts: 'whole' }))) {
    commits += 1;
    const redecided = await redecideCommit(before, commit, parts);
    if (redecided.kind === 'unknown') unknown[redecided.reason] = (unknown[redecided.reason] ?? 0) + 1;
    if (redecided.kind === 'decided') {
      decisions += redecided.events.length - redecided.inputs;
      differences.push(...compareCommit(jobId, commit, redecided.events, redecided.decided, parts));
    }
    await before.apply(commit);
  }
  return { jobId, commits, decisions, differences, unknown };
}

/** Compares the events of a commit with those that were decided, stream by stream in their order. */
export function compareCommit(
  jobId: JobId,
  commit: Commit,
  recorded: readonly DecodedEvent[],
  decided: readonly DecodedEvent[],
  { findModel }: DecisionParts,
): readonly DecisionDifference[] {
  const streams = new Set([...recorded, ...decided].map(({ streamId }) => streamId));
  return [...streams].flatMap((streamId) => {
    const ofStream = (events: readonly DecodedEvent[]) =>
      events.flatMap((one) => (one.streamId === streamId ? [one.event] : []));
    const [left, right] = [ofStream(recorded), ofStream(decided)];
    const firstVersion = commit.find((event) => event.streamId === streamId)?.version ?? 1;
    const differences: DecisionDifference[] = [];
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      const [was, is] = [left[index], right[index]];
      const at = { jobId, streamId, version: firstVersion + index };
      if (was?.type !== is?.type) {
        differences.push({
          ...at,
          ...(was ? { recorded: was.type } : {}),
          ...(is ? { decided: is.type } : {}),
          members: [],
        });
        // What follows in the stream would only be shifted.
        break;
      }
      const members = compareEvents(was!, is!, findModel);
      if (members.length > 0) differences.push({ ...at, recorded: was!.type, decided: is!.type, members });
    }
    return differences;
  });
}

type Event = DecodedEvent['event'];

function compareEvents(was: Event, is: Event, findModel: DecisionParts['findModel']): readonly ValueDifference[] {
  const differences = compareValues(toJson(was.data), toJson(is.data));
  if (was.type !== 'ModelCallStarted' || findModel(was.data.model)) return differences;
  // The prices of a model that is not known here are not recorded.
  return differences.filter(({ path }) => path !== 'reservedMicroUsd');
}

/** The event as it is stored: without members that are undefined. */
function toJson(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}
