import { z } from 'zod';

const name = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'expected a name of letters, digits and _');

/** What a graph may contain: labels with their required properties, and the allowed relationships between them. */
export const metamodelSchema = z
  .strictObject({
    labels: z.record(name, z.strictObject({ required: z.array(name).default([]), key: name.optional() })),
    relationships: z.array(z.strictObject({ from: name, type: name, to: name })),
  })
  .superRefine(({ labels, relationships }, context) => {
    for (const [index, { from, to }] of relationships.entries())
      for (const [end, label] of [
        ['from', from],
        ['to', to],
      ] as const)
        if (!Object.hasOwn(labels, label))
          context.addIssue({
            code: 'custom',
            path: ['relationships', index, end],
            message: `expected one of the labels ${Object.keys(labels).join(', ')}, found '${label}'`,
          });
  });
export type Metamodel = z.infer<typeof metamodelSchema>;
