import type { JobEventData } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import type { SentEdit } from '../workload/sent-edit.js';
import { readJobLogs, type JobLog } from './streams.js';

type Recorded = JobEventData<'WorkspaceEdited'>;

/**
 * Checks that each edit of a file that was confirmed is in the log exactly once, with its person; that one that was refused is not; and
 * that it replaced what its person saw. The content of each edit is unique.
 */
export function* checkEdits(remains: RunResult): Iterable<string> {
  for (const log of readJobLogs(remains)) {
    const sent = remains.edits.filter(({ jobId }) => jobId === log.jobId);
    const recorded = log.events.flatMap(({ event }) => (event.type === 'WorkspaceEdited' ? [event.data] : []));
    for (const edit of sent) yield* checkWrite(edit, recorded);
    yield* checkDeletions(log, sent, recorded);
    for (const edit of recorded) yield* checkReceived(log, edit);
  }
}

function* checkWrite({ actor, edit, outcome }: SentEdit, recorded: readonly Recorded[]): Iterable<string> {
  if (!edit.file) return;
  const { path, expected } = edit;
  const found = recorded.filter(({ file }) => file?.hash === edit.file!.hash);
  const what = `the edit of ${path} by ${actor}, answered with ${outcome ?? 'nothing'},`;
  if (outcome === 'recorded' && found.length !== 1) yield `${what} is in the log ${found.length} times`;
  if (!isRecordedOrUnknown(outcome) && found.length > 0) yield `${what} is in the log`;
  if (found.length > 1) yield `${what} is in the log ${found.length} times`;
  for (const one of found) {
    if (one.actor !== actor || one.path !== path) yield `${what} is in the log as one of ${one.path} by ${one.actor}`;
    if (expected !== undefined && (one.previousHash ?? 'none') !== expected)
      yield `${what} replaced other content than ${actor} saw`;
  }
}

/** Deletions have no content that tells them apart, so they are counted. */
function* checkDeletions(log: JobLog, sent: readonly SentEdit[], recorded: readonly Recorded[]): Iterable<string> {
  for (const actor of new Set(sent.map((one) => one.actor))) {
    const deletions = sent.filter(({ edit, actor: sender }) => !edit.file && sender === actor);
    const confirmed = deletions.filter(({ outcome }) => outcome === 'recorded').length;
    const unknown = deletions.filter(({ outcome }) => outcome !== 'recorded' && isRecordedOrUnknown(outcome)).length;
    const found = recorded.filter(({ file, actor: recordedActor }) => !file && recordedActor === actor).length;
    if (found < confirmed || found > confirmed + unknown)
      yield `${log.agent}: ${confirmed} deletions by ${actor} were confirmed, and ${found} are in the log`;
  }
}

/** Whether an edit may be in the log: one without an answer may have been recorded. */
function isRecordedOrUnknown(outcome: SentEdit['outcome']): boolean {
  return outcome === 'recorded' || outcome === undefined;
}

/** A phase receives an edit that names it, once. */
function* checkReceived({ agent, phases }: JobLog, { phase, path, file }: Recorded): Iterable<string> {
  if (phase === undefined || !file) return;
  const received = phases[phase - 1]!.events.filter(
    ({ event }) => event.type === 'FileWritten' && event.data.origin === 'person' && event.data.hash === file.hash,
  );
  if (received.length !== 1) yield `${agent} phase ${phase}: received an edit of ${path} ${received.length} times`;
}
