import { jobIdSchema } from '@phaseline/contracts';
import { z } from 'zod';
import { defineEvent, type EventOf } from '../event/define-event.js';

/** Days after the end of a job; null: for ever. */
const days = z.int().min(0).nullable();

export const retentionSet = defineEvent(
  'RetentionSet',
  3,
  'How long a tenant keeps the files, vectors and learning traces of ended jobs was set, and when their events move to cold storage. It replaces the setting before.',
  z.object({
    actor: z.string(),
    filesDays: days,
    /** Null: as long as the files. */
    vectorsDays: days,
    /** Null: for ever. Promoted learning traces stay in any case. */
    learningDays: days,
    /** Null: the events never move to cold storage. */
    coldDays: days,
  }),
);

/** Maximum number of jobs in one event. The learning traces of more jobs are removed in several commits. */
export const MAX_JOBS_PER_REMOVAL = 500;

export const learningTracesRemoved = defineEvent(
  'LearningTracesRemoved',
  1,
  'Learning traces of ended jobs were removed by retention. Promoted ones, promotions and overrides of guards stay.',
  z.object({
    actor: z.string(),
    removedAt: z.iso.datetime(),
    tenant: z.string(),
    jobs: z.array(jobIdSchema).min(1).max(MAX_JOBS_PER_REMOVAL),
    /** Number of days after the end of a job that its tenant keeps learning traces. */
    afterDays: z.int().min(0),
  }),
);

export type LearningTracesRemoved = EventOf<typeof learningTracesRemoved>;
export type RetentionSet = EventOf<typeof retentionSet>;
