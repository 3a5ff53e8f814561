import { graphSpec } from '@phaseline/pack-specs';
import { narrowArgument, type ToolRun } from '@phaseline/tools';
import { DEFAULT_DUPLICATE_THRESHOLD, type TARGET_LABELS } from '@phaseline/contracts';
import { createHash } from 'node:crypto';
import { runOnGraph, type GraphHost, type GraphOfCall } from './graph-host.js';
import { findMostSimilar, normaliseWords } from './similarity.js';
import { formatResult } from './format-result.js';

/** Maximum nodes compared per label. If there are more, the result says so. */
const MAX_COMPARED_NODES = 20_000;

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

export function findSimilarRequirements(host: GraphHost): ToolRun<typeof graphSpec, 'find_similar_requirements'> {
  return (context, options) =>
    runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
      const { candidates, note } = await readRequirements(at);
      const found = await findMostSimilar(options.text, candidates, options);
      const lines = found.map(({ candidate, score }) => `- ${candidate.id} (${score.toFixed(2)}): ${candidate.text}`);
      return {
        content: [lines.length === 0 ? 'No similar requirements.' : `${lines.length} similar:`, ...lines, ...note].join(
          '\n',
        ),
      };
    });
}

export function checkForDuplicates(host: GraphHost): ToolRun<typeof graphSpec, 'check_for_duplicates'> {
  return (context, { text: wanted, rid, threshold: asked, among }) =>
    runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
      const { value: from, note: narrowed } = narrowArgument({
        name: 'threshold',
        asked,
        limit: context.settings?.graph?.duplicateThreshold,
        fallback: DEFAULT_DUPLICATE_THRESHOLD,
        stricter: 'lower',
      });
      const { candidates, note } = await readRequirements(at);
      const further = among.map((one) => ({ id: one.rid, text: one.text }));
      const others = [...candidates, ...further].filter(({ id }) => id !== rid);
      const found = await findMostSimilar(wanted, others, { limit: 10, threshold: from });
      const lines = found.map(({ candidate, score }) => {
        const same = normaliseWords(candidate.text) === normaliseWords(wanted);
        return `- ${candidate.id} (${same ? 'the same words' : score.toFixed(2)}): ${candidate.text}`;
      });
      return {
        content: [
          lines.length === 0 ? 'No duplicate.' : `${lines.length} duplicates:`,
          ...lines,
          ...narrowed,
          ...note,
        ].join('\n'),
      };
    });
}

/** Creates a tool that looks up a mention among the nodes of a label: by name, by `aliases`, otherwise by similarity. */
export function resolveMention(
  host: GraphHost,
  label: (typeof TARGET_LABELS)[number],
  what: string,
): ToolRun<typeof graphSpec, 'resolve_business_object' | 'resolve_message'> {
  return (context, { name: wanted, limit: most }) =>
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
    });
}

export function getEntityRelationships(host: GraphHost): ToolRun<typeof graphSpec, 'get_entity_relationships'> {
  return (context, { label, key, limit: most }) =>
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
    });
}

/** Derives the id of a requirement from its words. This needs no counter, and every process computes the same id. */
export function createRequirementId(prefix: string, words: string): string {
  return `${prefix}-${createHash('sha256').update(normaliseWords(words)).digest('hex').slice(0, 10)}`;
}

export function generateRequirementId(host: GraphHost): ToolRun<typeof graphSpec, 'generate_requirement_id'> {
  return (context, { text: words, prefix }) =>
    runOnGraph(host, context, 1, async ({ graph, limits }) => {
      const rid = createRequirementId(prefix, words);
      const { rows } = await graph.read('MATCH (r:Requirement) WHERE r.rid = $rid RETURN r.text', { rid }, limits);
      return { content: rows.length === 0 ? rid : `${rid} (already in the graph: ${String(rows[0]?.[0])})` };
    });
}
