import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Content hash of a file: its SHA-256, or, above 1 MiB, a name computed from the hashes of its pieces. */
export const contentName = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 in hex; above 1 MiB the name that is computed from the pieces (audit.md)');

const fileEntrySchema = z.object({
  hash: contentName,
  size: z.int().min(0),
  /** Time of the last write, from the clock of the process that recorded it. */
  writtenAt: z.iso.datetime(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** The files of a workspace by path. */
export const treeSchema = z.record(z.string(), fileEntrySchema);

export const fileWritten = defineEvent(
  'FileWritten',
  1,
  'A file of the workspace has new content. The content is stored as a blob under `hash`.',
  fileEntrySchema.extend({
    path: z.string(),
    callId: callIdSchema.optional(),
  }),
);

export const fileDeleted = defineEvent(
  'FileDeleted',
  1,
  'A file of the workspace was deleted. Its blob is kept for the history.',
  z.object({
    path: z.string(),
    callId: callIdSchema.optional(),
  }),
);
