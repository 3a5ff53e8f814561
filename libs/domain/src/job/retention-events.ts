import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** Actor of the removals that the service starts itself. */
export const RETENTION_ACTOR = 'retention';

/** Maximum number of hashes in one event. The files of a larger job are removed in several commits. */
export const MAX_HASHES_PER_REMOVAL = 5_000;

/** Events about how long the content of an ended job is kept. */
export const retentionEventDefinitions = [
  defineEvent(
    'FilesRemoved',
    1,
    'Content of an ended job was removed by retention, in the same commit. The log still names it.',
    z.object({
      actor: z.string(),
      removedAt: z.iso.datetime(),
      /** Hashes of the removed files. Files that other jobs still need are kept, and not named. */
      hashes: z.array(sha256).max(MAX_HASHES_PER_REMOVAL),
      bytes: z.int().min(0),
      /** Number of files whose vectors for semantic search were removed. */
      vectorFiles: z.int().min(0),
      /** Number of days after the end of the job that its tenant keeps files. */
      afterDays: z.int().min(0),
      /** Whether more events with hashes follow. */
      hasMore: z.boolean(),
    }),
  ),
  defineEvent(
    'VectorsRemoved',
    1,
    'The vectors of an ended job were removed by retention before its files, in the same commit.',
    z.object({
      actor: z.string(),
      removedAt: z.iso.datetime(),
      /** Number of files whose vectors for semantic search were removed. */
      vectorFiles: z.int().min(0),
      /** Number of days after the end of the job that its tenant keeps vectors. */
      afterDays: z.int().min(0),
    }),
  ),
  defineEvent(
    'JobMovedToColdStorage',
    1,
    'The events of the ended phases of an ended job were moved to an archive in cold storage, in the same commit. They are read from there.',
    z.object({
      actor: z.string(),
      movedAt: z.iso.datetime(),
      /** Name of the archive in the storage. */
      archive: z.string(),
      /** SHA-256 of the archive. */
      sha256,
      /** Size of the archive. */
      bytes: z.int().min(0),
      /** Number of events that moved. */
      events: z.int().min(1),
      /** Number of streams that moved: one per phase. */
      streams: z.int().min(1),
      /** SHA-256 over position, transaction id and hash of each event of the archive. */
      digest: sha256,
      /** Number of days after the end of the job; missing if the move of this job was requested. */
      afterDays: z.int().min(0).optional(),
    }),
  ),
  defineEvent(
    'HoldPlaced',
    1,
    'A legal hold was placed on the job: nothing of it is removed or erased until it is released.',
    z.object({ actor: z.string(), reason: z.string() }),
  ),
  defineEvent(
    'HoldReleased',
    1,
    'The legal hold on the job was released.',
    z.object({ actor: z.string(), reason: z.string() }),
  ),
] as const;
