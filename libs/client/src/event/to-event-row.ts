import { clip, toSingleLine } from '@phaseline/basics';
import type { EventRecord } from './event-record.js';
import { MAX_ROW_SUMMARY_CHARACTERS, type EventRow } from './event-rows.js';
import { readCount } from './summary/event-data.js';
import { summariseEvent } from './summary/summarise-event.js';

/** Characters of a summary that are made into one line. Results of tools may be megabytes, of which a row shows the beginning. */
const MAX_READ_CHARACTERS = 2_000;

/** Converts an event to a row of a list. */
export function toEventRow(event: EventRecord): EventRow {
  const { position, recordedAt, streamId, type, data, metadata, unreadableReason } = event;
  const summary = unreadableReason === undefined ? summariseEvent(event) : `unreadable: ${unreadableReason}`;
  const phase = parsePhase(streamId);
  const durationMs = readCount(data, 'durationMs');
  return {
    position,
    at: recordedAt,
    ...(phase === undefined ? {} : { phase }),
    type,
    ...(metadata.actor ? { actor: metadata.actor.id } : {}),
    summary: clip(toSingleLine(clip(summary, MAX_READ_CHARACTERS)), MAX_ROW_SUMMARY_CHARACTERS),
    ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs }),
  };
}

/** Returns the number of the phase whose stream it is; `undefined` for any other stream. */
function parsePhase(streamId: string): number | undefined {
  const [, phase] = /^phase-[0-9a-f-]{36}-(\d+)$/.exec(streamId) ?? [];
  return phase === undefined ? undefined : Number(phase);
}
