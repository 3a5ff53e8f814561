import type { CallId, JobId } from '@phaseline/contracts';
import { parseStreamName, SOURCES_DIRECTORY } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { BlobMissing } from '@phaseline/workspace';
import { attributeLines, EXPLAIN_LIMITS, type LineOrigin } from './attribute-lines.js';
import type { FileHistory } from './file-history.js';
import type { FileVersion } from './file-version.js';
import { LineSources, parseSourceIndex, type SourceOfLine, type SourceLookup } from './line-sources.js';
import { LineNumbers, type Lines } from './match-lines.js';
import { getTexts, readFileHistory, type JobFileHistory } from './read-file-history.js';
import { findSimilarPaths } from './similar-paths.js';
import { VersionContents, type VersionText } from './version-contents.js';
import { contextTypes, findContextRange, WriteContexts, type WriteContext } from './write-context.js';

/** A version that wrote at least one of the explained lines, with how it came about. */
type ExplainedWrite = Omit<FileVersion, 'previous' | 'mode' | 'phase' | 'callId'> &
  WriteContext & { readonly callId?: CallId };

/** Consecutive lines that one version wrote. */
interface ExplainedRange {
  /** First and last line, counted from 1, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Index in `writes`. */
  readonly write: number;
  /** Whether an earlier version that cannot be compared may have had the lines already. */
  readonly mayBeOlder: boolean;
  readonly sources: readonly SourceOfLine[];
}

export interface FileExplanation {
  readonly kind: 'explained';
  readonly path: string;
  /** Hash and size of the explained version. */
  readonly hash: string;
  readonly size: number;
  /** Number of lines of the file. */
  readonly lines: number;
  readonly ranges: readonly ExplainedRange[];
  readonly writes: readonly ExplainedWrite[];
  /** Text of the line, if one line was explained. */
  readonly text?: string;
}

/** Why there is no explanation. */
export type Unexplained =
  | { readonly kind: 'no-such-job' }
  | { readonly kind: 'no-such-file'; readonly similar: readonly string[] }
  | { readonly kind: 'no-such-line'; readonly lines: number }
  | { readonly kind: 'not-text' }
  | { readonly kind: 'too-large'; readonly size: number; readonly lines?: number };

export interface ExplainOptions {
  /** Normalised path in the workspace. */
  readonly path: string;
  /** Line to explain, counted from 1; all lines if absent. */
  readonly line?: number | undefined;
  /** Position of the log as of which the file is explained, inclusive; default: now. */
  readonly position?: number | undefined;
}

/**
 * Explains who wrote the lines of a file: which call of which step, from which prompt, and what they cite. Folds no phase. Throws
 * BlobMissing or BlobNotStored if the content of the file is gone, and LineageBroken.
 */
export async function explainFile(
  store: EventLog,
  jobId: JobId,
  { path, line, position }: ExplainOptions,
): Promise<FileExplanation | Unexplained> {
  const read = await readFileHistory(store, jobId, position);
  if (!read) return { kind: 'no-such-job' };
  const newest = read.history.files.get(path);
  if (!newest) return { kind: 'no-such-file', similar: findSimilarPaths(path, [...read.history.files.keys()]) };
  if (newest.size > EXPLAIN_LIMITS.bytes) return { kind: 'too-large', size: newest.size };
  const contents = new VersionContents(store);
  const content = await contents.read(newest);
  if (content === 'missing') throw new BlobMissing(path, newest.hash);
  if (content === 'not-text') return { kind: 'not-text' };
  const { text } = content;
  const lines = splitLines(text);
  if (lines.length > EXPLAIN_LIMITS.lines) return { kind: 'too-large', size: newest.size, lines: lines.length };
  if (line !== undefined && line > lines.length) return { kind: 'no-such-line', lines: lines.length };

  const numbers = new LineNumbers();
  const readLines = async (version: FileVersion) => readComparable(await contents.read(version), numbers);
  const wanted = line === undefined ? undefined : [line - 1];
  const origins = await attributeLines(newest, numbers.convert(lines), readLines, wanted);
  const versions = [...new Set(origins.flatMap((origin) => origin?.version ?? []))];
  const contexts = await readContexts(store, read, versions);
  const sources = new LineSources(path, text, lines, await buildLookup(contents, read.history));
  const isSingle = line !== undefined;
  return {
    kind: 'explained',
    ...{ path, hash: newest.hash, size: newest.size, lines: lines.length },
    ranges: buildRanges(origins, versions).map((range) => ({ ...range, sources: sources.find(range.from, range.to) })),
    writes: versions.map((version) => buildWrite(version, contexts.get(version), isSingle)),
    ...(isSingle ? { text: lines[line - 1]! } : {}),
  };
}

function readComparable(content: VersionText, numbers: LineNumbers): Lines | 'none' | 'unknown' {
  if (content === 'missing') return 'unknown';
  if (content === 'not-text') return 'none';
  const lines = splitLines(content.text);
  return lines.length > EXPLAIN_LIMITS.lines ? 'unknown' : numbers.convert(lines);
}

/** Splits a text into its lines. The last line may end without a line feed. */
function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

async function readContexts(
  store: EventLog,
  { history, segments }: JobFileHistory,
  versions: readonly FileVersion[],
): Promise<ReadonlyMap<FileVersion, WriteContext>> {
  const contexts = new WriteContexts(versions, history.phases);
  const range = findContextRange(versions, history.phases);
  if (!range) return contexts.finish();
  const wanted = new Set(versions.flatMap(({ phase }) => phase ?? []));
  for (const { jobId, to } of segments.slice(segments.findIndex(({ jobId }) => jobId === range.from.jobId))) {
    const after = jobId === range.from.jobId ? range.from.position : 0;
    const types = { types: contextTypes, texts: getTexts(jobId) };
    for await (const recorded of store.iterateCorrelation(jobId, { after, to: Math.min(to, range.to), ...types })) {
      const stream = parseStreamName(recorded.streamId);
      if (stream?.kind === 'phase' && wanted.has(stream.phase)) contexts.apply(recorded, stream.phase);
    }
  }
  return contexts.finish();
}

function buildRanges(
  origins: readonly (LineOrigin | undefined)[],
  versions: readonly FileVersion[],
): readonly Omit<ExplainedRange, 'sources'>[] {
  const indexes = new Map(versions.map((version, index) => [version, index]));
  const ranges: { from: number; to: number; write: number; mayBeOlder: boolean }[] = [];
  for (const [index, origin] of origins.entries()) {
    if (!origin) continue;
    const { mayBeOlder } = origin;
    const write = indexes.get(origin.version)!;
    const last = ranges.at(-1);
    if (last?.to === index && last.write === write && last.mayBeOlder === mayBeOlder) last.to += 1;
    else ranges.push({ from: index + 1, to: index + 1, write, mayBeOlder });
  }
  return ranges;
}

/** What was read before is listed only for a single line, because it is long. */
function buildWrite(version: FileVersion, context: WriteContext | undefined, withRead: boolean): ExplainedWrite {
  const { previous: _previous, mode: _mode, phase: _phase, ...about } = version;
  return { ...about, ...context, read: withRead ? (context?.read ?? []) : [] };
}

async function buildLookup(contents: VersionContents, { files }: FileHistory): Promise<SourceLookup> {
  const index = files.get(`${SOURCES_DIRECTORY}/index.jsonl`);
  const content = index && index.size <= EXPLAIN_LIMITS.bytes ? await contents.read(index) : 'missing';
  const sources = parseSourceIndex(typeof content === 'object' ? content.text : '');
  return { sources, hasFile: (path) => files.has(path) };
}
