import { jsonObjectSchema } from '@phaseline/basics';
import { type Check, fileCheckSchema } from '@phaseline/checks';
import { localPathSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** A file that must exist before the job can be completed: its path, or its path with what the file must be. */
export const deliverableSchema = z.union([localPathSchema, fileCheckSchema.omit({ exists: true, changedSince: true })]);
export type Deliverable = z.infer<typeof deliverableSchema>;

/** A deliverable in an event of a phase; see `storedCheckSchema`. */
export const storedDeliverableSchema = z.union([
  z.string(),
  jsonObjectSchema as unknown as z.ZodType<Exclude<Deliverable, string>>,
]);

export function getDeliverablePath(deliverable: Deliverable): string {
  return typeof deliverable === 'string' ? deliverable : deliverable.path;
}

/** The check of a deliverable, for one that says more than its path. */
export function getDeliverableCheck(deliverable: Deliverable): Check | undefined {
  if (typeof deliverable === 'string') return undefined;
  const { path: _path, ...demands } = deliverable;
  return Object.keys(demands).length === 0 ? undefined : { file: deliverable };
}
