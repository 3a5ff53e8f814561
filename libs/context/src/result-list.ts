import type { CallId } from '@phaseline/contracts';
import type { PhaseState, TranscriptEntry } from '@phaseline/domain';
import { countSameEntries } from './count-same-entries.js';
import { countTokens } from './count-tokens.js';

/** Approximate number of tokens in the line that replaces a cleared result. */
export const REMARK_TOKENS = 15;

/** A result that can be cleared, with its tokens. */
export interface OldResult {
  readonly callId: CallId;
  readonly tokens: number;
}

type Row = readonly { readonly callId: CallId; readonly result?: OldResult }[];

/** By the start of the phase, which all states of a phase share. */
const lists = new WeakMap<PhaseState['start'], ResultList>();

/** Lists the results of all answers of a phase. Those of entries that have not changed since the last time are not counted again. */
export function listResults({ start, conversation }: PhaseState): ResultList {
  const list = lists.get(start) ?? new ResultList();
  lists.set(start, list);
  list.update(conversation.transcript);
  return list;
}

/** The calls of the answers of a phase, oldest first, with those results that clearing would shorten. */
class ResultList {
  private readonly entries: TranscriptEntry[] = [];
  /** Per entry: each of its calls, with its result if that can be cleared. */
  private readonly rows: Row[] = [];
  /** Number of calls, and tokens that clearing would save, up to each entry, with it. */
  private readonly ends: { readonly calls: number; readonly saved: number }[] = [];

  get calls(): number {
    return this.ends.at(-1)?.calls ?? 0;
  }

  /** Tokens saved by clearing what can be cleared of the first `count` calls. Looks only at the entries of later calls. */
  sumSaved(count: number): number {
    const before = this.ends.findLastIndex(({ calls }) => calls <= count);
    const { calls, saved } = this.ends[before] ?? { calls: 0, saved: 0 };
    return saved + sumSaved((this.rows[before + 1] ?? []).slice(0, count - calls));
  }

  /** What can be cleared of the first `count` calls. */
  list(count: number): readonly OldResult[] {
    return this.rows
      .flat()
      .slice(0, count)
      .flatMap(({ result }) => result ?? []);
  }

  /** The ids of all calls but the first `count`. */
  listIdsAfter(count: number): readonly CallId[] {
    return this.rows
      .flat()
      .slice(count)
      .map(({ callId }) => callId);
  }

  update(transcript: readonly TranscriptEntry[]): void {
    const kept = countSameEntries(this.entries, transcript);
    this.entries.length = kept;
    this.rows.length = kept;
    this.ends.length = kept;
    for (const entry of transcript.slice(kept)) {
      const row = listCalls(entry);
      this.entries.push(entry);
      this.rows.push(row);
      this.ends.push({ calls: this.calls + row.length, saved: (this.ends.at(-1)?.saved ?? 0) + sumSaved(row) });
    }
  }
}

/** The calls of an entry. A result is never cleared twice, nor if a person said in it why a call was refused, nor if the remark would be as long. */
function listCalls(entry: TranscriptEntry): Row {
  if (entry.kind !== 'answer') return [];
  const { answer, cleared = [], approvalDecisions, results } = entry;
  return answer.calls.map(({ callId }) => {
    const text = results?.[callId];
    const isKept = cleared.includes(callId) || approvalDecisions?.[callId]?.refusalReason !== undefined;
    const tokens = text === undefined || isKept ? 0 : countTokens(text);
    return tokens > REMARK_TOKENS ? { callId, result: { callId, tokens } } : { callId };
  });
}

function sumSaved(row: Row): number {
  return row.reduce((sum, { result }) => sum + (result ? result.tokens - REMARK_TOKENS : 0), 0);
}
