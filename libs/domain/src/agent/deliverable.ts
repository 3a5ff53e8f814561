import { jsonObjectSchema } from '@phaseline/basics';
import { type Check, fileCheckSchema, runNameSchema } from '@phaseline/checks';
import { localPathSchema } from '@phaseline/contracts';
import { z } from 'zod';

/** A file and what it must be. */
export const demandedFileSchema = fileCheckSchema
  .omit({ exists: true, changedSince: true })
  .extend({ verifier: runNameSchema.optional().describe('Verifier of the agent that must pass') });
export type DemandedFile = z.infer<typeof demandedFileSchema>;

/** A file that must exist before the job can be completed: its path, or its path with what the file must be. */
export const deliverableSchema = z.union([localPathSchema, demandedFileSchema]);
export type Deliverable = z.infer<typeof deliverableSchema>;

/** A file and what it must be in an event of a phase; see `storedCheckSchema`. */
export const storedDemandedFileSchema = jsonObjectSchema as unknown as z.ZodType<DemandedFile>;

/** A deliverable in an event of a phase. */
export const storedDeliverableSchema = z.union([z.string(), storedDemandedFileSchema]);

export function getDeliverablePath(deliverable: Deliverable): string {
  return typeof deliverable === 'string' ? deliverable : deliverable.path;
}

/** The checks of a deliverable that says more than its path. */
export function listDeliverableChecks(deliverable: Deliverable): readonly Check[] {
  if (typeof deliverable === 'string') return [];
  const { verifier, ...file } = deliverable;
  const { path: _path, ...demands } = file;
  return [...(Object.keys(demands).length === 0 ? [] : [{ file }]), ...(verifier === undefined ? [] : [{ verifier }])];
}

/** What a todo that names the deliverable must produce: the file with some content, and what the deliverable demands of it. */
export function listDeliverableDemands(deliverable: Deliverable): readonly Check[] {
  const checks = listDeliverableChecks(deliverable);
  const hasFile = checks.some((check) => 'file' in check);
  return hasFile ? checks : [{ file: { path: getDeliverablePath(deliverable), minBytes: 1 } }, ...checks];
}
