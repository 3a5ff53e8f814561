import { FULFILMENT_TYPES, TARGET_LABELS } from '@phaseline/contracts';
import { z } from 'zod';

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name of letters, digits and _');

/** What a graph may contain: labels with their required properties, and the allowed relationships between them. */
export const metamodelSchema = z.strictObject({
  labels: z.record(name, z.strictObject({ required: z.array(name).default([]), key: name.optional() })),
  relationships: z.array(z.strictObject({ from: name, type: name, to: name })),
});
export type Metamodel = z.infer<typeof metamodelSchema>;

/** Requirements, and what can fulfil them: the business objects of a system and the messages that it exchanges. */
export const DEFAULT_METAMODEL: Metamodel = {
  labels: {
    Requirement: { required: ['rid', 'text'], key: 'rid' },
    BusinessObject: { required: ['name'], key: 'name' },
    Message: { required: ['name'], key: 'name' },
  },
  relationships: [
    ...FULFILMENT_TYPES.flatMap((type) => TARGET_LABELS.map((to) => ({ from: 'Requirement', type, to }))),
    ...['REFINES', 'DEPENDS_ON', 'CONFLICTS_WITH', 'DUPLICATES'].map((type) => ({
      from: 'Requirement',
      type,
      to: 'Requirement',
    })),
    { from: 'Message', type: 'CARRIES', to: 'BusinessObject' },
    { from: 'BusinessObject', type: 'RELATES_TO', to: 'BusinessObject' },
  ],
};
