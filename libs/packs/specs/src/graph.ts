import { DEFAULT_DUPLICATE_THRESHOLD, FULFILMENT_TYPES, TARGET_LABELS } from '@phaseline/contracts';
import { z } from 'zod';
import { describeValue } from './describe-value.js';
import { declareDomainPack } from './declare-pack.js';

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
    .describe('Cypher query. Do not embed values: write $name and pass them as parameters.'),
  parameters: z
    .record(z.string().min(1).max(100), z.json())
    .refine((parameters) => JSON.stringify(parameters).length <= 100_000, 'are longer than 100,000 characters')
    .default({})
    .describe('Values for the $names.'),
  limit: z.int().min(1).max(1_000).default(100).describe('Maximum number of rows to return.'),
});

const mention = z.strictObject({
  name: shortText.describe('The name as written in the text.'),
  limit: z.int().min(1).max(20).default(5),
});

const furtherProperties = z
  .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), z.union([z.string().max(8_000), z.number(), z.boolean()]))
  .refine((value) => Object.keys(value).length <= 30, 'has more than 30 properties')
  .default({});

/** Tools for a graph of requirements and what fulfils them. */
export const graphSpec = declareDomainPack(
  'graph',
  {
    execute_cypher_query: {
      lane: 'remote',
      description:
        'Runs a read-only Cypher query on the graph: MATCH, OPTIONAL MATCH, WHERE, WITH, UNWIND, RETURN, ORDER BY, LIMIT, UNION. Call get_database_schema first.',
      input: cypher,
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    execute_cypher_update: {
      lane: 'remote',
      description:
        'Changes the graph with a Cypher statement: CREATE, MERGE, SET, REMOVE, DELETE. For requirements and their fulfilment, use the dedicated tools.',
      input: cypher,
      effect: 'idempotent',
      timeoutMs: TIMEOUT_MS,
    },
    get_database_schema: {
      lane: 'remote',
      description:
        'Returns the labels, properties and relationships that the graph contains, and those that it allows. Call it before you write a query.',
      input: noInput,
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    find_similar_requirements: {
      lane: 'remote',
      description:
        'Finds the requirements in the graph whose words are most similar to a text, with a score from 0 to 1. It compares words, not meaning.',
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
        'Checks whether the graph already contains a requirement with the same or very similar text. Call it before create_requirement_node.',
      input: z.strictObject({
        text,
        rid: rid.optional().describe('Id of the requirement itself, which is not reported as a duplicate.'),
        threshold: threshold.optional().describe('Minimum score at which two requirements count as duplicates.'),
        among: z
          .array(z.strictObject({ rid, text }))
          .max(50)
          .default([])
          .describe('Further requirements to compare it with, such as earlier ones that are not yet in the graph.'),
      }),
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
      adjust: ({ graph = {} }) => ({
        note: describeValue('threshold', graph.duplicateThreshold, DEFAULT_DUPLICATE_THRESHOLD, 'lower'),
      }),
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
        'Checks the whole graph against its metamodel: unknown labels and relationships, missing properties, duplicate keys. Lists every problem.',
      input: noInput,
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    create_requirement_node: {
      lane: 'remote',
      description:
        'Creates the node of a requirement in the graph. A requirement with the same text is left unchanged. Fails if the id belongs to another text.',
      input: z.strictObject({
        rid: rid.optional().describe('Its id. Default: derived from its text, as by generate_requirement_id.'),
        text,
        name: shortText.optional(),
        type: shortText.optional().describe("Such as 'functional' or 'compliance'."),
        modality: shortText.optional(),
        source: shortText.optional().describe('The document that states it.'),
        citation: z.string().max(8_000).optional().describe('The quotation and its location in the document.'),
        confidence: z.number().min(0).max(1).optional(),
        properties: furtherProperties.describe('Further properties.'),
      }),
      effect: 'idempotent',
      timeoutMs: TIMEOUT_MS,
    },
    create_fulfillment_relationship: {
      lane: 'remote',
      description:
        'Records that a requirement is, or is not, fulfilled by a business object or a message. A repeated call replaces confidence and evidence, and removes the opposite relationship.',
      input: z.strictObject({
        rid: rid.describe('The requirement.'),
        target: shortText.describe('The name of the business object or message, as returned by resolve_….'),
        targetLabel: z.enum(TARGET_LABELS),
        type: z.enum(FULFILMENT_TYPES).default('FULFILLED_BY'),
        confidence: z.number().min(0).max(1),
        evidence: z.string().min(1).max(4_000).describe('Reason for this statement.'),
      }),
      effect: 'idempotent',
      timeoutMs: TIMEOUT_MS,
    },
    generate_requirement_id: {
      lane: 'remote',
      description:
        'Derives the id of a requirement from its text; the same text always gets the same id. Also reports whether the graph already contains it.',
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
      description: 'Lists the relationships of a node in both directions, with their properties.',
      input: z.strictObject({
        label: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "expected a label such as 'Requirement'"),
        key: z.string().min(1).max(500).describe('The rid of a requirement, or the name of any other node.'),
        limit: z.int().min(1).max(500).default(100),
      }),
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    count_graph_statistics: {
      lane: 'remote',
      description: 'Counts nodes by label, relationships by type, and requirements by fulfilment.',
      input: noInput,
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    assess_fulfillment: {
      lane: 'remote',
      description:
        'Proposes for each requirement the business object or message that it is about, and whether that object fulfils it, based on the names in the text and on the share of the text that the description covers. ' +
        'It compares words, not meaning, so check each proposal before you record it with create_fulfillment_relationship.',
      input: z.strictObject({
        requirements: z.array(z.strictObject({ rid, text })).min(1).max(20),
      }),
      effect: 'pure',
      timeoutMs: TIMEOUT_MS,
    },
    extract_entity_mentions: {
      lane: 'remote',
      description:
        'Finds what requirements mention by name: nodes of the graph, by name, alias or inflection, with label and offsets, and further names that the graph does not know. ' +
        'For a file it also writes the result to a file.',
      input: z
        .strictObject({
          file: z
            .string()
            .min(1)
            .max(500)
            .optional()
            .describe("A requirements file, such as 'output/requirements.json'."),
          requirements: z
            .array(z.strictObject({ rid, text }))
            .min(1)
            .max(50)
            .optional()
            .describe('Single requirements, instead of a file.'),
          labels: z
            .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "expected a label such as 'BusinessObject'"))
            .min(1)
            .max(50)
            .optional()
            .describe('Labels to look for. Default: all labels of the metamodel but Requirement.'),
        })
        .refine(
          ({ file, requirements }) => (file === undefined) !== (requirements === undefined),
          "expected one of 'file' and 'requirements'",
        ),
      effect: 'idempotent',
      timeoutMs: TIMEOUT_MS,
    },
  },
  { forPlanning: ['get_database_schema', 'count_graph_statistics'] },
);

/** File for the mentions of a requirements file; the same as Markdown beside it. */
export const ENTITIES_FILE = 'work/entities.json';

function describeResolver(what: string): string {
  return `Finds the ${what} in the graph that a text refers to, by name or alias. If there is none, returns those with the most similar names.`;
}
