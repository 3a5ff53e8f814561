import { clip, CodedError } from '@phaseline/basics';
import type { DecisionDifference, JobCheck, JobId } from '@phaseline/contracts';
import { jobStream, UndecodableEvent } from '@phaseline/domain';
import { isUnreachable, type RecordedEvent } from '@phaseline/event-store';
import { isUnreadableJob } from '@phaseline/repository';
import { groupCommits, type Commit } from '../log/commits.js';
import type { DecodedEvent } from '../log/decoded-event.js';
import { RecordedJob, type ReadableLog } from '../log/recorded-job.js';
import { redecideCommit } from '../redecide/redecide-commit.js';
import type { DecidedEvent, DecisionParts } from '../redecide/redecide-parts.js';
import { compareValues, type ValueDifference } from './compare-values.js';
import { nameDecider } from './name-decider.js';

/**
 * Decides every commit of a recorded job again with the installed version, each from the recorded state before it, and lists every event that
 * differs. No model is called, no tool is run but those that are pure, and nothing is appended.
 */
export async function checkJob(log: ReadableLog, jobId: JobId, parts: DecisionParts): Promise<JobCheck> {
  const before = new RecordedJob(jobId, log);
  const found: Found = { commits: 0, decisions: 0, differences: [], unknown: {} };
  let at: At = { streamId: jobStream(jobId), version: 1, type: 'JobSubmitted' };
  let previousAt: Date | undefined;
  try {
    for await (const commit of groupCommits(log.iterateCorrelation(jobId, { texts: 'whole' }))) {
      found.commits += 1;
      at = commit.recorded[0];
      await checkCommit(before, commit, previousAt, parts, found);
      previousAt = new Date(commit.recorded[0].recordedAt);
      await before.apply(commit);
      // The files that decisions read are gone.
      if (before.job?.filesRemoved) return { jobId, ...found, unreadable: 'its files were removed by retention' };
    }
  } catch (error) {
    if (isUnreachable(error)) throw error;
    // Content that is withheld, or damaged, says nothing about the release. An event that it cannot read or fold does.
    const reason = error instanceof CodedError ? error.message : undefined;
    if (reason !== undefined && !isUnreadableJob(error)) return { jobId, ...found, unreadable: reason };
    found.differences.push(buildCrash(jobId, error instanceof UndecodableEvent ? error.event : at, error));
  }
  return { jobId, ...found };
}

type At = Pick<RecordedEvent, 'streamId' | 'version' | 'type'>;

interface Found {
  commits: number;
  decisions: number;
  readonly differences: DecisionDifference[];
  readonly unknown: Record<string, number>;
}

async function checkCommit(
  before: RecordedJob,
  commit: Commit,
  previousAt: Date | undefined,
  parts: DecisionParts,
  found: Found,
): Promise<void> {
  try {
    const redecided = await redecideCommit(before, commit, parts);
    if (redecided.kind === 'unknown') found.unknown[redecided.reason] = (found.unknown[redecided.reason] ?? 0) + 1;
    if (redecided.kind !== 'decided') return;
    found.decisions += commit.events.length - redecided.inputs;
    const differences = compareCommit(before.jobId, commit, redecided.decided);
    if (differences.length === 0 || (await isDecidedEarlier(before, commit, previousAt, parts))) return;
    found.differences.push(...differences);
  } catch (error) {
    // An error of the log, or content that is withheld. Everything else is a defect of the installed version.
    if (error instanceof CodedError) throw error;
    found.differences.push(buildCrash(before.jobId, commit.recorded[0], error));
  }
}

/**
 * Whether the same is decided at the time of the commit before. The log says when a commit was recorded: a deadline that passed between the
 * decision and its commit is no difference between two releases.
 */
async function isDecidedEarlier(
  before: RecordedJob,
  commit: Commit,
  previousAt: Date | undefined,
  parts: DecisionParts,
): Promise<boolean> {
  if (!previousAt) return false;
  const redecided = await redecideCommit(before, commit, parts, previousAt);
  return redecided.kind === 'decided' && compareCommit(before.jobId, commit, redecided.decided).length === 0;
}

/** The installed version cannot read, or decide, what was recorded when the job ran. */
function buildCrash(jobId: JobId, { streamId, version, type }: At, error: unknown): DecisionDifference {
  const message = error instanceof Error ? error.message : String(error);
  return {
    decider: 'crash',
    ...{ jobId, streamId, version, recorded: type },
    members: [{ path: 'error', decided: clip(message, MAX_SHOWN_CHARACTERS) }],
  };
}

/** Compares the events of a commit with those that were decided, stream by stream in their order. */
function compareCommit(
  jobId: JobId,
  { events }: Commit,
  decided: readonly DecidedEvent[],
): readonly DecisionDifference[] {
  const streams = new Set([...events, ...decided].map(({ streamId }) => streamId));
  return [...streams].flatMap((streamId) => {
    const ofStream = (list: readonly DecidedEvent[]) =>
      list.flatMap((one) => (one.streamId === streamId ? [one.event] : []));
    const [left, right] = [ofStream(events), ofStream(decided)];
    const firstVersion = events.find((event) => event.streamId === streamId)?.recorded.version ?? 1;
    const differences: DecisionDifference[] = [];
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      const [was, is] = [left[index], right[index]];
      const at = { jobId, streamId, version: firstVersion + index };
      if (was?.type !== is?.type) {
        differences.push({
          decider: nameDecider(was, is, []),
          ...at,
          ...(was ? { recorded: was.type } : {}),
          ...(is ? { decided: is.type } : {}),
          members: [],
        });
        // What follows in the stream would only be shifted.
        break;
      }
      const members = compareEvents(was!, is!);
      if (members.length === 0) continue;
      const decider = nameDecider(was, is, members);
      differences.push({ decider, ...at, recorded: was!.type, decided: is!.type, members: members.map(shorten) });
    }
    return differences;
  });
}

type Event = DecodedEvent['event'];

/** Characters of a value that a difference shows. */
const MAX_SHOWN_CHARACTERS = 200;

function shorten({ path, recorded, decided }: ValueDifference): DecisionDifference['members'][number] {
  const show = (value: unknown): string => clip(JSON.stringify(value), MAX_SHOWN_CHARACTERS);
  return {
    path,
    ...(recorded === undefined ? {} : { recorded: show(recorded) }),
    ...(decided === undefined ? {} : { decided: show(decided) }),
  };
}

function compareEvents(was: Event, is: Event): readonly ValueDifference[] {
  const differences = compareValues(toJson(was.data), toJson(is.data));
  if (was.type !== 'ModelCallStarted' || was.data.prices) return differences;
  // A call of an old version does not say with which prices and which window it was made.
  return differences.filter(({ path }) => !/^(?:reservedMicroUsd|prices(?:\..*)?|request\.contextTokens)$/.test(path));
}

/** The event as it is stored: without members that are undefined. */
function toJson(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}
