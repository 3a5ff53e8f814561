import { FULFILMENT_TYPES, TARGET_LABELS } from '@phaseline/contracts';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

const TIMEOUT_MS = 60_000;

const text = z.string().min(1).max(8_000);
const rid = z.string().min(1).max(200);
const shortText = z.string().min(1).max(500);
const threshold = z.number().min(0).max(1);
const noInput = z.strictObject({});

const cypher = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(20_000)
    .describe('Cypher. Values never stand in it: write $name and give them as parameters.'),
  parameters: z
    .record(z.string().min(1).max(100), z.json())
    .refine((parameters) => JSON.stringify(parameters).length <= 100_000, 'are longer than 100,000 characters')
    .default({})
    .describe('Values for the $names.'),
  limit: z.int().min(1).max(1_000).default(100).describe('Rows to return at most.'),
});

const mention = z.strictObject({
  name: shortText.describe('As the text has it.'),
  limit: z.int().min(1).max(20).default(5),
});

const furtherProperties = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), z.union([z.string().max(8_000), z.number(), z.boolean()]))
  .refine((value) => Object.keys(value).length <= 30, 'has more than 30 properties')
  .default({});

/** Tools for a graph of requirements and what fulfils them. */
export const graphSpec = declarePack('graph', {
  execute_cypher_query: {
    lane: 'remote',
    description:
      'Asks the graph with a Cypher query that only reads: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT, UNION. Look at get_database_schema first.',
    input: cypher,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  execute_cypher_update: {
    lane: 'remote',
    description:
      'Changes the graph with a Cypher statement: CREATE, MERGE, SET, REMOVE, DELETE. For requirements and their fulfilment use the tools made for them.',
    input: cypher,
    effect: 'idempotent',
    timeoutMs: TIMEOUT_MS,
  },
  get_database_schema: {
    lane: 'remote',
    description:
      'Tells which labels, properties and relationships the graph holds, and which it may hold. Call it before you write a query.',
    input: noInput,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  find_similar_requirements: {
    lane: 'remote',
    description:
      'Finds requirements in the graph whose words are most like a text, with a score from 0 to 1. It compares words, not meanings.',
    input: z.strictObject({
      text,
      limit: z.int().min(1).max(50).default(10),
      threshold: threshold.default(0.3),
    }),
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  check_for_duplicates: {
    lane: 'remote',
    description:
      'Says whether a requirement is in the graph already: word for word, or nearly so. Call it before create_requirement_node.',
    input: z.strictObject({
      text,
      rid: rid.optional().describe('Its own id, which is no duplicate of itself.'),
      threshold: threshold.default(0.9).describe('The score from which on two requirements count as one.'),
      among: z
        .array(z.strictObject({ rid, text }))
        .max(50)
        .default([])
        .describe('Further requirements to compare it with, such as those before it that are not in the graph yet.'),
    }),
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  resolve_business_object: {
    lane: 'remote',
    description: describeResolver('business object'),
    input: mention,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  resolve_message: {
    lane: 'remote',
    description: describeResolver('message'),
    input: mention,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  validate_schema_compliance: {
    lane: 'remote',
    description:
      'Checks the whole graph against its metamodel: unknown labels and relationships, missing properties, keys that stand twice. Names what is wrong.',
    input: noInput,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  create_requirement_node: {
    lane: 'remote',
    description:
      'Puts a requirement into the graph as a node. One that is there with the same words is left as it is; an id that stands for other words is refused.',
    input: z.strictObject({
      rid: rid.optional().describe('Its id. Default: made from its words, as generate_requirement_id does.'),
      text,
      name: shortText.optional(),
      type: shortText.optional().describe("Such as 'functional' or 'compliance'."),
      modality: shortText.optional(),
      source: shortText.optional().describe('The document that states it.'),
      citation: z.string().max(8_000).optional().describe('The words of the document, and where.'),
      confidence: z.number().min(0).max(1).optional(),
      properties: furtherProperties.describe('Further properties.'),
    }),
    effect: 'idempotent',
    timeoutMs: TIMEOUT_MS,
  },
  create_fulfillment_relationship: {
    lane: 'remote',
    description:
      'Records that a requirement is, or is not, fulfilled by a business object or a message. Said again, confidence and evidence are replaced; the opposite is taken back.',
    input: z.strictObject({
      rid: rid.describe('The requirement.'),
      target: shortText.describe('The name of the business object or message, as resolve_… returned it.'),
      targetLabel: z.enum(TARGET_LABELS),
      type: z.enum(FULFILMENT_TYPES).default('FULFILLED_BY'),
      confidence: z.number().min(0).max(1),
      evidence: z.string().min(1).max(4_000).describe('Why you say so.'),
    }),
    effect: 'idempotent',
    timeoutMs: TIMEOUT_MS,
  },
  generate_requirement_id: {
    lane: 'remote',
    description:
      'Makes the id of a requirement from its words; the same words always get the same id. Says whether the graph has it already.',
    input: z.strictObject({
      text,
      prefix: z
        .string()
        .regex(/^[A-Z][A-Z0-9]{0,9}$/, 'expected capitals')
        .default('REQ'),
    }),
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  get_entity_relationships: {
    lane: 'remote',
    description: 'Lists what a node is joined to, in both directions, with the properties of each relationship.',
    input: z.strictObject({
      label: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "expected a label such as 'Requirement'"),
      key: z.string().min(1).max(500).describe('The rid of a requirement, the name of anything else.'),
      limit: z.int().min(1).max(500).default(100),
    }),
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  count_graph_statistics: {
    lane: 'remote',
    description: 'Counts nodes by label, relationships by type, and requirements by whether they are fulfilled.',
    input: noInput,
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
  assess_fulfillment: {
    lane: 'remote',
    description:
      'Proposes for each requirement which business object or message it is about, and whether that fulfils it: by the names that the text mentions, and by how much of it the description covers. ' +
      'It compares words, not meanings; judge each proposal before you record it with create_fulfillment_relationship.',
    input: z.strictObject({
      requirements: z.array(z.strictObject({ rid, text })).min(1).max(20),
    }),
    effect: 'pure',
    timeoutMs: TIMEOUT_MS,
  },
});

function describeResolver(what: string): string {
  return `Finds the ${what} in the graph that a text means: by its name or an alias, else those with the most similar names.`;
}
