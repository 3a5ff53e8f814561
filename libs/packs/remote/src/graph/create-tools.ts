import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { z } from 'zod';
import { FULFILMENT_TYPES, TARGET_LABELS, type Value } from '@phaseline/graph';
import { createRequirementId } from './find-tools.js';
import { runOnGraph, TOOL_TIMEOUT_MS, type GraphHost } from './graph-host.js';
import { normaliseWords } from './similarity.js';

const shortText = z.string().min(1).max(500);
const extraProperties = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), z.union([z.string().max(8_000), z.number(), z.boolean()]))
  .refine((value) => Object.keys(value).length <= 30, 'has more than 30 properties')
  .default({});

const nodeInput = z.strictObject({
  rid: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Its id. Default: made from its words, as generate_requirement_id does.'),
  text: z.string().min(1).max(8_000),
  name: shortText.optional(),
  type: shortText.optional().describe("Such as 'functional' or 'compliance'."),
  modality: shortText.optional(),
  source: shortText.optional().describe('The document that states it.'),
  citation: z.string().max(8_000).optional().describe('The words of the document, and where.'),
  confidence: z.number().min(0).max(1).optional(),
  properties: extraProperties.describe('Further properties.'),
});

export function createRequirementNode(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof nodeInput>>({
    name: 'create_requirement_node',
    description:
      'Puts a requirement into the graph as a node. One that is there with the same words is left as it is; an id that stands for other words is refused.',
    input: nodeInput,
    effect: 'idempotent',
    timeoutMs: TOOL_TIMEOUT_MS,
    async run(context, { properties, rid = '', ...fields }) {
      const id = rid === '' ? createRequirementId('REQ', fields.text) : rid;
      const content = await runOnGraph(host, context, 1, ({ graph, limits }) =>
        graph.change(context, limits, async (ask) => {
          const known = await ask('MATCH (r:Requirement) WHERE r.rid = $rid RETURN r.text', { rid: id });
          const [text] = known.rows[0] ?? [];
          if (known.rows.length > 0) {
            if (normaliseWords(String(text)) === normaliseWords(fields.text)) return `${id} is in the graph already.`;
            throw new ToolError(
              'id_taken',
              `The id ${id} stands for another requirement: ${String(text)}. Leave the id out.`,
            );
          }
          const all: Record<string, Value> = {
            ...properties,
            ...withoutUndefined(fields),
            rid: id,
            createdBy: context.jobId,
          };
          await ask('MERGE (r:Requirement {rid: $rid}) SET r += $all', { rid: id, all });
          return `Created (:Requirement {rid: '${id}'}).`;
        }),
      );
      return { content };
    },
  });
}

const fulfilmentInput = z.strictObject({
  rid: z.string().min(1).max(200).describe('The requirement.'),
  target: shortText.describe('The name of the business object or message, as resolve_… returned it.'),
  targetLabel: z.enum(TARGET_LABELS),
  type: z.enum(FULFILMENT_TYPES).default('FULFILLED_BY'),
  confidence: z.number().min(0).max(1),
  evidence: z.string().min(1).max(4_000).describe('Why you say so.'),
});

export function createFulfillmentRelationship(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof fulfilmentInput>>({
    name: 'create_fulfillment_relationship',
    description:
      'Records that a requirement is, or is not, fulfilled by a business object or a message. Said again, confidence and evidence are replaced; the opposite is taken back.',
    input: fulfilmentInput,
    effect: 'idempotent',
    timeoutMs: TOOL_TIMEOUT_MS,
    async run(context, { rid, target, targetLabel, type, confidence, evidence }) {
      const content = await runOnGraph(host, context, 10, ({ graph, limits }) =>
        graph.change(context, limits, async (ask) => {
          const ends = `MATCH (r:Requirement) WHERE r.rid = $rid MATCH (x:${targetLabel}) WHERE x.name = $target`;
          const found = await ask(`${ends} RETURN count(*) AS count`, { rid, target });
          const [count] = found.rows[0] ?? [0];
          if (count === 0)
            throw new ToolError(
              'no_such_node',
              `There is no requirement ${rid}, or no ${targetLabel} named '${target}'. Look them up first.`,
            );
          const opposite = type === 'FULFILLED_BY' ? 'NOT_FULFILLED_BY' : 'FULFILLED_BY';
          const takenBack = await ask(
            `${ends} MATCH (r)-[old:${opposite}]->(x) WITH old, 1 AS one DELETE old RETURN count(one) AS count`,
            { rid, target },
          );
          await ask(
            `${ends} MERGE (r)-[f:${type}]->(x) SET f.confidence = $confidence, f.evidence = $evidence, f.createdBy = $job`,
            { rid, target, confidence, evidence, job: context.jobId },
          );
          const [takenBackCount] = takenBack.rows[0] ?? [0];
          return `(${rid})-[:${type}]->(${target}) is in the graph.${takenBackCount === 0 ? '' : ` ${opposite} was taken back.`}`;
        }),
      );
      return { content };
    },
  });
}

function withoutUndefined(values: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, Value] => entry[1] !== undefined));
}
