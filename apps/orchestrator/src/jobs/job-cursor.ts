import type { ListJobsQuery } from '@phaseline/client';
import type { JobListPage } from '@phaseline/projections';
import { invalidRequest } from '../problem/validation.pipe.js';

type JobPlace = NonNullable<JobListPage['next']>;

const valuePatterns = {
  newest: /^$/,
  oldest: /^$/,
  cost: /^\d{1,16}$/,
  waiting: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/,
} as const satisfies Record<NonNullable<ListJobsQuery['sort']>, RegExp>;

/** Cursors of lists of jobs in one order. To callers they are opaque. */
export class JobCursor {
  constructor(private readonly sort: keyof typeof valuePatterns) {}

  encode({ position, value = '' }: JobPlace): string {
    return Buffer.from(`jobs:${this.sort}:${position}:${value}`).toString('base64url');
  }

  /** Decodes a cursor. Throws ApiProblem, also for a cursor of another order. */
  decode(cursor: string): JobPlace {
    const [, sort, position = '', value = ''] =
      /^jobs:([a-z]+):(\d{1,15}):(.*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
    const isTime = this.sort === 'waiting';
    if (sort !== this.sort || !valuePatterns[this.sort].test(value) || (isTime && Number.isNaN(Date.parse(value))))
      throw invalidRequest([
        { path: 'cursor', message: 'expected the "nextCursor" of the previous page, with the same sort' },
      ]);
    if (value === '') return { position: Number(position) };
    return { position: Number(position), value: isTime ? value : Number(value) };
  }
}
