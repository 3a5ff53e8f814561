import { createHash } from 'node:crypto';
import { defineRemoteTool, type RemoteTool } from '@phaseline/tools';
import { z } from 'zod';
import { runOnGraph, TOOL_TIMEOUT_MS, type GraphHost, type GraphOfCall } from './graph-host.js';
import { findMostSimilar, normaliseWords } from './similarity.js';
import { formatResult } from './format-result.js';

/** Maximum nodes compared per label. If there are more, the result says so. */
const MAX_COMPARED_NODES = 20_000;
const MIN_DUPLICATE_SCORE = 0.9;

const text = z.string().min(1).max(8_000);
const limit = z.int().min(1).max(50).default(10);
const threshold = z.number().min(0).max(1);

interface Candidate {
  readonly id: string;
  readonly text: string;
}

async function readRequirements({ graph, limits }: GraphOfCall): Promise<{ candidates: Candidate[]; note: string[] }> {
  const { rows, omittedRows } = await graph.read(
    'MATCH (r:Requirement) WHERE r.text IS NOT NULL RETURN r.rid, r.text ORDER BY r.rid',
    {},
    limits,
  );
  const candidates = rows.map(([id, content]) => ({ id: String(id), text: String(content) }));
  return {
    candidates,
    note: omittedRows === 0 ? [] : [`[… only the first ${MAX_COMPARED_NODES} requirements were compared …]`],
  };
}

const similarInput = z.strictObject({ text, limit, threshold: threshold.default(0.3) });

export function findSimilarRequirements(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof similarInput>>({
    name: 'find_similar_requirements',
    description:
      'Finds requirements in the graph whose words are most like a text, with a score from 0 to 1. It compares words, not meanings.',
    input: similarInput,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, options) =>
      runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
        const { candidates, note } = await readRequirements(at);
        const found = await findMostSimilar(options.text, candidates, options);
        const lines = found.map(({ candidate, score }) => `- ${candidate.id} (${score.toFixed(2)}): ${candidate.text}`);
        return {
          content: [
            lines.length === 0 ? 'No requirement is similar.' : `${lines.length} similar:`,
            ...lines,
            ...note,
          ].join('\n'),
        };
      }),
  });
}

const duplicateInput = z.strictObject({
  text,
  rid: z.string().min(1).max(200).optional().describe('Its own id, which is no duplicate of itself.'),
  threshold: threshold.default(MIN_DUPLICATE_SCORE).describe('The score from which on two requirements count as one.'),
  among: z
    .array(z.strictObject({ rid: z.string().min(1).max(200), text }))
    .max(50)
    .default([])
    .describe('Further requirements to compare it with, such as those before it that are not in the graph yet.'),
});

export function checkForDuplicates(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof duplicateInput>>({
    name: 'check_for_duplicates',
    description:
      'Says whether a requirement is in the graph already: word for word, or nearly so. Call it before create_requirement_node.',
    input: duplicateInput,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { text: wanted, rid, threshold: from, among }) =>
      runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
        const { candidates, note } = await readRequirements(at);
        const further = among.map((one) => ({ id: one.rid, text: one.text }));
        const others = [...candidates, ...further].filter(({ id }) => id !== rid);
        const found = await findMostSimilar(wanted, others, { limit: 10, threshold: from });
        const lines = found.map(({ candidate, score }) => {
          const same = normaliseWords(candidate.text) === normaliseWords(wanted);
          return `- ${candidate.id} (${same ? 'the same words' : score.toFixed(2)}): ${candidate.text}`;
        });
        return {
          content: [lines.length === 0 ? 'No duplicate.' : `${lines.length} duplicates:`, ...lines, ...note].join('\n'),
        };
      }),
  });
}

const nameInput = z.strictObject({
  name: z.string().min(1).max(500).describe('As the text has it.'),
  limit: z.int().min(1).max(20).default(5),
});

