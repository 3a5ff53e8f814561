import { z } from 'zod';
import { artifactKinds } from '../artifacts/adaptation-log-entry.js';
import { sentencesSchema } from '../artifacts/fields.js';
import { patchOperationSchema, type PatchOperation } from './json-patch.js';
import { severities, violationCodes, type ViolationCode } from './violation-kinds.js';

/** A fix was applied before it is suggested: it removes its violation, adds none and drops no task. */
const fixSchema = z.strictObject({
  kind: z.literal('fix'),
  description: sentencesSchema,
  operations: z.array(patchOperationSchema).min(1).max(2_000),
});
/** Where content is missing: what the model is to change, naming node and field. Of a fatal violation: what the person is to decide. */
const instructionSchema = z.strictObject({ kind: z.literal('instruction'), text: sentencesSchema });

export const violationSchema = z
  .strictObject({
    code: z.enum(violationCodes as readonly [ViolationCode, ...ViolationCode[]]),
    artifact: z.enum(artifactKinds),
    node: z.string().max(100).nullable().describe('Node, or null if it concerns the whole artifact'),
    field: z.string().max(200).describe('Field of the node or of the artifact'),
    severity: z.enum(severities),
    message: sentencesSchema,
    remedy: z.discriminatedUnion('kind', [fixSchema, instructionSchema]),
  })
  .meta({ title: 'Violation' });
export type Violation = z.infer<typeof violationSchema>;
export type Fix = z.infer<typeof fixSchema>;

/** What a rule found, before its fix is proven. */
export interface Finding {
  readonly code: ViolationCode;
  readonly node: string | null;
  readonly field: string;
  readonly message: string;
  /** What the model is to do if no fix works. Names node and field. */
  readonly instruction: string;
  /** Fixes to try, the best first. */
  readonly fixes?: readonly FixCandidate[];
}

export interface FixCandidate {
  readonly description: string;
  readonly operations: readonly PatchOperation[];
}
