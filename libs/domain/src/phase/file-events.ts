import { callIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent } from '../event/define-event.js';

/** Content hash of a file: its SHA-256, or, above 1 MiB, a name computed from the hashes of its pieces. */
export const contentName = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('SHA-256 in hex; above 1 MiB the name that is computed from the pieces (audit.md)');

/** What a file is when it is not a plain file. The content of a link is the path to which it points. */
const fileModes = ['executable', 'link'] as const;
export type FileMode = (typeof fileModes)[number];

/** Who changed a file when no call did: a person, or something that changed it in the working folder of the phase. */
const fileOrigins = ['person', 'outside'] as const;
export type FileOrigin = (typeof fileOrigins)[number];

export const fileEntrySchema = z.object({
  hash: contentName,
  size: z.int().min(0),
  /** Time of the last write, from the clock of the process that recorded it. */
  writtenAt: z.iso.datetime(),
  /** Absent for a plain file. */
  mode: z.enum(fileModes).optional(),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** The files of a workspace by path. */
export const treeSchema = z.record(z.string(), fileEntrySchema);

export const fileWritten = defineEvent(
  'FileWritten',
  2,
  'A file of the workspace has new content. The content is stored as a blob under `hash`.',
  fileEntrySchema.extend({
    path: z.string(),
    callId: callIdSchema.optional(),
    origin: z.enum(fileOrigins).optional(),
  }),
);

export const fileDeleted = defineEvent(
  'FileDeleted',
  2,
  'A file of the workspace was deleted. Its blob is kept for the history.',
  z.object({
    path: z.string(),
    callId: callIdSchema.optional(),
    origin: z.enum(fileOrigins).optional(),
  }),
);
