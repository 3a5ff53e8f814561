import { graphSpec } from '@phaseline/pack-specs';
import type { ToolRun } from '@phaseline/tools';
import { yieldOnce } from '@phaseline/basics';
import { TARGET_LABELS, ToolError } from '@phaseline/contracts';
import { extractContentWords, mentions, isSameWord } from './content-words.js';
import { runOnGraph, type GraphHost, type GraphOfCall } from './graph-host.js';

/** Maximum nodes compared per label. If there are more, the result says so. */
const MAX_COMPARED_NODES = 5_000;
/** Minimum share of a requirement's words that a target must cover to be proposed as fulfilling it. */
const MIN_COVERED_SHARE = 0.5;

interface Target {
  readonly label: (typeof TARGET_LABELS)[number];
  readonly name: string;
  readonly names: readonly string[];
  /** Content words of all texts of the node. */
  readonly words: readonly string[];
}

export interface Assessment {
  readonly rid: string;
  /** `undecided`: the graph contains nothing that the requirement names. */
  readonly assessment: 'fulfilled' | 'not fulfilled' | 'undecided';
  readonly target?: string;
  readonly targetLabel?: (typeof TARGET_LABELS)[number];
  /** Share of the requirement's words that the target covers, 0 to 1. */
  readonly confidence?: number;
  readonly evidence?: string;
}

export function assessFulfillment(host: GraphHost): ToolRun<typeof graphSpec, 'assess_fulfillment'> {
  return (context, { requirements }) =>
    runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
      const { targets, notes } = await readTargets(at);
      if (targets.length === 0)
        throw new ToolError(
          'no_targets',
          'The graph contains no business objects or messages, so it cannot show that a requirement is fulfilled. Record the requirements as undecided.',
        );
      const lines: string[] = [];
      for (const { rid, text } of requirements) {
        await yieldOnce();
        lines.push(JSON.stringify(assess(rid, text, targets)));
      }
      return { content: [...lines, ...notes].join('\n') };
    });
}

async function readTargets({ graph, limits }: GraphOfCall): Promise<{ targets: Target[]; notes: string[] }> {
  const targets: Target[] = [];
  const notes: string[] = [];
  for (const label of TARGET_LABELS) {
    // The labels are constants, so they are safe in the query text.
    const found = await graph.read(
      `MATCH (n:${label}) WHERE n.name IS NOT NULL RETURN n.name, n.aliases, properties(n) ORDER BY n.name`,
      {},
      limits,
    );
    if (found.omittedRows !== 0) notes.push(`[… only the first ${MAX_COMPARED_NODES} of ${label} were compared …]`);
    for (const [name, aliases, properties] of found.rows) {
      const names = [name, ...(Array.isArray(aliases) ? aliases : [])].map(String);
      targets.push({
        label,
        name: String(name),
        names,
        words: extractContentWords(collectTexts(properties).join(' ')),
      });
    }
  }
  return { targets, notes };
}

/** Collects all texts in a value, at any depth. */
function collectTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(collectTexts);
}

function assess(rid: string, text: string, targets: readonly Target[]): Assessment {
  const words = extractContentWords(text);
  const scored = targets
    .filter(({ names }) => names.some((name) => mentions(text, name)))
    .map((target) => {
      const covered = words.filter((word) => target.words.some((known) => isSameWord(known, word)));
      return { target, covered, share: words.length === 0 ? 0 : covered.length / words.length };
    })
    .sort((a, b) => b.share - a.share);
  const [best] = scored;
  if (!best) return { rid, assessment: 'undecided' };
  const { target, covered, share } = best;
  return {
    rid,
    assessment: share >= MIN_COVERED_SHARE ? 'fulfilled' : 'not fulfilled',
    target: target.name,
    targetLabel: target.label,
    confidence: Math.round(share * 100) / 100,
    evidence: `Its description contains ${covered.length} of the ${words.length} significant words: ${covered.join(', ')}.`,
  };
}