/** Creates a tool that looks up a mention among the nodes of a label: by name, by `aliases`, otherwise by similarity. */
function createResolver(
  host: GraphHost | undefined,
  name: string,
  label: 'BusinessObject' | 'Message',
  what: string,
): RemoteTool {
  return defineRemoteTool<z.infer<typeof nameInput>>({
    name,
    description: `Finds the ${what} in the graph that a text means: by its name or an alias, else those with the most similar names.`,
    input: nameInput,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { name: wanted, limit: most }) =>
      runOnGraph(host, context, MAX_COMPARED_NODES, async ({ graph, limits }) => {
        const { rows, omittedRows } = await graph.read(
          `MATCH (n:${label}) WHERE n.name IS NOT NULL RETURN n.name, n.aliases, n.description ORDER BY n.name`,
          {},
          limits,
        );
        const entries = rows.flatMap(([main, aliases, description]) => {
          const names = [main, ...(Array.isArray(aliases) ? aliases : [])].map(String);
          return names.map((own) => ({ main: String(main), text: own, description }));
        });
        const exact = entries.filter((entry) => normaliseWords(entry.text) === normaliseWords(wanted));
        const about = (description: unknown): string =>
          typeof description === 'string' ? `: ${description.slice(0, 300).toWellFormed()}` : '';
        if (exact.length > 0) {
          const mains = [...new Map(exact.map((entry) => [entry.main, entry])).values()];
          return { content: mains.map((entry) => `${entry.main}${about(entry.description)}`).join('\n') };
        }
        const alike = await findMostSimilar(wanted, entries, { limit: most, threshold: 0.25 });
        const lines = alike.map(
          ({ candidate, score }) => `- ${candidate.main} (${score.toFixed(2)})${about(candidate.description)}`,
        );
        return {
          content: [
            `No ${what} has this name.${lines.length > 0 ? ' Similar ones:' : ''}`,
            ...lines,
            ...(omittedRows === 0 ? [] : [`[… only the first ${MAX_COMPARED_NODES} were compared …]`]),
          ].join('\n'),
        };
      }),
  });
}

export const resolveBusinessObject = (host: GraphHost | undefined): RemoteTool =>
  createResolver(host, 'resolve_business_object', 'BusinessObject', 'business object');
export const resolveMessage = (host: GraphHost | undefined): RemoteTool =>
  createResolver(host, 'resolve_message', 'Message', 'message');

const relationsInput = z.strictObject({
  label: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "expected a label such as 'Requirement'"),
  key: z.string().min(1).max(500).describe('The rid of a requirement, the name of anything else.'),
  limit: z.int().min(1).max(500).default(100),
});

export function getEntityRelationships(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof relationsInput>>({
    name: 'get_entity_relationships',
    description: 'Lists what a node is joined to, in both directions, with the properties of each relationship.',
    input: relationsInput,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { label, key, limit: most }) =>
      runOnGraph(host, context, most, async ({ graph, metamodel, limits }) => {
        const property = metamodel.labels[label]?.key ?? 'name';
        const answer = await graph.read(
          // Two patterns, because one without a direction would not show the direction of each relationship.
          [['out', '-[r]->'] as const, ['in', '<-[r]-'] as const]
            .map(
              ([direction, edge]) => `MATCH (n:\`${label}\`) WHERE n.\`${property}\` = $key MATCH (n)${edge}(other)
                RETURN '${direction}' AS direction, type(r) AS type, labels(other) AS labels,
                       coalesce(other.rid, other.name) AS other, properties(r) AS properties`,
            )
            .join(' UNION ALL '),
          { key },
          limits,
        );
        return { content: formatResult(answer) };
      }),
  });
}

const idInput = z.strictObject({
  text,
  prefix: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{0,9}$/, 'expected capitals')
    .default('REQ'),
});

/** Derives the id of a requirement from its words. This needs no counter, and the id is the same wherever it is computed. */
export function createRequirementId(prefix: string, words: string): string {
  return `${prefix}-${createHash('sha256').update(normaliseWords(words)).digest('hex').slice(0, 10)}`;
}

export function generateRequirementId(host: GraphHost | undefined): RemoteTool {
  return defineRemoteTool<z.infer<typeof idInput>>({
    name: 'generate_requirement_id',
    description:
      'Makes the id of a requirement from its words; the same words always get the same id. Says whether the graph has it already.',
    input: idInput,
    effect: 'pure',
    timeoutMs: TOOL_TIMEOUT_MS,
    run: (context, { text: words, prefix }) =>
      runOnGraph(host, context, 1, async ({ graph, limits }) => {
        const rid = createRequirementId(prefix, words);
        const { rows } = await graph.read('MATCH (r:Requirement) WHERE r.rid = $rid RETURN r.text', { rid }, limits);
        return { content: rows.length === 0 ? rid : `${rid} (in the graph already: ${String(rows[0]?.[0])})` };
      }),
  });
}
